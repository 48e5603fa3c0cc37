"""What a tool call would do, to look at before it is made (T4)."""

from collections.abc import Iterator
from difflib import SequenceMatcher

from memplugin.protocol.records import Record, RecordStatus
from memplugin.protocol.render import (
    DiffHunk,
    DiffLine,
    DiffNode,
    DiffOp,
    GroupNode,
    LinkNode,
    ListNode,
    RenderNode,
    RenderTree,
    TextStyle,
)
from memplugin.service.drafts import Draft
from memplugin.service.remembering import Does, Match, Plan
from memplugin.service.rendering import content_node, styled
from memplugin.service.visible import one_line, visible

CONTEXT_LINES = 3
COMPARED_LINES = 2_000  # of each side; beyond, comparing takes too long and says too little


def sentence(text: str, style: TextStyle | None = None) -> RenderTree:
    """Return a tree of one text."""
    return RenderTree(styled(visible(text), style))


def of_remembering(plan: Plan, new: Draft) -> RenderTree:
    """Return what remembering would do: a diff for an update, else what would be written."""
    match plan:
        case Plan(does=Does.NOTHING, record=Record() as record):
            return sentence(f"Changes nothing: {record.id} says exactly this already.")
        case Plan(does=Does.ASK):
            return tree("Writes nothing: similar memories exist.", matches_node(plan.matches))
        case Plan(does=Does.UPDATE, record=Record() as record):
            return tree(f"Updates {record.id}", *_changes(record, new))
        case Plan(does=Does.PROPOSE, record=Record() as record):
            text = f"Proposes a draft that revises {record.id}"
            return tree(text, *_changes(record, new))
    kind = "draft of a memory" if new.status is RecordStatus.PENDING else "memory"
    heading = f"Records a new {new.scope}/{new.type} {kind}: {one_line(new.title)}"
    return tree(heading, *(content_node(text, {}) for text in new.content))


def of_forgetting(record: Record, *, is_request: bool) -> RenderTree:
    """Return what forgetting would do."""
    heading = f"Forgets {record.id} for good: {one_line(record.title)}"
    if is_request:
        heading = f"Asks a person to forget {record.id}: {one_line(record.title)}"
    return tree(heading, *(content_node(text, {}) for text in record.content))


def tree(heading: str, *children: RenderNode) -> RenderTree:
    """Return a heading with what is below it."""
    return RenderTree(RenderNode(group=GroupNode([styled(heading, TextStyle.BOLD), *children])))


def matches_node(matches: list[Match]) -> RenderNode:
    """Return similar records as links, best first, drafts marked."""
    return RenderNode(list=ListNode([_match(match) for match in matches]))


def _match(match: Match) -> RenderNode:
    record = match.record
    draft = " (draft)" if match.status is RecordStatus.PENDING else ""
    text = f"{one_line(record.title)}{draft} {record.id} {match.score:.2f}"
    return RenderNode(link=LinkNode(text, f"memory:{record.id}"))


def _changes(record: Record, new: Draft) -> Iterator[RenderNode]:
    if record.title != new.title:
        yield RenderNode(diff=DiffNode(hunks(one_line(record.title), one_line(new.title))))
    content = "\n\n".join(new.content)
    yield RenderNode(diff=DiffNode(hunks(visible(record.text), visible(content))))


def hunks(old: str, new: str) -> list[DiffHunk]:
    """Return the hunks that lead from one text to the other; line numbers start at 1."""
    before, after = old.split("\n"), new.split("\n")
    if max(len(before), len(after)) > COMPARED_LINES:
        lines = [DiffLine(DiffOp.REMOVE, text) for text in before]
        lines += [DiffLine(DiffOp.ADD, text) for text in after]
        return [DiffHunk(1, len(before), 1, len(after), lines)]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    groups = matcher.get_grouped_opcodes(CONTEXT_LINES)
    return [_hunk(group, before, after) for group in groups]


_Codes = list[tuple[str, int, int, int, int]]


def _hunk(codes: _Codes, before: list[str], after: list[str]) -> DiffHunk:
    lines: list[DiffLine] = []
    for op, old_start, old_end, new_start, new_end in codes:
        if op == "equal":
            lines += [DiffLine(DiffOp.CONTEXT, text) for text in before[old_start:old_end]]
            continue
        lines += [DiffLine(DiffOp.REMOVE, text) for text in before[old_start:old_end]]
        lines += [DiffLine(DiffOp.ADD, text) for text in after[new_start:new_end]]
    (_, old_first, _, new_first, _), (_, _, old_last, _, new_last) = codes[0], codes[-1]
    return DiffHunk(old_first + 1, old_last - old_first, new_first + 1, new_last - new_first, lines)
