import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memplugin.wire.messages import Batch, Fault, Ignored, Limits, Request, encode_error
from memplugin.wire.reading import overlong, read

from .test_nesting import TATTERS
from .test_reading import asked, one, told

# What is wrong with one message.


@pytest.mark.parametrize(
    ("line", "code", "id"),
    [
        (b"not json", -32700, "null"),
        (b"{", -32700, "null"),
        (b'{"jsonrpc":"2.0","id":7', -32700, "null"),
        (asked("{}") + b"}", -32700, "null"),
        (asked("{}") + asked("{}"), -32700, "null"),
        (asked('{"a":\x00}'), -32700, "null"),
        (b"1", -32600, "null"),
        (b'"text"', -32600, "null"),
        (b"null", -32600, "null"),
        (b"{}", -32600, "null"),
        (b'{"jsonrpc":"2.0","id":7}', -32600, "7"),
        (b'{"jsonrpc":"2.0","id":7,"method":5}', -32600, "7"),
        (b'{"jsonrpc":"2.0","method":1,"params":"bar"}', -32600, "null"),
        (b'{"jsonrpc":"1.0","id":7,"method":"m"}', -32600, "7"),
        (b'{"jsonrpc":2.0,"id":7,"method":"m"}', -32600, "7"),
        (b'{"id":"a","method":"m"}', -32600, '"a"'),
        (b'{"jsonrpc":"2.0","id":true,"method":"m"}', -32600, "null"),
        (b'{"jsonrpc":"2.0","id":{},"method":"m"}', -32600, "null"),
        (b'{"jsonrpc":"2.0","id":[1],"method":"m"}', -32600, "null"),
        (asked("5"), -32600, "7"),
        (asked("null"), -32600, "7"),
        (asked('"a"'), -32600, "7"),
        (asked("[]"), -32602, "7"),
        (asked("[1,2]"), -32602, "7"),
    ],
)
def test_a_bad_message_is_answered_with_its_code_and_id(line: bytes, code: int, id: str) -> None:
    """W5, case 12: not JSON, no request, by-position params: each its own code, the id if shown."""
    assert told(one(line)) == (code, id)


@pytest.mark.parametrize(
    ("params", "code", "id"),
    [
        (r'{"a":"\ud800"}', -32602, "7"),
        (r'{"\udfff":1}', -32602, "7"),
        (r'{"a":"\ude00\ud83d"}', -32602, "7"),
        ('{"a":NaN}', -32700, "7"),
        ('{"a":[Infinity]}', -32700, "7"),
        ('{"a":-Infinity}', -32700, "7"),
        ('{"a":1e999}', -32700, "7"),
        ('{"a":-1e999}', -32700, "7"),
        ('{"a":' + "9" * 5000 + "}", -32700, "7"),
        ('{"a":"\x01"}', -32700, "7"),
        ('{"a":"\x00"}', -32700, "7"),
        ('{"a":"\t"}', -32700, "7"),
        ('{"a":' + "[" * 99 + "]" * 99 + "}", -32700, "7"),
        ('{"a":' * 100 + "1" + "}" * 100, -32700, "7"),
        ("[" * 100 + "]" * 100, -32700, "7"),
        ("[" * 1_000 + "]" * 1_000, -32700, "7"),
        ("[" * 300_000 + "]" * 300_000, -32700, "7"),
        ("[" * 300_000, -32700, "null"),
    ],
    ids=lambda value: str(value)[:24].encode("ascii", "backslashreplace").decode(),
)
@pytest.mark.parametrize("id_first", [True, False])
def test_hostile_params_are_answered_with_the_id(
    params: str, code: int, id: str, *, id_first: bool
) -> None:
    """W6, case 11: what JSON or msgspec forbids is answered under the id that the line shows."""
    line = asked(params)
    if not id_first:
        line = f'{{"params":{params},"method":"m","id":7,"jsonrpc":"2.0"}}'.encode()
    assert told(one(line)) == (code, id)


def test_one_hundred_levels_are_accepted() -> None:
    """W6: the limit itself, envelope included, is no excess."""
    assert isinstance(one(asked('{"a":' + "[" * 98 + "]" * 98 + "}")), Request)


@pytest.mark.parametrize("id", [r'"\ud800"', r'"a\udc00b"', "1e999", "-1e999", "9" * 5000])
def test_an_id_that_cannot_be_decoded_is_echoed_all_the_same(id: str) -> None:
    """W6, case 11: half a surrogate pair or an endless number as the id comes back as it was."""
    code = -32602 if id.startswith('"') else -32700
    assert told(one(asked("{}", id))) == (code, id)


@pytest.mark.parametrize(
    "text", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80"]
)
def test_invalid_utf_8_is_answered_without_an_id(text: bytes) -> None:
    """W6: bytes that are not UTF-8 are not JSON."""
    assert told(one(asked('{"a":"?"}').replace(b"?", text))) == (-32700, "null")


@pytest.mark.parametrize("id", ["NaN", "-Infinity"])
def test_what_is_no_number_is_no_id(id: str) -> None:
    """W6: NaN and Infinity have no JSON form to echo."""
    assert told(one(asked("{}", id))) == (-32700, "null")


@pytest.mark.parametrize("params", ["[1]", r'{"a":"\ud800"}'])
def test_bad_params_of_a_notification_are_not_answered(params: str) -> None:
    """W5: a notification is never answered, not even with -32602."""
    message = one(f'{{"jsonrpc":"2.0","method":"m","params":{params}}}'.encode())
    assert isinstance(message, Ignored)


def test_refused_params_say_where() -> None:
    """W5: -32602 has data.errors with path and message."""
    fault = one(asked("[1]"))
    assert fault.error.data == {
        "errors": [{"path": "", "message": "params must be an object, not an array"}]
    }


def test_a_line_too_long_is_answered_without_an_id() -> None:
    """W6: a skipped line is answered -32700, naming the limit."""
    fault = overlong(1234)
    assert told(fault) == (-32700, "null")
    assert "1234" in fault.error.message


@given(st.text(min_size=12, alphabet="sectory"))
def test_no_error_quotes_what_was_sent(secret: str) -> None:
    """W9, E2: errors tell what is wrong, never what stood there."""
    for params in (f'{{"a":"{secret}\\ud800"}}', f'{{"a":["{secret}",NaN]}}', f'["{secret}"]'):
        fault = one(asked(params))
        assert secret.encode() not in encode_error(fault.id, fault.error)


# Anything at all.

MEMBERS = st.sampled_from(
    [b'"jsonrpc":"2.0"', b'"id":1', b'"id":"\\ud800"', b'"id":[]', b'"method":"m"', b'"method":1',
     b'"params":{}', b'"params":[1]', b'"params":{"a":NaN}', b'"result":1e999', b'"error":{}', b""]
)  # fmt: skip
OBJECTS = st.lists(MEMBERS | TATTERS, max_size=6).map(lambda m: b"{" + b",".join(m) + b"}")
HOSTILE = st.one_of(
    st.binary(max_size=40),
    TATTERS,
    OBJECTS,
    st.lists(OBJECTS | TATTERS, max_size=4).map(lambda e: b"[" + b",".join(e) + b"]"),
)


@given(HOSTILE)
def test_any_line_is_read_and_any_fault_can_be_told(line: bytes) -> None:
    """W6: no bytes raise an exception, and every fault has an answer that is one line of JSON."""
    message = read(line, Limits(max_depth=5, max_batch=3))
    for element in message.elements if isinstance(message, Batch) else [message]:
        if isinstance(element, Fault):
            assert told(element)[0] in {-32700, -32600, -32602}
            assert b"\n" not in encode_error(element.id, element.error)


@given(OBJECTS)
@example(b'{"id":"\\ud800","id":1}')
def test_what_the_standard_library_reads_is_not_called_broken(line: bytes) -> None:
    """W6: an object that is JSON to the letter is never -32700."""
    try:
        value = json.loads(line, parse_constant=lambda _: 1 / 0)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, ZeroDivisionError, UnicodeEncodeError):
        return
    message = one(line)
    if isinstance(message, Fault):
        assert told(message)[0] in {-32600, -32602}
