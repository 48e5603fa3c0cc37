"""Records through the pipe."""

from pathlib import Path
from typing import Any

import pytest

from tests.harness import RefusedError, ScriptedKernel


def test_an_update_replaces_content_and_nothing_that_is_fixed(tmp_path: Path) -> None:
    """D1, D4: content wholesale, the title kept; type, scope, provenance, created_at stay."""
    context = {"session_id": "s1", "turn_id": "t1"}
    with ScriptedKernel(tmp_path) as kernel:
        id = kernel.record("The relay listens on 2525", title="Relay", call_context=context)
        before = kernel.call("memory.get_record", id=id)["record"]
        kernel.call("memory.update_record", id=id, content=[{"text": "It moved"}], type="user")
        after = kernel.call("memory.get_record", id=id)["record"]
    assert after["content"] == [{"text": {"text": "It moved"}}]
    assert after["title"] == "Relay"
    for fixed in ("id", "type", "scope", "created_at", "provenance", "status"):
        assert after[fixed] == before[fixed]
    assert after["updated_at"] > before["updated_at"]
    assert before["provenance"] == {
        "source_session_id": "s1",
        "source_turn_id": "t1",
        "recorded_by": "memplugin",
    }


@pytest.mark.parametrize("method", ["get_record", "delete_record", "update_record"])
@pytest.mark.parametrize(
    "id", ["nothing", "../up", "/etc/cron.d/x", "C:\\x", "a\0b", "", "x" * 300]
)
def test_an_unknown_id_is_not_found(tmp_path: Path, method: str, id: str) -> None:
    """D4, E1, case 44: never a silent no-op, never a path."""
    more = {"content": [{"text": "x"}]} if method == "update_record" else {}
    with ScriptedKernel(tmp_path) as kernel, pytest.raises(RefusedError) as refused:
        kernel.call(f"memory.{method}", id=id, **more)
    assert refused.value.code == -32001
    assert refused.value.data["category"] == "not_found"
    assert refused.value.data["grpc_status"] == "NOT_FOUND"
    assert refused.value.data["retryable"] is False


@pytest.mark.parametrize(
    "title",
    ["a: b", "C# notes", "- x", '"q"', "yes", "1e3", "@x", "{a}", "  padded  ", "two\nlines", "🎉"],
)
def test_titles_and_contents_come_back_exactly(tmp_path: Path, title: str) -> None:
    """D5, D2, case 42: whatever YAML makes of such a title."""
    text = "---\ntitle: other\n---\n\n# Heading \u2028\u0085 é e\u0301  \r\n\n"
    with ScriptedKernel(tmp_path) as kernel:
        id = kernel.record(text, title=title)
        again = kernel.call("memory.get_record", id=id)["record"]
    with ScriptedKernel(tmp_path) as kernel:
        later = kernel.call("memory.get_record", id=id)["record"]
    assert again["title"] == later["title"] == title
    assert again["content"] == later["content"] == [{"text": {"text": text}}]


def test_a_taken_id_gets_a_number(tmp_path: Path) -> None:
    """D2, D3: never overwritten, never rejected, never over 64 characters."""
    with ScriptedKernel(tmp_path) as kernel:
        ids = [kernel.record(f"text {n}", id="Mail Relay!") for n in range(3)]
        long = [kernel.record(f"text {n}", id="x" * 100) for n in range(2)]
    assert ids == ["mail-relay", "mail-relay-2", "mail-relay-3"]
    assert len(set(long)) == 2
    assert all(len(id) <= 64 for id in long)


def test_links_are_parsed_and_dangling_ones_listed(tmp_path: Path) -> None:
    """L1, L2, L4, case 43, case 45: in order, without code, never bound to a similar name."""
    text = "[[b]] then [[a|label]], [[b]], `[[code]]`, [[overview (billing)]]\n```\n[[fenced]]\n```"
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("target", id="a")
        kernel.record("similar", id="overview")
        id = kernel.record(text, id="source")
        links = kernel.call("memory.list_links", id=id)["links"]
        kernel.call("memory.delete_record", id="a")
        dangling = kernel.call("memory.list_links", dangling_only=True)["links"]
    assert [(link["target"], link["exists"]) for link in links] == [
        ("b", False),
        ("a", True),
        ("overview-billing", False),
    ]
    assert [link["target"] for link in dangling] == ["b", "a", "overview-billing"]


def test_events_are_emitted_for_a_known_session_only(tmp_path: Path) -> None:
    """K4: content on write and update, never on delete."""
    context = {"session_id": "s1"}
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("no session")
        id = kernel.record("secret words", title="Private", call_context=context)
        kernel.call("memory.delete_record", id=id, call_context=context)
        events = [params for method, params, _ in kernel.asked if method == "kernel.emit"]
    assert [event["kind"] for event in events] == ["memory_write", "memory_delete"]
    assert "content" in events[0]["payload"]
    assert "secret words" not in str(events[1])


def test_a_session_record_is_seen_by_its_own_session_only(tmp_path: Path) -> None:
    """X2, case 20: not by another session of the same project."""
    mine, other = {"session_id": "s1"}, {"session_id": "s2"}
    with ScriptedKernel(tmp_path) as kernel:
        id = kernel.record("only mine", scope="session", call_context=mine)
        assert kernel.recall("only mine", session_id="s1")
        assert kernel.recall("only mine", session_id="s2") == []
        assert kernel.call("memory.list_records", call_context=other)["records"] == []
        with pytest.raises(RefusedError):
            kernel.call("memory.get_record", id=id, call_context=other)


def test_blank_provenance_is_none(tmp_path: Path) -> None:
    """D6: what is recorded, what is got and what is read after a restart are the same."""
    blank = {"source_session_id": " ", "source_turn_id": "\t", "recorded_by": " "}
    with ScriptedKernel(tmp_path) as kernel:
        id = kernel.record("The relay listens on 2525", provenance=blank)
        (recalled,) = kernel.recall("relay")
        got = kernel.call("memory.get_record", id=id)["record"]
    assert recalled["provenance"] == got["provenance"]
    assert got["provenance"] == {"source_session_id": "", "recorded_by": "memplugin"}


@pytest.mark.parametrize(
    "more",
    [
        {"title": "t" * 100_000},
        {"links": [f"record-{number}" for number in range(20_000)]},
        {"provenance": {"source_session_id": "s" * 100_000}},
    ],
)
def test_what_could_not_be_read_again_is_refused(tmp_path: Path, more: dict[str, Any]) -> None:
    """D5, W9: a front matter without bounds is no record; nothing is written, the rest goes on."""
    with ScriptedKernel(tmp_path) as kernel:
        with pytest.raises(RefusedError) as refused:
            kernel.record("A fact.", **more)
        assert refused.value.code == -32602
        id = kernel.record("A fact.", title="t" * 20_000)
        content = [{"text": "New."}]
        if "title" in more:
            with pytest.raises(RefusedError):
                kernel.call("memory.update_record", id=id, content=content, title=more["title"])
        kernel.call("memory.update_record", id=id, content=content)
        assert len(kernel.call("memory.list_records")["records"]) == 1
