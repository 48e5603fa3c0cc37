"""Reads a line into messages; a line that cannot be read becomes an error with its id, if any.

Lines are decoded twice by msgspec: once whole, for it alone refuses bad UTF-8 and numbers out of
range wherever they stand, and once into the envelope, which keeps the bytes of its members. What
msgspec refuses gets one more look by the standard library, which is more tolerant (decision 21).
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from types import NoneType
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from memplugin.wire.messages import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    NO_PARAMS,
    NULL,
    PARSE_ERROR,
    Answer,
    Batch,
    CallError,
    Fault,
    Ignored,
    Limits,
    Message,
    Request,
    RpcError,
)
from memplugin.wire.nesting import is_deeper, outline, split_array

BOM = b"\xef\xbb\xbf"
WHITE_SPACE = b" \t\r\n"


class _Envelope(Struct):
    jsonrpc: Raw | UnsetType = UNSET
    id: Raw | UnsetType = UNSET
    method: Raw | UnsetType = UNSET
    params: Raw | UnsetType = UNSET
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET


class _ErrorObject(Struct):
    code: int


class _Spelled(str):
    """A number as it was spelled."""

    __slots__ = ()


_ID_TYPES = frozenset({str, int, float, NoneType})  # exactly: a boolean is none

_whole = msgspec.json.Decoder()
_envelope = msgspec.json.Decoder(_Envelope)
_elements = msgspec.json.Decoder(list[Raw])
_error_object = msgspec.json.Decoder(_ErrorObject)


def read(line: bytes, limits: Limits) -> Message | Batch | None:
    """Return what a line says; None for a blank one. Never raises."""
    text = line.removeprefix(BOM).strip(WHITE_SPACE)
    if not text:
        return None
    if not text.startswith(b"["):
        return _read_one(text, limits.max_depth)
    try:
        elements = _split_batch(text, limits.max_batch)
    except ValueError:
        return _unreadable(NULL, "not JSON")
    if not elements:
        return _invalid(NULL, "an empty batch")
    if len(elements) > limits.max_batch:
        return _invalid(NULL, f"a batch of more than {limits.max_batch} elements")
    return Batch(tuple(_read_one(element, limits.max_depth) for element in elements))


def _split_batch(text: bytes, most: int) -> list[bytes]:
    """Return the bytes of a batch's elements, at most one more than `most`. Raises ValueError."""
    try:
        if text.count(b",") < most:  # otherwise there may be millions, so they are counted first
            return [bytes(element) for element in _elements.decode(text)]
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        found = islice(_split_leniently(text.decode()), most + 1)
        return [element.encode() for element in found]
    except RecursionError:  # what is too deep is one element's fault, not the others'
        return list(islice(split_array(text), most + 1))


def _split_leniently(text: str) -> Iterator[str]:
    """Yield a batch's elements as the standard library, which is tolerant, tells them apart."""
    decoder = json.JSONDecoder(parse_int=_Spelled, parse_float=_Spelled, strict=False)
    at = _past_space(text, 1)
    while True:
        _, end = decoder.raw_decode(text, at)
        yield text[at:end]
        at = _past_space(text, end)
        if text[at : at + 1] != ",":
            break
        at = _past_space(text, at + 1)
    if text[at:] != "]":
        raise ValueError("not the end of a batch")


def _past_space(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t", "\r"):
        at += 1
    return at


def _read_one(text: bytes, max_depth: int) -> Message:
    if is_deeper(text, max_depth):
        return _second_look(outline(text), f"nested beyond {max_depth} levels")
    try:
        whole = _whole.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return _second_look(text, None)
    if not isinstance(whole, dict):
        return _invalid(NULL, "not an object")
    envelope = _envelope.decode(text)
    if "method" in whole:
        return _read_request(whole, envelope)
    if "result" in whole or "error" in whole:
        return _read_answer(whole, envelope)
    return _invalid(_legal_id(whole, envelope), "neither a method nor a result nor an error")


def _read_request(whole: dict[str, Any], envelope: _Envelope) -> Message:
    id = _legal_id(whole, envelope)
    method, params = whole["method"], whole.get("params", NO_PARAMS)
    fault = _fault_of(whole)
    if fault is not None:
        return _invalid(id, fault)
    # Copies: a waiting request must not keep the rest of its line in memory.
    asked = id.copy() if "id" in whole else None
    match params:
        case dict():
            return Request(asked, method, envelope.params.copy())  # type: ignore[union-attr] # it is set
        case Raw():
            return Request(asked, method, params)
        case list():
            return _bad_params(asked, "params must be an object, not an array")
        case _:
            return _invalid(id, "params is not an object")


def _fault_of(whole: dict[str, Any]) -> str | None:
    if whole.get("jsonrpc") != "2.0":
        return 'jsonrpc is not "2.0"'
    if not isinstance(whole["method"], str):
        return "method is not a string"
    if type(whole.get("id")) not in _ID_TYPES:
        return "id is neither a string nor a number nor null"
    return None


def _read_answer(whole: dict[str, Any], envelope: _Envelope) -> Answer:
    id = whole.get("id")
    name = id if isinstance(id, str) else None
    if whole.get("error") is None and not isinstance(envelope.result, UnsetType):
        return Answer(name, envelope.result)
    try:
        code = _error_object.decode(envelope.error).code  # type: ignore[arg-type] # set, or the line above
    except msgspec.DecodeError:
        return Answer(name, CallError("malformed", "the answer's error has no code"))
    return Answer(name, CallError("refused", f"refused with error code {code}", code))


def _legal_id(whole: dict[str, Any], envelope: _Envelope) -> Raw:
    """Return the id to answer with: null where there is none or it is of no legal type."""
    if isinstance(envelope.id, UnsetType) or type(whole["id"]) not in _ID_TYPES:
        return NULL
    return envelope.id


def _second_look(text: bytes, reason: str | None) -> Message:
    """Return what to say of a line that msgspec refuses, or that is refused for `reason`."""
    refused: list[str] = [reason] if reason else []

    def constant(name: str) -> None:
        refused.append(f"{name} is no JSON number")

    def number(spelling: str) -> _Spelled:
        if not refused and not _in_range(spelling):
            refused.append("a number is out of range")
        return _Spelled(spelling)

    try:
        whole = json.loads(
            text.decode(),
            parse_int=number,
            parse_float=number,
            parse_constant=constant,
            strict=False,
        )
    except UnicodeDecodeError:
        return _unreadable(NULL, "not UTF-8")
    except (ValueError, RecursionError):
        return _unreadable(NULL, reason or "not JSON")
    if not isinstance(whole, dict):
        return _unreadable(NULL, refused[0] if refused else "not JSON")
    if "method" not in whole and ("result" in whole or "error" in whole):
        name = whole.get("id")
        plain = type(name) is str
        return Answer(name if plain else None, CallError("malformed", "the answer is not JSON"))
    # The half may stand in a member that a later one of the same name replaced.
    if not refused and (_has_lone_surrogate(whole) or _SURROGATE.search(text)):
        notification = "id" not in whole and isinstance(whole.get("method"), str)
        id = None if notification else _spelled_id(whole)
        return _bad_params(id, "a string holds half of a surrogate pair")
    return _unreadable(_spelled_id(whole), refused[0] if refused else "a control character")


_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")  # half of a pair, escaped


def _in_range(spelling: str) -> bool:
    """Say whether msgspec, which is what refused the line, takes a number."""
    try:
        _whole.decode(spelling)
    except msgspec.DecodeError:
        return False
    return True


def _has_lone_surrogate(whole: dict[str, Any]) -> bool:
    try:
        json.dumps(whole, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _spelled_id(whole: dict[str, Any]) -> Raw:
    match whole.get("id"):
        case _Spelled() as number:
            return Raw(number.encode())
        case str() as text:
            return Raw(json.dumps(text).encode())
        case _:
            return NULL


def _unreadable(id: Raw, reason: str) -> Fault:
    return Fault(id, RpcError(PARSE_ERROR, f"Parse error: {reason}"))


def _invalid(id: Raw, reason: str) -> Fault:
    return Fault(id, RpcError(INVALID_REQUEST, f"Invalid Request: {reason}"))


def _bad_params(id: Raw | None, reason: str) -> Fault | Ignored:
    """Return the error of params as a whole; a notification is not answered even then (W5)."""
    if id is None:
        return Ignored(f"a notification was dropped: {reason}")
    data = {"errors": [{"path": "", "message": reason}]}
    return Fault(id, RpcError(INVALID_PARAMS, "Invalid params", data))


def overlong(limit: int) -> Fault:
    """Return the answer to a line that was skipped for its length (W6)."""
    return _unreadable(NULL, f"a line is longer than {limit} bytes")
