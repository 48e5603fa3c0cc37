"""One root's index kept equal to its files, and the look-ups over it.

files ──scan──▶ what differs from what is known ──read──▶ one transaction a few hundred files
                         │
            (another process may have indexed it already: its row is checked first)
"""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TypeVar

import msgspec

from memplugin.index.database import DAMAGE, Database, is_refusal
from memplugin.index.rows import Fault, Position, Row, forget, prepare, put, put_fault, scrub
from memplugin.protocol.records import MemoryType, Record, RecordStatus
from memplugin.store.folder import Entry, Folder, Found
from memplugin.store.front import Unreadable

FILES_A_TRANSACTION = 500  # a rebuild lets others write between two of them
CLOCK_GRAIN_NS = 2_000_000_000  # a file changed twice within this may keep its mtime (FAT: 2 s)

T = TypeVar("T")
_decode = msgspec.msgpack.Decoder(Record).decode


class Catalog:
    """The index of one root, as one thread uses it."""

    def __init__(self, folder: Folder, path: Path | None) -> None:
        """`path` None: in memory."""
        self.folder = folder
        self.database = Database(path)
        self.path = path
        self._known: dict[str, tuple[int, int]] = {}
        self._doubtful: dict[str, int] = {}
        self._faults: list[Fault] = []
        self._compared_at = float("-inf")
        self._folder_mtime_ns = -1
        self._mend(self._load_known)

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    # What keeps it equal to the files.

    def refresh(self, trust_s: float) -> list[Fault]:
        """Compare with the files and take over what differs; return newly found faults.

        A comparison younger than `trust_s` seconds is trusted unless the folder itself changed.
        """
        mtime_ns = self._folder_mtime()
        now = time.monotonic()
        if mtime_ns == self._folder_mtime_ns and now - self._compared_at < trust_s:
            return []
        self._mend(self._compare)
        self._compared_at, self._folder_mtime_ns = now, mtime_ns
        faults, self._faults = self._faults, []
        return faults

    def _folder_mtime(self) -> int:
        with suppress(OSError):
            return self.folder.root.path.stat().st_mtime_ns
        return -1

    def _mend(self, work: Callable[[], T]) -> T:
        """Do the work; for a damaged database that is made anew first, on disk, then in memory."""
        try:
            return work()
        except DAMAGE as error:
            refused = is_refusal(error)
        if not refused:
            with suppress(*DAMAGE):
                self.database.reopen()
                self._start_over()
                return work()
        self.database.close()
        self.database = Database(None)
        self._start_over()
        return work()

    def _start_over(self) -> None:
        """Take over all files again: what asked for the lost index wants its answer."""
        self._load_known()
        self._compare()

    def _load_known(self) -> None:
        rows = self.database.connection.execute("SELECT name, size, mtime_ns, read_ns FROM file")
        self._known, self._doubtful = {}, {}
        for name, size, mtime_ns, read_ns in rows:
            self._known[name] = (size, mtime_ns)
            if read_ns - mtime_ns < CLOCK_GRAIN_NS:
                self._doubtful[name] = mtime_ns

    def _compare(self) -> None:
        entries = self.folder.scan()
        known = self._known
        changed = [
            entry
            for name, entry in entries.items()
            if known.get(name) != (entry.size, entry.mtime_ns)
        ]
        gone = [name for name in known if name not in entries]
        settled = time.time_ns() - CLOCK_GRAIN_NS
        doubtful = [n for n, mtime_ns in self._doubtful.items() if mtime_ns < settled]
        again = [entries[name] for name in doubtful if name in entries]
        for part in batched_list([*self._not_indexed(changed), *again], FILES_A_TRANSACTION):
            self._take_over(part)
        if gone:
            with self.database.writing() as connection:
                for name in gone:
                    forget(connection, name)
            for name in gone:
                self._forget_known(name)

    def _not_indexed(self, changed: Sequence[Entry]) -> Iterator[Entry]:
        """Pass on what nobody has indexed in its present form yet."""
        select = "SELECT size, mtime_ns, read_ns FROM file WHERE name = ?"
        for entry in changed:
            row = self.database.connection.execute(select, (entry.name,)).fetchone()
            if row is not None and row[:2] == (entry.size, entry.mtime_ns):
                self._note([entry], row[2])
            else:
                yield entry

    def _take_over(self, entries: Sequence[Entry]) -> None:
        found: list[Found] = []
        faults: list[tuple[Entry, str]] = []
        vanished: list[str] = []
        for entry in entries:
            try:
                found.append(self.folder.read(entry.name))
            except Unreadable as error:
                faults.append((entry, error.reason))
            except OSError as error:
                if isinstance(error, FileNotFoundError):
                    vanished.append(entry.name)
                else:
                    faults.append((entry, error.strerror or type(error).__name__))
        read_ns = time.time_ns()
        prepared = [prepare(one) for one in found]
        with self.database.writing() as connection:
            for one in prepared:
                put(connection, one, read_ns)
            for entry, reason in faults:
                put_fault(connection, entry, read_ns, reason)
            for name in vanished:
                forget(connection, name)
        self._note([*(f.entry for f in found), *(entry for entry, _ in faults)], read_ns)
        for name in vanished:
            self._forget_known(name)
        self._faults += [Fault(entry.name, reason) for entry, reason in faults]

    def _note(self, entries: Iterable[Entry], read_ns: int) -> None:
        for entry in entries:
            self._known[entry.name] = (entry.size, entry.mtime_ns)
            if read_ns - entry.mtime_ns < CLOCK_GRAIN_NS:
                self._doubtful[entry.name] = entry.mtime_ns
            else:
                self._doubtful.pop(entry.name, None)

    def _forget_known(self, name: str) -> None:
        self._known.pop(name, None)
        self._doubtful.pop(name, None)

    def change(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Make changes by one transaction, on a database that is mended if need be."""

        def write() -> T:
            with self.database.writing() as connection:
                return work(connection)

        return self._mend(write)

    def put(self, found: Found) -> None:
        """Take over a file that this process has just written."""
        prepared, read_ns = prepare(found), found.entry.mtime_ns + CLOCK_GRAIN_NS
        self.change(lambda connection: put(connection, prepared, read_ns))
        self._known[found.name] = (found.entry.size, found.entry.mtime_ns)

    def drop(self, name: str) -> None:
        """Remove everything of a file that this process has just deleted (D9)."""

        def write(connection: sqlite3.Connection) -> None:
            forget(connection, name)
            scrub(connection)

        self.change(write)
        self._forget_known(name)

    # Look-ups.

    def look(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Read several times from one state of the database, which is mended if need be."""

        def read() -> T:
            with self.database.reading() as connection:
                return work(connection)

        return self._mend(read)

    def query(self, sql: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """Return all rows of a read, on a database that is mended if need be."""
        return self._mend(lambda: self._select(sql, values))

    def _select(self, sql: str, values: Sequence[object]) -> list[tuple[object, ...]]:
        return self.database.connection.execute(sql, values).fetchall()

    def by_id(self, id: str) -> Row | None:
        """Return the record of an id; of two files with one id, the one named exactly so."""
        sql = "SELECT number, name, body FROM record WHERE id = ? ORDER BY exact DESC, name LIMIT 1"
        return next(iter(self._rows(sql, (id,))), None)

    def known(self, ids: Sequence[str]) -> set[str]:
        """Return those of the ids that records here have."""
        found: set[str] = set()
        for part in batched_list(ids, FILES_A_TRANSACTION):
            marks = ", ".join("?" for _ in part)
            sql = f"SELECT DISTINCT id FROM record WHERE id IN ({marks})"  # noqa: S608 - only marks
            found |= {str(id) for (id,) in self.query(sql, part)}
        return found

    def ids_like(self, start: str) -> set[str]:
        """Return the ids that begin so."""
        sql = "SELECT id FROM record WHERE id >= ? AND id < ?"
        return {str(id) for (id,) in self.query(sql, (start, start + "\x7f"))}

    def page(self, after: Position | None, limit: int) -> list[Row]:
        """Return records in the stable order (created_at, id), after a position."""
        if after is None:
            return self._rows(f"{_ROWS} ORDER BY created_ms, id LIMIT ?", (limit,))
        sql = f"{_ROWS} AND (created_ms, id) > (?, ?) ORDER BY created_ms, id LIMIT ?"
        return self._rows(sql, (after.created_ms, after.id, limit))

    def newest(self, types: Sequence[MemoryType], limit: int, since_ms: int = 0) -> list[Row]:
        """Return canonical records of these types, last updated first."""
        marks = ", ".join("?" for _ in types)
        sql = (
            f"{_ROWS} AND type IN ({marks}) AND status = ? AND updated_ms >= ?"
            " ORDER BY updated_ms DESC, id LIMIT ?"
        )
        return self._rows(sql, (*types, RecordStatus.CANONICAL, since_ms, limit))

    def by_numbers(self, numbers: Sequence[int]) -> list[Row]:
        """Return these records, in no particular order; of doubles only the one that counts."""
        rows: list[Row] = []
        for part in batched_list(numbers, FILES_A_TRANSACTION):
            marks = ", ".join("?" for _ in part)
            rows += self._rows(f"{_ROWS} AND number IN ({marks})", part)
        return rows

    def count(self) -> int:
        """Return how many records there are."""
        ((count,),) = self.query("SELECT count(*) FROM record")
        assert isinstance(count, int)
        return count

    def faults(self) -> list[Fault]:
        """Return the files that cannot be read."""
        sql = "SELECT name, fault FROM file WHERE fault IS NOT NULL ORDER BY name"
        return [Fault(str(name), str(reason)) for name, reason in self.query(sql)]

    def doubles(self) -> list[tuple[str, str]]:
        """Return (id, file) of records hidden by another file of the same id in this root."""
        sql = (
            "SELECT id, name FROM record AS r WHERE EXISTS (SELECT 1 FROM record AS o"
            " WHERE o.id = r.id AND (o.exact, r.name) > (r.exact, o.name)) ORDER BY id, name"
        )
        return [(str(id), str(name)) for id, name in self.query(sql)]

    def _rows(self, sql: str, values: Sequence[object]) -> list[Row]:
        return self._mend(lambda: [_row(*columns) for columns in self._select(sql, values)])


_ROWS = (
    "SELECT number, name, body FROM record AS r WHERE NOT EXISTS (SELECT 1 FROM record AS o"
    " WHERE o.id = r.id AND (o.exact, r.name) > (r.exact, o.name))"
)


def _row(number: object, name: object, body: object) -> Row:
    return Row(number, name, _decode(body))  # type: ignore[arg-type]  # columns' own types


def batched_list(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Cut into lists of at most `size`."""
    iterator = iter(items)
    while part := list(islice(iterator, size)):
        yield part
