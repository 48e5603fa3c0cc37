"""The block structure of Markdown, as far as it says what is fenced and where code spans end.

A subset of CommonMark 0.31: block quotes, list items, fences, headings, rules and paragraphs.
Indented code and HTML are read as prose.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_SPACES = re.compile(" *")
_ITEM = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])( +|$)")
_FENCE = re.compile(r"(`{3,}+)[^`]*$|(~{3,})")
_HEADING = re.compile(r"#{1,6}(?: |$)")
_QUOTE = 0
"""A block quote in the stack of containers; a list item is the indent of what it holds."""
_MAX_INDENT = 3
"""Columns a marker may be indented by; one more makes it text."""
_MAX_PADDING = 4
"""Columns between an item's marker and its content; with more, its content is indented code."""
_MAX_DEPTH = 32
"""Containers followed into each other; markers beyond are text, which keeps the time linear."""
_MIN_RULE = 3


class Block(Struct, frozen=True):
    """Characters [start, end) of a text: fenced code, or prose that may hold code spans."""

    start: int
    end: int
    code: bool


def blocks(text: str) -> Iterator[Block]:
    """Give the blocks of `text` in order; together they are the whole text."""
    reader = _Reader()
    start = end = 0
    code = False
    for line in _LINE.finditer(text):
        if not reader.continues(line[0].rstrip("\r\n").expandtabs(4)):
            if end > start:
                yield Block(start, end, code)
            start = end
            code = reader.fence is not None
        end = line.end()
    if end > start:
        yield Block(start, end, code)


class _Fence(Struct, frozen=True):
    marker: str
    depth: int  # how many containers it stands in

    def is_closed_by(self, line: str) -> bool:
        """Tell whether `line` is a run of the same character, at least as long, and no more."""
        bare = line.lstrip(" ")
        if len(line) - len(bare) > _MAX_INDENT or not bare.startswith(self.marker):
            return False
        return not bare.lstrip(self.marker[0]).strip(" ")


class _Reader:
    """What is open after the lines read so far."""

    def __init__(self) -> None:
        self.fence: _Fence | None = None
        self._containers: list[int] = []
        self._in_paragraph = False

    def continues(self, line: str) -> bool:
        """Read the next line (no line end, no tabs) and tell whether it goes on with its block."""
        depth, position = self._matched(line)
        if self.fence is not None and depth >= self.fence.depth:
            if self.fence.is_closed_by(line[position:]):
                self.fence = None
            return True
        self.fence = None
        goes_on = self._in_paragraph and depth == len(self._containers)
        containers, position = self._opened(line, depth, position, goes_on=goes_on)
        text = line[position:].lstrip(" ")
        indent = len(line) - position - len(text)
        is_new = len(containers) > depth or not self._in_paragraph
        if text and not is_new and not self._interrupts(text, indent, goes_on=goes_on):
            return True  # also a lazy line, whose containers stay open
        self._containers = containers
        self._in_paragraph = bool(text) and indent <= _MAX_INDENT
        if self._in_paragraph:
            self._in_paragraph = not self._interrupts(text, indent, goes_on=False)
            if marker := _FENCE.match(text):
                self.fence = _Fence(marker[1] or marker[2], len(containers))
        return False

    def _matched(self, line: str) -> tuple[int, int]:
        """Count the open containers that `line` stays in, and find where what they hold starts."""
        position = 0
        for depth, container in enumerate(self._containers):
            text = _indent_end(line, position)
            if container == _QUOTE:
                if text - position > _MAX_INDENT or not line.startswith(">", text):
                    return depth, position
                position = text + 1 + line.startswith(" ", text + 1)
            elif text - position >= container:
                position += container
            elif text < len(line):
                return depth, position
        return len(self._containers), position

    def _opened(
        self, line: str, depth: int, position: int, *, goes_on: bool
    ) -> tuple[list[int], int]:
        """Follow the containers that `line` opens beyond the `depth` it stays in."""
        containers = self._containers[:depth]
        while len(containers) < _MAX_DEPTH:
            text = _indent_end(line, position)
            if text - position > _MAX_INDENT:
                break
            if line.startswith(">", text):
                containers.append(_QUOTE)
                position = text + 1 + line.startswith(" ", text + 1)
                goes_on = False
                continue
            item = _ITEM.match(line, text)
            if item is None or _is_rule(line[text:]) or (goes_on and not _may_interrupt(item)):
                break
            padding = len(item[2])
            width = item.end(2) if item.end() < len(line) else item.end() + 1
            if padding > _MAX_PADDING:
                width -= padding - 1
            containers.append(width - position)
            position = min(width, len(line))
            goes_on = False
        return containers, position

    def _interrupts(self, text: str, indent: int, *, goes_on: bool) -> bool:
        """Tell whether `text` ends a paragraph before it: a fence, a heading, a rule."""
        if indent > _MAX_INDENT:
            return False
        underline = goes_on and not text.strip("= ") and " =" not in text
        return underline or any((_FENCE.match(text), _HEADING.match(text), _is_rule(text)))


def _may_interrupt(item: re.Match[str]) -> bool:
    """Within a paragraph only an item that holds something starts a list, numbered ones with 1."""
    return item.end() < len(item.string) and item[1] in (None, "1")


def _is_rule(text: str) -> bool:
    marks = text.replace(" ", "")
    return len(marks) >= _MIN_RULE and marks[0] in "-*_" and not marks.strip(marks[0])


def _indent_end(line: str, position: int) -> int:
    found = _SPACES.match(line, position)
    return found.end() if found else position
