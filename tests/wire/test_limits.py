import asyncio
from typing import Any

import pytest
from msgspec import Raw

from memplugin.wire.messages import Limits
from memplugin.wire.source import READ_BYTES

from .other_side import OtherSide, cancel, conversation, line_of, request, result, run, until

KIB = 1024
ANSWER = "a" * KIB


class Gate:
    """Methods that wait until they are let through, and count themselves."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.running = 0
        self.most = 0

    async def wait(self, _: Raw) -> str:
        self.running += 1
        self.most = max(self.most, self.running)
        await self.open.wait()
        self.running -= 1
        return "through"


def is_paused(other: OtherSide) -> bool:
    source: Any = other.peer._source
    return source is not None and not source._watching


def waiting_bytes(other: OtherSide) -> int:
    return other.peer._schedule.waiting_bytes + other.peer._writer.waiting_bytes


@pytest.mark.parametrize("as_batch", [True, False])
def test_256_requests_run_and_further_ones_wait(*, as_batch: bool) -> None:
    """W4: of 300 requests 256 run at once; a batch counts as its elements; all are answered."""

    async def test() -> None:
        gate = Gate()
        async with conversation({"wait": gate.wait}) as other:
            requests = [request(n, "wait") for n in range(300)]
            for message in [requests] if as_batch else requests:
                other.send(message)
            other.send(request("over", "wait"), cancel("over"))
            assert (await other.message())["id"] == "over"  # so all lines have been read
            await until(lambda: gate.running == 256)
            gate.open.set()
            answers = await other.message() if as_batch else await other.messages(300)
            assert sorted(answer["id"] for answer in answers) == list(range(300))
            assert gate.most == 256

    run(test())


def test_answers_to_callbacks_pass_the_requests_that_wait() -> None:
    """W4: those that run wait for callbacks, whose answers come behind other requests."""

    async def test() -> None:
        async def ask(_: Raw) -> Raw:
            return await other.peer.call("kernel.ask", {})

        async with conversation({"ask": ask}, limits=Limits(max_running=2)) as other:
            other.send(*(request(n, "ask") for n in range(50)))
            for number in range(1, 51):
                assert (await other.message())["id"] == f"memplugin:{number}"
                if number >= 2:
                    other.send(result(f"memplugin:{number - 1}", number - 1))
                    assert await other.message() == result(number - 2, number - 1)
            other.send(result("memplugin:50", 50))
            assert await other.message() == result(49, 50)

    run(test())


def test_requests_that_are_large_together_do_not_all_run_at_once() -> None:
    """W6: what runs is limited in bytes too, except that one may always run."""

    async def test() -> None:
        gate = Gate()
        limits = Limits(max_waiting_bytes=100 * KIB)
        async with conversation({"wait": gate.wait}, limits=limits) as other:
            large = [line_of(request(n, "wait", x="x" * 45 * KIB)) for n in range(3)]
            huge = line_of(request(3, "wait", x="x" * 200 * KIB))
            await other.send_all(b"".join(large))
            await until(lambda: other.peer._schedule.waiting_bytes > 40 * KIB)
            await until(lambda: gate.running == 2)
            gate.open.set()
            await other.send_all(huge)
            await other.messages(4)
            assert gate.most == 2

    run(test())


def test_a_flood_whose_answers_nobody_reads_is_held_back() -> None:
    """W4, W6: reading pauses when too much waits to be written; then all answers come out."""

    async def test() -> None:
        most, count = 0, 20_000

        async def answer(_: Raw) -> str:
            nonlocal most
            most = max(most, waiting_bytes(other))
            return ANSWER

        limits = Limits(max_waiting_bytes=256 * KIB, max_running=16)
        async with conversation({"answer": answer}, limits=limits) as other:
            lines = [line_of(request(n, "answer")) for n in range(count)]
            flood = asyncio.create_task(other.send_all(b"".join(lines)))
            await until(lambda: is_paused(other) and not other.peer._schedule._running)
            assert not flood.done()
            answers = await other.messages(count)
            await flood
            assert sorted(message["id"] for message in answers) == list(range(count))
            # One read may bring that many requests once the limit has been reached.
            longest = len(lines[-1])
            per_read = READ_BYTES / len(lines[0]) * (KIB + longest)
            assert most < 256 * KIB + per_read < count * KIB

    run(test())


def test_a_flood_of_requests_that_wait_is_held_back() -> None:
    """W4, W6: reading pauses when too many requests wait for their turn; all are answered."""

    async def test() -> None:
        gate, count = Gate(), 3000
        limits = Limits(max_waiting_bytes=256 * KIB, max_running=2)
        async with conversation({"wait": gate.wait}, limits=limits) as other:
            lines = [line_of(request(n, "wait", x="x" * KIB)) for n in range(count)]
            flood = asyncio.create_task(other.send_all(b"".join(lines)))
            await until(lambda: is_paused(other))
            assert not flood.done()
            assert waiting_bytes(other) < 256 * KIB + 3 * READ_BYTES
            gate.open.set()
            answers = await other.messages(count)
            await flood
            assert sorted(message["id"] for message in answers) == list(range(count))
            assert gate.most == 2

    run(test())


def test_a_flood_of_junk_is_held_back() -> None:
    """W4, W6: answers to lines that are no requests count like others."""

    async def test() -> None:
        count = 40_000
        async with conversation(limits=Limits(max_waiting_bytes=64 * KIB)) as other:
            flood = asyncio.create_task(other.send_all(b"junk\n" * count))
            await until(lambda: is_paused(other))
            await other.messages(count)
            await flood
            await other.quiet()

    run(test())


def test_the_input_may_end_while_reading_pauses() -> None:
    """W8: what had been sent before the end is answered once somebody reads."""

    async def test() -> None:
        async def answer(_: Raw) -> str:
            return ANSWER

        async with conversation({"answer": answer}, limits=Limits(max_waiting_bytes=1)) as other:
            other.send(*(request(n, "answer") for n in range(400)))
            await until(lambda: is_paused(other))
            other.send(*(request(n, "answer") for n in range(400, 500)))
            other.end()
            answers = await other.messages(500)
            assert sorted(message["id"] for message in answers) == list(range(500))
            await other.serving

    run(test())
