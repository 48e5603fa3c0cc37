import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw, Struct

from memplugin.wire.messages import RpcError, encode, encode_error, key_of

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
)
LINE_ENDS = ["\n", "\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]


@given(VALUES)
def test_any_value_round_trips_on_one_line(value: Any) -> None:
    """W1: any JSON value comes back from its line, which no reader of lines can split."""
    told = encode(value)
    assert msgspec.json.decode(told) == value
    assert json.loads(told) == value
    assert len(told.decode().splitlines()) <= 1


@pytest.mark.parametrize("sign", LINE_ENDS, ids=ascii)
def test_every_line_end_of_some_host_is_escaped(sign: str) -> None:
    """W1: what some host takes for a line end travels escaped, in keys, values and raw values."""
    spelled = json.dumps(f"a{sign}b", ensure_ascii=sign >= "\x80" and sign != "\x85").encode()
    raw = Raw(f'"a{sign}b"'.encode()) if sign >= "\x80" else Raw(spelled)
    told = encode({f"k{sign}": f"v{sign}", "raw": raw})
    assert sign not in told.decode()
    assert json.loads(told) == {f"k{sign}": f"v{sign}", "raw": f"a{sign}b"}


STYLES = st.fixed_dictionaries(
    {"indent": st.sampled_from([None, 1, "\t"]), "ensure_ascii": st.booleans()}
)


@given(VALUES, STYLES)
def test_raw_values_are_compacted_but_not_respelled(value: Any, style: dict[str, Any]) -> None:
    """W1, H1: white space between the tokens of a raw value goes, its meaning stays."""
    spelled = Raw(json.dumps(value, **style).encode())
    told = encode({"payload": spelled})
    assert len(told.decode().splitlines()) == 1
    assert json.loads(told) == {"payload": value}


def test_raw_values_keep_their_spelling() -> None:
    """H1: numbers, escapes and the order of members are handed on as they were spelled."""
    spelled = rb'{"b":[1.0,1E5,-0,1e+2,123456789012345678901234567890],"a":"\u00e9\/\ud83d\ude00"}'
    assert encode(Raw(b" " + spelled.replace(b",", b" ,\n\t "))) == spelled


def test_output_is_utf_8_not_escapes() -> None:
    """W1: everything else beyond ASCII travels as UTF-8."""
    assert encode(["é", "漢", "😀"]) == '["é","漢","😀"]'.encode()


class _Named(Struct):
    name: str
    more: dict[str, Any]


def test_half_a_surrogate_pair_is_made_visible() -> None:
    """W1, W6: a file name that is not UTF-8 is told as far as it can be, on valid UTF-8."""
    broken = b"caf\xe9".decode(errors="surrogateescape")
    told = encode(_Named(broken, {broken: [broken, 1, None, True]}))
    visible = "caf\\udce9"
    assert json.loads(told) == {"name": visible, "more": {visible: [visible, 1, None, True]}}


def test_what_has_no_json_form_is_refused() -> None:
    """W1: a value without a JSON form is a fault of the program, never half a line."""
    with pytest.raises(TypeError):
        encode(object())
    with pytest.raises(msgspec.DecodeError):
        encode(Raw(b'{"a":'))


def test_an_error_says_its_data_only_where_it_has_some() -> None:
    """W5: an error answer has code and message, data where given, and the id."""
    assert encode_error(Raw(b"7"), RpcError(-32600, "no")) == (
        b'{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"},"id":7}'
    )
    told = encode_error(Raw(b'"a"'), RpcError(1, "no", {"k": "\u2028"}))
    assert told == (
        b'{"jsonrpc":"2.0","error":{"code":1,"message":"no","data":{"k":"\\u2028"}},"id":"a"}'
    )


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (b"1", b"1.0", True),
        (b"1", b"1e0", True),
        (b'"a"', rb'"\u0061"', True),
        (b"null", b"null", True),
        (b"1", b'"1"', False),
        (b"null", b'"null"', False),
        (b"null", b"0", False),
        (b"123456789012345678901234567890", b"123456789012345678901234567891", False),
    ],
)
def test_ids_are_the_same_by_value(one: bytes, other: bytes, *, same: bool) -> None:
    """W5, W7: ids are compared by type and value, however they are spelled."""
    assert (key_of(Raw(one)) == key_of(Raw(other))) is same


@pytest.mark.parametrize("spelled", [b"true", b"[1]", b"{}"])
def test_what_is_no_id_has_no_key(spelled: bytes) -> None:
    """W5: booleans, arrays and objects are no ids."""
    with pytest.raises(msgspec.DecodeError):
        key_of(Raw(spelled))
