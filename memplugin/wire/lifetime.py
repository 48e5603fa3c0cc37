"""When to stop beside the end of the input: SIGTERM, SIGINT, a parent that is gone (W8)."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Protocol

LOOK_S = 1.0  # how often the parent is looked for where the system cannot tell us


class Stoppable(Protocol):
    """What ends when the time has come; asking twice does no harm."""

    def stop(self) -> None:
        """End."""


@asynccontextmanager
async def watch_lifetime(peer: Stoppable, parent_pid: int | None = None) -> AsyncIterator[None]:
    """Stop a peer on SIGTERM, on SIGINT, and when its kernel is gone. Used in the main thread.

    The kernel is gone when the process's parent is another than at the start (decision 26), or,
    for a kernel behind a wrapper, when the process `parent_pid` is: dead or a zombie. On Windows
    only the end of the input tells.
    """
    parent = os.getppid()
    with ExitStack() as watches:
        watches.enter_context(_signals(peer.stop))
        if sys.platform != "win32":
            watches.enter_context(_process(parent, lambda: os.getppid() != parent, peer.stop))
            if parent_pid is not None:
                watches.enter_context(
                    _process(parent_pid, lambda: not is_alive(parent_pid), peer.stop)
                )
        yield


@contextmanager
def _signals(stop: Callable[[], None]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    wanted = (signal.SIGTERM, signal.SIGINT)
    if sys.platform == "win32":
        before = [signal.getsignal(number) for number in wanted]
        for number in wanted:
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))
        yield
        for number, handler in zip(wanted, before, strict=True):
            signal.signal(number, handler)
        return
    for number in wanted:
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in wanted:
            loop.remove_signal_handler(number)


@contextmanager
def _process(pid: int, gone: Callable[[], bool], stop: Callable[[], None]) -> Iterator[None]:
    """Stop when a process is gone: told by the system where it can, else looked for."""
    loop = asyncio.get_running_loop()
    watch = _open_watch(pid)
    if gone():
        stop()
    if watch is None:
        looking = loop.create_task(_look(gone, stop))
        try:
            yield
        finally:
            looking.cancel()
        return

    def ended() -> None:
        loop.remove_reader(watch)  # it would tell us again and again
        stop()

    loop.add_reader(watch, ended)
    try:
        yield
    finally:
        loop.remove_reader(watch)
        os.close(watch)


async def _look(gone: Callable[[], bool], stop: Callable[[], None]) -> None:
    while not gone():  # noqa: ASYNC110 - the system has no event for it
        await asyncio.sleep(LOOK_S)
    stop()


def _open_watch(pid: int) -> int | None:
    """Return a descriptor that becomes readable when a process ends; None if there is no such."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            return os.pidfd_open(pid)
    return None


def is_alive(pid: int) -> bool:
    """Say whether a process exists and is no zombie. Never on Windows: asking would kill it."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:  # no such file system, or the process has just ended
        return True
    return stat.rpartition(b")")[2].split()[:1] != [b"Z"]
