"""The one tokeniser, of what is indexed and of what is asked (design decision 8).

Tokens hold no white space, no quotes and no upper-case ASCII; joined by blanks they are what an
FTS5 table with `tokenize="ascii tokenchars '…'"` (TOKEN_CHARACTERS) takes apart again unchanged.
The index holds every word, stop words included; a query asks for them only where it says nothing
else, so that "to be or not to be" finds what says it, and common words cost nothing otherwise.
"""

import re
from functools import lru_cache
from itertools import pairwise
from math import log

from msgspec import Struct

from memplugin.recall import dates, names
from memplugin.recall.scripts import HANGUL, IDEOGRAPHS, UNSPACED, plain
from memplugin.recall.words import is_filler, is_negation, is_stop_word

TOKEN_CHARACTERS = names.SIGNS
"""The ASCII characters besides [a-z0-9] that a token may hold."""
MAX_TERMS = 64
"""Terms a query is cut to: what an index still answers quickly."""

_SEPARATORS = r"\x00-\x20!\"()*,;<=>?\[\]^`{|}\x7f"
_PIECE = re.compile(f"[^{_SEPARATORS}]+")
_THOUSANDS = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9,])")
# A folder of a path may stand in brackets, as routes name their parameters: app/[id]/page.
_BRACKETED = re.compile(r"(?<=/)[\[({]([^\[\](){}/\s]*)[\])}](?=/)")
_RUN = re.compile(
    f"([{IDEOGRAPHS}]+)|([{HANGUL}]+)|([{UNSPACED}]+)|[^{IDEOGRAPHS}{HANGUL}{UNSPACED}]+"
)
_WORD = re.compile(r"[^\W_]+")
_CACHED_LENGTH = 40
_NEGATION_WEIGHT = 0.3
_STOP_WEIGHT = 0.1


class _Reading(Struct, frozen=True):
    tokens: tuple[str, ...]
    weights: tuple[float, ...]


def tokens(text: str) -> list[str]:
    """Give the tokens that an index holds for `text`, in order; dates in words last."""
    prepared = plain(text)
    found: list[str] = []
    for chunk in prepared.split():
        found.extend(_reading(chunk).tokens)
    found.extend(token for token, _ in dates.spelled(prepared))
    return found


def terms(query: str, limit: int = MAX_TERMS) -> dict[str, float]:
    """Give what to look for and how much each is worth, relative to a word's 1, in order.

    At most `limit` terms, the most telling ones. A query of nothing but stop words keeps them, at
    a tenth each: only all of them together say something.
    """
    prepared = plain(query)
    weights: dict[str, float] = {}
    counts: dict[str, int] = {}
    for token, weight in _weighted(prepared):
        if weight > 0:
            weights[token] = max(weight, weights.get(token, 0))
            counts[token] = counts.get(token, 0) + 1
    telling = {t: w for t, w in weights.items() if not (is_stop_word(t) or is_negation(t))}
    if not telling:
        return dict.fromkeys(list(weights)[:limit], _STOP_WEIGHT)
    for token in weights:
        if is_negation(token):
            telling[token] = _NEGATION_WEIGHT
    if len(telling) > limit:
        best = sorted(telling, key=lambda t: -telling[t] * (1 + log(counts[t])) * _telling(t))
        chosen = set(best[:limit])
        telling = {t: w for t, w in telling.items() if t in chosen}
    return telling


def says_nothing(text: str) -> bool:
    """Tell whether `text` only keeps a conversation going ("ok, go on": nothing to recall, R9)."""
    found = (word.group().casefold() for word in _WORD.finditer(plain(text)))
    return all(is_stop_word(word) or is_filler(word) for word in found)


def _telling(token: str) -> float:
    """Guess how much of what is said hangs on a token, by its shape: long ones and names more."""
    return min(len(token), 12) + (0 if token.isalpha() else 4)


def _weighted(prepared: str) -> names.Weighted:
    for chunk in prepared.split():
        reading = _reading(chunk)
        yield from zip(reading.tokens, reading.weights, strict=True)
    yield from dates.spelled(prepared)


def _reading(chunk: str) -> _Reading:
    return _remembered(chunk) if len(chunk) <= _CACHED_LENGTH else _read(chunk)


@lru_cache(maxsize=1 << 15)
def _remembered(chunk: str) -> _Reading:
    # The same few thousand chunks make up nearly all text: this is where the speed comes from.
    return _read(chunk)


def _read(chunk: str) -> _Reading:
    if not chunk.isalnum():
        chunk = _THOUSANDS.sub(lambda number: number[0].replace(",", ""), chunk)
        chunk = _BRACKETED.sub(r"\1", chunk)
    weights: dict[str, float] = {}
    for piece in _PIECE.findall(chunk):
        for token, weight in _piece(piece):
            weights[token] = max(weight, weights.get(token, 0))
    return _Reading(tuple(weights), tuple(weights.values()))


def _piece(piece: str) -> names.Weighted:
    if piece.isascii():
        yield from names.read(piece)
        return
    for run in _RUN.finditer(piece):
        if run[1]:
            yield from _grams(run[1], whole=False)
        elif run[2]:
            yield from _grams(run[2], whole=True)
        elif run[3]:
            yield from _grams(run[3], whole=False)
        else:
            yield from names.read(run[0])


def _grams(run: str, *, whole: bool) -> names.Weighted:
    """Give the bigrams of `run`, and its characters for queries of one only."""
    if whole and len(run) <= names.MAX_TOKEN:
        yield run, 1.0
    for first, second in pairwise(run):
        yield first + second, 1.0
    for char in run:
        yield char, 1.0 if len(run) == 1 else 0.0
