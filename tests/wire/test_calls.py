import json

import pytest
from msgspec import Raw

from memplugin.wire import peer as peer_module
from memplugin.wire.calls import Calls
from memplugin.wire.messages import Answer, CallError

from .other_side import conversation, request, result, run

NO_CALL = "an answer was dropped: its id belongs to no call"


def test_a_call_gets_the_bytes_of_its_result() -> None:
    """W3: the result comes as it was spelled, null included."""

    async def test() -> None:
        async with conversation() as other:
            first = other.peer.call("m", {})
            second = other.peer.call("m", {})
            await other.messages(2)
            other.send(b'{"jsonrpc":"2.0","id":"memplugin:2","result": {"n": 1.0} }\n')
            other.send(result("memplugin:1", None))
            assert bytes(await second) == b'{"n": 1.0}'
            assert bytes(await first) == b"null"

    run(test())


@pytest.mark.parametrize(
    ("answer", "reason", "code"),
    [
        ('"error":{"code":-32601,"message":"secret"}', "refused", -32601),
        ('"error":{"code":-32000,"message":"secret","data":{"secret":1}}', "refused", -32000),
        ('"error":"secret"', "malformed", None),
        ('"error":null', "malformed", None),
        ('"result":{"secret":NaN}', "malformed", None),
        (r'"result":"secret\ud800"', "malformed", None),
        ('"result":"secret\x01"', "malformed", None),
        ('"result":' + "[" * 500 + "]" * 500, "malformed", None),
    ],
    ids=lambda value: str(value)[:20].encode("ascii", "backslashreplace").decode(),
)
def test_an_answer_without_a_result_fails_the_call(
    answer: str, reason: str, code: int | None
) -> None:
    """W3, W6, E2: a refusal carries its code; what cannot be read fails too; nothing is quoted."""

    async def test() -> None:
        async with conversation() as other:
            future = other.peer.call("m", {})
            await other.message()
            other.send(f'{{"jsonrpc":"2.0","id":"memplugin:1",{answer}}}\n'.encode())
            with pytest.raises(CallError) as failure:
                await future
            assert (failure.value.reason, failure.value.code) == (reason, code)
            assert "secret" not in str(failure.value)
            await other.quiet()

    run(test())


def test_a_second_answer_and_a_late_one_are_passed_over() -> None:
    """W3: a call that was answered or given up is over; its further answers are no news."""

    async def test() -> None:
        async with conversation() as other:
            twice = other.peer.call("m", {})
            given_up = other.peer.call("m", {}, label="log")
            await other.messages(2)
            given_up.cancel()
            other.send(result("memplugin:1", 1), result("memplugin:1", 2))
            assert await twice == Raw(b"1")
            other.send(result("memplugin:1", 3), result("memplugin:log:1", 4))
            await other.quiet()
            assert other.reports == []

    run(test())


def test_answers_to_no_call_are_reported_ever_less_often() -> None:
    """W3, case 12: a foreign id does no harm, and a report can never feed on its own answer."""

    async def test() -> None:
        async with conversation() as other:
            other.peer.call("m", {})
            await other.message()
            for id in ("memplugin:2", "memplugin:0", "memplugin:x", "other:1", 1, None, "", True):
                other.send(result(id, "nothing"))
            await other.quiet()
            times = [f"{NO_CALL} ({n} times)" for n in (2, 4, 8)]
            assert other.reports == [NO_CALL, *times]

    run(test())


def test_calls_fail_when_the_input_ends() -> None:
    """W8: who waits for a callback is told clearly; later calls are not written, but logs are."""

    async def test() -> None:
        async with conversation() as other:
            waiting = other.peer.call("m", {"n": 1})
            assert await other.message() == request("memplugin:1", "m", n=1)
            other.end()
            with pytest.raises(CallError, match="ended") as failure:
                await waiting
            assert failure.value.reason == "ended"
            await other.serving
            with pytest.raises(CallError, match="ended"):
                await other.peer.call("m", {"n": 2})
            with pytest.raises(CallError, match="ended"):
                await other.peer.call("kernel.log", {"n": 3}, label=peer_module.LOG)
            other.peer.call("kernel.log", {"n": 4}, label="log")  # nobody looks at its failure
            assert await other.messages(2) == [
                request("memplugin:log:1", "kernel.log", n=3),
                request("memplugin:log:2", "kernel.log", n=4),
            ]

    run(test())


def test_only_ids_that_were_given_out_are_ours() -> None:
    """W3: an answer is ours if its id was issued, however long ago."""

    async def test() -> None:
        calls = Calls("memplugin")
        for _ in range(12):
            _, future = calls.open("")
            future.cancel()
        calls.open("log")[1].cancel()
        ours = ["memplugin:1", "memplugin:12", "memplugin:log:1"]
        others = [
            "memplugin:13",
            "memplugin:0",
            "memplugin:log:2",
            "log:1",
            "memplugin:" + "9" * 99,
        ]
        for id in [*ours, *others]:
            assert calls.settle(Answer(id, Raw(b"1"))) is (id in ours), json.dumps(id)

    run(test())
