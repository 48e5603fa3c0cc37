"""Carries what is printed to the real stderr, without ever making the printer wait.

A kernel that does not read our stderr would otherwise stop the first thread that prints once the
pipe is full. Here a thread takes everything at once and passes it on as far as it is read.
"""

import os
import select
import sys
from threading import Thread

from memplugin.wire.lines import ATOMIC_BYTES

READ_BYTES = 64 * 1024
BACKLOG_BYTES = 256 * 1024  # a few long tracebacks; what exceeds it is dropped and counted
ROOM_BYTES = 1024 * 1024  # asked of the pipe: C code may print so much before the thread's turn
LAST_WORDS_MS = 200  # how long a slow reader is waited for at the end
FINISH_S = 1.0  # a child that still holds the descriptors keeps us no longer than this


class StderrDrain:
    """A pipe to print into, and the thread that empties it."""

    def __init__(self, target: int) -> None:
        """`target` is the real stderr; whoever opened it closes it after `finish`."""
        self._target = target
        self._outlet, self._inlet = os.pipe()
        _widen(self._inlet)
        self._backlog = bytearray()
        self._dropped = 0  # bytes
        carry = self._carry if hasattr(select, "poll") else self._carry_and_wait
        self._thread = Thread(target=carry, daemon=True, name="stderr drain")
        self._thread.start()

    def take_over(self, *descriptors: int) -> None:
        """Make descriptors lead here, once; from then on they alone keep the pipe open."""
        for fd in descriptors:
            os.dup2(self._inlet, fd)
        os.close(self._inlet)

    def finish(self) -> bool:
        """Wait until all is passed on; the descriptors have been pointed elsewhere before.

        False when a child still holds them: its words are carried on, so `target` stays in use.
        """
        self._thread.join(FINISH_S)
        return not self._thread.is_alive()

    def _carry(self) -> None:
        arrivals, room, both = select.poll(), select.poll(), select.poll()
        for poll in (arrivals, both):
            poll.register(self._outlet, select.POLLIN)
        for poll in (room, both):
            poll.register(self._target, select.POLLOUT)
        while self._turn(both if self._backlog else arrivals):
            pass
        while self._backlog and room.poll(LAST_WORDS_MS):
            self._forward()
        os.close(self._outlet)

    def _turn(self, ready: "select.poll") -> bool:
        """Do what can be done; False once nobody can print any more."""
        for fd, _ in ready.poll():
            if fd == self._target:
                self._forward()
                continue
            chunk = os.read(self._outlet, READ_BYTES)
            self._hold(chunk)
            if not chunk:
                return False
        return True

    def _hold(self, chunk: bytes) -> None:
        room = max(0, BACKLOG_BYTES - len(self._backlog))
        self._backlog += chunk[:room]
        self._dropped += len(chunk[room:])

    def _forward(self) -> None:
        """Pass on as much as a writable pipe is sure to take at once."""
        try:
            del self._backlog[: os.write(self._target, self._backlog[:ATOMIC_BYTES])]
        except BlockingIOError:  # somebody who shares it made it non-blocking and was faster
            return
        except OSError:  # nobody will ever read it
            self._backlog.clear()
            self._dropped = 0
        if self._dropped and not self._backlog:
            self._backlog += f"memplugin: {self._dropped} bytes of stderr were dropped\n".encode()
            self._dropped = 0

    def _carry_and_wait(self) -> None:
        """Where a pipe cannot be asked whether it has room, the thread waits, and printers may."""
        while chunk := os.read(self._outlet, READ_BYTES):
            try:
                os.write(self._target, chunk)
            except OSError:
                continue
        os.close(self._outlet)


def _widen(pipe: int) -> None:
    """Ask for more room than the usual 64 KiB, where the system lets us ask."""
    if sys.platform == "linux":
        import fcntl  # noqa: PLC0415 - it does not exist everywhere

        try:
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, ROOM_BYTES)
        except OSError:
            return
