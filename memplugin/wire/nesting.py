"""Tells how deep a text is nested, and takes it apart by its brackets alone, however deep it is.

Decoders call themselves at every level and give up somewhere; this does neither. It trusts a text
to be JSON: what it hands out is decoded afterwards, or refused.
"""

import re
from collections.abc import Iterator

# An unclosed string reaches to the end: the pattern never fails, so it takes linear time.
_STRING_PATTERN = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?'
_STRING = re.compile(_STRING_PATTERN, re.DOTALL)
_RUNS = re.compile(_STRING_PATTERN + rb"|[\[{]++|[\]}]++", re.DOTALL)
_RUNS_AND_COMMAS = re.compile(_RUNS.pattern + rb"|,", re.DOTALL)
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_ALL_SQUARE = bytes.maketrans(b"{}", b"[]")


def is_deeper(text: bytes, max_depth: int) -> bool:
    """Say whether arrays and objects stand within one another beyond a depth."""
    if text.count(b"[") + text.count(b"{") <= max_depth:
        return False
    brackets = _STRING.sub(b"", text).translate(_ALL_SQUARE, _NO_BRACKETS)
    too_many = b"[" * (max_depth + 1)
    # Each round takes away the innermost pairs, that is one level.
    for _ in range(max_depth):
        if not brackets or too_many in brackets:
            break
        brackets = brackets.replace(b"[]", b"")
    return bool(brackets)


def outline(text: bytes) -> bytes:
    """Return an object with null for each array and object in it; for no JSON, no JSON."""
    kept, kept_from, depth = [], 0, 0
    for run in _RUNS.finditer(text):
        first, length = text[run.start()], run.end() - run.start()
        if first == ord('"'):
            continue
        if first in b"[{":
            if depth <= 1 < depth + length:
                kept.append(text[kept_from : run.start() + 1 - depth])
            depth += length
        else:
            if depth - length <= 1 < depth:
                kept_from = run.start() + depth - 1
                kept.append(b"null")
            depth -= length
    return b"".join(kept) + text[kept_from:] if depth == 0 else b""


def split_array(text: bytes) -> Iterator[bytes]:
    """Yield the bytes of an array's elements. Raises ValueError where its brackets do not fit."""
    depth, begun, end = 0, 1, 0
    for mark in _RUNS_AND_COMMAS.finditer(text):
        first, length = text[mark.start()], mark.end() - mark.start()
        if first in b"[{":
            depth += length
        elif first in b"]}":
            depth -= length
        elif first == ord(",") and depth == 1:
            yield text[begun : mark.start()]
            begun = mark.end()
        end = mark.end()
        if depth <= 0:
            break
    if depth or end != len(text):
        raise ValueError("brackets that do not fit")
    yield text[begun:-1]
