"""Slips of the fingers: words that differ by how they were typed, not by what they mean."""

import re
from collections.abc import Sequence

from memplugin.capture.near_reading import Kind, Word

_MOST = 40  # words without a counterpart from which nobody looks for typing errors


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


def _is_slip(x: str, y: str) -> bool:
    """Tell two letters in the wrong order, one doubled or not, or a wrong vowel inside."""
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
