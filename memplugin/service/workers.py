"""The threads that touch disk: one writes, in order of arrival; one reads; one listens (W4).

loop ──write(job)──▶ writer thread     one job at a time, in the order in which they arrived
     ──read(job)───▶ reader thread     after every write that arrived before the read
     ──listen(job)─▶ listener thread   what hooks showed, in order; waits for neither
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from memplugin.store.lock import Cancelled as GaveUp

T = TypeVar("T")

Stop = Callable[[], bool]
"""Asked by a job that waits: whether it should give up."""


class Cancelled(Exception):  # noqa: N818 - not an error but what was asked for
    """A write was cancelled; `outcome` is what had become durable all the same (W7)."""

    def __init__(self, outcome: object | None = None) -> None:
        super().__init__("cancelled")
        self.outcome = outcome


class Workers:
    """The writer, the reader and the listener thread."""

    def __init__(self) -> None:
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="writer")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="reader")
        self._listener = ThreadPoolExecutor(1, thread_name_prefix="listener")
        self._last_write: Future[Any] | None = None

    def write(self, job: Callable[[Stop], T]) -> Coroutine[Any, Any, T]:
        """Queue a job now; the coroutine gives its result.

        Cancelled before it began, it does nothing; while it waits for a lock, it gives up; after
        that its result is told by `Cancelled`.
        """
        stop = threading.Event()
        future = self._writer.submit(job, stop.is_set)
        self._last_write = future
        return _settled(future, stop)

    async def read(self, job: Callable[[], T]) -> T:
        """Run a job on the reader thread, after the writes that have been queued so far."""
        last = self._last_write
        if last is not None and not last.done():
            await asyncio.wait([asyncio.wrap_future(last)])
        return await asyncio.wrap_future(self._reader.submit(job))

    def listen(self, job: Callable[[], T]) -> asyncio.Future[T]:
        """Queue a job on the listener thread now."""
        return asyncio.wrap_future(self._listener.submit(job))

    async def settle(self) -> None:
        """Wait until everything queued so far is done."""
        await self.read(lambda: None)

    def soon(self, job: Callable[[], T]) -> asyncio.Future[T]:
        """Queue a job on the reader thread now, whatever is still to be written."""
        return asyncio.wrap_future(self._reader.submit(job))

    def on_reader(self, job: Callable[[], object]) -> None:
        """Run a job on the reader thread and wait for it."""
        self._reader.submit(job).result()

    def on_listener(self, job: Callable[[], object]) -> None:
        """Run a job on the listener thread and wait for it."""
        self._listener.submit(job).result()

    def on_both(self, job: Callable[[], object]) -> None:
        """Run a job on each thread and wait: for what each of them must close itself."""
        for future in [self._writer.submit(job), self._reader.submit(job)]:
            future.result()

    def close(self) -> None:
        """Finish what was queued and end the threads."""
        for thread in (self._listener, self._writer, self._reader):
            thread.shutdown()


async def _settled(future: Future[T], stop: threading.Event) -> T:
    waiting = asyncio.wrap_future(future)
    try:
        return await asyncio.shield(waiting)
    except asyncio.CancelledError:
        stop.set()
        if future.cancel():
            raise Cancelled from None
        try:
            raise Cancelled(await waiting) from None
        except GaveUp:
            raise Cancelled from None
