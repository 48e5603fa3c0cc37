"""Where bytes come from: the event loop itself where it can watch the descriptor, else a thread.

The descriptor stays blocking: that flag belongs to everybody who holds the same pipe, so exactly
one read follows each readiness.
"""

import asyncio
import os
import select
import stat
import sys
from collections.abc import Callable
from threading import Semaphore, Thread
from typing import Protocol

READ_BYTES = 256 * 1024


class Source(Protocol):
    """Gives chunks to a callback in the loop; an empty one means the end, and is the last."""

    def pause(self) -> None:
        """Give no more than perhaps one further chunk until resumed."""

    def resume(self) -> None:
        """Go on."""

    def close(self) -> None:
        """Give nothing any more."""


def open_source(fd: int, arrived: Callable[[bytes], None]) -> Source:
    """Start to read a descriptor of any kind. Called in the loop."""
    mode = os.fstat(fd).st_mode
    if (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)) and sys.platform != "win32":
        return LoopSource(fd, arrived)
    return ThreadSource(fd, arrived)


class LoopSource:
    """Reads pipes and sockets when the loop says there is something: no thread to wake."""

    def __init__(self, fd: int, arrived: Callable[[bytes], None]) -> None:
        self._fd = fd
        self._arrived = arrived
        self._loop = asyncio.get_running_loop()
        self._watching = False
        self._closed = False
        self.resume()

    def pause(self) -> None:
        """See Source."""
        if self._watching:
            self._loop.remove_reader(self._fd)
            self._watching = False

    def resume(self) -> None:
        """See Source."""
        if not self._watching and not self._closed:
            self._loop.add_reader(self._fd, self._ready)
            self._watching = True

    def close(self) -> None:
        """See Source."""
        self._closed = True
        self.pause()

    def _ready(self) -> None:
        try:
            chunk = os.read(self._fd, READ_BYTES)
        except BlockingIOError:  # somebody who shares the pipe was faster
            return
        except OSError:
            chunk = b""
        if not chunk:
            self.close()
        self._arrived(chunk)


class ThreadSource:
    """Reads what a loop cannot watch: files, devices, terminals, everything on Windows.

    At most one chunk is on its way: the thread waits until the loop has taken it. A read that never
    returns keeps only the thread, which the process does not wait for.
    """

    def __init__(self, fd: int, arrived: Callable[[bytes], None]) -> None:
        self._fd = fd
        self._arrived = arrived
        self._loop = asyncio.get_running_loop()
        self._go = Semaphore(1)
        self._paused = False
        self._held = False  # the thread waits for us to let it read
        self._closed = False
        Thread(target=self._work, daemon=True, name="wire reader").start()

    def pause(self) -> None:
        """See Source."""
        self._paused = True

    def resume(self) -> None:
        """See Source."""
        self._paused = False
        self._let_go()

    def close(self) -> None:
        """See Source."""
        self._closed = True
        self._go.release()

    def _let_go(self) -> None:
        if self._held and not self._paused:
            self._held = False
            self._go.release()

    def _work(self) -> None:
        chunk = b"-"
        while chunk:
            self._go.acquire()
            if self._closed:
                return
            chunk = _read(self._fd)
            try:
                self._loop.call_soon_threadsafe(self._take, chunk)
            except RuntimeError:  # the loop is gone
                return

    def _take(self, chunk: bytes) -> None:
        if self._closed:
            return
        self._closed = not chunk
        self._arrived(chunk)
        self._held = True
        self._let_go()


def _read(fd: int) -> bytes:
    """Return the next chunk, an empty one at the end or when the descriptor fails."""
    while True:
        try:
            return os.read(fd, READ_BYTES)
        except BlockingIOError:  # somebody who shares the descriptor made it non-blocking
            select.select([fd], [], [])
        except OSError:
            return b""
