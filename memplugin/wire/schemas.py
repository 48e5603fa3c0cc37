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
"""Faults that one answer lists; those beyond are only counted."""

_SHARED = "types"
_LIMITS = {
    "const": "{}",
    "minimum": "a number of at least {}",
    "maximum": "a number of at most {}",
    "exclusiveMinimum": "a number above {}",
    "exclusiveMaximum": "a number below {}",
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
    """Return all faults of a value by the schema at `pointer` of `<name>.json`.

    They come in the order in which the schema is checked. A missing field's path is where it would
    stand. An empty list means none, also where the schema files are not to be found: whoever
    refused the value must then say why.
    """
    try:
        schema = _schema(name, pointer)
    except OSError:
        return []
    found = schema.faults(value)
    listed = [{"path": path, "message": message} for path, message in found[:MOST_FAULTS]]
    if len(found) > MOST_FAULTS:
        more = len(found) - MOST_FAULTS
        listed.append({"path": "", "message": f"faults beyond these, not listed: {more}"})
    return listed


@cache
def _schema(name: str, pointer: str) -> "_Schema":
    return _Schema(folder(), name, pointer)


class _Schema:
    """A schema and what it finds."""

    def __init__(self, folder: Path, name: str, pointer: str) -> None:
        """Read it and the types it shares with others. Raises OSError."""
        shared, own = (
            json.loads((folder / f"{part}.json").read_text("utf-8")) for part in (_SHARED, name)
        )
        self._documents: dict[str, Any] = {shared["$id"]: shared, own["$id"]: own}
        self._validator = Draft202012Validator(
            {"$ref": own["$id"] + pointer},
            registry=Registry(self._documents.items()),
            offline=True,
        )

    def faults(self, value: object) -> list[tuple[str, str]]:
        """Return path and message of every fault, once."""
        return list(dict.fromkeys(self._all_told(self._validator.iter_errors(value))))

    def _all_told(self, errors: Iterable[ValidationError]) -> Iterator[tuple[str, str]]:
        for error in errors:
            yield from self._told(error)

    def _told(self, error: ValidationError) -> Iterator[tuple[str, str]]:
        """Yield path and message of an error, or of those within the branch that was meant."""
        expected = error.kind.value
        path = _pointer(error.instance_path)
        match error.kind.name:
            case "anyOf" | "oneOf":
                yield from self._of_branches(error, path)
            case "required":
                missing = _pointer([*error.instance_path, expected])
                yield missing, f"required field `{expected}` is missing"
            case "additionalProperties":
                yield path, "expected only these fields: " + _words(self._fields_beside(error))
            case keyword:
                yield path, _message(keyword, expected)

    def _of_branches(self, error: ValidationError, path: str) -> Iterator[tuple[str, str]]:
        """Yield the faults of the first branch whose type fits, or else the types of all."""
        branches = getattr(error.kind, "context", [])
        fitting = [branch for branch in branches if not any(_clashes(e, error) for e in branch)]
        if fitting:
            yield from self._all_told(fitting[0])
            return
        clashes = [e for branch in branches for e in branch if _clashes(e, error)]
        yield path, _message("type", [kind for e in clashes for kind in e.kind.value])

    def _fields_beside(self, error: ValidationError) -> list[str]:
        """Return the fields that are listed where `additionalProperties` stands."""
        base, _, fragment = (error.absolute_keyword_location or "").partition("#/")
        part = self._documents[base]
        for step in fragment.split("/")[:-1]:
            part = part[step]
        return list(part["properties"])


def _clashes(error: ValidationError, outer: ValidationError) -> bool:
    """Say whether a branch was not meant: its type is another one than the value's."""
    return error.kind.name == "type" and error.instance_path == outer.instance_path


def _message(keyword: str, expected: Any) -> str:  # noqa: ANN401 - each keyword has its own
    match keyword:
        case "type":
            return "expected " + " or ".join(sorted(set(expected), key=_null_last))
        case "enum":
            return "expected one of " + _words(expected)
        case "propertyNames" if expected.kind.name == "enum":
            return "expected members named " + _words(expected.kind.value)
        case _ if keyword in _LIMITS:
            return "expected " + _LIMITS[keyword].format(expected)
        case _:
            return f"does not keep to `{keyword}` of the schema"


def _null_last(type: str) -> tuple[bool, str]:
    return type == "null", type


def _words(values: Sequence[object]) -> str:
    return ", ".join(value if isinstance(value, str) else json.dumps(value) for value in values)


def _pointer(steps: Sequence[str | int]) -> str:
    escaped = (str(step).replace("~", "~0").replace("/", "~1") for step in steps)
    return "".join(f"/{step}" for step in escaped)
