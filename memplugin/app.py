"""Composition root: puts the parts together, serves until the end, closes in reverse."""

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from memplugin.config import Config, parse_config
from memplugin.kernel import Kernel, Transport
from memplugin.local_kernel import LocalKernel
from memplugin.protocol.callbacks import LogLevel
from memplugin.protocol.errors import ErrorCategory, ProviderError
from memplugin.router import handlers, method_table
from memplugin.service.desk import Surroundings
from memplugin.service.provider import Provider
from memplugin.service.workers import Workers
from memplugin.store.places import find_places
from memplugin.wire.lifetime import watch_lifetime
from memplugin.wire.messages import Limits
from memplugin.wire.peer import Peer
from memplugin.wire.stdio import Pipe, claim_stdio


class Options(Struct, frozen=True):
    """How the process was started.

    `settings` come from the command line and lie above the configuration file. `clock` fixes the
    time (and with it the ids) for replays; `parent_pid` is the kernel behind a wrapper (W8).
    """

    settings: Mapping[str, object] = {}
    config_file: Path | None = None
    local_kernel: bool = False
    clock: datetime | None = None
    parent_pid: int | None = None


class LateTransport:
    """A transport that is known only once the peer, which needs its users first, exists."""

    def __init__(self) -> None:
        self.transport: Transport | None = None

    def call(
        self, method: str, params: object, *, label: str = ""
    ) -> asyncio.Future[msgspec.Raw]:
        """Pass on."""
        assert self.transport is not None
        return self.transport.call(method, params, label=label)


def serve(options: Options) -> None:
    """Serve on stdin and stdout until the input ends, then leave the process."""
    with claim_stdio() as pipe:
        asyncio.run(serve_on(pipe, options))
        pipe.leave(0)


async def serve_on(pipe: Pipe, options: Options) -> None:
    """Serve on a pipe until its input ends."""
    base, complaint = base_config(options)
    transport = LateTransport()
    kernel = Kernel(transport, clock=surroundings_of(options).clock, spill=pipe.complain)
    workers = Workers()
    provider = Provider(base, workers, kernel, surroundings_of(options))
    peer = Peer(
        pipe,
        handlers(method_table(provider), kernel),
        limits=Limits(max_line_bytes=base.max_line_bytes),
        ordered=options.local_kernel,
    )
    transport.transport = LocalKernel(pipe.complain) if options.local_kernel else peer
    provider.on_configure = limiter(peer)
    if complaint is not None:
        kernel.log(LogLevel.ERROR, complaint)
    async with watch_lifetime(peer, parent_pid=options.parent_pid):
        await peer.serve()
        await kernel.close()
        await peer.drain()
    provider.close()
    workers.close()
