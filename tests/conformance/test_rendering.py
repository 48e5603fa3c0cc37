"""memory.render through the pipe (section 10)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.harness import RefusedError, ScriptedKernel

CONTENT = "See [[mail-relay]], [[mail-relay|the relay]], [[nothing-here]] and `[[code]]`."


def nodes(tree: Any) -> Iterator[tuple[str, Any]]:
    """Pass on every node of a tree with its kind."""
    if isinstance(tree, dict):
        for kind, inside in tree.items():
            if isinstance(inside, dict):
                yield kind, inside
            yield from nodes(inside)
    elif isinstance(tree, list):
        for each in tree:
            yield from nodes(each)


def rendered(kernel: ScriptedKernel, payload: Any, version: str = "1") -> Any:
    return kernel.call("memory.render", payload=payload, schema_version=version)["tree"]


def written(kernel: ScriptedKernel, **more: Any) -> Any:
    """Record something on behalf of a session; return the event's payload."""
    kernel.record(CONTENT, call_context={"session_id": "s"}, **more)
    return next(p for m, p, _ in reversed(kernel.asked) if m == "kernel.emit")


def test_an_event_is_shown_as_it_was_sent(tmp_path: Path) -> None:
    """V1, V2, L3: title, type, scope, status, provenance, content with links, forgetting."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("It listens on 2525.", id="mail-relay", title="The mail relay of Lisbon")
        event = written(kernel, title="Where mail goes")
        tree = rendered(kernel, event["payload"], event["schema_version"])
    shown = list(nodes(tree["root"]))
    assert tree["root"]["collapsible"]["summary"] == "Where mail goes"
    (table,) = [node for kind, node in shown if kind == "table"]
    facts = dict(zip(table["headers"], table["rows"][0]["cells"], strict=True))
    assert facts["type"] == "reference"
    assert facts["scope"] == "project"
    assert facts["status"] == "canonical"
    assert facts["recorded by"] == "memplugin"
    links = [node for kind, node in shown if kind == "link"]
    assert links == [
        {"text": "The mail relay of Lisbon", "url": "memory:mail-relay"},
        {"text": "the relay", "url": "memory:mail-relay"},
        {"text": "nothing-here", "url": "memory:nothing-here"},
    ]
    texts = "".join(node["content"] for kind, node in shown if kind == "text")
    assert texts.count("[[") == 1
    assert "`[[code]]`" in texts
    (action,) = [node for kind, node in shown if kind == "action"]
    assert action["tool_name"] == "memory.forget"
    assert action["args"] == {"id": event["payload"]["record_id"]}
    assert action["provider"] == "memplugin"


def test_a_bare_record_is_shown_with_its_age(tmp_path: Path) -> None:
    """V1, V2: schema_version record/1, as get_record gives it, with or without its envelope."""
    with ScriptedKernel(tmp_path, "--clock", "2026-03-01T09:00:00Z") as kernel:
        id = kernel.record("It listens on 2525.", call_context={"session_id": "s"})
    with ScriptedKernel(tmp_path, "--clock", "2026-03-04T10:00:00Z") as kernel:
        answer = kernel.call("memory.get_record", id=id)
        trees = [rendered(kernel, payload, "record/1") for payload in (answer, answer["record"])]
    assert trees[0] == trees[1]
    text = json.dumps(trees[0])
    assert "3 days ago (2026-03-01)" in text
    assert '"session"' in text


def test_a_draft_says_that_it_is_one_and_what_to_type(tmp_path: Path) -> None:
    """V2: with both commands and the id."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.call("memory.configure", config={"ratification": "all"})
        event = written(kernel, title="A rule")
        tree = rendered(kernel, event["payload"])
    id = event["payload"]["record_id"]
    assert "draft" in tree["root"]["collapsible"]["summary"]
    assert f"/memory-approve {id}" in json.dumps(tree)
    assert f"/memory-reject {id}" in json.dumps(tree)


def test_a_deletion_is_shown_without_content_or_action(tmp_path: Path) -> None:
    """V1, K4: never on delete, neither content nor something to do."""
    with ScriptedKernel(tmp_path) as kernel:
        event = written(kernel)
        id = event["payload"]["record_id"]
        kernel.call("memory.delete_record", id=id, call_context={"session_id": "s"})
        gone = next(p for m, p, _ in reversed(kernel.asked) if m == "kernel.emit")
        kinds = {kind for kind, _ in nodes(rendered(kernel, gone["payload"])["root"])}
    assert gone["kind"] == "memory_delete"
    assert "link" not in kinds
    assert "action" not in kinds


@pytest.mark.parametrize("hidden", ["\u200b", "\u202e", "\x1b[31m", "\u2066", "\ufeff", "\x00"])
def test_hidden_characters_are_made_visible(tmp_path: Path, hidden: str) -> None:
    """V2, case 47: zero width, bidirectional overrides, control characters."""
    with ScriptedKernel(tmp_path) as kernel:
        event = written(kernel, title=f"Safe{hidden}title")
        event["payload"]["content"] = [{"text": {"text": f"run{hidden}this"}}]
        tree = rendered(kernel, event["payload"])
    text = json.dumps(tree, ensure_ascii=False)
    assert hidden not in text
    assert f"U+{ord(hidden[0]):04X}" in text


@pytest.mark.parametrize("version", ["2", "", "record/2", "1.0", "x" * 500])
def test_an_unknown_version_is_refused_by_name(tmp_path: Path, version: str) -> None:
    """V1, E1: `unknown`, naming it."""
    with ScriptedKernel(tmp_path) as kernel, pytest.raises(RefusedError) as refused:
        rendered(kernel, {"record_id": "a", "attributes": {}}, version)
    assert refused.value.code == -32000
    assert version[:30] in refused.value.message
    assert len(refused.value.message) < 200


@pytest.mark.parametrize("payload", [{}, {"record_id": 7}, {"record_id": "a", "attributes": []}])
def test_another_shape_is_invalid(tmp_path: Path, payload: dict[str, Any]) -> None:
    """V1: -32602 with its place."""
    for version in ("1", "record/1"):
        with ScriptedKernel(tmp_path) as kernel, pytest.raises(RefusedError) as refused:
            rendered(kernel, payload, version)
        assert refused.value.code == -32602
        assert refused.value.data["errors"][0]["path"] == "/payload"


def test_a_hidden_records_title_does_not_leak(tmp_path: Path) -> None:
    """L3, X2: a link to another session's record shows its name, not its title."""
    with ScriptedKernel(tmp_path) as kernel:
        context = {"session_id": "other"}
        kernel.record("x", id="mail-relay", title="Hush", scope="session", call_context=context)
        kernel.record("y", call_context={"session_id": "s"})
        event = written(kernel)
        assert "Hush" not in json.dumps(rendered(kernel, event["payload"]))
