"""Vectors of passages in the index, and the search for those nearest to a vector.

    passage ◀─ passage_vector ─▶ vector (one a text and model, by the text's digest)
                                    └▶ a slot of a vector_block: 256 vectors, int8, with scales

A search reads every block once, some 26 MB of 256 dimensions for 100,000 passages, and holds one
block at a time: nothing is loaded beforehand, nothing kept, and what other processes write is
seen at once. A text that is met again (a file touched, a record moved) keeps its vector. Vectors
that no passage needs any more are blotted out by the next `put`, or by scrub (D9).
"""

import hashlib
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from memplugin.index.catalog import Catalog
from memplugin.index.embedding import Embedder
from memplugin.index.vector_blocks import SLOTS, cosines_of, store, sweep
from memplugin.protocol.records import Record
from memplugin.recall.passages import passages

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEW = 1000
"""Records up to which a search reads only their own blocks."""
_WIDER = 4  # times as many candidates in each next try
_decode = msgspec.msgpack.Decoder(Record).decode


class Passage(NamedTuple):
    """What is to be embedded: a passage's number in the index, its record's, its text."""

    record: int
    number: int
    text: str


class Hit(NamedTuple):
    """A passage found, and the cosine of its vector with the one asked for."""

    record: int
    passage: int
    cosine: float


class Vectors:
    """The vectors of one index that one embedder made."""

    def __init__(self, catalog: Catalog, embedder: Embedder) -> None:
        """Nothing is read or written yet."""
        self._catalog = catalog
        self._embedder = embedder

    def missing(self, limit: int) -> list[Passage]:
        """Return passages that have no vector yet, whole records together, `limit` or so."""
        return self._catalog.look(lambda connection: self._missing(connection, limit))

    def _missing(self, connection: sqlite3.Connection, limit: int) -> list[Passage]:
        rows = connection.execute(
            "SELECT DISTINCT record FROM (SELECT record FROM passage WHERE NOT EXISTS"
            " (SELECT 1 FROM passage_vector AS v WHERE v.passage = passage.number AND v.model = ?)"
            " LIMIT ?)",
            (self._model(connection), limit),
        ).fetchall()
        return [one for (record,) in rows for one in _passages_of(connection, record)]

    def put(self, texts: Sequence[Passage]) -> int:
        """Give passages their vectors; return how many texts had to be embedded.

        The embedding is done before the transaction. Passages that are gone by then are left out.
        """
        digests = [_digest(one.text) for one in texts]
        known = self._catalog.look(lambda connection: self._known(connection, digests))
        new = {d: one.text for d, one in zip(digests, texts, strict=True) if d not in known}
        vectors = self._embedder.embed(list(new.values()))

        def write(connection: sqlite3.Connection) -> None:
            model = self._model(connection, create=True)
            unknown = new.keys() - self._known(connection, digests).keys()
            rows = [(d, row) for row, d in enumerate(new) if d in unknown]
            store(connection, model, [d for d, _ in rows], vectors[[row for _, row in rows]])
            connection.executemany(
                "INSERT OR REPLACE INTO passage_vector SELECT p.number, v.model, p.record, v.number"
                " FROM passage AS p, vector AS v WHERE p.number = ? AND p.record = ?"
                " AND v.model = ? AND v.digest = ?",
                (
                    (one.number, one.record, model, digest)
                    for one, digest in zip(texts, digests, strict=True)
                ),
            )
            sweep(connection)

        self._catalog.change(write)
        return len(new)

    def forget_others(self) -> None:
        """Remove the vectors that other embedders made."""

        def write(connection: sqlite3.Connection) -> None:
            model = (self._model(connection),)
            for table in ("passage_vector", "vector", "vector_block"):
                connection.execute(f"DELETE FROM {table} WHERE model <> ?", model)  # noqa: S608
            connection.execute("DELETE FROM vector_model WHERE number <> ?", model)
            sweep(connection)

        self._catalog.change(write)

    def search(
        self,
        vector: "NDArray[np.float32]",
        limit: int,
        within: Collection[int] | None = None,
    ) -> list[Hit]:
        """Return the `limit` passages nearest to a vector of unit length, nearest first.

        `within`: the numbers of the records that count; None: all.
        """
        if limit < 1 or (within is not None and not within):
            return []
        if within is not None and len(within) <= FEW:
            return self._catalog.look(lambda c: self._among(c, vector, within)[:limit])
        return self._catalog.look(lambda c: self._nearest(c, vector, limit, within))

    def _among(
        self, connection: sqlite3.Connection, vector: "NDArray[np.float32]", within: Iterable[int]
    ) -> list[Hit]:
        """Return the passages of a few records, nearest first."""
        owners = connection.execute(
            "SELECT vector, record, passage FROM passage_vector"
            " WHERE record IN (SELECT value FROM json_each(?)) AND model = ?",
            (msgspec.json.encode(list(within)).decode(), self._model(connection)),
        ).fetchall()
        cosines: dict[int, NDArray[np.float32]] = {}
        for number in {owner[0] // SLOTS for owner in owners}:
            block = connection.execute(
                "SELECT value, scales FROM vector_block WHERE number = ?", (number,)
            ).fetchone()
            cosines[number] = cosines_of(block, vector)
        return _ordered(
            Hit(record, passage, float(cosines[place // SLOTS][place % SLOTS]))
            for place, record, passage in owners
        )

    def _nearest(
        self,
        connection: sqlite3.Connection,
        vector: "NDArray[np.float32]",
        limit: int,
        within: Collection[int] | None,
    ) -> list[Hit]:
        import numpy as np  # noqa: PLC0415 - loaded already, by the embedder

        numbers: list[int] = []
        parts: list[NDArray[np.float32]] = []
        blocks = connection.execute(
            "SELECT value, scales, number FROM vector_block WHERE model = ? ORDER BY number",
            (self._model(connection),),
        )
        for *block, number in blocks:
            numbers.append(number)
            parts.append(cosines_of(block, vector))
        if not parts:
            return []
        cosines = np.concatenate(parts)
        allowed = None if within is None else frozenset(within)
        take = limit + SLOTS
        while True:
            take = min(take, len(cosines))
            best = np.argpartition(-cosines, take - 1)[:take]
            best = best[cosines[best] > -np.inf]
            near = {
                numbers[i // SLOTS] * SLOTS + i % SLOTS: float(cosines[i]) for i in best.tolist()
            }
            hits = _owned(connection, near, allowed)
            if len(hits) >= limit or take == len(cosines):
                return _ordered(hits)[:limit]
            take *= _WIDER

    def _model(self, connection: sqlite3.Connection, *, create: bool = False) -> int:
        """Return the number of the embedder in this index; 0 where it has not been used."""
        name = (self._embedder.name,)
        if create:
            connection.execute("INSERT OR IGNORE INTO vector_model (name) VALUES (?)", name)
        select = "SELECT number FROM vector_model WHERE name = ?"
        row = connection.execute(select, name).fetchone()
        return int(row[0]) if row else 0

    def _known(self, connection: sqlite3.Connection, digests: Iterable[bytes]) -> dict[bytes, int]:
        """Return the places of the texts that have a vector."""
        model = self._model(connection)
        select = "SELECT number FROM vector WHERE model = ? AND digest = ?"
        rows = ((d, connection.execute(select, (model, d)).fetchone()) for d in digests)
        return {digest: row[0] for digest, row in rows if row}


def _owned(
    connection: sqlite3.Connection, near: dict[int, float], allowed: Collection[int] | None
) -> list[Hit]:
    rows = connection.execute(
        "SELECT record, passage, vector FROM passage_vector"
        " WHERE vector IN (SELECT value FROM json_each(?))",
        (msgspec.json.encode(list(near)).decode(),),
    )
    return [
        Hit(record, passage, near[place])
        for record, passage, place in rows
        if allowed is None or record in allowed
    ]


def _ordered(hits: Iterable[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit.cosine, hit.record, hit.passage))


def _passages_of(connection: sqlite3.Connection, record: int) -> list[Passage]:
    (body,) = connection.execute("SELECT body FROM record WHERE number = ?", (record,)).fetchone()
    found = _decode(body)
    select = "SELECT number FROM passage WHERE record = ? ORDER BY number"
    numbers = connection.execute(select, (record,)).fetchall()
    texts = passages(found.title, found.text) or [""]
    return [Passage(record, number, text) for (number,), text in zip(numbers, texts, strict=False)]


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
