"""Finds every fault of a value by JSON Schema, with JSON Pointers; loaded only for refused params.

What is said of a fault comes from the schema alone, never from the value: it may be secret (E2).
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator, Registry, ValidationError

MOST_FAULTS = 100
"""Faults that one answer lists; how many there are beyond is only counted."""

_SHARED = "types"
_LIMITS = {
    "minimum": "a number of at least {}",
    "maximum": "a number of at most {}",
    "exclusiveMinimum": "a number above {}",
    "exclusiveMaximum": "a number below {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} members",
    "maxProperties": "at most {} members",
    "pattern": "text that matches {}",
    "format": "text of the format {}",
}

Fault = dict[str, str]
"""{path, message}: a JSON Pointer into the value, and what is expected there."""


def folder() -> Path:
    """Return where the schemas are: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parent.parent
    inside = package / "schemas"
    return inside if inside.is_dir() else package.parent / "schemas"


def faults(name: str, pointer: str, value: object) -> list[Fault]:
    """Return all faults of a value by the schema at `pointer` of `<name>.json`, in its order.

    A missing field's path is where it would stand. An empty list means none, also where the schema
    files are not to be found: whoever refused the value must then say why.
    """
    try:
        validator = _validator(name, pointer)
    except OSError:
        return []
    # A dict keeps the order and drops what several keywords say alike.
    found = list(dict.fromkeys(_all_told(validator.iter_errors(value))))
    listed = [{"path": path, "message": message} for path, message in found[:MOST_FAULTS]]
    if len(found) > MOST_FAULTS:
        more = len(found) - MOST_FAULTS
        listed.append({"path": "", "message": f"{more} more faults are not listed"})
    return listed


@cache
def _document(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder() / f"{name}.json").read_text("utf-8"))
    return document


@cache
def _validator(name: str, pointer: str) -> Draft202012Validator:
    documents = [_document(_SHARED), _document(name)]
    registry = Registry([(document["$id"], document) for document in documents])
    reference = {"$ref": documents[1]["$id"] + pointer}
    return Draft202012Validator(reference, registry=registry, offline=True)


def _all_told(errors: Iterable[ValidationError]) -> Iterator[tuple[str, str]]:
    for error in errors:
        yield from _told(error)


def _told(error: ValidationError) -> Iterator[tuple[str, str]]:
    """Yield path and message for an error, or for those within the branch that was meant."""
    keyword = error.kind.name
    path = _pointer(error.instance_path)
    if keyword in ("anyOf", "oneOf"):
        yield from _of_branches(error, path)
    elif keyword == "required":
        field = error.kind.value
        yield _pointer([*error.instance_path, field]), f"required field `{field}` is missing"
    else:
        yield path, _message(keyword, error)


def _of_branches(error: ValidationError, path: str) -> Iterator[tuple[str, str]]:
    """Yield the faults of the branches whose type fits, or else the types of all."""
    branches = getattr(error.kind, "context", [])
    fitting = [branch for branch in branches if not any(_is_type_at(e, error) for e in branch)]
    if fitting:
        yield from _all_told(fitting[0])
        return
    clashes = [e for branch in branches for e in branch if _is_type_at(e, error)]
    yield path, "expected " + _either([kind for clash in clashes for kind in clash.kind.value])


def _is_type_at(error: ValidationError, outer: ValidationError) -> bool:
    return error.kind.name == "type" and error.instance_path == outer.instance_path


def _message(keyword: str, error: ValidationError) -> str:
    expected = error.kind.value
    match keyword:
        case "type":
            return "expected " + _either(expected)
        case "enum":
            return "expected one of " + _words(expected)
        case "propertyNames" if expected.kind.name == "enum":
            return "expected members named " + _words(expected.kind.value)
        case "additionalProperties":
            return "has a field that is unknown here"
        case _ if keyword in _LIMITS:
            return "expected " + _LIMITS[keyword].format(expected)
        case _:
            return f"does not keep to `{keyword}` of the schema"


def _words(values: Sequence[object]) -> str:
    return ", ".join(value if isinstance(value, str) else json.dumps(value) for value in values)


def _either(types: Sequence[str]) -> str:
    return " or ".join(dict.fromkeys(types))


def _pointer(steps: Sequence[str | int]) -> str:
    escaped = (str(step).replace("~", "~0").replace("/", "~1") for step in steps)
    return "".join(f"/{step}" for step in escaped)
