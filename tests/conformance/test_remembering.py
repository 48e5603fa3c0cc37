"""memory.remember: without doubles, without secrets, never over a person's head (T1)."""

from pathlib import Path
from typing import Any

import pytest

from tests.harness import RefusedError, ScriptedKernel
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


def test_an_update_without_a_title_keeps_it(tmp_path: Path) -> None:
    """D4, T1: as update_record does."""
    with ScriptedKernel(tmp_path) as kernel:
        id = remember(kernel, "It listens on 2525.", title="Mail relay")["id"]
        remember(kernel, "It listens on 2526.", id=id)
        record = stored(kernel, id)
    assert record["title"] == "Mail relay"
    assert "2526" in record["content"][0]["text"]["text"]


def test_a_wish_to_remove_cannot_be_disguised(tmp_path: Path) -> None:
    """P3, V2: what a person is asked to approve says what it does, whatever a model writes."""
    with ScriptedKernel(tmp_path) as kernel:
        id = kernel.record("Never deploy on Fridays.", type="feedback", title="No Fridays")
        kernel.call("memory.configure", config={"ratification": "captured"})
        tool(kernel, "memory.forget", id=id)
        removal = f"{id}-removal"
        before = stored(kernel, removal)
        for confirm_new in (False, True):
            tool(
                kernel,
                "memory.remember",
                type="feedback",
                scope="project",
                title="Coffee",
                content="Coffee is on floor 2.",
                id=removal,
                confirm_new=confirm_new,
            )
        assert stored(kernel, removal) == before


def test_what_was_proposed_before_a_person_changed_the_record_is_not_carried_out(
    tmp_path: Path,
) -> None:
    """P3: neither a change nor a removal wins over a later edit."""
    with ScriptedKernel(tmp_path) as kernel:
        id = kernel.record("Deploy on Mondays.", title="Deploy day")
        kernel.call("memory.configure", config={"ratification": "captured"})
        arguments: dict[str, Any] = {"type": "reference", "scope": "project", "id": id}
        tool(kernel, "memory.remember", content="Deploy on Tuesdays.", **arguments)
        tool(kernel, "memory.forget", id=id)
        mine = [{"text": "Deploy on Wednesdays."}]
        kernel.call("memory.update_record", id=id, content=mine)
        for draft in (f"{id}-revision", f"{id}-removal"):
            with pytest.raises(RefusedError):
                kernel.call("memory.approve_record", id=draft)
        assert "Wednesdays" in stored(kernel, id)["content"][0]["text"]["text"]


def test_two_processes_that_remember_the_same_make_one_record(tmp_path: Path) -> None:
    """T1, W4: the look and the deed are one, for every process."""
    with ScriptedKernel(tmp_path) as one, ScriptedKernel(tmp_path) as two:
        for number in range(10):
            content = f"The number of locker {number} is {number * 7}."
            arguments: dict[str, Any] = {"type": "project", "scope": "project"}
            arguments |= {"content": content, "confirm_new": True}
            call: dict[str, Any] = {
                "id": "c",
                "tool_name": "memory.remember",
                "arguments": arguments,
            }
            call["call_context"] = {"session_id": "s"}
            asked = [(kernel, kernel.send("tool.invoke", call=call)) for kernel in (one, two)]
            answers = [kernel.wait_for(id)["result"]["event"] for kernel, id in asked]
            assert sorted(given(answer)["written"] for answer in answers) == [False, True]
        assert len(one.call("memory.list_records")["records"]) == 10


def test_tools_offer_what_is_taken(tmp_path: Path) -> None:
    """C4, T3: the words of switched off types and scopes are not offered."""
    with ScriptedKernel(tmp_path, "--types", "user,feedback", "--scopes", "global") as kernel:
        tools = {each["name"]: each for each in kernel.call("tool.get_schema")["tools"]}
    given = tools["memory.remember"]["input_schema"]["properties"]
    assert given["type"]["enum"] == ["user", "feedback"]
    assert given["scope"]["enum"] == ["global"]
    search = tools["memory.search"]["input_schema"]["properties"]
    assert search["types"]["items"]["enum"] == ["user", "feedback"]


def test_what_was_forgotten_does_not_come_back_as_its_revision(tmp_path: Path) -> None:
    """D9, P3: a change that was proposed to what is gone is refused."""
    with ScriptedKernel(tmp_path) as kernel:
        id = kernel.record("Deploy on Mondays.", title="Deploy day")
        kernel.call("memory.configure", config={"ratification": "captured"})
        remember(kernel, "Deploy on Tuesdays.", type="reference", id=id)
        kernel.call("memory.delete_record", id=id)
        with pytest.raises(RefusedError):
            kernel.call("memory.approve_record", id=f"{id}-revision")
        kernel.call("memory.reject_record", id=f"{id}-revision")
        assert kernel.call("memory.list_records")["records"] == []
