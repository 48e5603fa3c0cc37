"""Values drawn from a schema, and values that are like them but for a few changes."""

from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from memplugin.protocol.records import timestamp
from tests.schemas.referee import Schema, documents, side

Draw = Callable[[SearchStrategy[Any]], Any]

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-3, 3).map(float)
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS
)
ANY_JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=4,
)


@cache
def fitting(method: str, name: str) -> SearchStrategy[Any]:
    """Return a strategy of what a method's schema allows for its params or result."""
    return _fitting(side(method, name))


@cache
def _defined(name: str) -> SearchStrategy[Any]:
    return st.deferred(lambda: _fitting(documents()["types.json"]["$defs"][name]))


def _fitting(schema: Schema) -> SearchStrategy[Any]:
    if schema.get("title") == "ConfigAttribute":
        return _config_attributes(schema)
    match schema:
        case {"$ref": str(target)}:
            return _defined(target.rpartition("/")[2])
        case {"enum": words}:
            return st.sampled_from(words)
        case {"const": value}:
            return st.just(value)
        case {"anyOf": forms}:
            return st.one_of([_fitting(form) for form in forms])
        case {"type": list(types)}:
            return st.one_of([_fitting(schema | {"type": kind}) for kind in types])
        case {"type": str(kind)}:
            return _of_type(kind, schema)
        case _:
            return ANY_JSON


def _of_type(kind: str, schema: Schema) -> SearchStrategy[Any]:
    least, most = schema.get("minimum"), schema.get("maximum")
    match kind:
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "integer":
            whole = st.integers(least, most)
            return whole | whole.filter(lambda n: abs(n) < 2**53).map(float)
        case "number":
            return st.floats(least, most, allow_nan=False, allow_infinity=False)
        case "string" if schema.get("format") == "date-time":
            return st.datetimes(
                datetime(1970, 1, 1),  # noqa: DTZ001 - Hypothesis adds the zone
                timezones=st.just(UTC),
            ).map(timestamp)
        case "string":
            return WORDS
        case "array":
            items = _fitting(schema["items"])
            return st.lists(items, min_size=schema.get("minItems", 0), max_size=3)
        case _:
            return _objects(schema)


def _objects(schema: Schema) -> SearchStrategy[Any]:
    fields = {name: _fitting(part) for name, part in schema.get("properties", {}).items()}
    if "propertyNames" in schema:
        names = _fitting(schema["propertyNames"])
        return st.dictionaries(names, ANY_JSON, min_size=1, max_size=1)
    if schema.get("maxProperties") == 1:
        return st.one_of([st.fixed_dictionaries({n: value}) for n, value in fields.items()])
    required = {name: fields.pop(name) for name in schema.get("required", ())}
    listed = st.fixed_dictionaries(required, optional=fields)
    others = schema.get("additionalProperties", True)
    if others is False:
        return listed
    values = ANY_JSON if others is True else _fitting(others)
    unknown = st.dictionaries(WORDS.map("x-{}".format), values, max_size=2)
    return st.tuples(unknown, listed).map(lambda parts: parts[0] | parts[1])


def _config_attributes(schema: Schema) -> SearchStrategy[Any]:
    plain = _objects({**schema, "properties": dict(schema["properties"])})

    def consistent(attribute: dict[str, Any]) -> dict[str, Any]:
        attribute = dict(attribute)
        if attribute["type"] == "object":
            attribute.setdefault("object_attributes", [])
        else:
            attribute.pop("object_attributes", None)
        if attribute["sensitive"]:
            attribute.pop("default_json", None)
        return attribute

    return plain.map(consistent)


@st.composite
def changed(
    draw: Draw,
    values: SearchStrategy[Any],
    extra: SearchStrategy[Any] = LEAVES,
    names: SearchStrategy[str] = WORDS,
) -> Any:
    """Draw a value with up to three others put into it, under new names too, or parts left out."""
    holder = [deepcopy(draw(values))]
    for _ in range(draw(st.integers(0, 3))):
        container, key = draw(st.sampled_from(list(_places(holder))))
        action = draw(st.sampled_from(["replace", "delete", "add"]))
        if action == "add" and isinstance(container, dict):
            container[draw(names)] = deepcopy(draw(extra))
        elif action == "delete" and container is not holder:
            del container[key]
        else:
            container[key] = deepcopy(draw(extra | ANY_JSON))
    return holder[0]


def _places(container: Any) -> list[tuple[Any, Any]]:
    """Return every place in a value as its container and its key there."""
    keys = container.keys() if isinstance(container, dict) else range(len(container))
    places = [(container, key) for key in keys]
    for key in keys:
        if isinstance(container[key], dict | list):
            places += _places(container[key])
    return places
