"""Direct commands and prompt expansions, through the pipe (T5, T6)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.harness import ScriptedKernel
from tests.invoking import command, given, remember, tool
from tests.talk import listed

NAMES = {
    "memory-search": "data_source",
    "memory-review": "data_source",
    "memory-remember": "resource",
    "memory-forget": "resource",
    "memory-approve": "resource",
    "memory-reject": "resource",
}


def told(event: Any) -> str:
    """Return a successful event's tree as text."""
    payload = given(event)
    assert set(payload["tree"]) == {"root"}
    return json.dumps(payload["tree"], ensure_ascii=False)


def drafting(folder: Path, ratification: str = "captured") -> ScriptedKernel:
    kernel = ScriptedKernel(folder)
    kernel.call("memory.configure", config={"ratification": ratification})
    return kernel


def test_the_commands_and_expansions_are_told(tmp_path: Path) -> None:
    """T5, C1, C4: kinds and risks, one configuration schema, names apart from one another."""
    with ScriptedKernel(tmp_path) as kernel:
        commands = kernel.call("slashcommand.get_capabilities")
        memory = kernel.call("memory.get_capabilities")["capabilities"]
        tools = kernel.call("tool.get_schema")
        producer = kernel.call("slashcommand.describe")["producer"]
    by_name = {each["name"]: each for each in commands["commands"]}
    assert {name: each["kind"] for name, each in by_name.items()} == NAMES
    for each in by_name.values():
        reads = each["kind"] == "data_source"
        assert each["risk"] == ("read_only" if reads else "moderate")
        assert each["streaming"] is False
        assert "output_schema" not in each
    expansions = memory["slash_commands"]
    assert expansions
    assert not {each["name"] for each in expansions} & by_name.keys()
    assert all("{" in each["template"] for each in expansions)
    assert commands["config_schema"] == memory["config_schema"] == tools["config_schema"]
    assert producer["category"] == "slashcommand"


def test_each_configure_sets_the_whole(tmp_path: Path) -> None:
    """C1: whichever category is configured, all three have it."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.call("slashcommand.configure", config={"ratification": "all"})
        assert kernel.call("memory.get_capabilities")["capabilities"]["ratification_supported"]
        kernel.call("tool.configure", config={})
        assert not kernel.call("memory.get_capabilities")["capabilities"]["ratification_supported"]


def test_a_person_remembers_searches_and_forgets(tmp_path: Path) -> None:
    """T5, K4, V2: without a model turn, as trees to look at, with their audit."""
    with ScriptedKernel(tmp_path) as kernel:
        event = command(kernel, "memory-remember", content="The mail relay listens on 2525.")
        (id,) = given(event)["ids"]
        assert "2525" in told(event)
        found = command(kernel, "memory-search", query="mail relay")
        assert given(found)["ids"] == [id]
        assert "memory.forget" in told(found)
        assert "forgotten" in told(command(kernel, "memory-forget", id=id))
        assert listed(kernel) == []
        kinds = [p["kind"] for m, p, _ in kernel.asked if m == "kernel.emit"]
    assert kinds == ["memory_write", "memory_delete"]


def test_review_shows_drafts_and_what_they_resemble(tmp_path: Path) -> None:
    """T5, V2, case 46: provenance and near matches; approve keeps, reject discards."""
    with drafting(tmp_path) as kernel:
        kernel.record("The mail relay listens on port 2525.", type="project", title="Mail relay")
        one = remember(kernel, "The mail relay listens on port 2526.", confirm_new=True)
        two = remember(kernel, "Invoices are sent on Fridays.")
        review = command(kernel, "memory-review")
        assert set(given(review)["ids"]) == {one["id"], two["id"]}
        text = told(review)
        assert "memory.remember" in text
        assert "Similar" in text
        assert "mail-relay" in text
        assert "kept" in told(command(kernel, "memory-approve", id=two["id"]))
        assert "kept" in told(command(kernel, "memory-approve", id=two["id"]))
        assert "discarded" in told(command(kernel, "memory-reject", id=one["id"]))
        statuses = {record["id"]: record["status"] for record in listed(kernel)}
        assert statuses == {"mail-relay": "canonical", two["id"]: "canonical"}
        assert "No drafts" in told(command(kernel, "memory-review"))


def test_what_a_person_remembers_is_no_draft_of_a_model(tmp_path: Path) -> None:
    """P3: under `captured` only what hooks and models write waits; under `all` everything."""
    for ratification, status in (("captured", "canonical"), ("all", "pending")):
        folder = tmp_path / ratification
        folder.mkdir()
        with drafting(folder, ratification) as kernel:
            given(command(kernel, "memory-remember", content="Invoices go out on Fridays."))
            assert [record["status"] for record in listed(kernel)] == [status]


def test_similar_memories_are_shown_instead_of_doubled(tmp_path: Path) -> None:
    """T1, T5: nothing is written; the same again is known already."""
    with ScriptedKernel(tmp_path) as kernel:
        text = "The mail relay of the Lisbon office listens on port 2525."
        command(kernel, "memory-remember", content=text)
        assert "Known already" in told(command(kernel, "memory-remember", content=text))
        assert len(listed(kernel)) == 1


@pytest.mark.parametrize(
    ("name", "arguments", "category"),
    [
        ("memory-forget", {"id": "nothing-here"}, "not_found"),
        ("memory-forget", {}, "invalid_arguments"),
        ("memory-search", {"query": " "}, "invalid_arguments"),
        ("memory-search", {"query": 7}, "invalid_arguments"),
        ("memory-remember", {"content": ""}, "invalid_arguments"),
        ("memory-approve", {"id": "x"}, "execution_failed"),
        ("memory-reject", {"id": "x"}, "execution_failed"),
        ("memory-dance", {}, "not_found"),
    ],
)
def test_every_failure_is_an_event(
    tmp_path: Path, name: str, arguments: dict[str, Any], category: str
) -> None:
    """T2, T6: never an error of the call."""
    with ScriptedKernel(tmp_path) as kernel:
        error = command(kernel, name, **arguments)["error"]
    assert error["category"] == category
    assert error["retryable"] is False
    assert error["message"]


def test_a_person_finds_what_came_with_a_project(tmp_path: Path) -> None:
    """T5, X2: a person's search shows it, a model's does not."""
    with ScriptedKernel(tmp_path) as kernel:
        folder = kernel.project / ".agent" / "memory"
        folder.mkdir(parents=True)
        (folder / "evil.md").write_text("The mail relay listens on 2525.", encoding="utf-8")
        assert given(command(kernel, "memory-search", query="mail relay"))["ids"] == ["evil"]
        found = given(tool(kernel, "memory.search", query="mail relay"))
        assert found["records"] == []
