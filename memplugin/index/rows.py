"""The rows that one record file becomes, and how they are written and removed."""

import sqlite3

import msgspec
from msgspec import Struct

from memplugin.index.vector_blocks import sweep
from memplugin.protocol.records import Record
from memplugin.recall.passages import passages
from memplugin.recall.text import tokens
from memplugin.store.folder import Entry, Found

_encode = msgspec.msgpack.Encoder().encode


class Fault(Struct, frozen=True):
    """A file that cannot be read, and why."""

    name: str
    reason: str


class Row(Struct, frozen=True):
    """An indexed record: its number here, its file, itself."""

    number: int
    name: str
    record: Record


class Position(Struct, frozen=True):
    """A place in the stable order of records (P1)."""

    created_ms: int
    id: str


class Prepared(Struct, frozen=True):
    """A file read and tokenised, ready to be written in one go."""

    found: Found
    title: str
    passages: list[tuple[str, int]]
    names: str


def prepare(found: Found) -> Prepared:
    """Tokenise a file that was read; the costly part, done outside of any transaction."""
    record = found.document.record
    texts = passages("", record.text)
    bodies = [tokens(text) for text in texts] or [[]]
    return Prepared(
        found=found,
        title=" ".join(tokens(record.title)),
        passages=[(" ".join(body), len(body)) for body in bodies],
        names=" ".join(tokens(" ".join((record.id, *record.links)))),
    )


def put(connection: sqlite3.Connection, prepared: Prepared, read_ns: int) -> None:
    """Write a record in place of what its file was before."""
    found, record = prepared.found, prepared.found.document.record
    forget(connection, found.name)
    entry = found.entry
    connection.execute(
        "INSERT INTO file VALUES (?, ?, ?, ?, ?, NULL)",
        (found.name, entry.size, entry.mtime_ns, read_ns, found.digest),
    )
    (number,) = connection.execute(
        "INSERT INTO record (name, id, exact, type, status, verified, created_ms, updated_ms,"
        " session, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number",
        (
            found.name,
            record.id,
            found.name == f"{record.id}.md",
            record.type,
            record.status,
            record.verified,
            milliseconds(record),
            milliseconds(record, "updated_at"),
            record.provenance.source_session_id,
            _encode(record),
        ),
    ).fetchone()
    for body, length in prepared.passages:
        (passage,) = connection.execute(
            "INSERT INTO passage (record, length) VALUES (?, ?) RETURNING number", (number, length)
        ).fetchone()
        connection.execute(
            "INSERT INTO words (rowid, title, body, names) VALUES (?, ?, ?, ?)",
            (passage, prepared.title, body, prepared.names),
        )
    connection.executemany(
        "INSERT INTO link VALUES (?, ?, ?)",
        ((number, position, target) for position, target in enumerate(record.links)),
    )


def put_fault(connection: sqlite3.Connection, entry: Entry, read_ns: int, reason: str) -> None:
    """Write that a file cannot be read."""
    forget(connection, entry.name)
    values = (entry.name, entry.size, entry.mtime_ns, read_ns, b"", reason)
    connection.execute("INSERT INTO file VALUES (?, ?, ?, ?, ?, ?)", values)


def forget(connection: sqlite3.Connection, name: str) -> None:
    """Remove everything that came from a file."""
    connection.execute("DELETE FROM file WHERE name = ?", (name,))
    row = connection.execute("SELECT number FROM record WHERE name = ?", (name,)).fetchone()
    if row is None:
        return
    passage_rows = "SELECT number FROM passage WHERE record = ?"
    connection.execute(f"DELETE FROM words WHERE rowid IN ({passage_rows})", row)  # noqa: S608 - no input
    connection.execute(f"DELETE FROM passage_vector WHERE passage IN ({passage_rows})", row)  # noqa: S608
    connection.execute("DELETE FROM passage WHERE record = ?", row)
    connection.execute("DELETE FROM link WHERE record = ?", row)
    connection.execute("DELETE FROM record WHERE number = ?", row)


def scrub(connection: sqlite3.Connection) -> None:
    """Take deleted words out of FTS5's segments, and the vectors of deleted passages (D9)."""
    sweep(connection)
    connection.execute("INSERT INTO words (words) VALUES ('optimize')")


def milliseconds(record: Record, field: str = "created_at") -> int:
    """Return one of a record's times in whole milliseconds since 1970."""
    moment = record.updated_at if field == "updated_at" else record.created_at
    return round(moment.timestamp() * 1000)
