"""Tells whether two memories say the same, are about the same matter, or are different.

    same       the same statement, perhaps in other words: the new one adds nothing
    close      the same matter, said otherwise: another number or date, a "not", a word more or less
    different  anything else

Words count by what they are (`near_reading`). A text that differs only by a negation, a number, a
version, a name or a date is never the same, however long it is: what is known would be taken for
what is new. In doubt two memories are not the same, since a double does less harm than a loss.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cached_property

from msgspec import Struct

from memplugin.capture import near_order, near_slips, near_words
from memplugin.capture.near_order import STRONG
from memplugin.capture.near_reading import Kind, Word, read
from memplugin.recall.scripts import plain


class Verdict(StrEnum):
    """How near one memory is to another."""

    SAME = "same"
    CLOSE = "close"
    DIFFERENT = "different"


class Near(Struct, frozen=True):
    """A verdict, and the share of their words (by weight) that both have, 0 to 1."""

    verdict: Verdict
    score: float


_WEIGHTS = {
    Kind.WEAK: 0.3,
    Kind.TELLING: 1.0,
    Kind.NAME: 1.5,
    Kind.NUMBER: 1.5,
    Kind.NEGATION: 0.5,
}
_SAME = 0.7
_CLOSE = 0.6
_CLOSE_UNDER_ONE_TITLE = 0.3
_NO_NEGATION = re.compile(
    r"(?i)\b(?:do not|don['’]?t|never|not) (?:ever )?(?:forget|fail|hesitate|neglect) to\b|\b(?:do not|don['’]?t|never) forget(?: that|:)"
)
_MONEY = re.compile(r"([€$£]) ?([0-9]+(?:[.,][0-9]+)*)")
_HYPHENATED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_DIGITS = re.compile(r"[0-9]+")
_LONG = 60  # words from which it counts how often each comes
_PLACES = frozenset(
    near_words.key_of(word)
    for word in """staging production development qa sandbox preview frontend backend client server
    primary secondary replica internal external public private upstream downstream source target
    inbound outbound son daughter wife husband mother father brother sister north south east west
    left right local remote""".split()
)
"""Opposites that tell things apart: what is said of one says nothing of the other."""
_TURNING = frozenset(
    near_words.key_of(word)
    for word in """only except unless sometimes rarely until
    hundred thousand million billion dozen half twice double""".split()
)
"""Words that change what a statement claims as much as a "not"."""


def compare(title_a: str, text_a: str, title_b: str, text_b: str) -> Near:
    """Compare two memories; symmetric. Empty ones are the same only as empty ones."""
    if _normal(title_a, text_a) == _normal(title_b, text_b):
        return Near(Verdict.SAME, 1.0)
    a, b = _Side(title_a, text_a), _Side(title_b, text_b)
    both = _Both(a, b)
    score = both.score
    if score >= _SAME and both.is_same:
        return Near(Verdict.SAME, score)
    one_title = bool(title_a.strip()) and _normal(title_a) == _normal(title_b)
    floor = _CLOSE_UNDER_ONE_TITLE if one_title else _CLOSE
    if max(score, both.subject_score) >= floor and not both.are_apart:
        return Near(Verdict.CLOSE, score)
    return Near(Verdict.DIFFERENT, score)


def _normal(*texts: str) -> tuple[str, ...]:
    return tuple(" ".join(plain(text).casefold().split()).rstrip(".! ") for text in texts)


class _Side:
    """One memory: its words, title first, and what can be found in it."""

    def __init__(self, title: str, text: str) -> None:
        self.title = _read(title)
        self.body = _read(text) or self.title
        self.words = [*self.title, Word(".", Kind.BREAK), *self.body]
        self.keys = {word.key for word in self.words}
        self.parts = frozenset().union(*(word.parts for word in self.words))
        self.hyphenated = {
            word.casefold() for word in _HYPHENATED.findall(plain(f"{title} {text}"))
        }
        self.numbers = {word.key for word in self.words if word.kind is Kind.NUMBER}

    def has(self, word: Word) -> bool:
        """Tell whether this memory has a word of the other, perhaps as a part of a name."""
        if word.key in self.keys or (word.key in self.parts and word.kind is not Kind.NUMBER):
            return True
        digits = set(_DIGITS.findall(word.key))
        return bool(word.parts) and word.parts <= self.keys and digits <= self.numbers


def _read(text: str) -> list[Word]:
    return read(_MONEY.sub(r"\2 \1 ", _NO_NEGATION.sub(" ", text)))


class _Both:
    """Two memories side by side: what one has and the other has not."""

    def __init__(self, a: _Side, b: _Side) -> None:
        self._a, self._b = a, b
        lacking_in_b = [word for word in _unique(a.words) if not b.has(word)]
        lacking_in_a = [word for word in _unique(b.words) if not a.has(word)]
        joined_a, joined_b = near_slips.joined(a.words, b.words)
        slips_a, slips_b = near_slips.slips(lacking_in_b, lacking_in_a)
        self._only_a = [w for w in lacking_in_b if w.key not in slips_a | joined_a]
        self._only_b = [w for w in lacking_in_a if w.key not in slips_b | joined_b]

    @cached_property
    def score(self) -> float:
        """The share of weight that both have."""
        return self._score(self._only_a, self._only_b)

    @cached_property
    def subject_score(self) -> float:
        """The same, numbers and negations left out: how much one matter they are."""
        values = {Kind.NUMBER, Kind.NEGATION}
        return self._score(
            [word for word in self._only_a if word.kind not in values],
            [word for word in self._only_b if word.kind not in values],
        )

    def _score(self, only_a: Sequence[Word], only_b: Sequence[Word]) -> float:
        whole = _weight(_unique(self._a.words)) + _weight(_unique(self._b.words))
        if not whole:
            return 0.0
        return max(0.0, 1.0 - (_weight(only_a) + _weight(only_b)) / whole)

    @cached_property
    def is_same(self) -> bool:
        """Whether nothing that makes another statement of it differs."""
        only = [*self._only_a, *self._only_b]
        if any(_is_decisive(word) for word in only):
            return False
        if (self._a.keys ^ self._b.keys) & _TURNING or _hyphens_differ(self._a, self._b):
            return False
        tells_a, tells_b = (
            [word for word in side if word.kind is Kind.TELLING]
            for side in (self._only_a, self._only_b)
        )
        if tells_a and tells_b:
            return False
        if _opposed(self._a.keys, self._b.keys, only):
            return False
        titles = (self._a.title, self._b.title)
        bodies = (self._a.body, self._b.body)
        if min(map(len, bodies)) > _LONG and _exchanged(*bodies):
            return False
        pairs = (titles, bodies) if all(titles) else (bodies,)
        return all(near_order.agree(*pair) and not near_order.swapped(*pair) for pair in pairs)

    @property
    def are_apart(self) -> bool:
        """Whether they tell of different things, though in the same words."""
        only = [*self._only_a, *self._only_b]
        if any(word.key in _PLACES for word in self._only_a) and any(
            word.key in _PLACES for word in self._only_b
        ):
            return True
        begins = [_begins_with(side.body, only) for side in (self._a, self._b)]
        return all(begins) or Kind.NAME in begins


def _hyphens_differ(a: _Side, b: _Side) -> bool:
    """Tell whether each has a hyphenated word that the other has in no form (ci-cache, ci-logs)."""
    return bool(a.hyphenated - b.hyphenated) and bool(b.hyphenated - a.hyphenated)


def _unique(words: Iterable[Word]) -> list[Word]:
    found: dict[str, Word] = {}
    for word in words:
        if word.kind in _WEIGHTS and (word.key not in found or word.kind > found[word.key].kind):
            found[word.key] = word
    return list(found.values())


def _weight(words: Iterable[Word]) -> float:
    return sum(_WEIGHTS[word.kind] for word in words)


def _is_decisive(word: Word) -> bool:
    return word.kind in (Kind.NAME, Kind.NUMBER, Kind.NEGATION) or word.key in _PLACES


def _opposed(keys_a: set[str], keys_b: set[str], only: Sequence[Word]) -> bool:
    """Tell whether one has a word of a group of opposites and the other another of it."""
    lone = {word.key for word in only} | (keys_a ^ keys_b)
    for group in near_words.opposites():
        mine, yours = group & keys_a & lone, group & keys_b & lone
        if mine and yours:
            return True
    return False


def _exchanged(a: Sequence[Word], b: Sequence[Word]) -> bool:
    """Tell whether long texts, where most words come more than once, differ in how often.

    One occurrence of a number, a name or a "staging" that changes can hide behind others.
    """
    counts_a, counts_b = (Counter(w for w in side if w.kind in STRONG) for side in (a, b))
    more_a, more_b = counts_a - counts_b, counts_b - counts_a
    return (bool(more_a) and bool(more_b)) or any(map(_is_decisive, (*more_a, *more_b)))


def _begins_with(words: Sequence[Word], only: Sequence[Word]) -> Kind | None:
    """Give the kind of the first word that says anything, where it is one of those in `only`."""
    keys = {word.key for word in only if word.kind in (Kind.TELLING, Kind.NAME)}
    first = next((word for word in words if word.kind not in (Kind.BREAK, Kind.LITTLE)), None)
    return first.kind if first is not None and first.key in keys else None
