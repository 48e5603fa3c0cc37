import asyncio
import os

import pytest
from msgspec import Raw

from memplugin.wire import peer as peer_module
from memplugin.wire import schedule as schedule_module
from memplugin.wire.messages import CallError, Limits, RpcError
from memplugin.wire.peer import Peer
from memplugin.wire.source import ThreadSource
from memplugin.wire.stdio import Pipe

from .other_side import conversation, line_of, ping, request, result, run


def test_requests_in_flight_are_finished_at_the_end_of_input() -> None:
    """W8: those that run and those that wait are answered before the peer is done."""

    async def test() -> None:
        async def turns(_: Raw) -> str:
            for _turn in range(100):
                await asyncio.sleep(0)
            return "done"

        async with conversation({"turns": turns}, limits=Limits(max_running=3)) as other:
            other.send(*(request(n, "turns") for n in range(20)))
            other.end()
            await other.serving
            answers = await other.messages(20)
            assert sorted(message["id"] for message in answers) == list(range(20))

    run(test())


def test_a_request_that_waits_for_a_callback_fails_clearly() -> None:
    """W8: no answer can come any more: the handler hears it and says so."""

    async def test() -> None:
        async def ask(_: Raw) -> Raw:
            try:
                return await other.peer.call("kernel.ask", {})
            except CallError as error:
                raise RpcError(-32000, error.message, {"reason": error.reason}) from error

        async with conversation({"ask": ask}) as other:
            other.send(request(1, "ask"), request(2, "ask"))
            await other.messages(2)
            other.end()
            for _ in range(2):
                error = (await other.message())["error"]
                assert error["data"] == {"reason": "ended"}
                assert error["message"] == "the other side has ended the conversation"
            await other.serving

    run(test())


def test_a_last_line_without_lf_is_served() -> None:
    """W1, W8: the end of the input ends the line."""

    async def test() -> None:
        async with conversation() as other:
            other.send(line_of(request(1, "ping")).rstrip())
            other.end()
            assert await other.message() == result(1, "pong")
            await other.serving

    run(test())


def test_an_unfinished_line_at_the_end_is_answered() -> None:
    """W6, W8: half a line is no JSON, a skipped one was too long."""

    async def test() -> None:
        for line in (b'{"jsonrpc":"2.0",', b"x" * 1000):
            async with conversation(limits=Limits(max_line_bytes=100)) as other:
                other.send(line)
                other.end()
                assert (await other.message())["error"]["code"] == -32700
                await other.serving

    run(test())


def test_what_takes_too_long_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    """W7, W8: after the grace what runs and what waits is answered as cancelled."""
    monkeypatch.setattr(peer_module, "GRACE_S", 0.0)

    async def test() -> None:
        async def forever(_: Raw) -> None:
            await asyncio.Event().wait()

        async with conversation({"forever": forever}, limits=Limits(max_running=1)) as other:
            other.send(request(1, "forever"), request(2, "forever"))
            other.end()
            codes = {m["id"]: m["error"]["code"] for m in await other.messages(2)}
            assert codes == {1: -32800, 2: -32800}
            await other.serving

    run(test())


def test_a_handler_that_will_not_end_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """W8: the process ends whatever a handler does with its cancellation."""
    monkeypatch.setattr(peer_module, "GRACE_S", 0.0)
    monkeypatch.setattr(schedule_module, "LAST_WORD_S", 0.0)

    async def test() -> None:
        async def deaf(_: Raw) -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                await asyncio.Event().wait()

        async with conversation({"deaf": deaf}) as other:
            other.send(request(1, "deaf"))
            other.end()
            await other.serving

    run(test())


def test_broken_output_is_an_end() -> None:
    """W8: nobody reads any more: the peer finishes without a word, its input still open."""

    async def test() -> None:
        async with conversation() as other:
            waiting = other.peer.call("kernel.ask", {})
            other.hang_up()
            other.send(request(1, "ping"))
            await other.serving
            with pytest.raises(CallError, match="ended"):
                await waiting
            other.peer.call("kernel.log", {}, label="log").cancel()
            await other.peer.drain()

    run(test())


def test_stop_is_an_end_that_may_come_at_any_time() -> None:
    """W8: before serving, twice, with the input still open and full."""

    async def test() -> None:
        async with conversation() as other:
            other.peer.stop()
            other.send(request(1, "ping"))
            await other.serving
            other.peer.stop()
        async with conversation() as other:
            await other.quiet()
            other.peer.stop()
            await other.serving

    run(test())


def test_input_that_only_a_thread_can_read() -> None:
    """W1, W8: devices and terminals are read by a thread, paused and resumed like pipes."""

    async def test() -> None:
        reader, writer = os.pipe()
        os.set_blocking(reader, False)  # as somebody who shares a terminal may do
        chunks: list[bytes] = []
        ended = asyncio.Event()

        def arrived(chunk: bytes) -> None:
            chunks.append(chunk)
            if chunk:
                source.pause()
                asyncio.get_running_loop().call_soon(source.resume)
            else:
                ended.set()

        source = ThreadSource(reader, arrived)
        data = os.urandom(3_000_000)

        def write() -> None:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(writer, rest) :]
            os.close(writer)

        await asyncio.gather(asyncio.to_thread(write), ended.wait())
        assert b"".join(chunks) == data
        assert chunks.count(b"") == 1
        source.close()
        os.close(reader)

    run(test())


def test_a_terminal_is_read_too() -> None:
    """W1, W8: lines typed at a terminal are served; hanging up ends the input."""
    pty = pytest.importorskip("pty")

    async def test() -> None:
        master, slave = pty.openpty()
        reader, writer = os.pipe()
        peer = Peer(Pipe(slave, writer), {"ping": ping})
        serving = asyncio.create_task(peer.serve())
        os.write(master, line_of(request(1, "ping")))
        answer = await asyncio.to_thread(os.read, reader, 1000)
        assert answer == b'{"jsonrpc":"2.0","result":"pong","id":1}\n'
        os.close(master)
        await serving
        peer.close()
        for fd in (slave, reader, writer):
            os.close(fd)

    run(test())
