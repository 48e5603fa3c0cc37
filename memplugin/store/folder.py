"""One root's folder of record files: listing, reading, creating, replacing, removing.

Only `<id>.md` is ever created, and only regular files are read: no links are followed, and a
project's folder may not lead out of the project (decision 31). The write lock is the caller's.
"""

import os
import stat
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Final

from msgspec import Struct

from memplugin.protocol.errors import ErrorCategory, ProviderError
from memplugin.protocol.records import MemoryScope, MemoryType, Record
from memplugin.recall.slugs import is_slug, slug
from memplugin.store import disk as on_disk
from memplugin.store import markdown
from memplugin.store.disk import DISK, Disk
from memplugin.store.front import Unreadable
from memplugin.store.roots import Root
from memplugin.store.seal import Seal
from memplugin.store.trust import Trust

MAX_FILE_BYTES: Final = 16 * 1024 * 1024  # far above any record; a hostile file is not loaded

_ENDING: Final = ".md"
_NO_RECORDS = frozenset({"readme.md", "memory.md"})  # in any case (design decision 1)
_IGNORE_ALL: Final = b"*\n"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_READ |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Entry(Struct, frozen=True):
    """What the folder says of a file: equal entries of one name mean an unchanged file, nearly.

    `mtime_ns` is nanoseconds since 1970; a file written twice within a clock tick keeps it.
    """

    name: str
    size: int
    mtime_ns: int


class Found(Struct, frozen=True):
    """A file that was read: its record, and the entry and digest of exactly the bytes read."""

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
        self._mode = on_disk.PRIVATE_FILE if root.private else on_disk.SHARED_FILE

    def exists(self) -> bool:
        """Return whether the folder is there."""
        return self.root.path.is_dir()

    def scan(self) -> dict[str, Entry]:
        """Return the record files by name, in order of names; none if there is no folder."""
        self._check_inside()
        entries = []
        try:
            with os.scandir(self.root.path) as files:
                for file in files:
                    if _is_record_name(file.name) and file.is_file(follow_symlinks=False):
                        status = file.stat(follow_symlinks=False)
                        entries.append(Entry(file.name, status.st_size, status.st_mtime_ns))
        except FileNotFoundError:
            return {}
        return {entry.name: entry for entry in sorted(entries, key=_name)}

    def read(self, name: str) -> Found:
        """Read a file; raises Unreadable, or FileNotFoundError for what is no record file."""
        self._check_inside()
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
        digest = blake2b(data, digest_size=16).digest()
        return Found(document, name, _entry(name, status), digest)

    def create(self, record: Record, extra: Mapping[str, str] | None = None) -> Entry | None:
        """Write a new file `<id>.md`; return its entry, None if the name is taken.

        Durable when it returns. Makes the folder if need be. Raises source_unavailable if the
        project's own folder is not there or the memory folder leads out of it.
        """
        if not is_slug(record.id):
            raise ValueError(f"not an id: {record.id!r}")
        self._ensure()
        name = record.id + _ENDING
        data = markdown.render(record, extra=extra, seal=self._seal)
        status = on_disk.put_new(self._disk, self.root.path / name, data, mode=self._mode)
        return None if status is None else _entry(name, status)

    def replace(self, name: str, record: Record) -> Entry:
        """Write a record's new state into its file, which is read again first; return the entry.

        Replaces the name, never the inode. Raises Unreadable, which leaves the file alone, or
        FileNotFoundError if it is gone.
        """
        self._check_inside()
        old, status = self._bytes(name)
        data = markdown.rewrite(old, record, seal=self._seal)
        mode = self._mode if self.root.private else stat.S_IMODE(status.st_mode)
        path = self.root.path / name
        return _entry(name, on_disk.put(self._disk, path, data, mode=mode, exact=True))

    def remove(self, name: str) -> bool:
        """Remove a file for good; return whether there was one."""
        self._check_inside()
        path = self.root.path / name
        if not (_is_record_name(name) and _is_regular(path)):
            return False
        return on_disk.remove(self._disk, path)

    def sweep(self) -> int:
        """Remove what writes that never ended left behind; return how many files."""
        self._check_inside()
        left = list(on_disk.leftovers(self.root.path))
        if not self.root.private:  # a memory folder that was being made
            left += on_disk.leftovers(self.root.path.parent)
        for path in left:
            if path.is_dir():
                for inner in path.iterdir():
                    inner.unlink(missing_ok=True)
                path.rmdir()
            else:
                path.unlink(missing_ok=True)
        return len(left)

    def _bytes(self, name: str) -> tuple[bytes, os.stat_result]:
        path = self.root.path / name
        if not _is_record_name(name):
            raise _no_record(path)
        if not hasattr(os, "O_NOFOLLOW") and path.is_symlink():
            raise _no_record(path)
        try:
            fd = os.open(path, _READ)
        except FileNotFoundError:
            raise
        except OSError:
            if _is_regular(path):
                raise
            raise _no_record(path) from None  # a link, a socket
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            os.close(fd)
            raise _no_record(path)  # a folder, a pipe
        with open(fd, "rb") as file:  # noqa: PTH123 - an open descriptor
            if status.st_size > MAX_FILE_BYTES:
                raise Unreadable(f"over {MAX_FILE_BYTES} bytes")
            data = file.read(MAX_FILE_BYTES)
        if not data:
            raise Unreadable("empty")  # or just being created where there are no hard links
        return data, status

    def _check_inside(self) -> None:
        """Refuse a project's memory folder that a link leads out of the project."""
        path, project = self.root.path, self.root.project
        if self.root.private or project is None:
            return
        if not (path.is_symlink() or path.parent.is_symlink()):
            return
        if not Path(os.path.realpath(path)).is_relative_to(project):
            raise ProviderError(
                ErrorCategory.SOURCE_UNAVAILABLE,
                f"{path} leads out of the project {project}: make it a folder of the project, or "
                "set `project_store` to `user`",
                retryable=False,
            )

    def _ensure(self) -> None:
        """Make the folder if it is missing; what we make is trusted."""
        self._check_inside()
        path = self.root.path
        if path.is_dir():
            return
        if self.root.private:
            on_disk.make_folders(self._disk, path)
        elif not self._make_in_project():
            return
        if self.root.project is not None:
            self._trust.created(self.root)

    def _make_in_project(self) -> bool:
        """Make `.agent/memory` with the .gitignore in it, at once; return whether we did."""
        path, base = self.root.path, self.root.base
        if not base.is_dir():
            raise ProviderError(
                ErrorCategory.SOURCE_UNAVAILABLE,
                f"the project's folder {base} does not exist: no memory is kept where there is no "
                "project; make the folder, or send another working_directory",
            )
        on_disk.make_folders(self._disk, path.parent, on_disk.SHARED_FOLDER)
        draft = path.parent / on_disk.temporary_name()
        self._disk.mkdir(os.fspath(draft), on_disk.SHARED_FOLDER)
        ignore = draft / ".gitignore"
        try:
            on_disk.put(self._disk, ignore, _IGNORE_ALL, mode=on_disk.SHARED_FILE)
            self._disk.replace(os.fspath(draft), os.fspath(path))
        except OSError:
            ignore.unlink(missing_ok=True)
            draft.rmdir()
            if path.is_dir():  # another process was faster
                return False
            raise
        on_disk.sync_folder(self._disk, os.fspath(path.parent))
        return True


def id_of(stem: str) -> str:
    """Return the id of a file by its name without the ending: a slug, always the same (D2)."""
    if is_slug(stem):
        return stem
    return slug(stem) or f"memory-{blake2b(stem.encode(), digest_size=8).hexdigest()}"


def _is_record_name(name: str) -> bool:
    """Return whether a file of this name may be a record: never one that leads elsewhere."""
    if not name.endswith(_ENDING) or name[0] == "." or name.lower() in _NO_RECORDS:
        return False
    if name.isascii():
        return not ("/" in name or "\\" in name or "\0" in name)
    try:
        name.encode()
    except UnicodeEncodeError:  # bytes that are no text: neither index nor wire could name it
        return False
    return not ("/" in name or "\\" in name or "\0" in name)


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return False


def _name(entry: Entry) -> str:
    return entry.name


def _entry(name: str, status: os.stat_result) -> Entry:
    return Entry(name, status.st_size, status.st_mtime_ns)


def _moment(nanoseconds: int) -> datetime:
    """Return a file's time, to the millisecond; what no date can hold is 1970."""
    try:
        return _EPOCH + timedelta(milliseconds=nanoseconds // 1_000_000)
    except OverflowError:
        return _EPOCH


def _no_record(path: Path) -> FileNotFoundError:
    return FileNotFoundError(2, "no record file", os.fspath(path))
