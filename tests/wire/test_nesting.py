import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memplugin.wire.nesting import is_deeper, outline, split_array

from .test_messages import TEXT, VALUES

FRAGMENTS = st.sampled_from([b"[", b"]", b"{", b"}", b'"', b"\\", b",", b":", b"1", b" ", b"null"])
TATTERS = st.lists(FRAGMENTS | st.binary(max_size=3), max_size=60).map(b"".join)
BRACKETY = st.text(st.sampled_from('[]{}"\\,a'))
TRICKY = st.recursive(
    st.integers(0, 9) | BRACKETY,
    lambda inner: st.lists(inner) | st.dictionaries(BRACKETY | TEXT, inner),
)


def depth_of(value: Any) -> int:
    """Return how deep a value is nested, told by Python itself."""
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


@given(TRICKY, st.integers(0, 6))
def test_depth_is_that_of_the_value(value: Any, most: int) -> None:
    """W6: brackets in strings do not count, every array and object does."""
    assert is_deeper(json.dumps(value).encode(), most) is (depth_of(value) > most)


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_depth_is_told_without_recursion(opening: bytes) -> None:
    """W6: a million levels are told apart from a hundred without any stack."""
    closing = b"]" if opening == b"[" else b"}"
    assert is_deeper(opening * 1_000_000 + b"1" + closing * 1_000_000, 100)
    assert is_deeper(opening * 101 + b"1" + closing * 101, 100)
    assert not is_deeper(opening * 100 + b"1" + closing * 100, 100)


@settings(max_examples=50)
@given(st.dictionaries(TEXT | BRACKETY, VALUES | TRICKY, max_size=5))
def test_an_outline_is_the_object_with_null_for_what_is_in_it(value: dict[str, Any]) -> None:
    """W6: names and plain values at the top stay, arrays and objects become null."""
    flat = {k: None if isinstance(v, dict | list) else v for k, v in value.items()}
    assert json.loads(outline(json.dumps(value).encode())) == flat


@settings(max_examples=50)
@given(st.lists(VALUES | TRICKY, min_size=1, max_size=5), st.sampled_from([None, 1]))
def test_an_array_is_split_into_its_elements(values: list[Any], indent: int | None) -> None:
    """W5, W6: elements are told apart by brackets and commas alone."""
    text = json.dumps(values, indent=indent).encode()
    assert [json.loads(element) for element in split_array(text)] == values


def test_deep_elements_are_split_without_recursion() -> None:
    """W6: an element of any depth does not keep its neighbours from being found."""
    deep = b"[" * 200_000 + b"]" * 200_000
    assert list(split_array(b"[1," + deep + b",2]")) == [b"1", deep, b"2"]


@given(TATTERS)
def test_tatters_are_no_trouble(text: bytes) -> None:
    """W6: whatever the bytes, an outline is bytes, and an array is split or refused."""
    assert isinstance(is_deeper(text, 3), bool)
    assert isinstance(outline(text), bytes)
    try:
        elements = list(split_array(b"[" + text))
    except ValueError:
        return
    assert b",".join(elements) == text[:-1]
