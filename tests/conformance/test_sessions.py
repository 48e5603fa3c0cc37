"""Sessions: lineage, working context, steadiness, through the pipe."""

from pathlib import Path
from typing import Any

import pytest

from tests.harness import ScriptedKernel
from tests.talk import Talk, hook, listed, said

RELAY = "The mail relay listens on port 2525 of the gateway host."
GRID = "The solar grid exports telemetry through the Kafka topic inverter-events."


def seen(kernel: ScriptedKernel, session: str) -> set[str]:
    return {record["id"] for record in listed(kernel, session_id=session)}


def test_recall_is_about_what_the_session_has_shown(tmp_path: Path) -> None:
    """R3: no query; the session's own words of the turns before decide."""
    with ScriptedKernel(tmp_path) as kernel:
        relay, grid = kernel.record(RELAY), kernel.record(GRID)
        mail, solar = Talk(kernel, "mail"), Talk(kernel, "solar")
        mail.user("Why does the mail relay refuse connections?")
        solar.user("Plot the inverter telemetry of the solar grid.")
        assert mail.recall() == [relay]
        assert solar.recall() == [grid]
        assert mail.recall() == [relay]


def test_the_newest_turn_counts_most(tmp_path: Path) -> None:
    """R3: what was talked about fades turn by turn, and what is said now leads."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record(RELAY)
        grid = kernel.record(GRID)
        talk = Talk(kernel, "s")
        talk.user("Why does the mail relay refuse connections?")
        for _ in range(3):
            talk.user("Plot the inverter telemetry of the solar grid by Kafka topic.")
        assert talk.recall()[0] == grid


def test_files_touched_by_tools_are_part_of_the_context(tmp_path: Path) -> None:
    """R3: what a tool reads or writes is what the session is about."""
    with ScriptedKernel(tmp_path) as kernel:
        about = kernel.record("Never edit src/billing/tax.py by hand; it is generated.")
        kernel.record(GRID)
        talk = Talk(kernel, "s")
        talk.user("ok, go on")
        talk.tool("read", {"path": "src/billing/tax.py"}, "…")
        assert talk.recall() == [about]


def test_a_turn_about_nothing_changes_nothing(tmp_path: Path) -> None:
    """R8, R9, cases 28, 30: "ok, go on" adds nothing to what was recalled, and reorders nothing."""
    with ScriptedKernel(tmp_path) as kernel:
        for text in (RELAY, GRID, "The relay restarts at night."):
            kernel.record(text)
        talk = Talk(kernel, "s")
        talk.user("Why does the mail relay refuse connections?")
        first = talk.recall()
        for text in ("ok, go on", "yes", "thanks!", "continue please"):
            talk.user(text)
            assert talk.recall() == first


def test_recalled_text_is_not_heard_as_new(tmp_path: Path) -> None:
    """R3, case 35: what recall put into the context does not recall itself, nor its neighbours."""
    with ScriptedKernel(tmp_path) as kernel:
        relay = kernel.record(RELAY, title="Relay")
        kernel.record("The gateway host reboots on Sundays.", title="Gateway")
        talk = Talk(kernel, "s")
        talk.user("Why does the mail relay refuse connections?")
        assert talk.recall()[0] == relay
        before = talk.recall()
        talk.user(f"memory:reference:{relay}: {RELAY}")
        talk.assistant(f"From memory: {RELAY}")
        assert talk.recall() == before


def test_a_session_record_is_its_own_and_its_descendants(tmp_path: Path) -> None:
    """X2, H4, case 20: seen by the session and its descendants; never by a parent or a sibling."""
    with ScriptedKernel(tmp_path) as kernel:
        Talk(kernel, "parent")
        Talk(kernel, "child", parent="parent")
        Talk(kernel, "sibling", parent="parent")
        Talk(kernel, "grandchild", parent="child")
        id = kernel.record(RELAY, scope="session", call_context={"session_id": "child"})
        assert id in seen(kernel, "child")
        assert id in seen(kernel, "grandchild")
        assert id not in seen(kernel, "parent") | seen(kernel, "sibling")
        assert [r["id"] for r in kernel.recall("mail relay", session_id="grandchild")] == [id]
        for other in ("parent", "sibling"):
            assert kernel.recall("mail relay", session_id=other) == []


def test_lineage_is_known_to_another_process_and_after_a_restart(tmp_path: Path) -> None:
    """X2, H4: a descendant served by another process sees what its ancestors kept."""
    with ScriptedKernel(tmp_path) as first, ScriptedKernel(tmp_path) as second:
        Talk(first, "parent")
        id = first.record(RELAY, scope="session", call_context={"session_id": "parent"})
        Talk(second, "child", parent="parent")
        assert id in seen(second, "child")
    with ScriptedKernel(tmp_path) as third:
        assert id in seen(third, "child")
        Talk(third, "grandchild", parent="child")
        assert id in seen(third, "grandchild")


def test_a_restart_knows_where_a_session_worked(tmp_path: Path) -> None:
    """X1: the working directory of a session is what an earlier process was told."""
    with ScriptedKernel(tmp_path) as kernel:
        Talk(kernel, "s")
        id = kernel.record(RELAY, scope="project", call_context={"session_id": "s"})
    elsewhere = tmp_path / "home"
    with ScriptedKernel(tmp_path) as kernel:
        found = kernel.recall("mail relay", session_id="s")
        assert [record["id"] for record in found] == [id]
        assert kernel.recall("mail relay", session_id="t", working_directory=str(elsewhere)) == []


def test_a_resumed_session_goes_on_as_it_was(tmp_path: Path) -> None:
    """H4, R8: after session_end, in this process or the next, records and order stay."""
    with ScriptedKernel(tmp_path) as kernel:
        for number in range(6):
            kernel.record(f"Fact {number} about the mail relay.", title=f"Fact {number}")
        talk = Talk(kernel, "s")
        talk.user("What about the mail relay?")
        first = talk.recall()
        assert len(first) > 1
        talk.end()
        again = Talk(kernel, "s")
        again.user("What about the mail relay?")
        assert again.recall() == first
    with ScriptedKernel(tmp_path) as kernel:
        later = Talk(kernel, "s")
        later.user("And about the mail relay?")
        assert later.recall() == first


def test_the_guaranteed_hooks_alone_are_enough(tmp_path: Path) -> None:
    """H7: post_model_response, session_end and recall; the session was never started."""
    with ScriptedKernel(tmp_path) as kernel:
        id = kernel.record(RELAY)
        context = {"session_id": "s", "turn_id": "t"}
        assert kernel.recall(session_id="s") == kernel.recall(session_id="s")
        message = said("assistant", "The mail relay on the gateway refuses connections.")
        hook(kernel, "post_model_response", context=context, message=message)
        assert [record["id"] for record in kernel.recall(session_id="s")] == [id]
        assert hook(kernel, "session_end", session_id="s") == {"observe": {}}


@pytest.mark.parametrize("by", ["context", "payload", "call", "turn", "only"])
def test_whose_hook_it_is(tmp_path: Path, by: str) -> None:
    """H5: call_context, the payload's own, the call's, a turn seen before, the only open one."""
    with ScriptedKernel(tmp_path) as kernel:
        id = kernel.record("Never edit src/billing/tax.py by hand.")
        mine = Talk(kernel, "mine")
        if by != "only":
            Talk(kernel, "other")
        call: dict[str, Any] = {"id": "c", "tool_name": "r", "arguments": {"path": "tax.py"}}
        shown: dict[str, Any] = {"call": call, "result": {}}
        context: dict[str, Any] | None = None
        if by == "context":
            context = {"session_id": "mine"}
        elif by == "payload":
            shown["session_id"] = "mine"
        elif by == "call":
            call["call_context"] = {"session_id": "mine"}
        elif by == "turn":
            kernel.recall(session_id="mine", turn_id="turn-7")
            context = {"turn_id": "turn-7"}
        assert hook(kernel, "post_tool_call", context=context, **shown) == {"observe": {}}
        assert mine.recall() == [id]


def test_a_hook_of_nobody_is_answered_and_unused(tmp_path: Path) -> None:
    """H5: with several sessions open and none named nothing is guessed."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record(RELAY)
        one, two = Talk(kernel, "one"), Talk(kernel, "two")
        for talk in (one, two):
            talk.user("Paint the fence green.")
        message = said("user", "Why does the mail relay refuse connections?")
        assert hook(kernel, "pre_model_call", messages=[message]) == {"observe": {}}
        assert one.recall() == two.recall() == []
