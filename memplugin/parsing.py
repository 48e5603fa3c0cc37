"""Turns the bytes of params into the Struct of their method, or says everything wrong with them.

msgspec alone decides and is all that is needed on the hot path. Only what it refuses is looked at
again: for numbers such as `2000.0`, which are integers in JSON Schema, and then with the method's
schema for the list of faults.
"""

import re
from functools import cache
from typing import Annotated, Any, NoReturn

import msgspec
from msgspec import Meta, Raw, Struct

from memplugin.protocol.errors import InvalidParams
from memplugin.protocol.methods import KERNEL_TO_PLUGIN
from memplugin.protocol.requests import DispatchHookRequest, HookPoint

ALIASES = {"hook.dispatch_hook": "memory.dispatch_hook"}
"""Second names of methods."""

# The ends of msgspec's messages and the steps of its paths; only our own field names get into them.
_AT = re.compile(r" - at `\$([^`]*)`$")
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
_EXPECTED = re.compile(r"Expected (`[^`]+`(?: >= \d+)?)")
_MISSING = re.compile(r"Object missing required field `(\w+)`")


def parse(raw: Raw, method: str) -> Struct:
    """Return params as the Struct that protocol/methods.py names for a method (W5).

    Raises InvalidParams with every fault: its path is the JSON Pointer of the value at fault, or of
    the place where a missing field would stand. No message holds anything of the params (E2).
    Raises KeyError for a method that is none of ours.
    """
    method = ALIASES.get(method, method)
    try:
        return _checked(_decoder(method).decode(raw))
    except msgspec.ValidationError as refusal:
        return _second_look(raw, method, refusal)
    except msgspec.DecodeError:
        raise InvalidParams("", "not JSON that can be read") from None


@cache
def _decoder(method: str) -> msgspec.json.Decoder[Struct]:
    return msgspec.json.Decoder(KERNEL_TO_PLUGIN[method][0])


@cache
def _hook_payload() -> msgspec.json.Decoder[dict[HookPoint, Raw]]:
    """Return what reads a payload's one key, the point (H2), and nothing of what is inside (H6)."""
    kind = Annotated[dict[HookPoint, Raw], Meta(min_length=1, max_length=1)]
    return msgspec.json.Decoder(kind)


def _checked(params: Struct) -> Struct:
    """Return params if they also keep what their types cannot say. Raises ValidationError."""
    if isinstance(params, DispatchHookRequest):
        try:
            _hook_payload().decode(params.payload)
        except msgspec.ValidationError:
            text = "Expected `object` with one member, a hook point - at `$.payload`"
            raise msgspec.ValidationError(text) from None
    return params


def _second_look(raw: Raw, method: str, refusal: msgspec.ValidationError) -> Struct:
    """Return params whose only fault is how integers are spelled. Raises InvalidParams."""
    try:
        value = msgspec.json.decode(raw)
    except msgspec.DecodeError:
        raise InvalidParams.listing([_only_fault(str(refusal))]) from None
    kind = KERNEL_TO_PLUGIN[method][0]
    try:
        return _checked(msgspec.convert(_with_integers(value), kind))
    except msgspec.ValidationError:
        _refuse(value, method, refusal)


def _with_integers(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return a value with integral floats as integers, as JSON Schema sees them."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            return {name: _with_integers(member) for name, member in value.items()}
        case list():
            return [_with_integers(member) for member in value]
        case _:
            return value


def _refuse(value: object, method: str, refusal: msgspec.ValidationError) -> NoReturn:
    from memplugin.wire.schemas import faults  # noqa: PLC0415 - 24 ms that a good call never pays

    found = faults(method.replace(".", "/"), "#/$defs/params", value)
    raise InvalidParams.listing(found or [_only_fault(str(refusal))]) from None


def _only_fault(refusal: str) -> dict[str, str]:
    """Return msgspec's own fault without what it quotes: for where the schema finds none."""
    at = _AT.search(refusal)
    steps = _STEP.findall(at[1].split("[...]")[0]) if at else []
    path = "".join(f"/{field or index}" for field, index in steps)
    if missing := _MISSING.match(refusal):
        field = missing[1]
        return {"path": f"{path}/{field}", "message": f"required field `{field}` is missing"}
    expected = _EXPECTED.match(refusal)
    message = f"expected {expected[1]}" if expected else "not accepted by this method's schema"
    return {"path": path, "message": message}
