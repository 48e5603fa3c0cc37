"""Whom a call concerns, and what it can see (section 3)."""

from pathlib import Path
from typing import Any

import pytest

from tests.harness import Params, RefusedError, ScriptedKernel
from tests.talk import hook

RELAY = "The mail relay listens on port 2525."


def project(folder: Path, name: str) -> Params:
    """Make a project and return the context of a call from it."""
    (folder / name / ".git").mkdir(parents=True)
    return {"working_directory": str(folder / name)}


def start(kernel: ScriptedKernel, id: str, **shown: Any) -> dict[str, str]:
    """Start a session and return the context that names it and nothing else."""
    hook(kernel, "session_start", session_id=id, **shown)
    return {"session_id": id}


def ids(kernel: ScriptedKernel, context: Params | None = None) -> set[str]:
    """Return the ids that a call can list."""
    answer = kernel.call("memory.list_records", call_context=context)
    return {record["id"] for record in answer["records"]}


def text_of(kernel: ScriptedKernel, id: str, context: Params | None = None) -> str:
    record = kernel.call("memory.get_record", id=id, call_context=context)["record"]
    text: str = record["content"][0]["text"]["text"]
    return text


def test_the_project_is_the_calls_own_then_the_sessions_then_the_processs(tmp_path: Path) -> None:
    """X1: the working directory in the order in which it is known."""
    other, third = project(tmp_path, "other"), project(tmp_path, "third")
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("in our own", id="own")
        kernel.record("in the other", id="other", call_context=other)
        kernel.record("in the third", id="third", call_context=third)
        assert ids(kernel) == {"own"}
        session = start(kernel, "s", **other)
        assert ids(kernel, session) == ids(kernel) == {"other"}
        assert ids(kernel, {**session, **third}) == {"third"}
        assert ids(kernel, session) == {"other"}
    assert (tmp_path / "project/.agent/memory/own.md").exists()
    assert (tmp_path / "other/.agent/memory/other.md").exists()
    assert (tmp_path / "third/.agent/memory/third.md").exists()


def test_the_only_open_session_is_meant_where_none_is_named(tmp_path: Path) -> None:
    """X1: with one open it is this one; with none or with two no session is known."""
    content = [{"text": RELAY}]
    session_record = {"type": "user", "scope": "session", "content": content}
    with ScriptedKernel(tmp_path) as kernel:
        for open_sessions in range(3):
            if open_sessions == 1:
                start(kernel, "one")
                kernel.call("memory.record", id="mine", **session_record)
                assert ids(kernel) == {"mine"}
                continue
            if open_sessions == 2:
                start(kernel, "two")
            with pytest.raises(RefusedError) as refused:
                kernel.call("memory.record", **session_record)
            assert refused.value.code == -32602
            assert refused.value.data["errors"][0]["path"] == "/call_context"
            assert ids(kernel) == set()
        hook(kernel, "session_end", session_id="two", status="completed")
        assert ids(kernel) == {"mine"}


def test_with_several_projects_open_nothing_is_guessed(tmp_path: Path) -> None:
    """X1, X2, D8: without a context only global records; an id held by one project is found."""
    with ScriptedKernel(tmp_path) as kernel:
        one = start(kernel, "one", **project(tmp_path, "p1"))
        two = start(kernel, "two", **project(tmp_path, "p2"))
        kernel.record("of everyone", id="everyone", scope="global", call_context=one)
        kernel.record("only in one", id="alone", call_context=one)
        for context in (one, two):
            kernel.record(f"double of {context['session_id']}", id="double", call_context=context)
        assert ids(kernel) == {"everyone"}
        assert text_of(kernel, "alone") == "only in one"
        content = {"content": [{"text": "x"}]}
        for method, more in (("get", {}), ("update", content), ("delete", {})):
            with pytest.raises(RefusedError) as refused:
                kernel.call(f"memory.{method}_record", id="double", **more)
            assert (refused.value.code, refused.value.data["category"]) == (-32000, "unknown")
            assert "call_context" in refused.value.message
        with pytest.raises(RefusedError):
            kernel.record("whose?", scope="project")
        assert text_of(kernel, "double", two) == "double of two"


def test_another_project_is_never_seen(tmp_path: Path) -> None:
    """X2: not listed, got, changed, deleted, recalled or linked; what is global is."""
    here, there = project(tmp_path, "here"), project(tmp_path, "there")
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record(RELAY, id="hidden", call_context=there)
        kernel.record(f"{RELAY} [[hidden]]", id="shared", scope="global", call_context=there)
        assert ids(kernel, here) == {"shared"}
        content = {"content": [{"text": "x"}]}
        for method, more in (("get", {}), ("update", content), ("delete", {})):
            with pytest.raises(RefusedError) as refused:
                kernel.call(f"memory.{method}_record", id="hidden", call_context=here, **more)
            assert refused.value.data["category"] == "not_found"
        recalled = kernel.recall("mail relay", **here)
        assert [record["id"] for record in recalled] == ["shared"]
        (link,) = kernel.call("memory.list_links", call_context=here)["links"]
        assert link["exists"] is False
        assert text_of(kernel, "hidden", there) == RELAY


def test_of_records_that_share_an_id_the_nearest_is_meant(tmp_path: Path) -> None:
    """X2, D3: session, then its ancestors, then the project, then global; listed once."""
    here = project(tmp_path, "here")
    with ScriptedKernel(tmp_path) as kernel:
        for id, scope, whose in (
            ("a", "session", {"session_id": "child"}),
            ("b", "session", {"session_id": "parent"}),
            ("c", "project", here),
            ("d", "global", here),
        ):
            kernel.record(f"{RELAY} {scope}", id=id, scope=scope, call_context=whose)
    for letter in "abcd":
        (path,) = tmp_path.rglob(f"{letter}.md")
        path.rename(path.with_name("same.md"))
    with ScriptedKernel(tmp_path) as kernel:
        start(kernel, "parent", **here)
        start(kernel, "child", parent_session_id="parent", **here)
        scenes: list[tuple[Params, str]] = [
            ({"session_id": "child"}, f"{RELAY} session"),
            ({"session_id": "parent"}, f"{RELAY} session"),
            ({"session_id": "stranger", **here}, f"{RELAY} project"),
            ({"session_id": "stranger", **project(tmp_path, "else")}, f"{RELAY} global"),
        ]
        for context, expected in scenes:
            assert text_of(kernel, "same", context) == expected
            listed = kernel.call("memory.list_records", call_context=context)["records"]
            assert [r["content"][0]["text"]["text"] for r in listed] == [expected]
            found = kernel.recall("mail relay", **context)
            assert [r["content"][0]["text"]["text"] for r in found] == [expected]
        kernel.call("memory.delete_record", id="same", call_context={"session_id": "child"})
        assert ids(kernel, {"session_id": "child"}) == {"same"}


@pytest.mark.parametrize("directory", ["relative/folder", "file.txt", "\0"])
def test_a_working_directory_must_be_absolute(tmp_path: Path, directory: str) -> None:
    """X1, W5: -32602; nothing is written into a project that was only guessed."""
    with ScriptedKernel(tmp_path) as kernel, pytest.raises(RefusedError) as refused:
        kernel.record(RELAY, call_context={"working_directory": directory})
    assert refused.value.code == -32602
    assert not list(tmp_path.rglob("*.md"))


def test_the_default_budget_is_said_and_a_recalls_own_wins(tmp_path: Path) -> None:
    """X3, C1: 2,000 unless `token_budget` says otherwise; neither bounds a recall."""
    with ScriptedKernel(tmp_path) as kernel:

        def default() -> int:
            budget: int = kernel.call("memory.get_capabilities")["capabilities"][
                "default_token_budget"
            ]
            return budget

        assert default() == 2000
        kernel.call("memory.configure", config={"token_budget": 3})
        assert default() == 3
        kernel.record(RELAY)
        (record,) = kernel.recall("mail relay", budget=50)
        assert record["tokens"] == 7
