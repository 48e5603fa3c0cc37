"""The peer: serves one side's requests and calls the other, over one pipe."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Raw, Struct

from memplugin.wire.calls import Calls
from memplugin.wire.dispatch import Dispatcher
from memplugin.wire.lines import LineSplitter, LineWriter, Overlong
from memplugin.wire.messages import (
    Answer,
    Batch,
    Fault,
    Handler,
    Ignored,
    Limits,
    Message,
    Request,
    cancelled_answer,
    encode,
)
from memplugin.wire.reading import overlong, read
from memplugin.wire.schedule import Reply, Schedule, gather_replies
from memplugin.wire.source import Source, open_source
from memplugin.wire.stdio import Pipe

CANCEL = "$/cancelRequest"
LOG = "log"  # the label whose calls are written even when no answer can come any more
GRACE_S = 5.0  # how long nothing may be answered once the input has ended


class _CancelParams(Struct):
    id: Raw


class Peer:
    """Both directions of JSON-RPC 2.0 over a pipe (W3, W4). Used in one event loop, by its thread.

    `limits` may be replaced at any time and holds from the next line on. With `ordered`, requests
    run one at a time and are answered in the order of arrival. `on_report` takes sentences about
    messages that were dropped; they quote nothing of them, and repeat themselves ever less often.
    """

    def __init__(
        self,
        pipe: Pipe,
        methods: Mapping[str, Handler],
        *,
        limits: Limits | None = None,
        ordered: bool = False,
        name: str = "memplugin",
        on_report: Callable[[str], None] = lambda _: None,
        cancelled: Mapping[str, object] | None = None,
    ) -> None:
        """`name` begins the ids of our own calls.

        `cancelled` has the results of methods that answer a cancellation with one (W7).
        """
        self.limits = limits or Limits()
        self.on_report = on_report
        self._pipe = pipe
        self._calls = Calls(name)
        results = cancelled or {}
        self._schedule = Schedule(
            Dispatcher(methods).answer,
            lambda: self.limits,
            self._flow,
            ordered=ordered,
            cancelled=lambda request: cancelled_answer(request, results.get(request.method)),
        )
        self._splitter = LineSplitter(lambda: self.limits.max_line_bytes)
        self._writer = LineWriter(pipe.writer, self._written)
        self._source: Source | None = None
        self._stopped = asyncio.Event()
        self._reports: Counter[str] = Counter()

    def call(self, method: str, params: Any, *, label: str = "") -> asyncio.Future[Raw]:  # noqa: ANN401 - any value with a JSON form
        """Call the other side: the line is queued now, before any answer written later.

        The future gives the bytes of the result or raises CallError. Timeouts are the caller's: a
        future that is cancelled is forgotten. Ids are `<name>:1`, `<name>:2`, …, with a label
        `<name>:<label>:1`, … Once the input has ended, a call fails at once and is not written,
        except with the label `log`, which is written though its answer cannot come.
        """
        told = Raw(encode(params))  # what has no JSON form is refused before it takes an id
        ended = self._stopped.is_set()
        id, future = self._calls.open(label)
        if not ended or label == LOG:
            self._write(encode({"jsonrpc": "2.0", "id": id, "method": method, "params": told}))
        return future

    async def serve(self) -> None:
        """Serve until the input ends or `stop`; then finish what is in flight and write it (W8).

        When nothing was answered for GRACE_S, the rest is cancelled. Broken output is an end too.
        Calls made afterwards with the label `log` are still written: `drain` waits for them.
        """
        if not self._stopped.is_set():
            self._source = open_source(self._pipe.reader, self._arrived)
        try:
            await self._stopped.wait()
            await self._schedule.finish(GRACE_S)
            await self._writer.drain()
        finally:
            self.stop()

    def stop(self) -> None:
        """Read no further, as at the end of the input."""
        if self._source is not None:
            self._source.close()
        self._stopped.set()
        self._calls.end()

    async def drain(self) -> None:
        """Wait until all that was written has gone out, or nobody takes it any more."""
        await self._writer.drain()

    def close(self) -> None:
        """Let go of the thread that writes. The descriptors are the pipe's."""
        self.stop()
        self._writer.close()

    # What comes in.

    def _arrived(self, chunk: bytes) -> None:
        if self._stopped.is_set():
            return
        for line in self._splitter.feed(chunk) if chunk else self._splitter.end():
            self._take_line(line)
        if chunk:
            self._flow()
        else:
            self.stop()

    def _take_line(self, line: bytes | Overlong) -> None:
        match overlong(line.limit) if isinstance(line, Overlong) else read(line, self.limits):
            case None:
                pass
            case Batch(elements):
                replies = gather_replies(len(elements), self._reply)
                for element, reply in zip(elements, replies, strict=True):
                    self._take(element, reply)
            case message:
                self._take(message, self._reply)

    def _take(self, message: Message, reply: Reply) -> None:
        match message:
            case Request(None, method, params) if method == CANCEL:
                self._cancel(params)
                reply(None)
            case Request() | Fault():
                self._schedule.submit(message, reply)
            case Answer():
                if not self._calls.settle(message):
                    self._report("an answer was dropped: its id belongs to no call")
                reply(None)
            case Ignored(reason):
                self._report(reason)
                reply(None)

    def _cancel(self, params: Raw) -> None:
        try:
            self._schedule.cancel(msgspec.json.decode(params, type=_CancelParams).id)
        except msgspec.DecodeError:
            self._report(f"a {CANCEL} was dropped: it has no id")

    def _report(self, reason: str) -> None:
        """Report the 1st, 2nd, 4th, 8th … time.

        A report may be a call: were its answer the next thing to report, it would never end.
        """
        self._reports[reason] += 1
        times = self._reports[reason]
        if times.bit_count() == 1:
            self.on_report(reason if times == 1 else f"{reason} ({times} times)")

    # What goes out.

    def _reply(self, answer: bytes | None) -> None:
        if answer is not None:
            self._write(answer)

    def _write(self, message: bytes) -> None:
        self._writer.write(message + b"\n")

    def _written(self) -> None:
        if self._writer.broken:
            self.stop()
        self._flow()

    def _flow(self) -> None:
        """Read only while neither direction has too much waiting (decision 24)."""
        if self._source is None:
            return
        most = self.limits.max_waiting_bytes
        if self._schedule.waiting_bytes > most or self._writer.waiting_bytes > most:
            self._source.pause()
        else:
            self._source.resume()
