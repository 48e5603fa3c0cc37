"""Splits what arrives into lines, and writes whole lines without ever blocking the event loop."""

import asyncio
import os
import select
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread

from msgspec import Struct

ATOMIC_BYTES: int = getattr(select, "PIPE_BUF", 512)  # a writable pipe takes so much at once
PIECE_BYTES = 64 * 1024  # a pipe's usual capacity: progress is seen piece by piece
PATIENCE_S = 5.0  # how long a reader may take nothing at the end before the rest is given up


class Overlong(Struct, frozen=True):
    """Stands for a line that was skipped; `limit` is what it exceeded, in bytes."""

    limit: int


class LineSplitter:
    """Cuts chunks at LF; holds at most one line's limit of bytes (W1, W6)."""

    def __init__(self, limit: Callable[[], int]) -> None:
        """`limit` is asked at the start of each line."""
        self._ask_limit = limit
        self._limit = 0
        self._held = bytearray()
        self._skipping = False

    def feed(self, chunk: bytes) -> list[bytes | Overlong]:
        """Return the lines that end in this chunk, without their LF."""
        *ended, rest = chunk.split(b"\n")
        lines = []
        for part in ended:
            self._take(part)
            lines.append(self._finish())
        self._take(rest)
        return lines

    def end(self) -> list[bytes | Overlong]:
        """Return the line that the input ended without ending."""
        return [self._finish()] if self._held or self._skipping else []

    def _take(self, part: bytes) -> None:
        if self._skipping or not part:
            return
        if not self._held:
            self._limit = self._ask_limit()
        if len(self._held) + len(part) > self._limit:
            self._held = bytearray()
            self._skipping = True
        else:
            self._held += part

    def _finish(self) -> bytes | Overlong:
        if self._skipping:
            self._skipping = False
            return Overlong(self._limit)
        line = bytes(self._held)
        self._held = bytearray()
        return line


class LineWriter:
    """Writes whole lines to a descriptor, in order (W4).

    A short line goes out at once where that cannot block; everything else through a thread. Who
    else writes to the same pipe at the same moment could still make a short one wait.
    """

    def __init__(self, fd: int, changed: Callable[[], None]) -> None:
        """Call `changed` in the loop when bytes have gone out, or none can any more."""
        self._fd = fd
        self._changed = changed
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._progress = asyncio.Event()
        self._room = _poll(fd)
        self.waiting_bytes = 0
        self.broken = False

    def write(self, line: bytes) -> None:
        """Write a line, its LF included, now or soon. After a break it is dropped."""
        if self.broken:
            return
        if not self.waiting_bytes and len(line) <= ATOMIC_BYTES and self._writable():
            line = self._write_now(line)
        if line:
            self._write_soon(line)

    def _writable(self) -> bool:
        return self._room is not None and bool(self._room.poll(0))

    def _write_now(self, line: bytes) -> bytes:
        """Return what could not be written at once."""
        try:
            return line[os.write(self._fd, line) :]
        except BlockingIOError:
            return line
        except OSError:
            self._wrote(0, broken=True)
            return b""

    def _write_soon(self, line: bytes) -> None:
        self.waiting_bytes += len(line)
        if self._thread is None:
            loop = asyncio.get_running_loop()
            self._thread = Thread(target=self._work, args=(loop,), daemon=True, name="wire writer")
            self._thread.start()
        self._queue.put(line)

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        broken = False
        while (line := self._queue.get()) is not None:
            rest = memoryview(line)
            while rest and not broken:
                written, broken = self._write_piece(rest[:PIECE_BYTES])
                rest = rest[written:]
                try:
                    loop.call_soon_threadsafe(self._wrote, written, broken)
                except RuntimeError:  # the loop is gone, and with it everybody who wants to know
                    return

    def _write_piece(self, piece: memoryview) -> tuple[int, bool]:
        """Return how many bytes went out, and whether none can any more."""
        try:
            return os.write(self._fd, piece), False
        except BlockingIOError:  # somebody who shares the pipe made it non-blocking
            if self._room is not None:
                self._room.poll()
            return 0, False
        except OSError:
            return 0, True

    def _wrote(self, count: int, broken: bool) -> None:  # noqa: FBT001 - call_soon has no keywords
        self.waiting_bytes -= count
        if broken:
            self.broken = True
            self.waiting_bytes = 0
        self._progress.set()
        self._changed()

    async def drain(self) -> None:
        """Wait until all is written, or nobody has taken anything for PATIENCE_S."""
        while self.waiting_bytes and not self.broken:
            self._progress.clear()
            try:
                await asyncio.wait_for(self._progress.wait(), PATIENCE_S)
            except TimeoutError:
                return

    def close(self) -> None:
        """Take nothing any more, and let the thread end once it has written what waits."""
        self.broken = True
        if self._thread is not None:
            self._queue.put(None)
            self._thread = None


def _poll(fd: int) -> "select.poll | None":
    """Return what tells whether a descriptor is writable; None where pipes cannot be asked."""
    if not hasattr(select, "poll"):
        return None
    room = select.poll()
    room.register(fd, select.POLLOUT)
    return room
