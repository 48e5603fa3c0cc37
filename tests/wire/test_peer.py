import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw

from memplugin.wire.messages import Limits, RpcError
from memplugin.wire.peer import Peer
from memplugin.wire.stdio import Pipe

from .other_side import OtherSide, conversation, line_of, notification, ping, request, result, run
from .test_hostile_lines import HOSTILE

PONG = {"jsonrpc": "2.0", "result": "pong", "id": "last"}


class Asking:
    """Methods that ask the other side and answer with what it says."""

    def __init__(self) -> None:
        self.other: OtherSide

    async def ask(self, params: Raw) -> Raw:
        return await self.other.peer.call("kernel.ask", params)

    def methods(self) -> dict[str, Any]:
        return {"ask": self.ask}


def test_both_directions_are_requests_and_their_ids_are_independent() -> None:
    """W3: our ids count in call order beside the kernel's, equal ones do not meet."""

    async def test() -> None:
        asking = Asking()
        async with conversation(asking.methods()) as asking.other:
            other = asking.other
            other.send(request("memplugin:1", "ask", n=1), request(2, "ask", n=2))
            assert await other.messages(2) == [
                request("memplugin:1", "kernel.ask", n=1),
                request("memplugin:2", "kernel.ask", n=2),
            ]
            other.send(result("memplugin:2", "two"), result("memplugin:1", "one"))
            assert await other.messages(2) == [result(2, "two"), result("memplugin:1", "one")]
            await other.quiet()

    run(test())


def test_ids_count_in_call_order_and_each_label_for_itself() -> None:
    """W3: `memplugin:1`, `memplugin:2`, …; log calls have `memplugin:log:1`, … of their own."""

    async def test() -> None:
        async with conversation() as other:
            for label in ("", "log", "", "log", "log", ""):
                other.peer.call("m", {"a": 1}, label=label)
            ids = [message["id"] for message in await other.messages(6)]
            assert ids == [
                "memplugin:1", "memplugin:log:1", "memplugin:2",
                "memplugin:log:2", "memplugin:log:3", "memplugin:3",
            ]  # fmt: skip

    run(test())


def test_a_call_that_has_no_json_form_takes_no_id() -> None:
    """W3: what cannot be sent is refused at once, and the next call has the next id."""

    async def test() -> None:
        async with conversation() as other:
            with pytest.raises(TypeError):
                other.peer.call("m", object())
            other.peer.call("m", {"name": "\udcff"})
            assert await other.message() == request("memplugin:1", "m", name="\\udcff")

    run(test())


def test_others_are_answered_while_one_waits_for_a_callback() -> None:
    """W4: a request that waits for the kernel holds up no other."""

    async def test() -> None:
        asking = Asking()
        async with conversation(asking.methods()) as asking.other:
            other = asking.other
            other.send(request(1, "ask"))
            call = await other.message()
            other.send(request(2, "ping"), request(3, "nothing"))
            assert [message["id"] for message in await other.messages(2)] == [2, 3]
            other.send(result(call["id"], [1.0]))
            assert await other.line() == b'{"jsonrpc":"2.0","result":[1.0],"id":1}'

    run(test())


def test_in_order_nothing_overtakes() -> None:
    """W4: in ordered mode answers come in the order of arrival, refusals and batches included."""

    async def test() -> None:
        asking = Asking()
        async with conversation(asking.methods(), ordered=True) as asking.other:
            other = asking.other
            other.send(request(1, "ask"))
            call = await other.message()
            batch = [request(3, "ping"), 5, request(4, "ask")]
            other.send(request(2, "ping"), b"junk\n", batch, request(6, "ping"))
            other.send(result(call["id"], "first"))
            assert await other.message() == result(1, "first")
            assert (await other.message())["id"] == 2
            assert (await other.message())["error"]["code"] == -32700
            call = await other.message()
            assert call["method"] == "kernel.ask"
            other.send(result(call["id"], "second"))
            assert [element["id"] for element in await other.message()] == [3, None, 4]
            assert (await other.message())["id"] == 6

    run(test())


def test_handlers_begin_in_the_order_of_arrival() -> None:
    """W4: whatever a handler does before it first waits happens in the order of the lines."""

    async def test() -> None:
        begun: list[Any] = []

        async def note(params: Raw) -> int:
            begun.append(msgspec.json.decode(params)["n"])
            await asyncio.sleep(0)
            return 0

        async with conversation({"note": note}) as other:
            lines = [line_of(request(n, "note", n=n)) for n in range(1000)]
            await other.send_all(b"".join(lines))
            await other.messages(1000)
            assert begun == list(range(1000))

    run(test())


def test_a_line_written_before_an_answer_precedes_it() -> None:
    """W4, K4: a call is queued at once, before the answer of the request that made it."""

    async def test() -> None:
        async def emit(_: Raw) -> str:
            other.peer.call("kernel.emit", {"long": "x" * 200_000})
            return "done"

        async with conversation({"emit": emit}) as other:
            other.send(request(1, "emit"))
            first, second = await other.messages(2)
            assert (first["method"], second["result"]) == ("kernel.emit", "done")

    run(test())


@pytest.mark.parametrize(
    "id", [b"1", b"1.50", b"-0", b"1E2", b"null", b'""', rb'"\u0041\/"', b"9" * 40]
)
def test_ids_are_echoed_as_they_were_spelled(id: bytes) -> None:
    """W5: a string, a number, null: the very bytes come back, in results and errors."""

    async def test() -> None:
        async with conversation() as other:
            for method in (b"ping", b"nothing"):
                other.send(b'{"jsonrpc":"2.0","id":%b,"method":"%b"}\n' % (id, method))
                assert (await other.line()).endswith(b',"id":' + id + b"}")

    run(test())


def test_notifications_are_never_answered() -> None:
    """W5: known or unknown, served or failing, with bad params or good: no answer."""

    async def test() -> None:
        async with conversation({"fail": fail}) as other:
            other.send(
                notification("ping"),
                notification("nothing"),
                notification("fail", how="value"),
                {"jsonrpc": "2.0", "method": "ping", "params": [1]},
                [notification("ping"), notification("fail", how="exit")],
            )
            await other.quiet()

    run(test())


async def fail(params: Raw) -> object:
    """Fail in the way that is asked for."""
    how = msgspec.json.decode(params)["how"]
    if how == "object":
        return object()
    raise {
        "rpc": RpcError(-32005, "too small \udcff", {"smallest": 7, "file": "\udcff"}),
        "bare": RpcError(-32001, "not found"),
        "value": ValueError("secret"),
        "exit": SystemExit(3),
        "stray": asyncio.CancelledError(),
        "data": RpcError(-1, "no", object()),
    }[how]


def internal(kind: str) -> object:
    return {"code": -32603, "message": "internal error", "data": {"type": kind}}


@pytest.mark.parametrize(
    ("how", "error"),
    [
        (
            "rpc",
            {
                "code": -32005,
                "message": "too small \\udcff",
                "data": {"smallest": 7, "file": "\\udcff"},
            },
        ),
        ("bare", {"code": -32001, "message": "not found"}),
        ("value", internal("ValueError")),
        ("exit", internal("SystemExit")),
        ("stray", internal("CancelledError")),
        ("object", internal("TypeError")),
        ("data", internal("TypeError")),
    ],
)
def test_errors_are_answered_as_handlers_raise_them(how: str, error: object) -> None:
    """W5, W9: an RpcError as it stands; anything else -32603 with its type, never its text."""

    async def test() -> None:
        async with conversation({"fail": fail}) as other:
            other.send(request(1, "fail", how=how))
            assert await other.message() == {"jsonrpc": "2.0", "error": error, "id": 1}
            await other.quiet()

    run(test())


def test_an_unknown_method_is_answered_so() -> None:
    """W5: -32601 for a method that is not there."""

    async def test() -> None:
        async with conversation() as other:
            other.send(request(1, "nothing"))
            assert (await other.message())["error"]["code"] == -32601
            await other.quiet()

    run(test())


def test_a_line_too_long_is_answered_and_the_next_one_served() -> None:
    """W6: 5 MB over a limit of 1 MB, then a good call; a new limit holds from the next line on."""

    async def test() -> None:
        async with conversation(limits=Limits(max_line_bytes=1_000_000)) as other:
            await other.send_all(b"x" * 5_000_000 + b"\n")
            assert (await other.message())["error"]["code"] == -32700
            await other.quiet()
            other.peer.limits = Limits(max_line_bytes=10)
            other.send(request(1, "ping"))
            assert (await other.message())["error"]["code"] == -32700

    run(test())


@settings(max_examples=50)
@given(st.lists(HOSTILE, max_size=8))
def test_after_hostile_lines_the_next_line_is_served(lines: list[bytes]) -> None:
    """W6, case 12: any bytes get answers or nothing, and then a good call works."""

    async def test() -> None:
        async with conversation() as other:
            await other.send_all(b"".join(line + b"\n" for line in lines))
            other.send(request("last", "ping"))
            while (line := await other.line()) and (answer := json.loads(line)) != PONG:
                for element in answer if isinstance(answer, list) else [answer]:
                    assert element["error"]["code"] in {-32700, -32600, -32601, -32602}
            assert line

    run(test())


def test_input_may_be_a_file(tmp_path: Path) -> None:
    """W1, W8: a file is read to its end, its last line served though no LF ends it."""

    async def test() -> None:
        lines = b"".join(line_of(request(n, "ping")) for n in range(10_000)).rstrip()
        (tmp_path / "in").write_bytes(lines)
        with (tmp_path / "in").open("rb") as source, (tmp_path / "out").open("wb") as target:
            peer = Peer(Pipe(source.fileno(), target.fileno()), {"ping": ping})
            await peer.serve()
            peer.close()
        answers = (tmp_path / "out").read_bytes().splitlines()
        assert [msgspec.json.decode(line)["id"] for line in answers] == list(range(10_000))

    run(test())
