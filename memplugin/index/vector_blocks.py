"""Blocks of vectors: 256 to a row of SQLite, eight bits a number, one scale a vector."""

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SLOTS = 256
"""Vectors in a block, which is rewritten when one of them changes."""
_EMPTY = b"\x00\x00\xc0\x7f"  # NaN, little endian: the scale of a slot that nothing is in


def sweep(connection: sqlite3.Connection) -> None:
    """Blot out the vectors whose last passage is gone."""
    gone = connection.execute(
        "SELECT number FROM vector_loose WHERE NOT EXISTS"
        " (SELECT 1 FROM passage_vector AS v WHERE v.vector = vector_loose.number)"
    ).fetchall()
    by_block: dict[int, list[int]] = {}
    for (number,) in gone:
        by_block.setdefault(number // SLOTS, []).append(number % SLOTS)
        connection.execute("DELETE FROM vector WHERE number = ?", (number,))
    for block, slots in by_block.items():
        _blot(connection, block, slots)
    connection.execute("DELETE FROM vector_loose")


def _blot(connection: sqlite3.Connection, block: int, slots: Sequence[int]) -> None:
    """Empty slots; plain bytes, so that a deletion need not load numpy."""
    row = connection.execute(
        "SELECT value, scales FROM vector_block WHERE number = ?", (block,)
    ).fetchone()
    if row is None:  # of an embedder that was given up
        return
    value, scales = bytearray(row[0]), bytearray(row[1])
    width = len(value) // SLOTS
    for slot in slots:
        value[slot * width : (slot + 1) * width] = bytes(width)
        scales[slot * 4 : (slot + 1) * 4] = _EMPTY
    connection.execute(
        "UPDATE vector_block SET value = ?, scales = ?, free = free + ? WHERE number = ?",
        (value, scales, len(slots), block),
    )


def store(
    connection: sqlite3.Connection,
    model: int,
    digests: Sequence[bytes],
    vectors: "NDArray[np.float32]",
) -> None:
    """Lay vectors into free slots, in new blocks where the others are full."""
    import numpy as np  # noqa: PLC0415 - loaded already, by the embedder

    peaks = np.abs(vectors).max(axis=1, initial=0)
    scales = (np.maximum(peaks, np.float32(1e-9)) / 127).astype("<f4")
    rows = np.rint(vectors / scales[:, None]).astype(np.int8)
    done = 0
    while done < len(digests):
        number, value, kept = _open_block(connection, model, vectors.shape[1])
        table = np.frombuffer(value, np.int8).reshape(SLOTS, -1).copy()
        sizes = np.frombuffer(kept, "<f4").copy()
        slots = np.flatnonzero(np.isnan(sizes))[: len(digests) - done]
        part = slice(done, done + len(slots))
        table[slots], sizes[slots] = rows[part], scales[part]
        connection.execute(
            "UPDATE vector_block SET value = ?, scales = ?, free = free - ? WHERE number = ?",
            (table.tobytes(), sizes.tobytes(), len(slots), number),
        )
        connection.executemany(
            "INSERT INTO vector VALUES (?, ?, ?)",
            (
                (number * SLOTS + slot, model, digest)
                for slot, digest in zip(slots.tolist(), digests[part], strict=True)
            ),
        )
        done += len(slots)


def _open_block(connection: sqlite3.Connection, model: int, dim: int) -> tuple[int, bytes, bytes]:
    row: tuple[int, bytes, bytes] | None = connection.execute(
        "SELECT number, value, scales FROM vector_block WHERE model = ? AND free > 0 LIMIT 1",
        (model,),
    ).fetchone()
    if row is None:
        row = connection.execute(
            "INSERT INTO vector_block (model, free, value, scales) VALUES (?, ?, ?, ?)"
            " RETURNING number, value, scales",
            (model, SLOTS, bytes(SLOTS * dim), _EMPTY * SLOTS),
        ).fetchone()
    assert row is not None
    return row


def cosines_of(block: Sequence[bytes], vector: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Return the cosines of a block's vectors, of empty slots minus infinity."""
    import numpy as np  # noqa: PLC0415 - loaded already, by the embedder

    value, scales = block
    if len(scales) != 4 * SLOTS or len(value) != SLOTS * len(vector):
        raise sqlite3.DatabaseError("a damaged block of vectors")
    sizes = np.frombuffer(scales, "<f4")
    table = np.frombuffer(value, np.int8).reshape(SLOTS, -1)
    found: NDArray[np.float32] = (table.astype(np.float32) @ vector) * sizes
    return np.where(np.isnan(found), np.float32(-np.inf), found)
