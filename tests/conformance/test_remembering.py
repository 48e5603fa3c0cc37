"""memory.remember: without doubles, without secrets, never over a person's head (T1)."""

from pathlib import Path
from typing import Any

import pytest

from tests.harness import ScriptedKernel
from tests.invoking import given, remember, tool

KEYWORDS = {"type", "properties", "required", "enum", "items", "description"}


def events(kernel: ScriptedKernel) -> list[Any]:
    """Return what was emitted."""
    return [params for method, params, _ in kernel.asked if method == "kernel.emit"]


def stored(kernel: ScriptedKernel, id: str) -> Any:
    """Return a record."""
    return kernel.call("memory.get_record", id=id)["record"]


def test_what_a_model_remembers_says_where_it_is_from(tmp_path: Path) -> None:
    """D6, K4: provenance from the call alone, the write in the audit log."""
    context = {"session_id": "s7", "turn_id": "t3"}
    arguments = {"type": "user", "scope": "global", "content": "Ada writes Rust"}
    with ScriptedKernel(tmp_path) as kernel:
        payload = given(tool(kernel, "memory.remember", context, **arguments))
        record = stored(kernel, payload["id"])
        emitted = events(kernel)
    assert record["provenance"] == {
        "source_session_id": "s7",
        "source_turn_id": "t3",
        "recorded_by": "memory.remember",
    }
    assert [(e["session_id"], e["kind"]) for e in emitted] == [("s7", "memory_write")]
    assert payload["written"] is True


def test_an_id_of_the_same_type_and_scope_is_updated(tmp_path: Path) -> None:
    """T1, D4: content wholesale; under another type or scope candidates are listed instead."""
    with ScriptedKernel(tmp_path) as kernel:
        id = remember(kernel, "Deploys run on Mondays", title="Deploys")["id"]
        updated = remember(kernel, "Deploys moved to Wednesdays", title="Deploys", id=id)
        other = remember(kernel, "Deploys are dull", type="feedback", id=id)
        record = stored(kernel, id)
    assert (updated["written"], updated["id"]) == (True, id)
    assert record["content"] == [{"text": {"text": "Deploys moved to Wednesdays"}}]
    assert other["written"] is False
    assert [candidate["id"] for candidate in other["candidates"]] == [id]


def test_the_same_again_writes_nothing(tmp_path: Path) -> None:
    """T1, case 33: white space aside, the same title and content is that record, unchanged."""
    with ScriptedKernel(tmp_path) as kernel:
        first = remember(kernel, "The relay listens on port 2525", title="Relay")
        again = remember(kernel, " The relay  listens on port 2525\n", title="Relay")
        forced = remember(kernel, "The relay listens on port 2525", title="Relay", confirm_new=True)
        listed = kernel.call("memory.list_records")["records"]
        emitted = len(events(kernel))
    for payload in (again, forced):
        assert (payload["id"], payload["unchanged"], payload["written"]) == (
            first["id"],
            True,
            False,
        )
    assert (len(listed), emitted) == (1, 1)


def test_close_ones_are_listed_and_may_be_kept_apart(tmp_path: Path) -> None:
    """T1: nothing is written, the result says how to go on; confirm_new records."""
    text = "Always run the linter before committing to main"
    with ScriptedKernel(tmp_path) as kernel:
        first = remember(kernel, text, title="Lint first")
        close = remember(kernel, text + " please", title="Linting")
        kept = remember(kernel, text + " please", title="Linting", confirm_new=True)
        listed = kernel.call("memory.list_records")["records"]
    (candidate,) = close["candidates"]
    assert (candidate["id"], candidate["status"]) == (first["id"], "canonical")
    assert 0 < candidate["score"] <= 1
    assert "confirm_new" in close["note"]
    assert kept["written"] is True
    assert len(listed) == 2


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("Force-push to main is permitted", "Force-push to main is not permitted"),
        ("The gateway uses port 8080", "The gateway uses port 8081"),
    ],
)
def test_what_says_something_else_is_not_the_same(tmp_path: Path, known: str, new: str) -> None:
    """T1, case 33: never answered as unchanged."""
    with ScriptedKernel(tmp_path) as kernel:
        remember(kernel, known, title="a")
        told = remember(kernel, new, title="a")
    assert "unchanged" not in told


def test_other_sessions_and_types_are_no_candidates(tmp_path: Path) -> None:
    """T1, X2, case 20: only visible records of the same type and scope."""
    text = "Always run the linter before committing"
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record(text, scope="session", type="project", call_context={"session_id": "s9"})
        kernel.record(text, scope="project", type="reference")
        told = remember(kernel, text, scope="session")
    assert told["written"] is True


def test_records_that_came_with_a_project_are_no_candidates(tmp_path: Path) -> None:
    """T1: what is held back is neither shown, updated nor forgotten through a model."""
    folder = tmp_path / "project" / ".agent" / "memory"
    folder.mkdir(parents=True)
    (folder / "relay.md").write_text("---\ntype: project\n---\nThe relay listens on 2525\n")
    with ScriptedKernel(tmp_path) as kernel:
        told = remember(kernel, "The relay listens on 2525", id="relay")
        forgotten = tool(kernel, "memory.forget", id="relay")
    assert (told["written"], told["id"]) == (True, "relay-2")
    assert forgotten["error"]["category"] == "not_found"
    assert (folder / "relay.md").read_text().endswith("The relay listens on 2525\n")


def test_secrets_are_taken_out_before_anything_is_written(tmp_path: Path) -> None:
    """E2, case 38: in title and content; the result says what kind."""
    secret = "hunter2hunter2"  # noqa: S105 - of nothing
    with ScriptedKernel(tmp_path) as kernel:
        told = remember(kernel, f"The staging password={secret}", title=f"password={secret}")
        asked = str(kernel.asked)
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert told["redacted"] == ["password"]
    assert secret not in asked
    assert not [data for data in files if secret.encode() in data]


def test_a_ratified_record_is_only_proposed_to_be_changed(tmp_path: Path) -> None:
    """P3, T1: an update of a model is a draft beside it; approved, it takes its place."""
    with ScriptedKernel(tmp_path, "--ratification", "captured") as kernel:
        id = kernel.record("Deploys run on Mondays", type="project", id="deploys")
        told = remember(kernel, "Deploys run on Fridays", title="Deploys", id=id)
        again = remember(kernel, "Deploys run on Sundays", title="Deploys", id=id)
        before = stored(kernel, id)
        approved = kernel.call("memory.approve_record", id=told["id"])["result"]
        after = stored(kernel, id)
        listed = kernel.call("memory.list_records")["records"]
    assert (told["id"], told["status"]) == ("deploys-revision", "pending")
    assert again["id"] == told["id"]
    assert before["content"] == [{"text": {"text": "Deploys run on Mondays"}}]
    assert approved == {"id": id, "status": "canonical"}
    assert after["content"] == [{"text": {"text": "Deploys run on Sundays"}}]
    assert [record["id"] for record in listed] == [id]


def test_forgetting_a_ratified_record_is_only_asked_for(tmp_path: Path) -> None:
    """P3: a model's wish waits in a draft; approved, both are gone; rejected, the wish is."""
    with ScriptedKernel(tmp_path, "--ratification", "captured") as kernel:
        for id in ("one", "two"):
            kernel.record(f"text of {id}", type="project", id=id)
        told = [given(tool(kernel, "memory.forget", id=id)) for id in ("one", "two", "two")]
        kernel.call("memory.approve_record", id="one-removal")
        kernel.call("memory.reject_record", id="two-removal")
        listed = kernel.call("memory.list_records")["records"]
    assert [payload["deleted"] for payload in told] == [False] * 3
    assert "two-removal" in told[2]["note"]
    assert [record["id"] for record in listed] == ["two"]
