"""The process's standard streams: claimed for the wire, so that no print can reach it (W2)."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from memplugin.wire.stderr import StderrDrain

STDIN, STDOUT, STDERR = 0, 1, 2


class Pipe:
    """Two descriptors: `reader` brings the other side's lines, `writer` takes ours.

    Whoever made it closes them.
    """

    def __init__(
        self, reader: int, writer: int, *, flush: Callable[[], None] = lambda: None
    ) -> None:
        """`flush` is called by `leave`, to let go of what was printed."""
        self.reader = reader
        self.writer = writer
        self._flush = flush

    def complain(self, text: str) -> None:
        """Say a line to people, on stderr; on a claimed one nobody needs to read it."""
        with suppress(OSError):
            os.write(STDERR, text.encode(errors="backslashreplace") + b"\n")

    def leave(self, code: int) -> NoReturn:
        """End the process here and now, without waiting for threads that may never return.

        Nothing registered with atexit runs.
        """
        self._flush()
        os._exit(code)


@contextmanager
def claim_stdio() -> Iterator[Pipe]:
    """Take stdin and stdout for the wire until the end of the block; call it before anything else.

    Inside, descriptor 0 is empty, and whatever is written to 1 and 2, by children too, goes to
    stderr as far as somebody reads that: printing never waits. Descriptors that the process was
    started without count as the null device.
    """
    _fill_gaps()
    reader, writer, errors = os.dup(STDIN), os.dup(STDOUT), os.dup(STDERR)
    drain = StderrDrain(errors)

    def let_go() -> None:
        _flush_streams()
        _point_at_null(STDOUT, STDERR)
        drain.finish()

    _flush_streams()
    _point_at_null(STDIN)
    drain.take_over(STDOUT, STDERR)
    try:
        yield Pipe(reader, writer, flush=let_go)
    finally:
        _flush_streams()
        for fd, own in ((reader, STDIN), (writer, STDOUT), (errors, STDERR)):
            os.dup2(fd, own)
        for fd in (reader, writer):
            os.close(fd)
        if drain.finish():
            os.close(errors)


def _fill_gaps() -> None:
    """Open what of 0, 1 and 2 is closed: else the next file opened would be taken for it."""
    while (fd := os.open(os.devnull, os.O_RDWR)) <= STDERR:
        pass
    os.close(fd)


def _point_at_null(*targets: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for target in targets:
        os.dup2(null, target)
    os.close(null)


def _flush_streams() -> None:
    """Flush what Python itself holds back; a stream may be absent, closed or broken."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
