"""What was captured outlives locks, kills and the end of its process (H3, H4)."""

from pathlib import Path

from tests.harness import ScriptedKernel
from tests.talk import Talk, journal, listed, lock_of, said

EXPLICIT = "Remember that the staging database lives at db.staging.example.com."
RULE = "Please never use tabs in this repo."


def test_the_end_of_a_long_session_leaves_nothing_behind(tmp_path: Path) -> None:
    """H4, case 15: after hundreds of turns, killed right after the answer, once in the next."""
    with ScriptedKernel(tmp_path) as kernel:
        talk = Talk(kernel, "s")
        for number in range(500):
            talk.messages = [said("user", f"Look at part {number}.")]
            talk.show()
        with lock_of(kernel).acquire(5):
            talk.user(EXPLICIT)
            talk.end()
            kernel.kill()
    for _ in range(2):
        with ScriptedKernel(tmp_path) as kernel:
            assert len(listed(kernel)) == 1


def test_hooks_are_answered_while_storage_is_locked(tmp_path: Path) -> None:
    """H3, H4, cases 14, 15: nothing waits for the lock; what was said is written later."""
    with ScriptedKernel(tmp_path) as kernel:
        talk = Talk(kernel, "s")
        with lock_of(kernel).acquire(5):
            talk.user(EXPLICIT)
            talk.assistant("Noted.")
            talk.end()
            assert len(journal(kernel)) == 1
        assert len(listed(kernel)) == 1
        assert journal(kernel) == []


def test_a_process_killed_before_its_writes_leaves_them_to_the_next(tmp_path: Path) -> None:
    """H4, case 15: exactly once, whatever ends the process after session_end was answered."""
    with ScriptedKernel(tmp_path) as kernel:
        talk = Talk(kernel, "s")
        with lock_of(kernel).acquire(5):
            talk.user(EXPLICIT)
            talk.end()
            kernel.kill()
        assert len(journal(kernel)) == 1
    for _ in range(2):
        with ScriptedKernel(tmp_path) as kernel:
            (record,) = listed(kernel)
            assert record["provenance"]["source_session_id"] == "s"
            assert journal(kernel) == []


def test_a_kernel_without_emit_costs_one_refused_call(tmp_path: Path) -> None:
    """K3, K4: asked once, never again."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.answers["kernel.emit"] = None
        talk = Talk(kernel, "s")
        talk.user(EXPLICIT)
        talk.assistant("Noted.")
        talk.user(RULE)
        talk.end()
        assert len(listed(kernel)) == 2
        assert kernel.count("kernel.emit") == 1
