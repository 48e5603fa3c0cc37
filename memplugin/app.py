"""Composition root: puts the parts together, serves until the end, closes in reverse."""

import asyncio
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import msgspec
from msgspec.structs import replace

from memplugin.config import Config
from memplugin.kernel import Kernel, Transport
from memplugin.local_kernel import LocalKernel
from memplugin.options import Options
from memplugin.protocol.callbacks import LogLevel
from memplugin.router import CANCELLED, UseCases, handlers, method_table
from memplugin.service.commands import Commands
from memplugin.service.desk import Surroundings
from memplugin.service.hooks import Hooks
from memplugin.service.learning import Learner
from memplugin.service.provider import Provider
from memplugin.service.rendering import Renderer
from memplugin.service.runtime import Runtime
from memplugin.service.session_recall import SessionRecall
from memplugin.service.session_state import SessionKeeper
from memplugin.service.tools import Tools
from memplugin.service.workers import Workers
from memplugin.wire.lifetime import watch_lifetime
from memplugin.wire.peer import Peer
from memplugin.wire.stdio import Pipe, claim_stdio


class LateTransport:
    """A transport that is known only once the peer, which needs its users first, exists."""

    def __init__(self) -> None:
        self.transport: Transport | None = None

    def call(self, method: str, params: object, *, label: str = "") -> asyncio.Future[msgspec.Raw]:
        """Pass on."""
        assert self.transport is not None
        return self.transport.call(method, params, label=label)


def serve(options: Options, base: Config) -> None:
    """Serve on stdin and stdout until the input ends, then leave the process."""
    with claim_stdio() as pipe:
        asyncio.run(serve_on(pipe, options, base))
        pipe.leave(0)


async def serve_on(pipe: Pipe, options: Options, base: Config) -> None:
    """Serve on a pipe until its input ends."""
    surroundings = surroundings_of(options)
    transport = LateTransport()
    kernel = Kernel(transport, clock=surroundings.clock, spill=pipe.complain)
    workers = Workers()
    runtime = Runtime(base, workers, kernel, surroundings)
    keeper = SessionKeeper(workers, lambda: runtime.desk().library)
    learner = Learner(runtime, keeper)
    use_cases = UseCases(
        runtime,
        Provider(runtime),
        SessionRecall(runtime, keeper),
        Hooks(runtime, keeper, learner),
        Renderer(runtime),
        Tools(runtime),
        Commands(runtime),
    )
    peer = Peer(
        pipe,
        handlers(method_table(use_cases), kernel),
        ordered=options.local_kernel,
        cancelled=CANCELLED,
        on_report=lambda text: kernel.log(LogLevel.WARN, text, logger="memplugin.wire"),
    )
    transport.transport = LocalKernel(pipe.complain) if options.local_kernel else peer

    def take_limits(config: Config) -> None:
        peer.limits = replace(peer.limits, max_line_bytes=config.max_line_bytes)

    runtime.on_configure = take_limits
    take_limits(base)
    async with watch_lifetime(peer, options.parent_pid):
        await peer.serve()
        await learner.finish()
        await workers.settle()
        await kernel.close()
        await peer.drain()
    await asyncio.to_thread(runtime.close)
    workers.close()
    peer.close()


def surroundings_of(options: Options) -> Surroundings:
    """Return the outside as it is, or as `--clock` fixes it."""
    clock = options.clock
    if clock is None:
        return Surroundings(
            clock=now,
            new_id=_ulid,
            own_directory=Path.cwd,
            keep_counts=not options.local_kernel,
        )
    fixed = clock.astimezone(UTC)
    numbers = count(1)
    return Surroundings(
        clock=lambda: fixed,
        new_id=lambda: _ulid_of(fixed, next(numbers)),
        own_directory=Path.cwd,
        keep_counts=not options.local_kernel,
    )


def now() -> datetime:
    """Return the time, UTC, in whole milliseconds."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _ulid() -> str:
    from ulid import ULID  # noqa: PLC0415 - 48 ms, for the rare content without a usable word

    return f"memory-{ULID()}".lower()


def _ulid_of(moment: datetime, number: int) -> str:
    from ulid import ULID  # noqa: PLC0415 - as above

    milliseconds = round(moment.timestamp() * 1000)
    return f"memory-{ULID((milliseconds << 80 | number).to_bytes(16, 'big'))}".lower()
