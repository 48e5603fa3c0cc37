"""Render trees: what a frontend can show (protocol section 3, shared shapes)."""

from enum import StrEnum

from msgspec import Struct


class TextStyle(StrEnum):
    """How a text node looks."""

    NORMAL = "normal"
    BOLD = "bold"
    ITALIC = "italic"
    CODE = "code"
    DIM = "dim"
    ERROR = "error"
    WARNING = "warning"
    SUCCESS = "success"


class TextNode(Struct, frozen=True, omit_defaults=True):
    """Plain text."""

    content: str
    style: TextStyle | None = None


class CodeBlockNode(Struct, frozen=True, omit_defaults=True):
    """Code, verbatim."""

    content: str
    language: str | None = None


class DiffOp(StrEnum):
    """What happened to a line."""

    CONTEXT = "context"
    ADD = "add"
    REMOVE = "remove"


class DiffLine(Struct, frozen=True):
    """A line of a hunk, without its LF."""

    op: DiffOp
    text: str


class DiffHunk(Struct, frozen=True):
    """A run of lines that changed; line numbers start at 1."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: list[DiffLine]


class DiffNode(Struct, frozen=True):
    """A change between two texts."""

    hunks: list[DiffHunk]


class TableRow(Struct, frozen=True):
    """A row of a table."""

    cells: list[str]


class TableNode(Struct, frozen=True):
    """Rows under headers."""

    headers: list[str]
    rows: list[TableRow]


class LinkNode(Struct, frozen=True):
    """A link; a record's address is `memory:<id>`."""

    text: str
    url: str


class ListNode(Struct, frozen=True):
    """Items, numbered or not."""

    items: "list[RenderNode]"
    ordered: bool = False


class GroupNode(Struct, frozen=True):
    """Nodes one below the other."""

    children: "list[RenderNode]"


class CollapsibleNode(Struct, frozen=True):
    """Nodes behind a summary."""

    summary: str
    children: "list[RenderNode]"
    collapsed_by_default: bool = True


class SubSessionNode(Struct, frozen=True):
    """A session that another one started."""

    session_id: str
    summary: str


class ActionNode(Struct, frozen=True):
    """Something that can be done: a tool of ours with its arguments."""

    id: str
    label: str
    tool_name: str
    args: dict[str, str]
    provider: str


class RenderNode(Struct, frozen=True, omit_defaults=True):
    """One key, the kind of node."""

    text: TextNode | None = None
    code_block: CodeBlockNode | None = None
    diff: DiffNode | None = None
    table: TableNode | None = None
    link: LinkNode | None = None
    list: ListNode | None = None
    group: GroupNode | None = None
    collapsible: CollapsibleNode | None = None
    sub_session: SubSessionNode | None = None
    action: ActionNode | None = None


class RenderTree(Struct, frozen=True):
    """A whole rendering."""

    root: RenderNode
