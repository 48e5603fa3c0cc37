"""The journal: captured work that must outlive its process, one small file an entry (H4).

    journal/<process>.lock       held as long as the process lives
    journal/<process>-<n>.json   an entry, removed when its work is done

Entries whose lock nobody holds are left over from a process that ended before its work did.
Whoever takes that lock finishes them; the lock makes it one.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

from memplugin.protocol.errors import ProviderError
from memplugin.store.disk import DISK, PRIVATE_FILE, Disk, make_folders, put, remove, temporary_name
from memplugin.store.lock import WriteLock

_LOCK, _ENTRY = ".lock", ".json"


class Journal:
    """The journal of this process, and what others left. Used by one thread at a time."""

    def __init__(self, state: Path, *, disk: Disk = DISK) -> None:
        self._folder = state / "journal"
        self._disk = disk
        # Process ids come again: an entry that is left must never be written over.
        self._name = f"{temporary_name().strip('.').removesuffix('.tmp')}-{os.urandom(4).hex()}"
        self._held = ExitStack()
        self._count = 0

    def put(self, entry: bytes) -> Path:
        """Keep an entry; durable when it returns. The path is what `drop` takes."""
        if not self._count:
            make_folders(self._disk, self._folder)
            lock = WriteLock(self._folder / f"{self._name}{_LOCK}")
            self._held.enter_context(lock.acquire(0))
        self._count += 1
        path = self._folder / f"{self._name}-{self._count}{_ENTRY}"
        put(self._disk, path, entry, mode=PRIVATE_FILE)
        return path

    def drop(self, path: Path) -> None:
        """Remove an entry whose work is done."""
        remove(self._disk, path)

    def abandoned(self) -> Iterator[tuple[Path, bytes]]:
        """Yield what ended processes left, in order; each is this caller's to finish and drop."""
        for lock in sorted(self._folder.glob(f"*{_LOCK}")):
            with suppress(ProviderError), WriteLock(lock).acquire(0):
                left = sorted(self._folder.glob(f"{lock.stem}-*{_ENTRY}"), key=_number)
                for path in left:
                    yield path, path.read_bytes()
                if not any(path.exists() for path in left):
                    lock.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go; entries that are still there are left to the next process."""
        if self._count and not any(self._folder.glob(f"{self._name}-*{_ENTRY}")):
            (self._folder / f"{self._name}{_LOCK}").unlink(missing_ok=True)
        self._held.close()


def _number(path: Path) -> int:
    return int(path.stem.rpartition("-")[2])
