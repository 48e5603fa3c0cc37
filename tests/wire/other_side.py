"""The other side of a peer's pipes, in the same event loop: what a kernel sees and sends."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from msgspec import Raw

from memplugin.wire.messages import Handler
from memplugin.wire.peer import Peer
from memplugin.wire.stdio import Pipe

HANGS_S = 20  # a test that takes so long hangs
LINE_BYTES = 64 * 1024 * 1024


def run(test: Coroutine[Any, Any, None]) -> None:
    """Run a test in a loop of its own; one that hangs fails."""

    async def guarded() -> None:
        async with asyncio.timeout(HANGS_S):
            await test

    asyncio.run(guarded())


async def until(condition: Callable[[], bool]) -> None:
    """Give the loop turns until something holds."""
    while not condition():  # noqa: ASYNC110 - nobody tells when it begins to hold
        await asyncio.sleep(0)


def request(id: object, method: str, **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def notification(method: str, **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def result(id: object, value: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": id, "result": value}


def cancel(id: object) -> dict[str, object]:
    return notification("$/cancelRequest", id=id)


def line_of(message: object) -> bytes:
    return msgspec.json.encode(message) + b"\n"


class OtherSide:
    """Sends lines to a peer and reads its lines."""

    def __init__(self, reader: int, writer: int) -> None:
        self.writer = writer
        self._reading = os.fdopen(reader, "rb", 0)
        self._lines = asyncio.StreamReader(limit=LINE_BYTES)
        self._transport: asyncio.ReadTransport | None = None
        self._ended = False
        self.peer: Peer
        self.serving: asyncio.Task[None]
        self.reports: list[str] = []

    async def read_on(self) -> None:
        """Begin to read what the peer writes; before, nothing is taken from the pipe."""
        if self._transport is None:
            self._transport, _ = await asyncio.get_running_loop().connect_read_pipe(
                lambda: asyncio.StreamReaderProtocol(self._lines), self._reading
            )

    def send(self, *messages: object) -> None:
        """Write messages with one write: bytes as they are, everything else as a line of JSON."""
        told = b"".join(m if isinstance(m, bytes) else line_of(m) for m in messages)
        assert len(told) <= 64 * 1024, "longer than a pipe takes at once: use send_all"
        os.write(self.writer, told)

    async def send_all(self, told: bytes) -> None:
        """Write any number of bytes, waiting for the peer as a kernel's blocking write does."""
        await asyncio.to_thread(_write_all, self.writer, told)

    async def line(self) -> bytes:
        """Return the next line without its LF; empty at the end."""
        await self.read_on()
        return (await self._lines.readline()).removesuffix(b"\n")

    async def message(self) -> Any:
        """Return the next line's value."""
        return msgspec.json.decode(await self.line())

    async def messages(self, count: int) -> list[Any]:
        """Return the values of the next lines."""
        return [await self.message() for _ in range(count)]

    async def nothing_but(self, expected: bytes) -> None:
        """Check that a last ping is answered, and that nothing else was written before."""
        self.send(request("last", "ping"))
        line = await self.line()
        assert line == expected, line

    async def quiet(self) -> None:
        """Check that nothing has been written: the next answer is that of a ping sent now."""
        await self.nothing_but(b'{"jsonrpc":"2.0","result":"pong","id":"last"}')

    def end(self) -> None:
        """End the peer's input."""
        if not self._ended:
            self._ended = True
            os.close(self.writer)

    def hang_up(self) -> None:
        """Close the end that reads what the peer writes."""
        if self._transport is not None:
            self._transport.close()
        else:
            self._reading.close()


def _write_all(fd: int, told: bytes) -> None:
    rest = memoryview(told)
    while rest:
        rest = rest[os.write(fd, rest) :]


async def ping(_: Raw) -> str:
    return "pong"


@asynccontextmanager
async def conversation(
    methods: Mapping[str, Handler] | None = None, **options: Any
) -> AsyncIterator[OtherSide]:
    """Serve with a peer over two real pipes; gives the other side, which also has the peer.

    Methods find the peer by the other side, which they may not use before they are called. There
    is always a method `ping`.
    """
    reader, their_writer = os.pipe()
    their_reader, writer = os.pipe()
    other = OtherSide(their_reader, their_writer)
    table = {"ping": ping, **(methods or {})}
    other.peer = peer = Peer(Pipe(reader, writer), table, on_report=other.reports.append, **options)
    other.serving = asyncio.create_task(peer.serve())
    try:
        yield other
    finally:
        other.end()
        other.hang_up()
        await asyncio.sleep(0)  # a transport closes in the loop's next turn
        await other.serving
        thread = peer._writer._thread
        peer.close()
        if thread is not None:
            await asyncio.to_thread(thread.join)
        os.close(reader)
        os.close(writer)
