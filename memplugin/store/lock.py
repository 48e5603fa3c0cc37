"""The write lock: one file for all roots, never deleted, held while records are written.

The file lies in the state, not in the index, which may be deleted at any time (decision 1). The
lock is the operating system's, so it ends with its process, however that ends. It excludes the
threads of one process too, and is not reentrant.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from memplugin.protocol.errors import ErrorCategory, ProviderError
from memplugin.store.disk import DISK, PRIVATE_FILE, make_folders

_POLL_S: Final = 0.002  # a write takes a few milliseconds; polling this often costs under 1 % CPU

_OPEN = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)


class Cancelled(Exception):  # noqa: N818 - an outcome, not a fault (W7)
    """The call was cancelled while it waited; nothing was written."""


class WriteLock:
    """The lock at one path."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._mine = threading.local()

    @contextmanager
    def acquire(
        self, timeout_s: float, cancelled: Callable[[], bool] = lambda: False
    ) -> Iterator[None]:
        """Hold the lock; wait for it at most `timeout_s` seconds. A thread may hold it again.

        Raises source_unavailable when the time is over, Cancelled as soon as `cancelled` says so.
        """
        if getattr(self._mine, "held", False):
            yield
            return
        fd = self._wait(timeout_s, cancelled)
        self._mine.held = True
        try:
            yield
        finally:
            self._mine.held = False
            os.close(fd)  # ends the lock

    def _wait(self, timeout_s: float, cancelled: Callable[[], bool]) -> int:
        end = time.monotonic() + timeout_s
        while True:
            fd = self._open()
            # The second question: somebody may have deleted the file, and others lock a new one.
            if _try_lock(fd) and self._still_there(fd):
                return fd
            os.close(fd)
            if cancelled():
                raise Cancelled
            if time.monotonic() >= end:
                raise _busy(self.path, timeout_s)
            time.sleep(_POLL_S)

    def _open(self) -> int:
        try:
            return os.open(self.path, _OPEN, PRIVATE_FILE)
        except FileNotFoundError:
            make_folders(DISK, self.path.parent)
            return os.open(self.path, _OPEN, PRIVATE_FILE)

    def _still_there(self, fd: int) -> bool:
        try:
            return os.path.samestat(os.fstat(fd), self.path.stat())
        except FileNotFoundError:
            return False


def _busy(path: Path, timeout_s: float) -> ProviderError:
    return ProviderError(
        ErrorCategory.SOURCE_UNAVAILABLE,
        f"another process is writing and held the lock {path} for over {timeout_s:g} s: try again, "
        "or raise the setting `lock_timeout_s`",
    )


if sys.platform == "win32":
    import msvcrt

    def _try_lock(fd: int) -> bool:
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _try_lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
