"""`[[name]]` in Markdown: which names a text links to, and where in it they stand (L1, L3).

What is code, inline or fenced, is found by CommonMark's rules and never holds a link. This module
knows no records: whether a name exists is the reader's question.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from msgspec import Struct

from memplugin.recall.blocks import Block, blocks
from memplugin.recall.slugs import name as normal_name

_TICKS = re.compile(r"`+")


class Text(Struct, frozen=True, tag=True):
    """Text as it stands."""

    text: str


class Link(Struct, frozen=True, tag=True):
    """A link: its target's name as a slug of any length, its label if it has one, and its source.

    A name of more than 64 characters can be no record's id: such a link always dangles.
    """

    name: str
    label: str | None
    source: str


def links(texts: Iterable[str]) -> tuple[str, ...]:
    """Give the names that `texts` link to, in order of first appearance, without doubles (L1)."""
    found = (part.name for text in texts for part in _parts(text) if isinstance(part, Link))
    return tuple(dict.fromkeys(found))


def segments(text: str) -> list[Text | Link]:
    """Take `text` apart into links and the text between them; the sources joined are `text`."""
    merged: list[Text | Link] = []
    for is_link, run in groupby(_parts(text), lambda part: isinstance(part, Link)):
        if is_link:
            merged.extend(run)
        else:
            merged.append(Text("".join(part.text for part in run if isinstance(part, Text))))
    return merged


def _parts(text: str) -> Iterator[Text | Link]:
    if "[[" not in text:
        if text:
            yield Text(text)
        return
    for block in blocks(text):
        if block.code:
            yield Text(text[block.start : block.end])
        else:
            yield from _inline(text, block)


def _inline(text: str, block: Block) -> Iterator[Text | Link]:
    start = block.start
    for code_start, code_end in _code_spans(text, block):
        yield from _linked(text[start:code_start])
        yield Text(text[code_start:code_end])
        start = code_end
    yield from _linked(text[start : block.end])


def _code_spans(text: str, block: Block) -> Iterator[tuple[int, int]]:
    """Find code spans: a run of backticks up to the next run of the same length."""
    runs = [(m.start(), m.end()) for m in _TICKS.finditer(text, block.start, block.end)]
    # Runs by length, last first: what lies behind is dropped once, so the whole is linear.
    by_length: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        by_length.setdefault(runs[index][1] - runs[index][0], []).append(index)
    index = 0
    while index < len(runs):
        start, end = runs[index]
        start += _escaped(text, start, block.start)
        closers = by_length.get(end - start, [])
        while closers and closers[-1] <= index:
            closers.pop()
        if end > start and closers:
            index = closers[-1]
            yield start, runs[index][1]
        index += 1


def _escaped(text: str, position: int, floor: int) -> bool:
    """Tell whether an odd number of backslashes stands before `position`."""
    first = position
    while first > floor and text[first - 1] == "\\":
        first -= 1
    return (position - first) % 2 == 1


def _linked(text: str) -> Iterator[Text | Link]:
    """Take apart text without code: the innermost `[[` before each `]]`, on one line."""
    done = position = 0
    while (close := text.find("]]", position)) >= 0:
        opened = text.rfind("[[", position, close)
        position = close + 2
        if opened < 0:
            position -= 1  # of "]]]" the last two may close what a name's own bracket did not
            continue
        if text[position : position + 1] == "]" and _unbalanced(text[opened + 2 : close]):
            position += 1
        link = _link(text[opened:position])
        if link is not None:
            if opened > done:
                yield Text(text[done:opened])
            yield link
            done = position
    if done < len(text):
        yield Text(text[done:])


def _unbalanced(inner: str) -> bool:
    return inner.count("[") > inner.count("]")


def _link(source: str) -> Link | None:
    inner = source[2:-2]
    if "\n" in inner or "\r" in inner:
        return None
    target, _, label = inner.partition("|")
    normal = normal_name(target)
    return Link(normal, label.strip() or None, source) if normal else None
