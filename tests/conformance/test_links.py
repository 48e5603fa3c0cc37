"""Links between records, through the pipe (section 5)."""

from pathlib import Path
from typing import Any

from tests.harness import Params, ScriptedKernel


def links(kernel: ScriptedKernel, **only: Any) -> list[tuple[str, str, bool]]:
    """Return links as (source, target, exists)."""
    found: list[Params] = kernel.call("memory.list_links", **only)["links"]
    return [(link["source"], link["target"], link["exists"]) for link in found]


def test_links_are_parsed_at_record_and_update(tmp_path: Path) -> None:
    """L1, D4: over all blocks, in order of first appearance; an update replaces them."""
    content = [
        {"text": {"text": "[[Beta]] and [[alpha|the first]]"}},
        {"text": {"text": "[[beta]], ``[[code]]``, [[Größe]]\n\n~~~\n[[fenced]]\n~~~\n[[🎉]]"}},
    ]
    with ScriptedKernel(tmp_path) as kernel:
        id = kernel.record("", title="Source", content=content)
        record = kernel.call("memory.get_record", id=id)["record"]
        assert record["links"] == ["beta", "alpha", "grosse"]
        kernel.call("memory.update_record", id=id, content=[{"text": "only [[gamma]]"}])
        assert kernel.call("memory.get_record", id=id)["record"]["links"] == ["gamma"]
        kernel.call("memory.update_record", id=id, content=[{"text": "none"}])
        assert kernel.call("memory.get_record", id=id)["record"]["links"] == []


def test_links_that_the_kernel_sends_are_stored_as_sent(tmp_path: Path) -> None:
    """L1: also none at all; they come back after a restart without the index."""
    with ScriptedKernel(tmp_path) as kernel:
        some = kernel.record("[[parsed]]", title="Some", links=["sent-two", "sent-one"])
        none = kernel.record("[[parsed]]", title="None", links=[])
    for path in (tmp_path / "home").rglob("*.sqlite*"):
        path.unlink()
    with ScriptedKernel(tmp_path) as kernel:
        assert links(kernel) == [(some, "sent-two", False), (some, "sent-one", False)]
        kernel.call("memory.update_record", id=none, content=[{"text": "x"}], links=["later"])
        assert links(kernel, id=none) == [(none, "later", False)]


def test_a_dangling_link_never_rejects_a_write(tmp_path: Path) -> None:
    """L2, case 43: nor is it bound to the nearest name; a later target makes it exist."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("near", id="overview")
        id = kernel.record("see [[overview (billing)]] and [[source]]", id="source")
        kernel.call(
            "memory.update_record", id=id, content=[{"text": "[[overview (billing)]], [[x]]"}]
        )
        assert links(kernel) == [(id, "overview-billing", False), (id, "x", False)]
        kernel.record("there now", id="overview-billing")
        assert links(kernel, dangling_only=True) == [(id, "x", False)]


def test_a_deleted_target_is_listed_as_dangling(tmp_path: Path) -> None:
    """L4, case 45: and what links to it is still recalled; an unknown source is not_found."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("the target", id="target")
        kernel.record("the relay, see [[target]]", id="one")
        kernel.record("see [[target]] and [[one]]", id="two")
        assert links(kernel, dangling_only=True) == []
        kernel.call("memory.delete_record", id="target")
        assert links(kernel, dangling_only=True) == [
            ("one", "target", False),
            ("two", "target", False),
        ]
        assert links(kernel, id="two") == [("two", "target", False), ("two", "one", True)]
        assert [record["id"] for record in kernel.recall("relay")] == ["one"]


def test_whether_a_target_exists_is_judged_by_what_the_session_sees(tmp_path: Path) -> None:
    """L4, X2: a record of another session does not exist here."""
    mine = {"session_id": "mine"}
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("private", id="private", scope="session", call_context=mine)
        kernel.record("see [[private]]", id="open", scope="global")
        assert links(kernel, call_context=mine) == [("open", "private", True)]
        other = {"session_id": "other"}
        assert links(kernel, call_context=other) == [("open", "private", False)]
