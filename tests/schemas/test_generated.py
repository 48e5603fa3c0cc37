"""The files under schemas/ are what the Structs say, and good JSON Schema."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator
from msgspec import Raw

from memplugin.config import Config, config_schema, parse_config
from memplugin.parsing import parse
from memplugin.protocol.methods import KERNEL_TO_PLUGIN
from tests.schemas.referee import (
    FOLDER,
    METHODS,
    ROOT,
    Schema,
    documents,
    file_of,
    referee,
    registry,
    side,
)

SIDES = [(method, name) for method in METHODS for name in ("params", "result")]


def run_tool(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "tools" / "schemas.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=root.parent)


def test_the_files_are_current() -> None:
    """W5, G1: schemas/ is what the generator makes of the Structs now."""
    done = run_tool(ROOT, "--check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_stale_files_are_named_and_mended(tmp_path: Path) -> None:
    """W5, G1: a changed, a missing and a left-over file are each named; writing mends all three."""
    for name in ("memplugin", "tools", "schemas"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    schemas = tmp_path / "schemas"
    (schemas / "types.json").write_text("{}", "utf-8")
    (schemas / "memory" / "recall.json").unlink()
    (schemas / "memory" / "recollect.json").write_text("{}", "utf-8")
    checked = run_tool(tmp_path, "--check")
    assert checked.returncode == 1
    named = {line.split(" is stale")[0] for line in checked.stdout.splitlines()}
    changed = {"types.json", "memory/recall.json", "memory/recollect.json"}
    assert named == {f"schemas/{name}" for name in changed}
    assert run_tool(tmp_path).returncode == 0
    for name in ("types.json", "memory/recall.json"):
        assert (schemas / name).read_bytes() == (FOLDER / name).read_bytes()
    assert not (schemas / "memory" / "recollect.json").exists()
    assert run_tool(tmp_path, "--check").returncode == 0


def test_every_method_has_its_file_and_no_other_is_there() -> None:
    """G1: one file a method, the types they share, the manifest's schema, and a version."""
    assert set(documents()) == {"types.json", "plugin.schema.json", *map(file_of, METHODS)}
    assert (FOLDER / "VERSION").read_text("utf-8").split(".")[0] == "1"


@pytest.mark.parametrize("name", documents())
def test_a_file_is_valid_draft_2020_12(name: str) -> None:
    """G1: the meta-schema accepts each file; ids are where the files are; every reference leads."""
    document = documents()[name]
    assert document["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    Draft202012Validator.check_schema(document)
    assert document["$id"] == documents()["types.json"]["$id"].replace("types.json", name)
    assert document["title"]
    assert document["description"]
    resolver = registry().resolver(document["$id"])
    for target in references(document):
        resolver.lookup(target)


@pytest.mark.parametrize("name", documents())
def test_a_file_can_be_read_by_people(name: str) -> None:
    """G1: two spaces a level, no escapes but JSON's own, one LF at the end."""
    text = (FOLDER / name).read_text("utf-8")
    assert text.endswith("}\n")
    assert not text.endswith("\n\n")
    lines = [line for line in text.splitlines() if line.strip()]
    assert all((len(line) - len(line.lstrip(" "))) % 2 == 0 for line in lines)
    assert "\\u" not in text


def test_every_shared_type_is_referred_to() -> None:
    """G1: types.json holds nothing that no method uses."""
    used = {
        target.rpartition("/")[2]
        for document in documents().values()
        for target in references(document)
        if "/$defs/" in target
    }
    assert set(documents()["types.json"]["$defs"]) <= used


def references(schema: Any) -> Iterator[str]:
    match schema:
        case {"$ref": str(target)}:
            yield target
        case dict():
            for name, part in schema.items():
                yield from references(part) if name != "examples" else ()
        case list():
            for part in schema:
                yield from references(part)


@pytest.mark.parametrize(("method", "name"), SIDES)
def test_examples_are_valid(method: str, name: str) -> None:
    """W5, G1: each side of each method has examples, and they keep to the schema."""
    examples = side(method, name)["examples"]
    assert examples
    for example in examples:
        referee(method, name).validate(example)


@pytest.mark.parametrize(("method", "name"), SIDES)
def test_examples_are_values_of_the_structs(method: str, name: str) -> None:
    """W5: examples of params are parsed; what we send is sent just so."""
    ours = (name == "result") == (method in KERNEL_TO_PLUGIN)
    for example in side(method, name)["examples"]:
        raw = Raw(json.dumps(example).encode())
        if ours:
            kind = METHODS[method][name == "result"]
            assert json.loads(msgspec.json.encode(msgspec.json.decode(raw, type=kind))) == example
        elif method in KERNEL_TO_PLUGIN:
            parse(raw, method)
        else:
            msgspec.json.decode(raw, type=METHODS[method][1])


def test_examples_show_attributes_that_exist() -> None:
    """C2, C3: configurations in examples are accepted, attributes shown are those of the plugin."""
    real = msgspec.to_builtins(config_schema())["attributes"]
    for category in ("memory", "tool", "slashcommand"):
        for example in side(f"{category}.configure", "params")["examples"]:
            parse_config(example["config"], Config())
    shown = [attribute for document in documents().values() for attribute in attributes(document)]
    assert shown
    assert [attribute for attribute in shown if attribute not in real] == []


def attributes(document: Any, *, inside: bool = False) -> Iterator[Schema]:
    """Yield the configuration attributes in a document's examples."""
    match document:
        case {"attributes": list(found)} if inside:
            yield from found
        case dict():
            for name, part in document.items():
                yield from attributes(part, inside=inside or name == "examples")
        case list():
            for part in document:
                yield from attributes(part, inside=inside)


def test_optional_fields_may_be_null_and_results_hold_nothing_unknown() -> None:
    """W5: params leave room for a newer kernel; what we send is closed, to the last object."""
    defs = documents()["types.json"]["$defs"]
    for method in KERNEL_TO_PLUGIN:
        params = side(method, "params")
        required = params.get("required", [])
        for name in params.get("properties", {}).keys() - set(required):
            assert of_field(method, name).is_valid(None), (method, name)
        assert "additionalProperties" not in params
        assert side(method, "result")["additionalProperties"] is False
    for name in ("MemoryRecord", "ContentBlock", "TextBlock", "Provenance", "RenderNode"):
        assert defs[name]["additionalProperties"] is False


def of_field(method: str, name: str) -> Draft202012Validator:
    reference = f"{documents()[file_of(method)]['$id']}#/$defs/params/properties/{name}"
    return Draft202012Validator({"$ref": reference}, registry=registry())
