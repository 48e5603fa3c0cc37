"""What `configure` accepts: the ConfigSchema and the parsed value, from one declaration."""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, inspect

from memplugin.protocol.capabilities import AttributeType, ConfigAttribute, ConfigSchema
from memplugin.protocol.errors import ErrorCategory, ProviderError
from memplugin.protocol.records import MemoryScope, MemoryType

MIB = 1024 * 1024
_SHOWN_LENGTH = 64  # characters of a kernel's word that an error repeats


class Ratification(StrEnum):
    """Which writes a person must approve (P2, P3)."""

    OFF = "off"
    CAPTURED = "captured"
    ALL = "all"


class ProjectStore(StrEnum):
    """Where a project's records lie."""

    REPO = "repo"
    USER = "user"


class TrustProject(StrEnum):
    """Whether records that came with a project are recalled into a model."""

    ASK = "ask"
    ALWAYS = "always"
    NEVER = "never"


class Capture(StrEnum):
    """How memories are captured from what hooks show."""

    OFF = "off"
    RULES = "rules"
    MODEL = "model"


class Config(Struct, frozen=True, kw_only=True):
    """The configuration in force; every attribute is optional and works with its default."""

    token_budget: Annotated[
        int,
        Meta(ge=1, description="Default token budget of a recall; a recall's own always wins."),
    ] = 2000
    types: Annotated[
        tuple[MemoryType, ...], Meta(description="Memory types this provider takes.")
    ] = tuple(MemoryType)
    scopes: Annotated[
        tuple[MemoryScope, ...], Meta(description="Memory scopes this provider takes.")
    ] = tuple(MemoryScope)
    ratification: Annotated[
        Ratification,
        Meta(
            description="Which writes wait for a person's approval: off (none), captured (what"
            " hooks and models write), all."
        ),
    ] = Ratification.OFF
    capture: Annotated[
        Capture,
        Meta(
            description="How memories are captured from what the user says: off, rules (by its"
            " wording), model (asked through kernel.run_session; rules where that fails)."
        ),
    ] = Capture.RULES
    capture_limit: Annotated[
        int,
        Meta(
            ge=1,
            le=100,
            description="Memories captured in one session at most, besides those the user asks"
            " for.",
        ),
    ] = 8
    capture_profile: Annotated[
        str, Meta(description="Profile of the session that `capture` by a model asks for.")
    ] = ""
    project_store: Annotated[
        ProjectStore,
        Meta(
            description="Where project records lie: repo (.agent/memory in the project) or user"
            " (the user data folder, out of reach of cleaning the working tree)."
        ),
    ] = ProjectStore.REPO
    trust_project: Annotated[
        TrustProject,
        Meta(
            description="Whether records that came with a project, such as by a clone, are"
            " recalled into a model: ask (after `memplugin trust`), always, never."
        ),
    ] = TrustProject.ASK
    recall_candidates: Annotated[
        int,
        Meta(ge=1, le=500, description="Records whose tokens one recall counts, at most."),
    ] = 64
    freshness_s: Annotated[
        float,
        Meta(
            ge=0,
            le=60,
            description="Seconds for which a comparison of files and index is trusted.",
        ),
    ] = 1.0
    lock_timeout_s: Annotated[
        float,
        Meta(gt=0, le=600, description="Seconds a write waits for another process's lock."),
    ] = 10.0
    callback_timeout_s: Annotated[
        float, Meta(gt=0, le=600, description="Seconds a callback waits for the kernel.")
    ] = 10.0
    max_record_bytes: Annotated[
        int, Meta(ge=1024, le=16 * MIB, description="Bytes of one record's content, at most.")
    ] = MIB
    max_line_bytes: Annotated[
        int,
        Meta(
            ge=1024,
            le=1024 * MIB,
            description="Bytes of one line from the kernel, at most; longer ones are refused.",
        ),
    ] = 16 * MIB
    directory: Annotated[
        str,
        Meta(
            description="One folder for global records, state and index, in place of the"
            " platform's user folders."
        ),
    ] = ""


def config_schema() -> ConfigSchema:
    """Return the schema of everything `configure` accepts, in the order of declaration."""
    return ConfigSchema([_attribute(field) for field in _fields().values()])


def parse_config(values: Mapping[str, object], base: Config) -> Config:
    """Return `base` with these attributes; an empty value means the one of `base` (C2).

    Raises ProviderError `unknown` naming the first attribute that is unknown or ill-typed,
    never its value.
    """
    changes: dict[str, Any] = {}
    for name, value in values.items():
        field = _fields().get(name)
        if field is None:
            raise ProviderError(
                ErrorCategory.UNKNOWN,
                f"unknown attribute {_shown(name)!r}: expected one of {', '.join(_fields())}",
            )
        if _is_unset(value, field):
            continue
        changes[name] = _convert(value, field)
    directory = changes.get("directory", "")
    if directory and not (Path(directory).is_absolute() and "\0" not in directory):
        text = "attribute directory: expected an absolute path"
        raise ProviderError(ErrorCategory.UNKNOWN, text)
    return msgspec.structs.replace(base, **changes)


@cache
def _fields() -> dict[str, inspect.Field]:
    info = inspect.type_info(Config)
    assert isinstance(info, inspect.StructType)
    return {field.name: field for field in info.fields}


def _shown(name: str) -> str:
    return name if len(name) <= _SHOWN_LENGTH and name.isprintable() else "(unprintable)"


def _is_unset(value: object, field: inspect.Field) -> bool:
    if value is None or value in ("", [], {}):
        return True
    inner, _ = _described(field)
    numeric = isinstance(inner, inspect.IntType | inspect.FloatType)
    return numeric and value == 0 and not isinstance(value, bool) and not _takes_zero(inner)


def _takes_zero(inner: inspect.Type) -> bool:
    return isinstance(inner, inspect.FloatType) and inner.ge == 0


def _convert(value: object, field: inspect.Field) -> object:
    inner, _ = _described(field)
    if isinstance(value, float) and value.is_integer() and isinstance(inner, inspect.IntType):
        value = int(value)
    try:
        return msgspec.convert(value, Config.__annotations__[field.name])
    except msgspec.ValidationError:
        raise ProviderError(
            ErrorCategory.UNKNOWN, f"attribute {field.name}: expected {_expected(inner)}"
        ) from None


def _described(field: inspect.Field) -> tuple[inspect.Type, str]:
    """Return a field's type without its metadata, and its description."""
    assert isinstance(field.type, inspect.Metadata)
    extra = field.type.extra_json_schema or {}
    return field.type.type, str(extra["description"])


def _attribute(field: inspect.Field) -> ConfigAttribute:
    inner, description = _described(field)
    return ConfigAttribute(
        name=field.name,
        type=_attribute_type(inner),
        required=False,
        sensitive=False,
        description=description,
        default_json=msgspec.json.encode(field.default).decode(),
    )


def _attribute_type(inner: inspect.Type) -> AttributeType:
    match inner:
        case inspect.IntType() | inspect.FloatType():
            return AttributeType.NUMBER
        case inspect.BoolType():
            return AttributeType.BOOL
        case inspect.VarTupleType():
            return AttributeType.LIST_STRING
        case _:
            return AttributeType.STRING


def _expected(inner: inspect.Type) -> str:
    match inner:
        case inspect.EnumType():
            return "one of " + ", ".join(inner.cls)
        case inspect.VarTupleType(item_type=inspect.EnumType() as item):
            return "a list of words out of " + ", ".join(item.cls)
        case inspect.IntType() | inspect.FloatType():
            kind = "a whole number" if isinstance(inner, inspect.IntType) else "a number"
            bounds = [
                f"{word} {bound}"
                for word, bound in (
                    ("from", inner.ge),
                    ("above", inner.gt),
                    ("to", inner.le),
                )
                if bound is not None
            ]
            return " ".join([kind, *bounds])
        case inspect.BoolType():
            return "true or false"
        case _:
            return "a string"
