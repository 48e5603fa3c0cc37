"""Arguments of tools and commands, as they come from a model or a frontend (T2)."""

import re
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

from memplugin.protocol.errors import InvalidParams
from memplugin.protocol.records import MemoryScope, MemoryType
from memplugin.service.tool_schemas import Schema

T = TypeVar("T", bound=Struct)

MAX_NAME = 300  # characters of a title, an id
MAX_QUERY = 50_000

_AT = re.compile(r" - at `\$\.?(\w*)")
_MISSING = re.compile(r"missing required field `(\w+)`")


class Remember(Struct, frozen=True):
    """What memory.remember takes."""

    type: MemoryType
    scope: MemoryScope
    content: str
    title: str | None = None
    id: str | None = None
    confirm_new: bool | None = None


class RememberCommand(Struct, frozen=True):
    """What memory-remember takes: a person need not choose type and scope."""

    content: str
    type: MemoryType | None = None
    scope: MemoryScope | None = None
    title: str | None = None
    id: str | None = None
    confirm_new: bool | None = None


class ById(Struct, frozen=True):
    """One memory."""

    id: str


class Search(Struct, frozen=True):
    """What memory.search takes."""

    query: str
    types: list[MemoryType] | None = None
    scopes: list[MemoryScope] | None = None
    token_budget: Annotated[float, Meta(ge=0)] | None = None


class Nothing(Struct, frozen=True):
    """No arguments."""


def read(kind: type[T], arguments: Any, schema: Schema) -> T:  # noqa: ANN401 - any JSON value
    """Return arguments that keep to a schema; raises InvalidParams, which quotes no value."""
    try:
        found = msgspec.convert({} if arguments is None else arguments, kind)
    except msgspec.ValidationError as error:
        raise _refusal(str(error), schema) from None
    for name, most in (("title", MAX_NAME), ("id", MAX_NAME), ("query", MAX_QUERY)):
        value = getattr(found, name, None)
        if isinstance(value, str) and len(value) > most:
            text = f"`{name}` has {len(value)} characters: send at most {most}"
            raise InvalidParams(f"/{name}", text)
    if not getattr(found, "query", "words").strip():
        raise InvalidParams("/query", "`query` is blank: send words to look for")
    return found


def _refusal(text: str, schema: Schema) -> InvalidParams:
    properties = schema["properties"]
    if missing := _MISSING.search(text):
        name = missing[1]
        return InvalidParams(f"/{name}", f"`{name}` is missing: {_expected(properties[name])}")
    at = _AT.search(text)
    name = at[1] if at else ""
    if name not in properties:
        fields = ", ".join(properties) or "none"
        return InvalidParams("", f"expected an object with these members: {fields}")
    return InvalidParams(f"/{name}", f"`{name}`: expected {_expected(properties[name])}")


def _expected(schema: Schema) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(schema["enum"])
    if "items" in schema:
        return f"an array, each {_expected(schema['items'])}"
    return f"a {schema['type']}"
