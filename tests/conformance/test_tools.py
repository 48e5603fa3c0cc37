"""The tools of a model, through the pipe."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from memplugin.service.tool_schemas import TOOLS
from tests.harness import RefusedError, ScriptedKernel
from tests.invoking import given, preview, remember, tool

KEYWORDS = {"type", "properties", "required", "enum", "items", "description"}


def events(kernel: ScriptedKernel) -> list[Any]:
    """Return what was emitted."""
    return [params for method, params, _ in kernel.asked if method == "kernel.emit"]


def stored(kernel: ScriptedKernel, id: str) -> Any:
    """Return a record."""
    return kernel.call("memory.get_record", id=id)["record"]


def test_the_schemas_are_small_and_plain(tmp_path: Path) -> None:
    """T3, C4: limited keywords and size, valid schemas, one configuration schema for all."""

    def without_descriptions(schema: Any) -> Any:
        if isinstance(schema, list):
            return [without_descriptions(each) for each in schema]
        if not isinstance(schema, dict):
            return schema
        assert set(schema) <= KEYWORDS
        inner = {k: v for k, v in schema.items() if k != "description"}
        if "properties" in inner:
            found = inner["properties"].items()
            inner["properties"] = {name: without_descriptions(each) for name, each in found}
        if "items" in inner:
            inner["items"] = without_descriptions(inner["items"])
        return inner

    with ScriptedKernel(tmp_path) as kernel:
        told = kernel.call("tool.get_schema")
        capabilities = kernel.call("memory.get_capabilities")["capabilities"]
        producer = kernel.call("tool.describe")["producer"]
    schemas = [tool[side] for tool in told["tools"] for side in ("input_schema", "output_schema")]
    for schema in schemas:
        jsonschema.Draft202012Validator.check_schema(schema)
    assert sum(len(json.dumps(without_descriptions(schema))) for schema in schemas) < 2500
    assert told["config_schema"] == capabilities["config_schema"]
    assert producer["category"] == "tool"
    by_name = {one["name"]: one for one in told["tools"]}
    assert {name: (t["kind"], t["risk"], t["idempotent"]) for name, t in by_name.items()} == {
        "memory.remember": ("resource", "moderate", False),
        "memory.forget": ("resource", "moderate", True),
        "memory.search": ("data_source", "read_only", True),
    }
    assert by_name["memory.remember"]["concurrency"] == {"safe": True, "key_fields": ["id"]}


def test_forget_removes_one_for_good(tmp_path: Path) -> None:
    """T2, K4: an id that is unknown, or known no more, is not_found."""
    with ScriptedKernel(tmp_path) as kernel:
        id = remember(kernel, "A thing")["id"]
        told = given(tool(kernel, "memory.forget", id=id))
        again = tool(kernel, "memory.forget", id=id)["error"]
        emitted = events(kernel)
    assert told["deleted"] is True
    assert (again["category"], again["retryable"]) == ("not_found", False)
    assert emitted[-1]["kind"] == "memory_delete"
    assert "content" not in emitted[-1]["payload"]


def test_search_says_what_matched_within_its_budget(tmp_path: Path) -> None:
    """T1, R5, K1: scores, ids, the words met; tokens as the kernel counts them."""
    with ScriptedKernel(tmp_path) as kernel:
        for n in range(4):
            kernel.record(f"The mail relay of site {n} listens on port 2525", id=f"relay-{n}")
        kernel.record("Tea is at four", id="tea")
        all_of_them = given(tool(kernel, "memory.search", query="which port, mail relays?"))
        few = given(tool(kernel, "memory.search", query="mail relay port", token_budget=20))
        none = given(tool(kernel, "memory.search", query="zqxv blorptang"))
    records = all_of_them["records"]
    assert {record["id"] for record in records} == {f"relay-{n}" for n in range(4)}
    assert all(0 < record["score"] <= 1 for record in records)
    assert all({"mail", "port,"} <= set(record["matched"]) for record in records)
    assert sum(record["tokens"] for record in few["records"]) <= 20
    assert len(few["records"]) == 2
    assert none["records"] == []


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("memory.remember", {}),
        ("memory.remember", []),
        ("memory.remember", "text"),
        ("memory.remember", 7),
        ("memory.remember", {"type": "nope", "scope": "project", "content": "x"}),
        ("memory.remember", {"type": "user", "scope": "global", "content": ["x"]}),
        ("memory.remember", {"type": "user", "scope": "global", "content": " \n\u200a"}),
        ("memory.remember", {"type": "user", "scope": "global", "content": "x" * 1_100_000}),
        ("memory.remember", {"type": "user", "scope": "global", "content": "x", "id": "i" * 301}),
        ("memory.remember", {"type": "user", "scope": "global", "content": "x", "title": 1}),
        ("memory.forget", {}),
        ("memory.forget", {"id": None}),
        ("memory.forget", {"id": {"$ne": 1}}),
        ("memory.search", {"query": "  "}),
        ("memory.search", {"query": "x" * 60_000}),
        ("memory.search", {"query": "x", "types": ["nope"]}),
        ("memory.search", {"query": "x", "types": "user"}),
        ("memory.search", {"query": "x", "token_budget": -1}),
    ],
)
def test_bad_arguments_are_told(tmp_path: Path, name: str, arguments: Any) -> None:
    """T2, T6: what misses the schema is an event, names the argument and quotes nothing."""
    call = {"id": "c", "tool_name": name, "arguments": arguments, "call_context": {}}
    with ScriptedKernel(tmp_path) as kernel:
        error = kernel.call("tool.invoke", call=call)["event"]["error"]
        shown = kernel.call("tool.preview", call=call)["preview"]["root"]
        assert kernel.call("memory.list_records")["records"] == []
    assert (error["category"], error["retryable"]) == ("invalid_arguments", False)
    assert error["details"]["errors"]
    assert len(error["message"]) < 300
    assert shown["text"]["style"] == "error"


@pytest.mark.parametrize("id", ["../up", "/etc/cron.d/x", "C:\\x", "a\0b", "A", "con", "", "🎉"])
def test_hostile_ids_are_not_found(tmp_path: Path, id: str) -> None:
    """T2, case 44: never a path."""
    with ScriptedKernel(tmp_path) as kernel:
        assert tool(kernel, "memory.forget", id=id)["error"]["category"] == "not_found"


@pytest.mark.parametrize(
    "text", ["部署前先跑测试", "\u202eevil", "e\u0301", "a\0b", "---\nid: x\n---"]
)
def test_any_text_is_kept_exactly(tmp_path: Path, text: str) -> None:
    """D5: through the tool too."""
    with ScriptedKernel(tmp_path) as kernel:
        id = remember(kernel, text, title="t")["id"]
        assert stored(kernel, id)["content"] == [{"text": {"text": text}}]


def test_results_conform_to_what_is_declared(tmp_path: Path) -> None:
    """T2: every shape of result is valid by its output_schema."""
    text = "Always run the linter before committing to main"
    with ScriptedKernel(tmp_path) as kernel:
        told = [
            ("memory.remember", remember(kernel, text + " password=hunter2hunter2")),
            ("memory.remember", remember(kernel, text + " password=hunter2hunter2")),
            ("memory.remember", remember(kernel, text, title="Lint")),
            ("memory.search", given(tool(kernel, "memory.search", query="linter"))),
            ("memory.search", given(tool(kernel, "memory.search", query="blorptang"))),
        ]
        id = told[0][1]["id"]
        told.append(("memory.forget", given(tool(kernel, "memory.forget", id=id))))
    for name, payload in told:
        jsonschema.Draft202012Validator(TOOLS[name].output_schema).validate(payload)
        assert set(payload) <= set(TOOLS[name].output_schema["properties"])


def test_a_preview_shows_and_changes_nothing(tmp_path: Path) -> None:
    """T4: a diff for an update; nothing written, nothing emitted."""
    with ScriptedKernel(tmp_path) as kernel:
        id = kernel.record("one\ntwo\nthree", type="project", title="Counting")
        more = {"type": "project", "scope": "project", "title": "Counting"}
        update = preview(kernel, "memory.remember", content="one\n2\nthree", id=id, **more)
        new = preview(
            kernel, "memory.remember", content="Tea is at four", **more | {"title": "Tea"}
        )
        gone = preview(kernel, "memory.forget", id=id)
        listed = kernel.call("memory.list_records")["records"]
        emitted = events(kernel)
    heading, diff = update["group"]["children"]
    assert id in heading["text"]["content"]
    (hunk,) = diff["diff"]["hunks"]
    assert [(line["op"], line["text"]) for line in hunk["lines"]] == [
        ("context", "one"),
        ("remove", "two"),
        ("add", "2"),
        ("context", "three"),
    ]
    assert (hunk["old_start"], hunk["old_lines"], hunk["new_lines"]) == (1, 3, 3)
    assert "Tea is at four" in str(new)
    assert "Forgets" in str(gone)
    assert [record["content"] for record in listed] == [[{"text": {"text": "one\ntwo\nthree"}}]]
    assert emitted == []


def test_only_a_malformed_call_is_refused_as_params(tmp_path: Path) -> None:
    """T6: no call or no call_context is -32602; an unknown tool is an event."""
    with ScriptedKernel(tmp_path) as kernel:
        for params in ({}, {"call": {"id": "c", "tool_name": "memory.forget"}}):
            with pytest.raises(RefusedError) as refused:
                kernel.call("tool.invoke", **params)
            assert refused.value.code == -32602
        assert tool(kernel, "memory.nothing")["error"]["category"] == "not_found"


def test_unreachable_storage_is_retryable(tmp_path: Path) -> None:
    """T2: source_unavailable is execution_failed, retryable."""
    arguments = {"type": "project", "scope": "project", "content": "x"}
    context = {"session_id": "s1", "working_directory": str(tmp_path / "gone")}
    with ScriptedKernel(tmp_path) as kernel:
        error = tool(kernel, "memory.remember", context, **arguments)["error"]
    assert (error["category"], error["retryable"]) == ("execution_failed", True)
