"""One root's SQLite file: its schema, its opening, and what happens when it is damaged.

The file is derived from the records and may be deleted at any time. It is never a reason to fail
a call: where it cannot be opened or is damaged it is made anew, and where the disk refuses even
that it lives in memory.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from memplugin.recall.text import TOKEN_CHARACTERS

VERSION = 3
"""In the file's name too, so that two releases can work beside one another."""

DAMAGE = (sqlite3.DatabaseError, msgspec.MsgspecError, UnicodeDecodeError, TypeError)
"""What reading a damaged file may raise: SQLite does not see all of it."""

_REFUSALS = (
    "SQLITE_BUSY",
    "SQLITE_LOCKED",
    "SQLITE_IOERR",
    "SQLITE_CANTOPEN",
    "SQLITE_READONLY",
    "SQLITE_FULL",
    "SQLITE_PERM",
)

BUSY_TIMEOUT_S = 5.0  # another process writes; a transaction of a rebuild takes well under that

_SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE file (
    name TEXT PRIMARY KEY,        -- of the file in its root
    size INTEGER NOT NULL,        -- bytes
    mtime_ns INTEGER NOT NULL,
    read_ns INTEGER NOT NULL,     -- when it was read, to doubt changes within the clock's grain
    digest BLOB NOT NULL,         -- of its bytes
    fault TEXT                    -- why it cannot be read, without its contents
) WITHOUT ROWID;
CREATE TABLE record (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,    -- the file it comes from
    id TEXT NOT NULL,
    exact INTEGER NOT NULL,       -- 1 where the file's name is the id's own
    type TEXT NOT NULL,
    status TEXT NOT NULL,
    verified INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    session TEXT NOT NULL,        -- source_session_id
    body BLOB NOT NULL            -- the whole record, MessagePack
);
CREATE INDEX record_id ON record (id, exact DESC, name);
CREATE INDEX record_order ON record (created_ms, id);
CREATE INDEX record_updated ON record (type, updated_ms);
CREATE INDEX record_session ON record (session, created_ms, id);
CREATE TABLE passage (
    number INTEGER PRIMARY KEY,   -- the row of `words`
    record INTEGER NOT NULL,
    length INTEGER NOT NULL       -- tokens
);
CREATE INDEX passage_record ON passage (record);
CREATE VIRTUAL TABLE words USING fts5 (
    title, body, names, tokenize = "ascii tokenchars '{TOKEN_CHARACTERS}'", detail = full
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);
CREATE TABLE link (
    record INTEGER NOT NULL, position INTEGER NOT NULL, target TEXT NOT NULL,
    PRIMARY KEY (record, position)
) WITHOUT ROWID;
CREATE INDEX link_target ON link (target);
CREATE TABLE vector_model (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE
);
CREATE TABLE vector_block (
    number INTEGER PRIMARY KEY,
    model INTEGER NOT NULL,
    free INTEGER NOT NULL,        -- slots that nothing is in
    value BLOB NOT NULL,          -- int8, slots × dimension
    scales BLOB NOT NULL          -- float32 a slot
);
CREATE INDEX vector_block_model ON vector_block (model, free);
CREATE TABLE vector (
    number INTEGER PRIMARY KEY,   -- its block times the slots of one, plus its slot
    model INTEGER NOT NULL,
    digest BLOB NOT NULL,         -- of the passage's text
    UNIQUE (model, digest)
);
CREATE TABLE passage_vector (
    passage INTEGER NOT NULL, model INTEGER NOT NULL,
    record INTEGER NOT NULL, vector INTEGER NOT NULL,
    PRIMARY KEY (passage, model)
) WITHOUT ROWID;
CREATE INDEX passage_vector_record ON passage_vector (record);
CREATE INDEX passage_vector_vector ON passage_vector (vector);
CREATE TABLE vector_loose (number INTEGER PRIMARY KEY);  -- vectors that may have no passage
CREATE TRIGGER passage_vector_gone AFTER DELETE ON passage_vector BEGIN
    INSERT OR IGNORE INTO vector_loose VALUES (OLD.vector);
END;
CREATE TRIGGER vector_new AFTER INSERT ON vector BEGIN
    INSERT OR IGNORE INTO vector_loose VALUES (NEW.number);
END;
"""  # noqa: S608 - our own text


class Database:
    """A connection of one thread to one root's index."""

    def __init__(self, path: Path | None) -> None:
        """`path` None: in memory."""
        self._path = path
        self.connection = self._open()

    @property
    def in_memory(self) -> bool:
        """Whether the disk refused the file."""
        return self._path is None

    def _open(self) -> sqlite3.Connection:
        if self._path is not None:
            for attempt in range(2):
                try:
                    return _connect(self._path)
                except DAMAGE as error:
                    if attempt or is_refusal(error):
                        break
                    discard(self._path)
                except OSError:
                    break
        self._path = None
        return _connect(None)

    def reopen(self) -> None:
        """Throw a damaged file away and start with an empty one."""
        path = self._path
        self.close()
        if path is not None:
            discard(path)
        self.connection = self._open()

    def close(self) -> None:
        """Close the connection; the file stays."""
        with suppress(sqlite3.Error):
            self.connection.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Make the changes inside one by one transaction, or none of them."""
        connection = self.connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Let all reads inside see one state of the database."""
        self.connection.execute("BEGIN")
        try:
            yield self.connection
        finally:
            with suppress(sqlite3.Error):
                self.connection.execute("ROLLBACK")


def discard(path: Path) -> None:
    """Remove a database file with its journals."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        with suppress(OSError):
            Path(f"{path}{suffix}").unlink()


def _connect(path: Path | None) -> sqlite3.Connection:
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            # Contents are in there: private from the first byte on.
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    connection = sqlite3.connect(
        ":memory:" if path is None else path, timeout=BUSY_TIMEOUT_S, isolation_level=None
    )
    try:
        _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # Nothing here needs to survive a power cut: the files do, and a damaged index is remade.
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA secure_delete = ON")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == VERSION:
        connection.execute("SELECT count(*) FROM meta").fetchone()
        return
    connection.execute("BEGIN IMMEDIATE")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == 0:
        for statement in _statements():
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")
    if version not in (0, VERSION):
        raise sqlite3.DatabaseError("an index of another version")


def _statements() -> Iterator[str]:
    statement = ""
    for line in _SCHEMA.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def is_refusal(error: Exception) -> bool:
    """Whether it is not the file's fault: disk full or read-only, or locked for too long."""
    # Errors that Python's module finds itself have no name.
    return getattr(error, "sqlite_errorname", "").startswith(_REFUSALS)
