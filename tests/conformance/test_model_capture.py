"""Capture by a model: the kernel's own session is asked, the rules stand in (K3, section 8)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.harness import Params, ScriptedKernel
from tests.talk import Talk, contents, listed, said

EXPLICIT = "Remember that the staging database lives at db.staging.example.com."
DECISION = "We decided to move the billing service to PostgreSQL."
FOUND = {
    "type": "project",
    "scope": "project",
    "title": "Billing moves to PostgreSQL",
    "content": "The billing service moves to PostgreSQL.",
}


def kernel_with(tmp_path: Path, answer: str | None) -> ScriptedKernel:
    """Return a kernel whose model says `answer`; None: it has no such method."""
    kernel = ScriptedKernel(tmp_path)
    config = {"capture": "model", "capture_profile": "small"}
    kernel.call("memory.configure", config=config)

    def run(_: Params) -> dict[str, Any]:
        assert answer is not None
        return {
            "session_id": "own",
            "final_message": said("assistant", answer),
            "status": "completed",
            "total_cost_usd": 0.01,
            "total_input_tokens": 10,
            "total_output_tokens": 10,
        }

    kernel.answers["kernel.run_session"] = None if answer is None else run
    return kernel


def test_a_model_is_asked_before_the_end_is_answered(tmp_path: Path) -> None:
    """H4, K3: kernel.run_session with the profile; its candidates become records."""
    with kernel_with(tmp_path, json.dumps({"candidates": [FOUND]})) as kernel:
        talk = Talk(kernel, "s")
        talk.user(DECISION)
        talk.assistant("Good.")
        talk.end()
        asked = [params for method, params, _ in kernel.asked if method == "kernel.run_session"]
        kernel.call("memory.describe")
    assert [(a["profile"], a["parent_session_id"]) for a in asked] == [("small", "s")]
    assert DECISION in asked[0]["prompt"]
    with ScriptedKernel(tmp_path) as kernel:
        assert contents(listed(kernel)) == [FOUND["content"]]


@pytest.mark.parametrize(
    "answer", ["I can't help with that.", "{}", '{"candidates": [{"type": "secret"}]}', "", None]
)
def test_the_rules_stand_in_where_no_answer_is_valid(tmp_path: Path, answer: str | None) -> None:
    """H4, K3: nonsense, a refusal in prose, another shape, no such method."""
    with kernel_with(tmp_path, answer) as kernel:
        talk = Talk(kernel, "s")
        talk.user(DECISION)
        talk.end()
    with ScriptedKernel(tmp_path) as kernel:
        (found,) = contents(listed(kernel))
    assert "PostgreSQL" in found


def test_a_kernel_without_sessions_is_asked_once(tmp_path: Path) -> None:
    """K3: -32601 is remembered, and from then on the rules write at once."""
    with kernel_with(tmp_path, None) as kernel:
        for number in range(3):
            talk = Talk(kernel, f"s{number}")
            talk.user(f"{DECISION[:-1]} in phase {number}.")
            talk.end()
        assert kernel.count("kernel.run_session") == 1


def test_what_is_asked_for_does_not_wait_for_a_model(tmp_path: Path) -> None:
    """H4: "remember that" is written at once."""
    with kernel_with(tmp_path, '{"candidates": []}') as kernel:
        talk = Talk(kernel, "s")
        talk.user(EXPLICIT)
        talk.assistant("Noted.")
        talk.user("Thanks.")
        written = (listed(kernel) for _ in range(10_000))
        assert next(filter(None, written))
        assert kernel.count("kernel.run_session") == 0


def test_an_answer_that_never_comes_leaves_it_to_the_rules(tmp_path: Path) -> None:
    """H4: the request is made before the end is answered, and what it was about is kept."""
    with kernel_with(tmp_path, None) as kernel:
        kernel.silent.add("kernel.run_session")
        talk = Talk(kernel, "s")
        talk.user(DECISION)
        talk.end()
        assert kernel.count("kernel.run_session") == 1
        assert listed(kernel) == []
        kernel.kill()
    with ScriptedKernel(tmp_path) as kernel:
        assert "PostgreSQL" in contents(listed(kernel))[0]


def test_secrets_do_not_go_to_a_model(tmp_path: Path) -> None:
    """E2, case 38: the prompt has none."""
    secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"  # noqa: S105 - made up
    with kernel_with(tmp_path, '{"candidates": []}') as kernel:
        talk = Talk(kernel, "s")
        talk.user(f"The deploy token is {secret}.")
        talk.end()
        (asked,) = [params for method, params, _ in kernel.asked if method == "kernel.run_session"]
    assert secret not in asked["prompt"]


def test_the_models_own_session_teaches_nothing(tmp_path: Path) -> None:
    """H4, case 21: neither its prompt nor its answer is the person speaking."""
    with kernel_with(tmp_path, '{"candidates": []}') as kernel:
        talk = Talk(kernel, "s")
        talk.user(DECISION)
        talk.end()
        (asked,) = [params for method, params, _ in kernel.asked if method == "kernel.run_session"]
        own = Talk(kernel, "own")
        own.user(asked["prompt"])
        own.assistant(json.dumps({"candidates": [FOUND]}))
        own.end()
        assert kernel.count("kernel.run_session") == 1
        assert listed(kernel) == []


def test_a_long_session_is_asked_about_on_the_way(tmp_path: Path) -> None:
    """H4: every few turns, not only at the end, and each message once."""
    with kernel_with(tmp_path, '{"candidates": []}') as kernel:
        talk = Talk(kernel, "s")
        for number in range(14):
            talk.user(f"Let us look at part {number}.")
            talk.assistant("Done.")
        talk.end()
        asked = [params for method, params, _ in kernel.asked if method == "kernel.run_session"]
    assert len(asked) == 3
    for number in range(14):
        assert sum(f"part {number}." in each["prompt"] for each in asked) == 1
