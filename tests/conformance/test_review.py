"""What a person decides about drafts, through the pipe."""

from pathlib import Path

from tests.harness import ScriptedKernel
from tests.invoking import command, given, remember, tool

RATIFIED = ("--ratification", "captured")


def test_hidden_characters_of_a_draft_are_shown(tmp_path: Path) -> None:
    """V2, case 47: with what to type to approve or reject it."""
    with ScriptedKernel(tmp_path, *RATIFIED) as kernel:
        id = remember(kernel, "Deploys\u200b run on \u202eMondays", title="Deploys\u2066")["id"]
        shown = str(given(command(kernel, "memory-review"))["tree"])
    assert not {"\u200b", "\u202e", "\u2066"} & set(shown)
    for expected in ("U+200B", "U+202E", "U+2066", f"/memory-approve {id}", f"/memory-reject {id}"):
        assert expected in shown


def test_a_wish_to_forget_is_granted(tmp_path: Path) -> None:
    """P3, T5: approving what a model asked for forgets the record, and says so."""
    with ScriptedKernel(tmp_path, *RATIFIED) as kernel:
        id = kernel.record("Tea is at four", type="project")
        given(tool(kernel, "memory.forget", id=id))
        told = given(command(kernel, "memory-approve", id=f"{id}-removal"))
        listed = kernel.call("memory.list_records")["records"]
    assert f"{id} is forgotten" in str(told["tree"])
    assert listed == []


def test_decisions_are_in_the_audit_log_once(tmp_path: Path) -> None:
    """K4, P3, case 46: approved twice is approved once; a canonical record is not rejected."""
    with ScriptedKernel(tmp_path, *RATIFIED) as kernel:
        kept = remember(kernel, "Deploys run on Mondays")["id"]
        gone = remember(kernel, "Tea is at four")["id"]
        for _ in range(2):
            given(command(kernel, "memory-approve", id=kept))
        given(command(kernel, "memory-reject", id=gone))
        refused = command(kernel, "memory-reject", id=kept)["error"]
        kinds = [p["kind"] for method, p, _ in kernel.asked if method == "kernel.emit"]
    assert refused["category"] == "unknown"
    assert kinds == ["memory_write", "memory_write", "memory_update", "memory_delete"]
