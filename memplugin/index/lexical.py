"""Lexical search over one root: FTS5 finds the passages, our own BM25F weighs them.

FTS5's bm25() only picks the candidates: it takes a word that half of a small store uses for
worthless, and knows no way to say how much of a query was met.
"""

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from memplugin.index.catalog import Catalog

CANDIDATE_PASSAGES = 256  # weighed exactly; more changed no ranking that was measured
CROWDED_BELOW = 64  # records; fewer among the candidates, and one of many passages hides others
COMMON_SHARE = 0.1  # of the passages; words more frequent than that pick no candidates …
COMMON_FROM = 2_000  # … in stores of this many passages, unless a query has no others

K1 = 1.2  # Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), section 3.4
B = 0.6
TITLE_WEIGHT = 2.0
NAMES_WEIGHT = 1.0  # the id repeats the title mostly
BACKGROUND = 100  # passages without the word, as if: a store of one has rare words too
TELLING_TERMS = 6  # a long query is met by meeting as much as its most telling words

_SELECT = (
    "SELECT passage.record, passage.number, passage.length, words.title, words.body, words.names"
    " FROM words JOIN passage ON passage.number = words.rowid"
    " WHERE words MATCH ? ORDER BY bm25(words, 2.0, 1.0, 1.0) LIMIT ?"
)
# The best passage of each record; a third slower, so only where records crowd each other out.
_SELECT_EACH = (
    "WITH hit AS MATERIALIZED (SELECT rowid AS number, bm25(words, 2.0, 1.0, 1.0) AS score"
    " FROM words WHERE words MATCH ?), best AS MATERIALIZED (SELECT passage.record, number,"
    " passage.length, min(hit.score) AS score FROM hit JOIN passage USING (number)"
    " GROUP BY passage.record ORDER BY 4, 1 LIMIT ?)"
    " SELECT best.record, best.number, best.length, words.title, words.body, words.names"
    " FROM best JOIN words ON words.rowid = best.number"
)


class Match(Struct, frozen=True):
    """A record that shares words with the query."""

    record: int
    score: float  # in [0, 1]: the share of the query's telling words that it meets
    words: tuple[str, ...]  # those it shares, most telling first
    passage: int  # the one that scored best


class Weights(Struct, frozen=True):
    """How telling each word of a query is in this root."""

    by_word: Mapping[str, float]
    mean_length: float  # tokens a passage
    whole: float  # the score of a passage that meets the query entirely


def search(catalog: Catalog, terms: Mapping[str, float]) -> list[Match]:
    """Return the records that share words with the query, best first, by their best passage.

    `terms` are a query's words with their weights (recall.text.terms).
    """
    if not terms:
        return []
    ((passages, mean),) = catalog.query("SELECT count(*), avg(length) FROM passage")
    assert isinstance(passages, int)
    if not passages:
        return []
    counts = _frequencies(catalog, list(terms))
    weights = weigh(terms, counts, passages, float(mean or 1.0))  # type: ignore[arg-type]  # a column of numbers
    expression = " OR ".join(f'"{word}"' for word in _selective(counts, passages))
    if not expression:
        return []
    best: dict[int, Match] = {}
    for record, passage, length, title, body, names in _candidates(catalog, expression):
        match = _match(record, passage, length, (title, body, names), weights)  # type: ignore[arg-type]  # columns' own types
        known = best.get(match.record)
        if known is None or match.score > known.score:
            best[match.record] = match
    return sorted(best.values(), key=lambda match: (-match.score, match.record))


def _candidates(catalog: Catalog, expression: str) -> Sequence[tuple[object, ...]]:
    """Return the passages to weigh: of a record more than one, unless that leaves others out."""
    rows = catalog.query(_SELECT, (expression, CANDIDATE_PASSAGES))
    if len(rows) == CANDIDATE_PASSAGES and len({row[0] for row in rows}) < CROWDED_BELOW:
        rows = catalog.query(_SELECT_EACH, (expression, CANDIDATE_PASSAGES))
    return rows


def _frequencies(catalog: Catalog, words: Sequence[str]) -> dict[str, int]:
    """Return in how many passages each word occurs."""
    marks = ", ".join("?" for _ in words)
    sql = f"SELECT term, doc FROM vocabulary WHERE term IN ({marks})"  # noqa: S608 - only marks
    rows = catalog.query(sql, words)
    found = {str(term): int(count) for term, count in rows}  # type: ignore[call-overload]  # columns' own types
    return {word: found.get(word, 0) for word in words}


def _selective(counts: Mapping[str, int], passages: int) -> list[str]:
    """Return the words worth looking up: those that occur, without the very common ones."""
    present = [word for word, count in counts.items() if count]
    if passages < COMMON_FROM:
        return present
    rare = [word for word in present if counts[word] <= COMMON_SHARE * passages]
    return rare or present


def weigh(
    terms: Mapping[str, float], counts: Mapping[str, int], passages: int, mean_length: float
) -> Weights:
    """Return each word's weight: the query's own times its inverse document frequency."""
    total = passages + BACKGROUND
    by_word = {
        word: weight * math.log(1 + (total - counts[word] + 0.5) / (counts[word] + 0.5))
        for word, weight in terms.items()
    }
    telling = sorted(by_word.values(), reverse=True)[:TELLING_TERMS]
    return Weights(by_word, mean_length, sum(telling) or 1.0)


def _match(
    record: int, passage: int, length: int, fields: tuple[str, str, str], weights: Weights
) -> Match:
    title, body, names = fields
    norm = K1 * (1 - B + B * length / weights.mean_length) if weights.mean_length else K1
    parts: list[tuple[float, str]] = []
    for word, weight in weights.by_word.items():
        frequency = (
            _count(body, word)
            + TITLE_WEIGHT * _count(title, word)
            + NAMES_WEIGHT * _count(names, word)
        )
        if frequency:
            parts.append((weight * _saturation(frequency, norm), word))
    parts.sort(key=lambda part: (-part[0], part[1]))
    score = min(1.0, sum(part for part, _ in parts) / weights.whole)
    return Match(record, score, tuple(word for _, word in parts), passage)


def _count(field: str, word: str) -> int:
    # Most words are in no part of most fields: that is seen without taking the field apart.
    return field.split().count(word) if word in field else 0


def _saturation(frequency: float, norm: float) -> float:
    """Return BM25's share of a word's weight, scaled so that one plain mention gives about 1."""
    return min(1.25, frequency * (1 + K1) / (frequency + norm))
