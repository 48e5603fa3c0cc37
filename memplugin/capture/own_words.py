"""What of a message the person said themselves: not quoted, not pasted, not code, not a log.

Works line by line, so that it is linear in the length of the message; what is left is bounded
(`MAX_TYPED`), so that all rules after it are too.
"""

import re

MAX_TYPED = 2_000  # characters; nobody types more in one go, so the middle of more is a paste
_MAX_LINE = 2_000  # characters of a line that are looked at
_EDGE = 800  # characters kept of each end of a message that is longer

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_TAG = re.compile(r"\s{0,3}<(/?)([A-Za-z][\w:.-]{0,40})(?:\s[^>]{0,200})?(/?)>")
_HEADING = re.compile(r"#{1,6} \S|={3,}$|-{3,}$")
_MAIL = re.compile(r"(?:From|To|Cc|Bcc|Sent|Date|Subject|Reply-To|Von|An|Betreff): ?\S")
_RECALLED = re.compile(r"\s*\[?memory:")
_TURN = re.compile(r"(?:\[?[\d:., -]{4,20}\]?\s*)?[A-Z][\w.-]{1,20}(?: [A-Z][\w.-]{1,20})?: \S")
_ADDRESS = re.compile(r"https?://|\S@\S|[~/#]\S")

_BLOCK_START = re.compile(
    r"Traceback \(most recent|Exception in thread|panic: |thread '.{1,40}' panicked|"
    r"diff --git |@@ -\d|commit [0-9a-f]{7,40}$|\s*at [\w.$<>]+\(|Caused by: |goroutine \d|"
    r"=+ (?:FAILURES|ERRORS|test session)|\+\+\+ |--- [ab/]"
)
"""Opens a paste that goes on to the next empty line."""

_PASTED_LINE = re.compile(
    r">|\||\t| {4}|[{}\[\]]|[-+]{3}|[-+][^ ]|\s*\"[\w$-]{1,60}\"\s*:|[$%] \S|[\w.@~/-]{1,60}[$#>] \S|"
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b|"
    r"(?:npm|yarn|pnpm) (?:ERR!|WARN|error)|remote: |fatal: |error(?:\[\w+\])?: |warning: |hint: |"
    r"\w*(?:Error|Exception|Warning)\b[^ ]{0,60}: |\s*File \"|"
    r"\s*(?:import [\w.]+(?: as \w+)?|from [\w.]+ import .*)$|"
    r"(?:def|class|function|func|fn) \w+ ?[({:<]|(?:const|let|var) \w+ ?[:=]|"
    r"(?:public|private|protected|static) [\w<>\[\]]+ \w+ ?[({=;]|"
    r"(?:SELECT .* FROM|INSERT INTO|UPDATE \w+ SET|CREATE (?:TABLE|INDEX)|ALTER TABLE|DELETE FROM) "
)
"""A line that nobody says: quoted, tabular, code, a log, a prompt."""

_STOP = re.compile(r"(?<=[.!?])\s+")
_CODE_END = re.compile(r"(?:[;{}]|\)\s*[{:]|=>)\s*$")


def own_words(text: str) -> str:
    """Return the lines of a message that are the person's own, with blank lines between pastes."""
    lines = _outside_blocks(text.split("\n"))
    kept = _without_transcript([line for line in lines if not _is_pasted(line)])
    return _typed("\n".join(kept))


def _typed(text: str) -> str:
    """Return a text, or only its first and last paragraph where it is too long to be typed."""
    if len(text) <= MAX_TYPED:
        return text
    first, last = text.split("\n\n", 1)[0], text.rsplit("\n\n", 1)[-1]
    if len(first) > _EDGE:
        first = " ".join(_STOP.split(first[:_EDGE])[:-1])
    if len(last) > _EDGE:
        last = " ".join(_STOP.split(last[-_EDGE:])[1:])
    return f"{first}\n\n{last}"


def _is_pasted(line: str) -> bool:
    return bool(_PASTED_LINE.match(line) or _CODE_END.search(line[-80:]))


def _outside_blocks(lines: list[str]) -> list[str]:
    """Drop fenced, tagged, recalled and traced blocks, and all that follows a heading or mail."""
    kept: list[str] = []
    fence = tag = ""
    block = False
    for whole in lines:
        line = whole[:_MAX_LINE].rstrip("\r")
        if fence:
            fence = "" if line.strip().startswith(fence) else fence
        elif tag:
            tag = "" if f"</{tag}>" in whole else tag
        elif mark := _FENCE.match(line):
            fence, block = mark[1], False
        elif opened := _TAG.match(line):
            tag = _left_open(opened, whole)
        elif not line.strip():
            block = False
            kept.append("")
        elif _HEADING.match(line) or (_MAIL.match(line) and _is_mail(kept, line)):
            break
        elif block or _BLOCK_START.match(line) or _RECALLED.match(line):
            block = True
        else:
            kept.append(line)
    return kept


def _left_open(opened: re.Match[str], line: str) -> str:
    """Return the name of a tag whose text goes on in the next lines, else nothing."""
    closing, name, empty = opened.groups()
    return "" if closing or empty or f"</{name}>" in line else str(name)


def _is_mail(kept: list[str], line: str) -> bool:
    """Tell a pasted mail: a header alone is none unless it says who sent it or follows another."""
    return line.startswith(("From: ", "Von: ")) or bool(kept and _MAIL.match(kept[-1]))


def _without_transcript(lines: list[str]) -> list[str]:
    """Drop the turns of a pasted conversation: two or more lines that name a speaker."""
    turns = {line for line in lines if _TURN.match(line) and not _names_place(line)}
    return [line for line in lines if line not in turns] if len(turns) > 1 else lines


def _names_place(line: str) -> bool:
    return bool(_ADDRESS.match(line.split(": ", 1)[1]))
