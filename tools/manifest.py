"""The schema of plugin.toml, decoded to JSON (G1): a registry needs nothing else to check one."""

from definitions import Definitions, Schema

from memplugin.protocol.capabilities import ProducerCategory
from memplugin.protocol.requests import HookMode, HookPoint

_SEMVER = (
    r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$"
)


def manifest(definitions: Definitions) -> Schema:
    """Return the schema of a manifest, without `$schema`, `$id` and title."""
    schema = _object(
        name={
            "description": "Unique in a registry; what `describe` says.",
            "type": "string",
            "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$",
        },
        version={"description": "A semantic version.", "type": "string", "pattern": _SEMVER},
        source={
            "description": "Where the plugin comes from.",
            "type": "string",
            "format": "uri",
            "pattern": "^[a-z][a-z0-9+.-]*:",
        },
        description={"type": "string", "minLength": 1},
        license={"description": "An SPDX expression.", "type": "string", "minLength": 1},
        schemas={
            "description": "The folder of the schemas, relative to plugin.toml.",
            "type": "string",
            "minLength": 1,
        },
        categories={
            "description": "What the one process serves, each over the same pipe.",
            "type": "array",
            "items": _object(
                name={"enum": [word.value for word in ProducerCategory]},
                protocol_version={"type": "integer", "minimum": 1},
            ),
            "minItems": 1,
            "uniqueItems": True,
        },
        command={
            "description": "What a kernel spawns; a program without a slash is looked up in PATH.",
            **_object(
                program={"type": "string", "minLength": 1},
                args={"type": "array", "items": {"type": "string"}},
            ),
        },
        transport=_object(
            kind={"const": "stdio"},
            protocol={"const": "jsonrpc-2.0"},
            framing={"description": "One message a line (W1).", "const": "lines"},
        ),
        hooks={
            "description": "The hook points that do something in the plugin, and in which modes.",
            **_object(
                points=_words(HookPoint),
                modes={**_words(HookMode), "minItems": 1},
            ),
        },
        config_schema={"$ref": "#/$defs/ConfigSchema"},
    )
    return schema | {"$defs": definitions.reachable([schema])}


def _object(**properties: Schema) -> Schema:
    """Return the schema of an object that has all of these members and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _words(kind: type[HookPoint] | type[HookMode]) -> Schema:
    items = {"enum": [word.value for word in kind]}
    return {"type": "array", "items": items, "uniqueItems": True}
