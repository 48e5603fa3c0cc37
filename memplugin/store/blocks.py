"""The body of a record file: the texts of its blocks, exactly (D5, decision 16).

Blocks are divided by a line of their own; a content line that looks like one, with or without
backslashes before it, gets one more backslash. One LF of ours ends the body.
"""

import re
from collections.abc import Sequence
from typing import Final

DIVIDER: Final = "<!-- block -->"
_LIKE_DIVIDER = re.compile(rf"^(?=\\*{DIVIDER}\r?$)", re.MULTILINE)  # where to escape
_ESCAPED = re.compile(rf"^\\(?=\\*{DIVIDER}\r?$)", re.MULTILINE)
_DIVIDING = re.compile(rf"^{DIVIDER}\r?\n", re.MULTILINE)


def encode(content: Sequence[str]) -> bytes:
    """Return the body of a file with these texts (at least one)."""
    body = f"\n{DIVIDER}\n".join(map(_escape, content)) + "\n"
    return body.encode()


def decode(body: str, *, exact: bool) -> tuple[str, ...]:
    """Return the texts of a body; without `exact`, less the empty lines around each file's text.

    A last line without LF (an editor's doing) counts as one with.
    """
    if not exact:
        body = body.removeprefix("\ufeff").strip("\r\n")
    elif body.endswith("\n"):
        body = body[:-1]
    if DIVIDER not in body:
        return (body,)
    return tuple(map(_unescape, _divide(body + "\n")))


def _divide(body: str) -> list[str]:
    found = list(_DIVIDING.finditer(body))
    starts = [0, *(match.end() for match in found)]
    ends = [*(match.start() for match in found), len(body)]
    # Each text is followed by an LF that is not part of it.
    return [body[start : max(start, end - 1)] for start, end in zip(starts, ends, strict=True)]


def _escape(text: str) -> str:
    return _LIKE_DIVIDER.sub(r"\\", text) if DIVIDER in text else text


def _unescape(text: str) -> str:
    return _ESCAPED.sub("", text)
