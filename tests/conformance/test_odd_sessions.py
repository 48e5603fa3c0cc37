"""Sessions as no sane kernel has them."""

from pathlib import Path

import pytest

from tests.harness import RefusedError, ScriptedKernel
from tests.talk import Talk, hook, listed

MANY = 120  # ancestors: more than a process may have files open for
NO_PLACE = ["relative", "~/x", "/a\0b"]


@pytest.mark.parametrize("directory", NO_PLACE)
def test_a_refused_directory_leaves_no_trace(tmp_path: Path, directory: str) -> None:
    """X1, W5: the call is refused, and the session goes on as if it had not been made."""
    with ScriptedKernel(tmp_path) as kernel:
        id = kernel.record("The relay listens on 2525.")
        for _ in range(2):
            with pytest.raises(RefusedError) as refused:
                kernel.recall(session_id="s", working_directory=directory)
            assert refused.value.code == -32602
            assert refused.value.data["errors"][0]["path"] == "/working_directory"
        assert [one["id"] for one in kernel.recall("relay", session_id="s")] == [id]
        kernel.record("Another fact.", call_context={"session_id": "s"})


@pytest.mark.parametrize("directory", NO_PLACE)
def test_a_hook_with_no_directory_worth_the_name_is_passed_over(
    tmp_path: Path, directory: str
) -> None:
    """H6: what a hook says amiss is not held against the session."""
    with ScriptedKernel(tmp_path) as kernel:
        id = kernel.record("The relay listens on 2525.")
        hook(kernel, "session_start", session_id="s", working_directory=directory)
        assert [one["id"] for one in kernel.recall("relay", session_id="s")] == [id]


def test_a_line_of_very_many_sessions_is_cut_and_nothing_runs_out(tmp_path: Path) -> None:
    """X2, W9: the nearest ancestors are seen; open files stay few."""
    with ScriptedKernel(tmp_path) as kernel:
        for number in range(MANY):
            Talk(kernel, f"s{number}", parent=f"s{number - 1}" if number else None)
            context = {"session_id": f"s{number}"}
            kernel.record(f"Fact {number}", scope="session", call_context=context)
        last = f"s{MANY - 1}"
        seen = {record["title"] for record in listed(kernel, session_id=last)}
        assert f"Fact {MANY - 1}" in seen
        assert f"Fact {MANY - 2}" in seen
        for _ in range(3):
            kernel.recall("fact", session_id=last)
        assert kernel.open_files() < 400
        kernel.record("Still here.", call_context={"session_id": last})


def test_every_session_of_a_cycle_is_served(tmp_path: Path) -> None:
    """X2: a session that is its own ancestor."""
    with ScriptedKernel(tmp_path) as kernel:
        for id, parent in (("a", "b"), ("b", "c"), ("c", "a")):
            Talk(kernel, id, parent=parent)
        kernel.record("A fact.", scope="session", call_context={"session_id": "a"})
        assert len(listed(kernel, session_id="c")) == 1
