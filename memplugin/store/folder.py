"""One root's folder of record files: listing, reading, creating, replacing, removing.

Only `<id>.md` is ever created, and only regular files are read: no links are followed, and a
project's folder may not lead out of the project (decision 31). The write lock is the caller's.
"""

import errno
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from operator import attrgetter
from pathlib import Path
from typing import Final

from msgspec import Struct

from memplugin.protocol.records import MemoryScope, MemoryType, Record
from memplugin.recall.slugs import is_slug, slug
from memplugin.store import disk as on_disk
from memplugin.store import markdown
from memplugin.store.disk import DISK, Disk
from memplugin.store.front import Unreadable
from memplugin.store.gitfiles import is_folder
from memplugin.store.ground import Ground
from memplugin.store.roots import Root
from memplugin.store.seal import Seal
from memplugin.store.trust import Trust

MAX_FILE_BYTES: Final = 16 * 1024 * 1024  # far above any record; a hostile file is not loaded

_ENDING: Final = ".md"
_NO_RECORDS = frozenset({"readme.md", "memory.md"})  # in any case (design decision 1)
_LENGTH_OF_NO_RECORD: Final = 9  # of both, so that a listing seldom needs to fold case
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_READ |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_LINKS_OPEN = not hasattr(os, "O_NOFOLLOW")  # opening a link opens its target: Windows


class Entry(Struct, frozen=True):
    """What the folder says of a file: equal entries of one name mean an unchanged file, nearly.

    `mtime_ns` is nanoseconds since 1970; a file written twice within a clock tick keeps it.
    """

    name: str
    size: int
    mtime_ns: int


class Found(Struct, frozen=True):
    """A file read or just made: its record, and the entry and digest of exactly its bytes."""

    document: markdown.Document
    name: str
    entry: Entry
    digest: bytes


class Folder:
    """The record files of one root."""

    def __init__(self, root: Root, seal: Seal, *, trust: Trust, disk: Disk = DISK) -> None:
        self.root = root
        self._seal = seal
        self._trust = trust
        self._disk = disk
        project = root.scope is MemoryScope.PROJECT
        self._default_type = MemoryType.PROJECT if project else MemoryType.USER
        self._ground = Ground(root, disk)
        self._mode = on_disk.PRIVATE_FILE if root.private else on_disk.SHARED_FILE
        self._is_swept = False

    def exists(self) -> bool:
        """Return whether the folder is there."""
        return is_folder(self.root.path)

    def scan(self) -> dict[str, Entry]:
        """Return the record files by name, in order of names; none if there is no folder."""
        self._ground.check()
        entries = []
        try:
            with os.scandir(self.root.path) as files:
                for file in files:
                    if _is_record_name(file.name) and file.is_file(follow_symlinks=False):
                        with suppress(FileNotFoundError):  # removed since it was listed
                            status = file.stat(follow_symlinks=False)
                            entries.append(_entry(file.name, status))
        except OSError:
            # Only what should be there and is broken is an error; no project, no records.
            if self._ground.is_expected():
                raise
            return {}
        return {entry.name: entry for entry in sorted(entries, key=attrgetter("name"))}

    def read(self, name: str) -> Found:
        """Read a file; raises Unreadable, or FileNotFoundError for what is no record file."""
        self._ground.check()
        data, status = self._bytes(name)
        stem = name.removesuffix(_ENDING)
        document = markdown.parse(
            data,
            id=id_of(stem),
            scope=self.root.scope,
            default_type=self._default_type,
            modified=_moment(status.st_mtime_ns),
            seal=self._seal,
            stem=stem,
        )
        return Found(document, name, _entry(name, status), _digest(data))

    def has(self, name: str) -> bool:
        """Whether anything of that name lies in the folder, a record or not."""
        return os.path.lexists(self.root.path / name)

    def create(self, record: Record, extra: Mapping[str, str] | None = None) -> Found | None:
        """Write a new file `<id>.md`; return what `read` would, None if the name is taken.

        Durable when it returns. Makes the folder if need be. Raises source_unavailable if the
        project's own folder is not there or the memory folder leads out of it.
        """
        if not is_slug(record.id):
            raise ValueError(f"not an id: {record.id!r}")
        self._ground.make(self._note)
        self._sweep_once()
        name = record.id + _ENDING
        data = markdown.render(record, extra=extra, seal=self._seal)
        status = on_disk.put_new(self._disk, f"{self.root.path}/{name}", data, mode=self._mode)
        if status is None:
            return None
        return Found(written(record, extra), name, _entry(name, status), _digest(data))

    def replace(self, name: str, record: Record) -> Entry:
        """Write a record's new state into its file, which is read again first; return the entry.

        Replaces the name, never the inode. Raises Unreadable, which leaves the file alone, or
        FileNotFoundError if it is gone.
        """
        self._ground.check()
        self._sweep_once()
        old, status = self._bytes(name)
        data = markdown.rewrite(old, record, seal=self._seal)
        mode = self._mode if self.root.private else status.st_mode & 0o777
        path = self.root.path / name
        return _entry(name, on_disk.put(self._disk, path, data, mode=mode, exact=True))

    def remove(self, name: str) -> bool:
        """Remove a file for good; return whether there was one."""
        self._ground.check()
        path = self.root.path / name
        if not (_is_record_name(name) and _is_regular(os.fspath(path))):
            return False
        self._sweep_once()
        return on_disk.remove(self._disk, path)

    def sweep(self) -> int:
        """Remove what writes that never ended left behind; return how many files."""
        self._ground.check()
        swept = on_disk.sweep(self.root.path)
        if not self.root.private:  # a memory folder that was being made
            swept += on_disk.sweep(self.root.path.parent)
        return swept

    def share(self) -> bool:
        """Let git see a project's records: remove our .gitignore; return whether there was one.

        One that says anything else is its owner's, and stays.
        """
        return self._ground.share()

    def _sweep_once(self) -> None:
        if not self._is_swept:
            self._is_swept = True
            self.sweep()

    def _note(self) -> None:
        """Note that we make the folder: it is trusted, and its project known (decision 6)."""
        if self.root.project is not None:
            self._trust.created(self.root)

    def _bytes(self, name: str) -> tuple[bytes, os.stat_result]:
        path = f"{self.root.path}/{name}"
        if not _is_record_name(name) or (_LINKS_OPEN and Path(path).is_symlink()):
            raise _no_record(path)
        try:
            fd = os.open(path, _READ)
        except FileNotFoundError:
            raise
        except OSError:
            if _is_regular(path):
                raise
            raise _no_record(path) from None  # a link, a socket
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise _no_record(path)  # a folder, a pipe
            if status.st_size > MAX_FILE_BYTES:
                raise Unreadable(f"over {MAX_FILE_BYTES} bytes")
            data = _read_up_to(fd, status.st_size)
        finally:
            os.close(fd)
        if not data:
            raise Unreadable("empty")  # or just being created where there are no hard links
        return data, status


def written(record: Record, extra: Mapping[str, str] | None = None) -> markdown.Document:
    """Return what is read from a file just rendered: any record comes back exactly (D5)."""
    more = dict(extra or {})
    return markdown.Document(
        record.replaced(verified=True),
        more.get("origin"),
        sealed=True,
        edited=False,
        format=markdown.FORMAT,
        extra=more,
    )


def id_of(stem: str) -> str:
    """Return the id of a file by its name without the ending: a slug, always the same (D2)."""
    if is_slug(stem):
        return stem
    return slug(stem) or f"memory-{blake2b(stem.encode(), digest_size=8).hexdigest()}"


def _is_record_name(name: str) -> bool:
    """Return whether a file of this name may be a record: never one that leads elsewhere."""
    if not name.endswith(_ENDING) or name[0] == ".":
        return False
    if len(name) == _LENGTH_OF_NO_RECORD and name.lower() in _NO_RECORDS:
        return False
    if "/" in name or "\\" in name or "\0" in name:
        return False
    return name.isascii() or _is_text(name)


def _is_text(name: str) -> bool:
    """Return whether a name is Unicode: neither index nor wire could name another."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _read_up_to(fd: int, size: int) -> bytes:
    data = os.read(fd, size)
    while len(data) < size and (more := os.read(fd, size - len(data))):
        data += more
    return data


def _is_regular(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return False


def _entry(name: str, status: os.stat_result) -> Entry:
    return Entry(name, status.st_size, status.st_mtime_ns)


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()


def _moment(nanoseconds: int) -> datetime:
    """Return a file's time, to the millisecond; what no date can hold is 1970."""
    try:
        return _EPOCH + timedelta(milliseconds=nanoseconds // 1_000_000)
    except OverflowError:
        return _EPOCH


def _no_record(path: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, "no record file", path)
