import asyncio
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw

from memplugin.wire.messages import Limits

from .other_side import conversation, notification, request, result, run
from .test_peer import Asking


def code_of(answer: Any) -> Any:
    return answer["error"]["code"], answer["id"]


def test_a_batch_is_answered_on_one_line_in_its_order() -> None:
    """W4, W5: answers stand in the batch's order whichever is ready first; others pass."""

    async def test() -> None:
        asking = Asking()
        async with conversation(asking.methods()) as asking.other:
            other = asking.other
            other.send([request(1, "ask"), request(2, "ping"), request(3, "ask")])
            calls = await other.messages(2)
            other.send(request(4, "ping"))
            assert await other.message() == result(4, "pong")
            other.send(result(calls[1]["id"], "three"), result(calls[0]["id"], "one"))
            assert await other.message() == [
                result(1, "one"),
                result(2, "pong"),
                result(3, "three"),
            ]

    run(test())


def test_each_bad_element_has_its_own_answer() -> None:
    """W5, case 12: junk, unknown methods and by-position params beside a good call."""

    async def test() -> None:
        async with conversation() as other:
            by_position = {"jsonrpc": "2.0", "id": 3, "method": "ping", "params": [1]}
            other.send([1, request(2, "nothing"), by_position, {}, [], request(4, "ping")])
            *bad, good = await other.message()
            assert [code_of(answer) for answer in bad] == [
                (-32600, None), (-32601, 2), (-32602, 3), (-32600, None), (-32600, None),
            ]  # fmt: skip
            assert good == result(4, "pong")

    run(test())


def test_a_batch_with_nothing_to_answer_is_not_answered() -> None:
    """W5: notifications and answers to our calls only: not even an empty array."""

    async def test() -> None:
        async with conversation() as other:
            future = other.peer.call("kernel.ask", {})
            await other.message()
            other.send([notification("ping"), result("memplugin:1", 5), notification("nothing")])
            await other.quiet()
            assert await future == Raw(b"5")

    run(test())


def test_an_empty_batch_has_one_answer() -> None:
    """W5, case 12: `[]` is an invalid request, and a good call works afterwards."""

    async def test() -> None:
        async with conversation() as other:
            other.send(b"[]\n")
            assert code_of(await other.message()) == (-32600, None)
            await other.quiet()

    run(test())


ELEMENTS = st.sampled_from(
    [request(1, "ping"), request(2, "nothing"), request(3, "turns"), notification("turns"), 7, {}]
)


@settings(max_examples=30)
@given(st.lists(ELEMENTS, min_size=1, max_size=12), st.integers(1, 4), st.booleans())
def test_the_answers_are_those_of_the_elements_alone(
    elements: list[Any], running: int, ordered: Any
) -> None:
    """W5: a batch is answered as its elements would be one by one, notifications left out."""

    async def turns(_: Raw) -> str:
        await asyncio.sleep(0)
        return "done"

    async def test() -> None:
        options = {"limits": Limits(max_running=running), "ordered": ordered}
        async with conversation({"turns": turns}, **options) as other:
            expected = []
            for element in elements:
                other.send(element)
                if element != notification("turns"):
                    expected.append(await other.message())
            other.send(elements)
            if expected:
                assert msgspec.json.decode(await other.line()) == expected
            await other.quiet()

    run(test())
