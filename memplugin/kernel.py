"""The other end of the pipe: count_tokens with its memory, log, emit, run_session (section 4).

Nothing here touches disk. Counts that may outlive the process are handed over by `fresh_counts`
and come back by `prime`; who keeps them is not this module's business.
"""

import asyncio
import hashlib
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Protocol, TypeVar

import msgspec

from memplugin.protocol.callbacks import (
    CountTokensParams,
    CountTokensResult,
    EmitParams,
    LogEntry,
    LogLevel,
    LogParams,
    ModelRef,
    RunSessionParams,
    RunSessionResult,
)
from memplugin.protocol.errors import ErrorCategory, ProviderError
from memplugin.protocol.records import blocks, timestamp
from memplugin.wire.messages import CallError

T = TypeVar("T")

METHOD_NOT_FOUND = -32601
MAX_COUNTS_IN_FLIGHT = 32  # pipelined, yet few enough for a kernel that serves one at a time
MAX_COUNTS_KEPT = 200_000  # about 30 MB
MAX_LOG_WAITING = 1000  # entries; then the oldest are dropped and counted

CountKey = tuple[str, bytes]
"""A model (empty: none named) and the digest of a content."""


class Transport(Protocol):
    """Something that carries a call to the kernel and its answer back."""

    def call(self, method: str, params: Any, *, label: str = "") -> asyncio.Future[msgspec.Raw]:  # noqa: ANN401 - any value that has a JSON form
        """Send at once; the future gives the result or raises CallError."""


class Kernel:
    """The kernel's four methods, as the provider uses them."""

    def __init__(
        self,
        transport: Transport,
        *,
        clock: Callable[[], datetime],
        spill: Callable[[str], None],
    ) -> None:
        """`spill` takes lines of the log that the kernel refuses; it must not block."""
        self._transport = transport
        self._clock = clock
        self._spill = spill
        self._refused: set[str] = set()
        self._counts: dict[CountKey, int] = {}
        self._fresh: list[tuple[CountKey, int]] = []
        self._counting: dict[CountKey, asyncio.Future[int]] = {}
        self._slots = asyncio.Semaphore(MAX_COUNTS_IN_FLIGHT)
        self._log: deque[tuple[str | None, LogEntry]] = deque()
        self._dropped = 0
        self._logging: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Future[Any]] = set()
        self.timeout_s = 10.0

    # K1, K2, K3: counting.

    def unknown_counts(
        self, contents: Iterable[tuple[str, ...]], model: ModelRef | None
    ) -> list[CountKey]:
        """Return the keys of contents whose counts are not in memory."""
        keys = (count_key(content, model) for content in contents)
        return [key for key in keys if key not in self._counts]

    def prime(self, counts: Mapping[CountKey, int]) -> None:
        """Remember counts that were kept from an earlier process."""
        self._counts.update(counts)

    def fresh_counts(self) -> list[tuple[CountKey, int]]:
        """Hand over the exact counts that came since the last call (K2)."""
        fresh, self._fresh = self._fresh, []
        return fresh

    async def count_tokens(
        self, contents: Sequence[tuple[str, ...]], model: ModelRef | None
    ) -> list[int]:
        """Return the tokens of each content, asked all at once and each only once.

        Raises ProviderError `unknown` naming kernel.count_tokens when one cannot be had:
        retryable after a timeout, not when the kernel has no such method.
        """
        return list(await asyncio.gather(*(self._count(content, model) for content in contents)))

    async def _count(self, content: tuple[str, ...], model: ModelRef | None) -> int:
        key = count_key(content, model)
        known = self._counts.get(key)
        if known is not None:
            return known
        asking = self._counting.get(key)
        if asking is None:
            asking = asyncio.ensure_future(self._ask_count(key, content, model))
            self._counting[key] = asking
            asking.add_done_callback(lambda _: self._counting.pop(key, None))
            asking.add_done_callback(_look_at_error)
        # Others may wait for the same count: one caller's cancellation must not take it away.
        return await asyncio.shield(asking)

    async def _ask_count(
        self, key: CountKey, content: tuple[str, ...], model: ModelRef | None
    ) -> int:
        params = CountTokensParams(content=blocks(content), model_ref=model)
        async with self._slots:
            try:
                answer = await self._call("kernel.count_tokens", params, CountTokensResult)
            except CallError as error:
                raise ProviderError(
                    ErrorCategory.UNKNOWN,
                    f"kernel.count_tokens: {error}",
                    retryable=error.code != METHOD_NOT_FOUND,
                ) from error
        while len(self._counts) >= MAX_COUNTS_KEPT:
            del self._counts[next(iter(self._counts))]
        self._counts[key] = answer.count
        if answer.exact:
            self._fresh.append((key, answer.count))
        return answer.count

    # K3, K4: the audit log.

    def emit(self, event: EmitParams) -> None:
        """Send an event for the audit log; its answer is not waited for."""
        self._post("kernel.emit", event, event.session_id)

    def _post(self, method: str, params: msgspec.Struct, session_id: str) -> None:
        if method in self._refused:
            return
        # The line is written now, before the answer of the call that it belongs to (K4).
        sent = self._transport.call(method, params)
        task = asyncio.ensure_future(self._settle(method, sent, session_id))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _settle(
        self, method: str, sent: asyncio.Future[msgspec.Raw], session_id: str
    ) -> None:
        try:
            await asyncio.wait_for(sent, self.timeout_s)
        except TimeoutError:
            self.log(LogLevel.WARN, f"{method} was not answered in time", session_id)
        except CallError as error:
            if error.code == METHOD_NOT_FOUND:
                self._refused.add(method)
            elif error.reason != "ended":
                self.log(LogLevel.WARN, f"{method} failed: {error}", session_id)

    # Sessions of the kernel itself.

    @property
    def runs_sessions(self) -> bool:
        """Whether it may have kernel.run_session: it has not said that it has none (K3)."""
        return "kernel.run_session" not in self._refused

    def run_session(
        self, profile: str, prompt: str, parent_session_id: str
    ) -> Coroutine[Any, Any, RunSessionResult | None]:
        """Ask for a session now; the coroutine gives what it said, None where it failed.

        It takes as long as it takes, at most to the end of the input.
        """
        params = RunSessionParams(profile, prompt, parent_session_id)
        asked = self.runs_sessions
        return self._session(self._transport.call("kernel.run_session", params) if asked else None)

    async def _session(self, sent: asyncio.Future[msgspec.Raw] | None) -> RunSessionResult | None:
        if sent is None:
            return None
        try:
            return _decode(await sent, RunSessionResult)
        except CallError as error:
            if error.code == METHOD_NOT_FOUND:
                self._refused.add("kernel.run_session")
            return None

    # K6: the log.

    def log(
        self,
        level: LogLevel,
        message: str,
        session_id: str | None = None,
        *,
        logger: str = "memplugin",
        **fields: Any,  # noqa: ANN401 - any value that has a JSON form
    ) -> None:
        """Put an entry in the next batch of kernel.log."""
        entry = LogEntry(level, logger, message, fields, timestamp(self._clock()))
        if len(self._log) >= MAX_LOG_WAITING:
            self._log.popleft()
            self._dropped += 1
        self._log.append((session_id, entry))
        if self._logging is None:
            self._logging = asyncio.ensure_future(self._send_log())

    async def _send_log(self) -> None:
        try:
            # One turn of the loop, so that entries made together leave together.
            await asyncio.sleep(0)
            while self._log:
                await self._send_batch()
        finally:
            self._logging = None

    async def _send_batch(self) -> None:
        batch = self._take_batch()
        if "kernel.log" in self._refused:
            self._spill_all(batch.entries)
            return
        try:
            sent = self._transport.call("kernel.log", batch, label="log")
            await asyncio.wait_for(sent, self.timeout_s)
        except TimeoutError:
            pass  # it was written; what a kernel does with its log is its own affair
        except CallError as error:
            if error.code == METHOD_NOT_FOUND:
                self._refused.add("kernel.log")
            self._spill_all(batch.entries)

    def _take_batch(self) -> LogParams:
        session_id = self._log[0][0]
        entries: list[LogEntry] = []
        while self._log and self._log[0][0] == session_id:
            entries.append(self._log.popleft()[1])
        if self._dropped:
            text = f"{self._dropped} log entries were dropped: the kernel was too slow for them"
            now = timestamp(self._clock())
            entries.append(LogEntry(LogLevel.WARN, "memplugin", text, {}, now))
            self._dropped = 0
        return LogParams(entries=entries, session_id=session_id)

    def _spill_all(self, entries: Iterable[LogEntry]) -> None:
        for entry in entries:
            fields = "".join(f" {name}={value!r}" for name, value in entry.fields.items())
            self._spill(f"{entry.time} {entry.level} {entry.logger}: {entry.message}{fields}")

    async def close(self) -> None:
        """Write what waits in the log; answers are not waited for."""
        for task in [*self._tasks, *([self._logging] if self._logging else [])]:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        while self._log:
            batch = self._take_batch()
            if "kernel.log" in self._refused:
                self._spill_all(batch.entries)
            else:
                self._transport.call("kernel.log", batch, label="log").add_done_callback(
                    _look_at_error
                )

    async def _call(self, method: str, params: msgspec.Struct, kind: type[T]) -> T:
        sent = self._transport.call(method, params)
        try:
            raw = await asyncio.wait_for(sent, self.timeout_s)
        except TimeoutError:
            text = f"no answer within callback_timeout_s ({self.timeout_s:g} s)"
            raise CallError("timeout", text) from None
        return _decode(raw, kind)


def count_key(content: tuple[str, ...], model: ModelRef | None) -> CountKey:
    """Return under which key a count is remembered: model and content (K2)."""
    name = "" if model is None else f"{model.provider or ''}/{model.id}"
    return name, hashlib.blake2b(msgspec.msgpack.encode(content), digest_size=16).digest()


def _decode(raw: msgspec.Raw, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.DecodeError:
        raise CallError("malformed", "the answer has not the expected form") from None


def _look_at_error(future: asyncio.Future[Any]) -> None:
    """Retrieve an error that nobody waits for any more, or asyncio reports it."""
    if not future.cancelled():
        future.exception()
