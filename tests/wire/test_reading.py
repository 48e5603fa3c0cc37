import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from memplugin.wire.messages import (
    Answer,
    Batch,
    CallError,
    Fault,
    Limits,
    Request,
    encode_error,
)
from memplugin.wire.reading import read

from .test_messages import STYLES, TEXT, VALUES

LIMITS = Limits()


def one(line: bytes, limits: Limits = LIMITS) -> Any:
    message = read(line, limits)
    assert not isinstance(message, Batch)
    return message


def batch(line: bytes, limits: Limits = LIMITS) -> tuple[Any, ...]:
    message = read(line, limits)
    assert isinstance(message, Batch)
    return message.elements


def told(message: object) -> tuple[int, str]:
    """Return the code and the spelled id of a fault's answer."""
    assert isinstance(message, Fault), message
    text = encode_error(message.id, message.error)
    answer = json.loads(text, parse_int=str)  # int() refuses numbers of many digits
    assert text.endswith(b',"id":%b}' % bytes(message.id))
    return int(answer["error"]["code"]), bytes(message.id).decode()


def asked(params: str, id: str = "7") -> bytes:
    return f'{{"jsonrpc":"2.0","id":{id},"method":"m","params":{params}}}'.encode()


# What is right.

SPELLED_IDS = (
    st.sampled_from(["null", "0", "-0", "1.50", "1E2", "-1e-7", '""', r'"\u0041\/"', "9" * 40])
    | st.integers().map(str)
    | TEXT.map(json.dumps)
    | TEXT.map(lambda text: json.dumps(text, ensure_ascii=False))
    | st.floats(allow_nan=False, allow_infinity=False).map(repr)
)


@given(SPELLED_IDS, st.sampled_from([" ", "", "\t"]))
def test_ids_of_every_legal_type_are_kept_as_spelled(id: str, space: str) -> None:
    """W5: strings, numbers and null are ids, and are echoed to the letter."""
    request = one(asked("{}", f"{space}{id}{space}"))
    assert isinstance(request, Request)
    assert request.id is not None
    assert bytes(request.id).decode() == id


@given(TEXT, st.dictionaries(TEXT, VALUES, max_size=4), STYLES)
def test_a_request_is_read_whatever_its_style(
    method: str, params: dict[str, Any], style: dict[str, Any]
) -> None:
    """W1: spaces, escapes and the order of members do not matter."""
    message = {"params": params, "method": method, "extra": [1], "jsonrpc": "2.0", "id": 1}
    text = json.dumps(message, **style).replace("\n", "\r")
    request = one(text.encode())
    assert isinstance(request, Request)
    assert (request.method, json.loads(bytes(request.params))) == (method, params)


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b" \t", b"\xef\xbb\xbf  "])
@pytest.mark.parametrize("after", [b"", b"\r", b" \r", b"\t"])
def test_a_bom_a_cr_and_spaces_around_are_tolerated(before: bytes, after: bytes) -> None:
    """W1: a leading byte order mark and a CR before the LF do no harm."""
    assert isinstance(one(before + asked("{}") + after), Request)
    assert len(batch(before + b"[" + asked("{}") + b"]" + after)) == 1


@pytest.mark.parametrize("line", [b"", b"\r", b" ", b"\t \r", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r"])
def test_blank_lines_say_nothing(line: bytes) -> None:
    """W1: blank lines are no messages."""
    assert read(line, LIMITS) is None


def test_a_notification_has_no_id_and_params_may_be_left_out() -> None:
    """W5: a message without id is a notification; absent params are none."""
    assert one(b'{"jsonrpc":"2.0","method":"m"}') == Request(None, "m", Raw(b"{}"))


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","id":1,"method":"a","params":{"n":1},"id":2,"method":"m","params":{}}',
        rb'{"jsonrpc":"1","id":1,"method":3,"\u0069d":2,"\u006dethod":"m","\u006asonrpc":"2.0"}',
    ],
)
def test_of_equal_names_the_last_wins(line: bytes) -> None:
    """W6: duplicate keys are accepted, the last one wins, also where it is spelled otherwise."""
    assert one(line) == Request(Raw(b"2"), "m", Raw(b"{}"))


def test_nul_is_a_character_like_others() -> None:
    r"""W6: `\u0000` is accepted in names and values."""
    assert isinstance(one(asked(r'{"\u0000":"a\u0000b"}', r'"\u0000"')), Request)


def test_a_request_keeps_nothing_of_the_rest_of_its_line() -> None:
    """W6: a request that waits does not hold the megabytes that stood beside its params."""
    junk = b'"' + b"x" * 1_000_000 + b'"'
    line = b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1},"junk":%b}' % junk
    tracemalloc.start()
    try:
        waiting = [one(bytes(bytearray(line))) for _ in range(20)]
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(waiting) == 20
    assert held < 1_000_000


# Answers to our calls.


@pytest.mark.parametrize(
    ("line", "id", "outcome"),
    [
        (b'{"jsonrpc":"2.0","id":"a:1","result":{"n": 1.0}}', "a:1", b'{"n": 1.0}'),
        (b'{"id":"a:1","result":null}', "a:1", b"null"),
        (b'{"id":"a:1","result":1,"error":null}', "a:1", b"1"),
        (b'{"id":7,"result":1}', None, b"1"),
        (b'{"id":"a:1","error":{"code":-32601,"message":"x"}}', "a:1", ("refused", -32601)),
        (b'{"id":"a:1","result":1,"error":{"code":5}}', "a:1", ("refused", 5)),
        (b'{"id":"a:1","error":null}', "a:1", ("malformed", None)),
        (b'{"id":"a:1","error":"no"}', "a:1", ("malformed", None)),
        (b'{"id":"a:1","error":{"code":"x"}}', "a:1", ("malformed", None)),
        (b'{"id":"a:1","result":NaN}', "a:1", ("malformed", None)),
        (rb'{"id":"a:1","result":"\ud800"}', "a:1", ("malformed", None)),
        (b'{"id":"a:1","result":' + b"[" * 5000 + b"]" * 5000 + b"}", "a:1", ("malformed", None)),
        (b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}', None, ("refused", -32700)),
    ],
)
def test_what_has_a_result_or_an_error_is_an_answer(
    line: bytes, id: str | None, outcome: bytes | tuple[str, int | None]
) -> None:
    """W3: a line with result or error answers a call of ours, and is never answered itself."""
    answer = one(line)
    assert isinstance(answer, Answer)
    assert answer.id == id
    if isinstance(outcome, bytes):
        assert answer.outcome == Raw(outcome)
    else:
        assert isinstance(answer.outcome, CallError)
        assert (answer.outcome.reason, answer.outcome.code) == outcome


def test_a_line_with_a_method_is_a_request_whatever_else_it_has() -> None:
    """W3: method decides."""
    assert isinstance(one(b'{"jsonrpc":"2.0","id":1,"method":"m","result":1}'), Request)


# Batches.


def test_each_element_of_a_batch_is_judged_alone() -> None:
    """W5, W6, case 12: good, bad and hostile elements stand beside one another."""
    deep = b"[" * 5000 + b"]" * 5000
    parts = [
        asked("{}"),
        b"1",
        b"[]",
        b"{}",
        asked('{"a":"\\ud800"}', "8"),
        asked('{"a":NaN}', "9"),
    ]
    for extra, at_the_end in (([], []), ([asked(deep.decode(), "10")], [(-32700, "10")])):
        good, *bad = batch(b"[ " + b" ,\t".join(parts + extra) + b" ]")
        assert isinstance(good, Request)
        none = (-32600, "null")
        assert [told(fault) for fault in bad] == [
            none, none, none, (-32602, "8"), (-32700, "9"), *at_the_end,
        ]  # fmt: skip


def test_an_empty_batch_is_one_invalid_request() -> None:
    """W5, case 12: `[]` gets one -32600."""
    assert told(one(b"[]")) == (-32600, "null")
    assert told(one(b" [ \t] \r")) == (-32600, "null")


@pytest.mark.parametrize(
    "line",
    [b"[", b"[1,]", b"[,1]", b"[1 2]", b"[1]]", b"[1", b'[{"a":]', b"[" * 500_000, b"[NaN,]"],
)
def test_a_batch_that_is_not_json_is_answered_once(line: bytes) -> None:
    """W5, W6: a broken array has no elements to answer."""
    assert told(one(line)) == (-32700, "null")


def test_a_batch_of_too_many_elements_is_refused_before_they_are_held() -> None:
    """W6: two bytes an element must not become a thousand times as much."""
    limits = Limits(max_batch=1000)
    assert len(batch(b"[" + b"1," * 999 + b"1]", limits)) == 1000
    assert told(one(b"[" + b"1," * 1000 + b"1]", limits)) == (-32600, "null")
    many_commas = asked("{" + ",".join(f'"{i}":1' for i in range(5000)) + "}")
    assert len(batch(b"[" + many_commas + b"]", limits)) == 1
    line = b"[" + b"1," * 4_000_000 + b"1]"
    tracemalloc.start()
    try:
        assert told(one(line)) == (-32600, "null")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * len(line)
