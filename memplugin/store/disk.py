"""The write path: complete files put in place at once, so that a crash leaves old or new.

A file is written under a temporary name in its own folder, flushed, then linked (never over
another) or renamed into place, and the folder is flushed. `Disk` is the seam at which tests fail
each system call in turn. Paths are strings here: this is the measured path, and Path costs.
"""
# ruff: noqa: PTH102, PTH105, PTH108, PTH115, PTH118, PTH120

import errno
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Final

PRIVATE_FILE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700
SHARED_FILE: Final = 0o666  # less the umask: files of a project are its owner's to share
SHARED_FOLDER: Final = 0o777
LEFTOVER_AGE_S: Final = 3600  # no write takes an hour, whoever it was

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_NEW |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
# What file systems without hard links answer (FAT, some network and container mounts).
_NO_LINKS = frozenset(
    {errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EMLINK, errno.EINVAL}
)
_TEMPORARY = re.compile(r"\.(\d+)-([0-9a-f]{8})-\d+\.tmp", re.ASCII)
_numbers = count()  # makes temporary names of one process differ; O_EXCL makes sure of the rest


class Disk:
    """The system calls that writing consists of, one method each."""

    def open(self, path: str, flags: int, mode: int) -> int:
        """Open a file or folder."""
        return os.open(path, flags, mode)

    def write(self, fd: int, data: memoryview) -> int:
        """Write some of the data; return how many bytes."""
        return os.write(fd, data)

    def chmod(self, fd: int, mode: int) -> None:
        """Set the permission bits of an open file."""
        os.fchmod(fd, mode)

    def fsync(self, fd: int) -> None:
        """Wait until an open file or folder is on the disk."""
        os.fsync(fd)

    def link(self, source: str, target: str) -> None:
        """Give a file a second name; fails if the name is taken."""
        os.link(source, target)

    def replace(self, source: str, target: str) -> None:
        """Rename, over another file if there is one."""
        os.replace(source, target)

    def unlink(self, path: str) -> None:
        """Remove a name."""
        os.unlink(path)

    def mkdir(self, path: str, mode: int) -> None:
        """Make one folder."""
        os.mkdir(path, mode)


DISK: Final = Disk()


def put(
    disk: Disk, path: Path, data: bytes, *, mode: int, exact: bool = False, durable: bool = True
) -> os.stat_result:
    """Put a complete file at `path`, over another if there is one; return its status.

    The name is replaced, never the inode: other hard links keep what they had. With `exact` the
    mode is set whatever the umask. Without `durable` nothing is flushed: after a power cut the
    file may be old, empty or new.
    """
    target = os.fspath(path)
    folder = os.path.dirname(target)
    with _temporary(disk, folder, data, mode, exact=exact, durable=durable) as (temporary, status):
        disk.replace(temporary, target)
    if durable:
        sync_folder(disk, folder)
    return status


def put_new(disk: Disk, path: Path | str, data: bytes, *, mode: int) -> os.stat_result | None:
    """Put a complete new file at `path`; return its status, None if the name is taken."""
    target = os.fspath(path)
    folder = os.path.dirname(target)
    with _temporary(disk, folder, data, mode) as (temporary, status):
        try:
            disk.link(temporary, target)
        except FileExistsError:
            disk.unlink(temporary)
            return None
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if not _reserve(disk, target, mode):
                disk.unlink(temporary)
                return None
            _over_reserved(disk, temporary, target)
        else:
            with suppress(OSError):  # placed already; a leftover is swept later
                disk.unlink(temporary)
    try:
        sync_folder(disk, folder)
    except OSError:
        # Not known to be durable, so not acknowledged: a second try must find the name free.
        with suppress(OSError):
            disk.unlink(target)
        raise
    return status


def remove(disk: Disk, path: Path) -> bool:
    """Remove a file for good; return whether there was one."""
    try:
        disk.unlink(os.fspath(path))
    except FileNotFoundError:
        return False
    sync_folder(disk, os.fspath(path.parent))
    return True


def sync_folder(disk: Disk, folder: str) -> None:
    """Flush the names of a folder, where the system knows how."""
    if not _FOLDER:
        return
    fd = disk.open(folder, os.O_RDONLY | _FOLDER, 0)
    try:
        disk.fsync(fd)
    finally:
        os.close(fd)


def make_folders(disk: Disk, path: Path, mode: int = PRIVATE_FOLDER) -> bool:
    """Make a folder and the missing ones above it; return whether it is new."""
    try:
        disk.mkdir(os.fspath(path), mode)
    except FileExistsError:
        if path.is_dir():
            return False
        raise
    except FileNotFoundError:
        if path.parent.is_dir():  # of the kind that takes no new ones, such as /proc
            raise
        make_folders(disk, path.parent, mode)
        return make_folders(disk, path, mode)
    sync_folder(disk, os.fspath(path.parent))
    return True


def temporary_name() -> str:
    """Return a new name for a temporary file: hidden, with this process's id and host."""
    return f".{os.getpid()}-{_host()}-{next(_numbers)}.tmp"


def leftovers(folder: Path, now: Callable[[], float] = time.time) -> Iterator[Path]:
    """Yield temporary files and folders that no living process of this host will finish."""
    try:
        with os.scandir(folder) as found:
            entries = list(found)
    except OSError:  # what can't be listed is not swept
        return
    for entry in entries:
        name = _TEMPORARY.fullmatch(entry.name)
        if name is None or entry.is_symlink():
            continue
        pid, host = name.groups()
        dead = host == _host() and not _alive(int(pid))
        with suppress(OSError):
            if dead or now() - entry.stat(follow_symlinks=False).st_mtime > LEFTOVER_AGE_S:
                yield Path(entry.path)


def sweep(folder: Path) -> int:
    """Remove the leftovers in a folder; return how many. What cannot be removed stays."""
    swept = 0
    for path in leftovers(folder):
        with suppress(OSError):
            _sweep_one(path)
            swept += 1
    return swept


def _sweep_one(path: Path) -> None:
    if not path.is_dir():
        path.unlink()
        return
    for inner in path.iterdir():  # a memory folder that was being made; anything else stays
        if inner.name == ".gitignore" or _TEMPORARY.fullmatch(inner.name):
            inner.unlink()
    path.rmdir()


@contextmanager
def _temporary(
    disk: Disk, folder: str, data: bytes, mode: int, *, exact: bool = False, durable: bool = True
) -> Iterator[tuple[str, os.stat_result]]:
    """Write a temporary file; remove it if what follows fails."""
    path, fd = _open_new(disk, folder, mode)
    try:
        try:
            if exact and hasattr(os, "fchmod"):
                disk.chmod(fd, mode)
            left = memoryview(data)
            while left:
                left = left[disk.write(fd, left) :]
            if durable:
                disk.fsync(fd)
            status = os.fstat(fd)
        finally:
            os.close(fd)
        yield path, status
    except BaseException:
        with suppress(OSError):
            disk.unlink(path)
        raise


def _open_new(disk: Disk, folder: str, mode: int) -> tuple[str, int]:
    while True:
        path = os.path.join(folder, temporary_name())
        try:
            return path, disk.open(path, _NEW, mode)
        except FileExistsError:  # left by a dead process that had our id
            continue


def _reserve(disk: Disk, target: str, mode: int) -> bool:
    """Take a name with an empty file, which readers pass over."""
    try:
        os.close(disk.open(target, _NEW, mode))
    except FileExistsError:
        return False
    return True


def _over_reserved(disk: Disk, temporary: str, target: str) -> None:
    try:
        disk.replace(temporary, target)
    except OSError:
        with suppress(OSError):
            disk.unlink(target)
        raise


@cache
def _host() -> str:
    """Return a short name of this host or container: process ids mean nothing in another one."""
    node = os.uname().nodename if hasattr(os, "uname") else ""
    with suppress(OSError):
        node += os.readlink("/proc/self/ns/pid")
    return sha256(node.encode("utf-8", "surrogateescape")).hexdigest()[:8]


def _alive(pid: int) -> bool:
    """Return whether a process of this host lives; True where asking could end it."""
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
