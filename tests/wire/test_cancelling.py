import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec import Raw

from memplugin.wire.messages import Limits, RpcError

from .other_side import OtherSide, cancel, conversation, request, result, run
from .test_peer import Asking

SERIAL = Limits(max_running=1)


def cancelled(id: object, /, **data: object) -> dict[str, object]:
    data = data or {"written": False}
    error = {"code": -32800, "message": "request cancelled", "data": data}
    return {"jsonrpc": "2.0", "error": error, "id": id}


def test_a_request_that_waits_for_its_turn_is_answered_at_once() -> None:
    """W7: cancelled before it began, it is answered while what runs goes on, and never runs."""

    async def test() -> None:
        asking = Asking()
        async with conversation(asking.methods(), limits=SERIAL) as asking.other:
            other = asking.other
            other.send(request(1, "ask"), request(2, "ask"), request(3, "ask"))
            call = await other.message()
            other.send(cancel(2))
            assert await other.message() == cancelled(2)
            other.send(result(call["id"], "one"))
            assert await other.message() == result(1, "one")
            assert (await other.message())["id"] == "memplugin:2"  # the third request's
            other.send(result("memplugin:2", "three"))
            assert await other.message() == result(3, "three")
            await other.quiet()

    run(test())


def test_in_order_its_answer_keeps_its_place() -> None:
    """W4, W7: in ordered mode a cancelled request is answered when its turn comes."""

    async def test() -> None:
        asking = Asking()
        async with conversation(asking.methods(), ordered=True) as asking.other:
            other = asking.other
            other.send(request(1, "ask"), request(2, "ask"), cancel(2))
            call = await other.message()
            other.send(result(call["id"], "one"))
            assert await other.messages(2) == [result(1, "one"), cancelled(2)]
            await other.quiet()

    run(test())


@pytest.mark.parametrize("ordered", [True, False])
def test_a_request_cancelled_by_the_very_next_line_never_begins(*, ordered: bool) -> None:
    """W7: request and cancellation that arrive together."""

    async def test() -> None:
        begun: list[int] = []

        async def begin(_: Raw) -> None:
            begun.append(1)

        async with conversation({"begin": begin}, ordered=ordered) as other:
            other.send(request("a", "begin"), cancel("a"), cancel("a"))
            assert await other.message() == cancelled("a")
            await other.quiet()
            assert begun == []

    run(test())


def test_a_request_that_waits_for_a_callback_is_cancelled() -> None:
    """W7: -32800 says that nothing was written; the callback's late answer does no harm."""

    async def test() -> None:
        asking = Asking()
        async with conversation(asking.methods()) as asking.other:
            other = asking.other
            other.send(request(1, "ask"))
            call = await other.message()
            other.send(cancel(1))
            assert await other.message() == cancelled(1)
            other.send(result(call["id"], "late"))
            await other.quiet()
            assert other.reports == []

    run(test())


def handler_that(outcome: Callable[[], Any], other: list[OtherSide]) -> Any:
    """Return a handler that asks, and when cancelled does what `outcome` does."""

    async def handle(_: Raw) -> Any:
        try:
            await other[0].peer.call("kernel.ask", {})
        except asyncio.CancelledError:
            return outcome()

    return handle


def test_a_handler_that_wrote_says_so() -> None:
    """W7: what had become durable is told: by the handler's own error, or by its result."""

    async def test() -> None:
        def tell() -> None:
            raise RpcError(-32800, "request cancelled", {"written": True, "id": "x"})

        others: list[OtherSide] = []
        methods = {
            "tell": handler_that(tell, others),
            "event": handler_that(lambda: {"event": 1}, others),
        }
        async with conversation(methods) as other:
            others.append(other)
            for method in methods:
                other.send(request(1, method))
                await other.message()
                other.send(cancel(1))
                told = await other.message()
                if method == "tell":
                    assert told == cancelled(1, written=True, id="x")
                else:
                    assert told == result(1, {"event": 1})

    run(test())


def test_a_cancellation_that_comes_too_late_changes_nothing() -> None:
    """W7: finished and unknown requests are passed over in silence."""

    async def test() -> None:
        async with conversation() as other:
            other.send(request(1, "ping"))
            assert await other.message() == result(1, "pong")
            other.send(cancel(1), cancel("never"), cancel(None))
            await other.quiet()
            assert other.reports == []

    run(test())


def test_a_cancellation_is_for_one_id_by_value() -> None:
    """W7: "1" is not 1, but 1.0 is."""

    async def test() -> None:
        asking = Asking()
        async with conversation(asking.methods()) as asking.other:
            other = asking.other
            other.send(request(1, "ask"), request("1", "ask"))
            await other.messages(2)
            other.send(b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1.0}}\n')
            assert await other.message() == cancelled(1)
            other.send(cancel("1"))
            assert await other.message() == cancelled("1")

    run(test())


@pytest.mark.parametrize("params", [{}, {"id": True}, {"id": [1]}, {"id": {}}])
def test_a_cancellation_without_an_id_is_dropped_with_a_word(params: object) -> None:
    """W7, W5: it is a notification: not answered, but reported."""

    async def test() -> None:
        async with conversation() as other:
            other.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": params})
            await other.quiet()
            assert other.reports == ["a $/cancelRequest was dropped: it has no id"]

    run(test())


def test_as_a_request_it_is_an_unknown_method() -> None:
    """W7, W5: only the notification cancels; whatever has an id is answered."""

    async def test() -> None:
        async with conversation() as other:
            other.send({**cancel(5), "id": 6})
            assert (await other.message())["error"]["code"] == -32601

    run(test())


def test_an_element_of_a_batch_is_cancelled_in_its_place() -> None:
    """W5, W7: a cancelled element of a batch is answered in its place; the others go on."""

    async def test() -> None:
        asking = Asking()
        async with conversation(asking.methods()) as asking.other:
            other = asking.other
            other.send([request(1, "ask"), request(2, "ask"), cancel(1)])
            call = await other.message()
            other.send(result(call["id"], "two"))
            assert await other.message() == [cancelled(1), result(2, "two")]

    run(test())


def test_an_id_used_twice_is_cancelled_once() -> None:
    """W7: of two requests in flight under one id the later is meant; both are answered."""

    async def test() -> None:
        asking = Asking()
        async with conversation(asking.methods()) as asking.other:
            other = asking.other
            other.send(request(1, "ask", n=1), request(1, "ask", n=2))
            first, _ = await other.messages(2)
            other.send(cancel(1), cancel(1))
            assert await other.message() == cancelled(1)
            other.send(result(first["id"], "one"))
            assert msgspec.json.decode(await other.line()) == result(1, "one")

    run(test())
