"""JSON Schema definitions of the Structs that cross the wire, one set for each direction.

What the kernel sends may carry fields we do not know, and null for what is optional (protocol
section 3). What we send carries only what is listed, and no null where the Struct omits defaults.
A Struct that travels both ways has two definitions: `X` as sent, `XInput` as taken.
"""

from collections.abc import Callable, Iterable
from enum import StrEnum
from types import ModuleType
from typing import Any

import msgspec
from msgspec import Struct

from memplugin.protocol import callbacks, calls, capabilities, records, render, requests
from memplugin.protocol.methods import KERNEL_TO_PLUGIN, PLUGIN_TO_KERNEL

Schema = dict[str, Any]

_HERE = "#/$defs/"
_MODULES: list[ModuleType] = [callbacks, calls, capabilities, records, render, requests]
_CLASSES: dict[str, type] = {
    name: item
    for module in _MODULES
    for name, item in vars(module).items()
    if isinstance(item, type) and issubclass(item, Struct | StrEnum)
}

# What Structs cannot say of themselves.

_ONE_MEMBER = ("RenderNode", "InvokeEvent", "DispatchHookResult")

_CONSISTENT_ATTRIBUTE = [
    {
        "if": {"properties": {"type": {"const": "object"}}},
        "then": {"required": ["object_attributes"]},
        "else": {"not": {"required": ["object_attributes"]}},
    },
    {
        "if": {"properties": {"sensitive": {"const": True}}},
        "then": {"not": {"required": ["default_json"]}},
    },
]
"""C3: object_attributes are there iff the type is object; what is sensitive has no default."""


class Definitions:
    """The definitions of both directions; references are `#/$defs/<name>` into `shared`."""

    def __init__(self) -> None:
        asked, told = KERNEL_TO_PLUGIN.values(), PLUGIN_TO_KERNEL.values()
        taken = _components([params for params, _ in asked] + [result for _, result in told])
        sent = _components([result for _, result in asked] + [params for params, _ in told])
        both = {n for n in taken if n in sent and issubclass(_CLASSES[n], Struct)}

        def input_name(name: str) -> str:
            return f"{name}Input" if name in both else name

        self.taken = {n: _taken(input_name(n), s, input_name) for n, s in taken.items()}
        self.sent = {n: _sent(n, s) for n, s in sent.items()}
        self._refine()
        self.shared = {input_name(n): s for n, s in self.taken.items()} | self.sent

    def _refine(self) -> None:
        """Say of what we send that it is narrower than its types."""
        for name in _ONE_MEMBER:
            self.sent[name] |= {"minProperties": 1, "maxProperties": 1}
        self.sent["ConfigAttribute"]["allOf"] = _CONSISTENT_ATTRIBUTE
        block = self.sent["ContentBlock"]
        block["description"] = "One block of a record: text only."
        block["properties"]["text"] = {"$ref": f"{_HERE}TextBlock"}
        payload = self.taken["DispatchHookRequest"]["properties"]["payload"]
        self.sent["HookTransform"]["properties"]["payload"] = payload
        self.sent["HookVeto"]["properties"]["decision"] = {"const": "allow"}
        self.sent["DeleteResult"]["properties"]["deleted"] = {"const": True}

    def reachable(self, schemas: Iterable[Schema]) -> dict[str, Schema]:
        """Return the shared definitions that these schemas refer to, directly or not, by name."""
        found: dict[str, Schema] = {}
        waiting = [name for schema in schemas for name in _names(schema)]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = self.shared[name]
                waiting += _names(found[name])
        return dict(sorted(found.items()))


def referred(schema: Any, prefix: str) -> Any:  # noqa: ANN401 - any part of a schema
    """Return a schema whose references into `shared` begin with another prefix."""
    match schema:
        case {"$ref": str(target)} if target.startswith(_HERE):
            return schema | {"$ref": prefix + target.removeprefix(_HERE)}
        case dict():
            return {key: referred(part, prefix) for key, part in schema.items()}
        case list():
            return [referred(part, prefix) for part in schema]
        case _:
            return schema


def _names(schema: Any) -> list[str]:  # noqa: ANN401 - any part of a schema
    match schema:
        case {"$ref": str(target)}:
            return [target.removeprefix(_HERE)]
        case dict():
            return [name for part in schema.values() for name in _names(part)]
        case list():
            return [name for part in schema for name in _names(part)]
        case _:
            return []


def _components(types: list[type[Struct]]) -> dict[str, Schema]:
    return msgspec.json.schema_components(types, ref_template="{name}")[1]


def _taken(title: str, schema: Schema, input_name: Callable[[str], str]) -> Schema:
    tidy: Schema = _tidied(schema, input_name, nullable=True)
    return _ordered(title, tidy)


def _sent(name: str, schema: Schema) -> Schema:
    kind = _CLASSES[name]
    omits = issubclass(kind, Struct) and kind.__struct_config__.omit_defaults
    tidy = _tidied(schema, str, nullable=not omits)
    if tidy.get("type") == "object":
        tidy["additionalProperties"] = False
        if not omits:
            tidy["required"] = list(tidy.get("properties", ()))
    return _ordered(name, tidy)


def _ordered(title: str, schema: Schema) -> Schema:
    """Return a definition with its words in the order of their Enum, and nothing empty."""
    kind = _CLASSES.get(schema["title"])
    if "enum" in schema and kind is not None and issubclass(kind, StrEnum):
        schema["enum"] = [word.value for word in kind]
    return {key: part for key, part in (schema | {"title": title}).items() if part not in ({}, [])}


def _tidied(schema: Any, rename: Callable[[str], str], *, nullable: bool) -> Any:  # noqa: ANN401
    """Return msgspec's schema with our references, and with null said briefly or not at all."""
    match schema:
        case {"$ref": str(name)}:
            return {"$ref": _HERE + rename(name)}
        case {"anyOf": [*forms, {"type": "null"}], "default": None, **rest}:
            tidy = [_tidied(form, rename, nullable=nullable) for form in forms]
            return rest | _optional(tidy, nullable=nullable)
        case dict():
            return {key: _tidied(part, rename, nullable=nullable) for key, part in schema.items()}
        case list():
            return [_tidied(part, rename, nullable=nullable) for part in schema]
        case _:
            return schema


def _optional(forms: list[Schema], *, nullable: bool) -> Schema:
    match forms:
        case [form] if not nullable:
            return form
        case [{"type": str(kind), **rest}]:
            return {"type": [kind, "null"], **rest}
        case _:
            return {"anyOf": [*forms, {"type": "null"}] if nullable else forms}
