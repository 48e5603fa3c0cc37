"""schemas/plugin.schema.json: what a registry checks a plugin.toml with."""

from copy import deepcopy
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.schemas.referee import Schema, documents

SCHEMA = documents()["plugin.schema.json"]
EXAMPLE: Schema = SCHEMA["examples"][0]
SECTIONS = ("command", "transport", "hooks", "config_schema")

# No registry of other files: this one must be enough.
judge = Draft202012Validator(SCHEMA)


def with_attribute(**changes: Any) -> Schema:
    manifest = deepcopy(EXAMPLE)
    manifest["config_schema"]["attributes"][0] |= changes
    return manifest


def test_the_example_is_valid_by_this_file_alone() -> None:
    """G1: a registry needs nothing else."""
    judge.validate(EXAMPLE)


@pytest.mark.parametrize("name", EXAMPLE)
def test_every_part_is_required(name: str) -> None:
    """G1: a manifest that leaves something out is refused."""
    manifest = {key: part for key, part in EXAMPLE.items() if key != name}
    assert [error.message for error in judge.iter_errors(manifest)] == [
        f"{name!r} is a required property"
    ]


@pytest.mark.parametrize("section", SECTIONS)
def test_every_part_of_a_section_is_required_and_no_other_known(section: str) -> None:
    """G1: a slip of the pen in a section is noticed."""
    for name in EXAMPLE[section]:
        cut = {key: part for key, part in EXAMPLE[section].items() if key != name}
        assert not judge.is_valid(EXAMPLE | {section: cut})
    assert not judge.is_valid(EXAMPLE | {section: EXAMPLE[section] | {"more": 1}})
    assert not judge.is_valid(EXAMPLE | {"more": 1})


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Mem Plugin"},
        {"version": "1.0"},
        {"version": "01.0.0"},
        {"source": "memplugin"},
        {"license": ""},
        {"categories": []},
        {"categories": [{"name": "memories", "protocol_version": 1}]},
        {"categories": [{"name": "memory", "protocol_version": 0}]},
        {"categories": [{"name": "memory"}]},
        {"categories": [{"name": "memory", "protocol_version": 1}] * 2},
        {"command": {"program": "", "args": []}},
        {"command": {"program": "memplugin", "args": "serve"}},
        {"transport": EXAMPLE["transport"] | {"framing": "content-length"}},
        {"hooks": EXAMPLE["hooks"] | {"points": ["session_began"]}},
        {"hooks": EXAMPLE["hooks"] | {"modes": []}},
    ],
)
def test_wrong_words_are_refused(change: Schema) -> None:
    """G1: each part is checked, not only there."""
    assert not judge.is_valid(EXAMPLE | change)


@pytest.mark.parametrize("version", ["1.2.3", "1.0.0-rc.1", "1.0.0+build.5", "0.1.0-a-b+c"])
def test_semantic_versions_are_taken(version: str) -> None:
    """G1: with a pre-release and with build metadata."""
    judge.validate(EXAMPLE | {"version": version})


def test_attributes_are_consistent() -> None:
    """C3: no default of what is sensitive; object_attributes if and only if it is an object."""
    inner = {
        "name": "token",
        "type": "string",
        "required": False,
        "sensitive": False,
        "description": "A token.",
    }
    assert not judge.is_valid(with_attribute(sensitive=True))
    assert not judge.is_valid(with_attribute(type="object"))
    assert not judge.is_valid(with_attribute(object_attributes=[inner]))
    assert not judge.is_valid(with_attribute(type="object", object_attributes=[{"name": "token"}]))
    judge.validate(with_attribute(type="object", object_attributes=[inner]))
    judge.validate(EXAMPLE | {"config_schema": {"attributes": [inner | {"sensitive": True}]}})
