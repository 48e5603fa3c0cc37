"""Configuration and capabilities through the pipe (section 3)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.harness import Params, RefusedError, ScriptedKernel

PRIVATE = "hunter2-is-my-password"

WRONG: dict[str, list[Any]] = {
    "token_budget": ["many", -1, 1.5, True, [PRIVATE]],
    "types": [["user", PRIVATE], "user", [1], {"user": PRIVATE}],
    "scopes": [["galaxy"], True],
    "ratification": [PRIVATE, 1, ["off"]],
    "project_store": [PRIVATE, False],
    "lock_timeout_s": [-1, 1e9, PRIVATE],
    "callback_timeout_s": ["soon", -0.5],
    "max_record_bytes": [1, 1e15],
    "max_line_bytes": [-5, PRIVATE],
    "directory": [7, [PRIVATE]],
}


def capabilities(kernel: ScriptedKernel) -> Params:
    found: Params = kernel.call("memory.get_capabilities")["capabilities"]
    return found


def attributes(kernel: ScriptedKernel) -> list[Params]:
    found: list[Params] = capabilities(kernel)["config_schema"]["attributes"]
    return found


@pytest.mark.parametrize("category", ["memory", "tool", "slashcommand"])
def test_each_category_configures_the_whole(tmp_path: Path, category: str) -> None:
    """C1, C4: what is left out has its default again, whichever category said it before."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("The mail relay")
        assert kernel.recall("mail relay"), "all works without configure"
        first = {"token_budget": 7, "types": ["user"], "ratification": "all"}
        assert kernel.call(f"{category}.configure", config=first) == {}
        told = capabilities(kernel)
        assert (told["default_token_budget"], told["supported_types"]) == (7, ["user"])
        assert told["ratification_supported"] is True
        assert kernel.call("memory.configure", config={"scopes": ["global"]}) == {}
        told = capabilities(kernel)
        assert told["default_token_budget"] == 2000
        assert told["supported_types"] == ["user", "feedback", "project", "reference"]
        assert told["supported_scopes"] == ["global"]
        assert told["ratification_supported"] is False


@pytest.mark.parametrize("name", WRONG)
def test_an_ill_typed_attribute_is_refused_by_name(tmp_path: Path, name: str) -> None:
    """C2, E1, E2: MemoryError unknown, not retryable, never the value; the old one stays."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.call("memory.configure", config={"token_budget": 77})
        for value in WRONG[name]:
            with pytest.raises(RefusedError) as refused:
                kernel.call("memory.configure", config={"capture": "off", name: value})
            assert (refused.value.code, refused.value.data["category"]) == (-32000, "unknown")
            assert refused.value.data["retryable"] is False
            assert f"attribute {name}:" in refused.value.message
            assert PRIVATE not in str(refused.value.data)
            assert capabilities(kernel)["default_token_budget"] == 77
        assert PRIVATE not in str(kernel.asked)


def test_an_unknown_attribute_is_refused_by_name(tmp_path: Path) -> None:
    """C2, E2: also one that a newer kernel may know, and beside attributes that are right."""
    with ScriptedKernel(tmp_path) as kernel:
        for name in ("token_budge", "TOKEN_BUDGET", ""):
            with pytest.raises(RefusedError) as refused:
                kernel.call("memory.configure", config={"token_budget": 5, name: PRIVATE})
            assert refused.value.data["category"] == "unknown"
            assert f"attribute '{name}'" in refused.value.message
            assert PRIVATE not in str(refused.value.data)
        assert capabilities(kernel)["default_token_budget"] == 2000


@pytest.mark.parametrize("missing", [{}, {"config": None}, {"config": []}, {"config": "x"}])
def test_configure_without_a_configuration_is_a_malformed_call(
    tmp_path: Path, missing: Params
) -> None:
    """C2, W5: -32602, as for every method whose params miss their schema."""
    with ScriptedKernel(tmp_path) as kernel, pytest.raises(RefusedError) as refused:
        kernel.call("memory.configure", **missing)
    assert refused.value.code == -32602


def test_a_zero_value_means_unset(tmp_path: Path) -> None:
    """C2: "", 0, [] and null stand for attributes that were left out; {} is allowed."""
    zeros = {"string": "", "number": 0, "bool": False, "list_string": [], "object": {}}
    with ScriptedKernel(tmp_path) as kernel:
        unset = {one["name"]: zeros[one["type"]] for one in attributes(kernel)}
        before = capabilities(kernel)
        for config in (unset, dict.fromkeys(unset), {}):
            assert kernel.call("memory.configure", config=config) == {}
            assert capabilities(kernel) == before
        kernel.record("The mail relay")
        assert kernel.recall("mail relay")


def test_the_schema_is_true_to_itself(tmp_path: Path) -> None:
    """C3: defaults are JSON, fit, and change nothing; none where a secret may stand."""
    kinds = {"number": int | float, "string": str, "bool": bool, "list_string": list}
    with ScriptedKernel(tmp_path) as kernel:
        before, found = capabilities(kernel), attributes(kernel)
        defaults = {}
        for one in found:
            assert one["description"].endswith(".")
            assert one["required"] is False
            assert ("object_attributes" in one) == (one["type"] == "object")
            assert one["sensitive"] is False or "default_json" not in one
            if "default_json" in one:
                defaults[one["name"]] = json.loads(one["default_json"])
                assert isinstance(defaults[one["name"]], kinds[one["type"]])
        assert len({one["name"] for one in found}) == len(found)
        assert kernel.call("memory.configure", config=defaults) == {}
        assert capabilities(kernel) == before


def test_capabilities_come_at_any_time_and_need_nobody(tmp_path: Path) -> None:
    """C4: before configure, without a callback, without a folder; equal when asked again."""
    with ScriptedKernel(tmp_path) as kernel:
        first = capabilities(kernel)
        assert capabilities(kernel) == first
        assert kernel.asked == []
        assert first["supported_types"] == ["user", "feedback", "project", "reference"]
        assert first["supported_scopes"] == ["session", "project", "global"]
        assert first["ratification_supported"] is False
    assert not list((tmp_path / "project").rglob("*.md"))
    assert not (tmp_path / "project/.agent").exists()


def test_options_of_the_command_are_in_force_before_the_first_question(tmp_path: Path) -> None:
    """C4, C1: configure lies above them, and what it leaves out falls back to them."""
    options = ("--types", "user,feedback", "--ratification", "all", "--token-budget", "55")
    with ScriptedKernel(tmp_path, *options) as kernel:
        told = capabilities(kernel)
        assert told["supported_types"] == ["user", "feedback"]
        assert (told["ratification_supported"], told["default_token_budget"]) == (True, 55)
        kernel.call("memory.configure", config={"ratification": "off"})
        told = capabilities(kernel)
        assert (told["ratification_supported"], told["default_token_budget"]) == (False, 55)


def test_the_users_file_lies_below_the_command_line(tmp_path: Path) -> None:
    """C4, C2: defaults, file, command line, configure, each above the one before."""
    folder = tmp_path / "home/.config/agent/memory"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('token_budget = 11\ntypes = ["user"]\n')
    with ScriptedKernel(tmp_path, "--token-budget", "22") as kernel:
        told = capabilities(kernel)
        assert (told["default_token_budget"], told["supported_types"]) == (22, ["user"])
        kernel.call("memory.configure", config={"token_budget": 33})
        told = capabilities(kernel)
        assert (told["default_token_budget"], told["supported_types"]) == (33, ["user"])


def test_a_call_keeps_the_configuration_it_began_with(tmp_path: Path) -> None:
    """C1, W4: what waits for a callback is finished under the configuration of its start."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("The mail relay", type="user")
        kernel.answers["kernel.count_tokens"] = lambda _: (
            kernel.call("memory.configure", config={"types": ["feedback"]})
            or {"count": 3, "exact": False}
        )
        (record,) = kernel.recall("mail relay")
        assert record["type"] == "user"
        assert kernel.recall("mail relay") == []


@pytest.mark.parametrize("directory", ["relative", "~/memory", "/a\0b"])
def test_a_directory_that_is_none_is_refused_at_once(tmp_path: Path, directory: str) -> None:
    """C2: naming the attribute, not its value; the old configuration stays."""
    with ScriptedKernel(tmp_path) as kernel:
        with pytest.raises(RefusedError) as refused:
            kernel.call("memory.configure", config={"directory": directory})
        assert "directory" in refused.value.message
        assert directory not in refused.value.message
        kernel.record("Still in the old place.")


def test_a_directory_that_takes_no_files_is_unavailable(tmp_path: Path) -> None:
    """E1, W9: the write tells what it cannot reach, not where memplugin gave up."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.call("memory.configure", config={"directory": "/proc/nope"})
        with pytest.raises(RefusedError) as refused:
            kernel.record("Nowhere to go.", scope="global")
    assert refused.value.data["category"] == "source_unavailable"
