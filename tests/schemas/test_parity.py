"""Structs and schemas accept the same, both ways; the independent validator is the judge."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from msgspec import Raw

from memplugin.parsing import parse
from memplugin.protocol.errors import InvalidParams
from memplugin.protocol.methods import KERNEL_TO_PLUGIN, PLUGIN_TO_KERNEL
from memplugin.protocol.requests import HookMode, HookPoint
from tests.schemas.referee import METHODS, referee
from tests.schemas.values import ANY_JSON, changed, fitting

drawn = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def raw(value: Any) -> Raw:
    return Raw(json.dumps(value, ensure_ascii=False).encode())


def is_parsed(value: Any, method: str) -> bool:
    try:
        parse(raw(value), method)
    except InvalidParams:
        return False
    return True


@pytest.mark.parametrize("method", KERNEL_TO_PLUGIN)
@drawn
@given(data=st.data())
def test_what_the_schema_allows_is_parsed(method: str, data: st.DataObject) -> None:
    """W5, X3: params that fit the schema are never refused; unknown fields are ignored."""
    value = data.draw(fitting(method, "params"))
    assert referee(method, "params").is_valid(value)
    parse(raw(value), method)


@pytest.mark.parametrize("method", KERNEL_TO_PLUGIN)
@drawn
@given(data=st.data())
def test_params_are_refused_exactly_when_the_schema_refuses(
    method: str, data: st.DataObject
) -> None:
    """W5: params that fail the schema, and only these, are refused."""
    value = data.draw(changed(fitting(method, "params")))
    assert is_parsed(value, method) == referee(method, "params").is_valid(value)


@drawn
@given(
    inside=ANY_JSON,
    point=st.sampled_from([point.value for point in HookPoint]),
    mode=st.sampled_from([mode.value for mode in HookMode]),
)
@example(
    inside={"status": "exploded", "content": [{"hologram": 1.0e2}]},
    point="session_end",
    mode="veto",
)
def test_nothing_inside_a_hook_payload_is_refused(inside: Any, point: str, mode: str) -> None:
    """H2, H6: all eight points are accepted in every mode, whatever the payload says."""
    params = {"payload": {point: inside}, "mode": mode}
    assert referee("memory.dispatch_hook", "params").is_valid(params)
    parse(raw(params), "hook.dispatch_hook")


def sides_of_ours() -> list[tuple[str, str]]:
    """Return what we send: results of the kernel's methods, params of its callbacks."""
    return [(m, "result") for m in KERNEL_TO_PLUGIN] + [(m, "params") for m in PLUGIN_TO_KERNEL]


@pytest.mark.parametrize(("method", "side"), sides_of_ours())
@drawn
@given(data=st.data())
def test_what_we_send_comes_back_from_its_struct_as_the_schema_says(
    method: str, side: str, data: st.DataObject
) -> None:
    """W5, H1: whatever a schema of ours allows is a value of the Struct, which sends it alike."""
    value = data.draw(fitting(method, side))
    judge = referee(method, side)
    assert judge.is_valid(value)
    kind = METHODS[method][side == "result"]
    sent = json.loads(msgspec.json.encode(msgspec.json.decode(raw(_whole(value)), type=kind)))
    assert judge.is_valid(sent)
    assert sent == _without_defaults(_whole(value))


@pytest.mark.parametrize("method", PLUGIN_TO_KERNEL)
@drawn
@given(data=st.data())
def test_answers_of_the_kernel_are_taken_exactly_when_the_schema_allows(
    method: str, data: st.DataObject
) -> None:
    """K1, K4: what a kernel answers is taken if it fits the schema, and only then."""
    value = _whole(data.draw(changed(fitting(method, "result"))))
    assert _is_decoded(value, METHODS[method][1]) == referee(method, "result").is_valid(value)


def _is_decoded(value: Any, kind: type) -> bool:
    try:
        msgspec.json.decode(raw(value), type=kind)
    except msgspec.ValidationError:
        return False
    return True


def _whole(value: Any) -> Any:
    """Return a value with integral floats as integers: their spelling is not at stake here."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            return {name: _whole(member) for name, member in value.items()}
        case list():
            return [_whole(member) for member in value]
        case _:
            return value


def _without_defaults(value: Any) -> Any:
    """Return a value without `truncated: false`, which a record leaves out."""
    match value:
        case dict():
            return {
                name: _without_defaults(member)
                for name, member in value.items()
                if not (name == "truncated" and member is False)
            }
        case list():
            return [_without_defaults(member) for member in value]
        case _:
            return value
