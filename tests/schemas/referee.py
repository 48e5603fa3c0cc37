"""The schema files by name, and the independent validator that judges with them."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from memplugin.protocol.methods import KERNEL_TO_PLUGIN, PLUGIN_TO_KERNEL

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "schemas"
METHODS = KERNEL_TO_PLUGIN | PLUGIN_TO_KERNEL

Schema = dict[str, Any]


@cache
def documents() -> dict[str, Schema]:
    """Return every schema file by its path below schemas/."""
    return {
        path.relative_to(FOLDER).as_posix(): json.loads(path.read_text("utf-8"))
        for path in sorted(FOLDER.rglob("*.json"))
    }


@cache
def registry() -> Registry[Any]:
    """Return all documents by their `$id`."""
    resources = [Resource[Schema].from_contents(document) for document in documents().values()]
    return resources @ Registry()


def file_of(method: str) -> str:
    """Return the path below schemas/ of a method's schema."""
    return f"{method.replace('.', '/')}.json"


def side(method: str, name: str) -> Schema:
    """Return the schema of a method's params or result, as it is written in its file."""
    schema: Schema = documents()[file_of(method)]["$defs"][name]
    return schema


@cache
def referee(method: str, name: str) -> Draft202012Validator:
    """Return who judges a method's params or result."""
    reference = f"{documents()[file_of(method)]['$id']}#/$defs/{name}"
    return Draft202012Validator({"$ref": reference}, registry=registry())
