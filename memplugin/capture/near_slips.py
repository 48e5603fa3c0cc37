"""Slips of the fingers: words that differ by how they were typed, not by what they mean."""

import re
from collections.abc import Sequence
from itertools import pairwise

from memplugin.capture.near_reading import Kind, Word
from memplugin.recall.words import stem

_MOST = 40  # words without a counterpart from which nobody looks for typing errors


def joined(a: Sequence[Word], b: Sequence[Word]) -> tuple[set[str], set[str]]:
    """Give the keys that differ in how they are joined only: "upper case" and "uppercase"."""
    apart_a, whole_b = _joined(a, b)
    apart_b, whole_a = _joined(b, a)
    return apart_a | whole_a, apart_b | whole_b


def _joined(apart: Sequence[Word], whole: Sequence[Word]) -> tuple[set[str], set[str]]:
    keys = {word.key for word in whole if word.kind is Kind.TELLING}
    parts: set[str] = set()
    wholes: set[str] = set()
    for first, second in pairwise(apart):
        if {first.kind, second.kind} <= {Kind.WEAK, Kind.TELLING}:
            key = stem(first.key + second.key)
            if key in keys:
                parts |= {first.key, second.key}
                wholes.add(key)
    return parts, wholes


def slips(a: Sequence[Word], b: Sequence[Word]) -> tuple[set[str], set[str]]:
    """Give the keys that differ from one of the other side by a slip of the fingers only."""
    tells_a = [w.key for w in a if w.kind is Kind.TELLING and w.key.isalpha()]
    tells_b = [w.key for w in b if w.kind is Kind.TELLING and w.key.isalpha()]
    if not tells_a or not tells_b or len(tells_a) + len(tells_b) > _MOST:
        return set(), set()
    pairs = [(x, y) for x in tells_a for y in tells_b if _is_slip(x, y)]
    return {x for x, _ in pairs}, {y for _, y in pairs}


_VOWELS = str.maketrans("eiou", "aaaa")
_MIN_SLIP = 6  # letters: shorter words have neighbours that mean something else
_MIN_DOER = 4  # letters: "lint" and "linter"


def _is_slip(x: str, y: str) -> bool:
    """Tell two letters in the wrong order, one doubled or not, a wrong vowel inside, or "-er"."""
    short, long = sorted((x, y), key=len)
    if long in (f"{short}er", f"{short}{short[-1]}er") and len(short) >= _MIN_DOER:
        return True
    if min(len(x), len(y)) < _MIN_SLIP or x[0] != y[0] or x[-1] != y[-1]:
        return False
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - not before it is needed

    if OSA.distance(x, y, score_cutoff=1) > 1:
        return False
    if sorted(x) == sorted(y) or x.translate(_VOWELS) == y.translate(_VOWELS):
        return True
    return _single(x) == _single(y)


def _single(word: str) -> str:
    return re.sub(r"(.)\1", r"\1", word)
