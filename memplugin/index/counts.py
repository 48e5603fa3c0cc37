"""Exact token counts that outlive the process: a cache, asked anew where it is gone (K2)."""

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from memplugin.index.database import BUSY_TIMEOUT_S, DAMAGE, discard, is_refusal

CountKey = tuple[str, bytes]
VERSION = 1
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS count (model TEXT, digest BLOB, tokens INTEGER,"
    " PRIMARY KEY (model, digest)) WITHOUT ROWID"
)


class Counts:
    """Counts by (model, digest of the content), in a SQLite file; no fault of it matters."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / f"tokens-{VERSION}.sqlite"
        self._connection: sqlite3.Connection | None = None

    def load(self, keys: Sequence[CountKey]) -> dict[CountKey, int]:
        """Return the counts that are known of these."""
        found: dict[CountKey, int] = {}
        with suppress(*DAMAGE, OSError):
            connection = self._open()
            select = "SELECT tokens FROM count WHERE model = ? AND digest = ?"
            for key in keys:
                row = connection.execute(select, key).fetchone()
                if row is not None and isinstance(row[0], int):
                    found[key] = row[0]
        return found

    def save(self, counts: Iterable[tuple[CountKey, int]]) -> None:
        """Keep counts, all in one transaction."""
        rows = [(*key, tokens) for key, tokens in counts]
        try:
            with self._open() as connection:
                connection.executemany("INSERT OR REPLACE INTO count VALUES (?, ?, ?)", rows)
        except OSError:
            self.close()
        except DAMAGE as error:
            self.close()
            if not is_refusal(error):  # damaged, or not ours: the next counts start a new one
                discard(self._path)

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            connection = sqlite3.connect(self._path, timeout=BUSY_TIMEOUT_S)
            self._connection = connection
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(_SCHEMA)
        return self._connection
