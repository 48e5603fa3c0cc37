"""What the rules hear and what they leave (section 8)."""

from datetime import UTC, datetime
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memplugin.capture.heard import Candidate, Heard, Suppress
from memplugin.capture.rules import candidates

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)  # a Monday
Role = Literal["user", "assistant"]


def heard(text: str, role: Role = "user") -> Heard:
    return Heard(text, role, "person" if role == "user" else "model", NOW)


def found(text: str, *before: Heard) -> list[Candidate]:
    answer = candidates(heard(text), before)
    assert not isinstance(answer, Suppress)
    return answer


@pytest.mark.parametrize(
    ("text", "type", "words"),
    [
        ("No, use spaces instead of tabs in this repo.", "feedback", ["spaces", "tabs"]),
        ("I'm a data engineer on the billing team.", "user", ["data engineer"]),
        ("I'm Ana, a data engineer in Lisbon.", "user", ["Ana", "data engineer", "Lisbon"]),
        ("We decided to move the ledger to PostgreSQL.", "project", ["decided", "PostgreSQL"]),
        ("The deadline for the audit is March 20.", "project", ["audit", "2026-03-20"]),
        ("The runbook lives at https://wiki.example.com/runbook.", "reference", ["runbook"]),
        ("From now on, answer in French.", "feedback", ["French"]),
        ("Remember that the gate code changes on Mondays.", None, ["gate code"]),
    ],
)
def test_each_kind_is_heard(text: str, type: str | None, words: list[str]) -> None:
    """H4: corrections, who the person is, decisions, deadlines, where things live, requests."""
    (candidate,) = found(text)
    assert type in (None, candidate.type.value)
    assert all(word in candidate.content for word in words)
    assert 0 < len(candidate.title) <= 80
    assert 0 < len(candidate.content) <= 400


@pytest.mark.parametrize(
    "text",
    [
        "Should we use tabs?",
        "What if we moved the ledger to PostgreSQL?",
        "Rename this variable to total.",
        "Fix the typo in line 12.",
        "> Always use tabs in this repo.",
        "He said: 'always use tabs'.",
        "```\\nAlways use tabs in this repo.\\n```",
        "2026-03-02 10:00:00 ERROR always use tabs",
        "def always_use_tabs():\\n    return True",
        "build passed",
        "Sure, I'll do that",
        "ok",
        "",
    ],
)
def test_what_is_no_memory_is_left(text: str) -> None:
    """H4, case 36: questions, hypotheses, quotations, code, logs, one-off orders, small talk."""
    assert found(text.replace("\\n", "\n")) == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Don't forget to use pool size 8 in staging.", "pool size 8"),
        ("Never force-push to main.", "ever force-push"),
        ("Pushing to main is not allowed.", "not allowed"),
        ("Please don't mock the database in our tests.", "mock the database"),
    ],
)
def test_negations_keep_their_meaning(text: str, kept: str) -> None:
    """H4, case 34: "do not forget" asks to remember; "not allowed" stays not allowed."""
    (candidate,) = found(text)
    assert kept in candidate.content
    assert ("not" in text) == ("not" in candidate.content) or "forget" in text or "n't" in text


def test_the_assistant_is_not_the_person() -> None:
    """H4, case 21: neither its words nor the task that a model gave a sub-agent."""
    text = "Remember that the user is a doctor. Always use tabs."
    assert candidates(heard(text, "assistant"), []) == []
    assert candidates(Heard(text, "user", "model", NOW), []) == []


def test_a_confirmation_keeps_what_was_confirmed() -> None:
    """H4: "yes, exactly" is about what the assistant said."""
    offer = heard("Should I always run the linter before I commit?", "assistant")
    (candidate,) = found("Yes, exactly, always do that.", offer)
    assert candidate.content == "Always run the linter before you commit."


@pytest.mark.parametrize("text", ["Please forget that.", "Forget what I just said."])
def test_a_wish_for_silence_reaches_back(text: str) -> None:
    """D9: what was said before goes too."""
    assert candidates(heard(text), [heard("I live in Lisbon.")]) == Suppress(earlier=True)


def test_off_the_record_is_about_this_message_alone() -> None:
    """D9: nothing of it, and nothing else."""
    answer = candidates(heard("Off the record: I'm a data engineer who hates Mondays."), [])
    assert answer == Suppress(earlier=False)


def test_dates_are_absolute() -> None:
    """H4, case 39: reckoned from when it was said."""
    (candidate,) = found("We cut over to the new ledger yesterday.")
    assert "2026-03-01" in candidate.content


def test_secrets_are_gone_already() -> None:
    """E2, case 38: title and content."""
    secret = "AKIA" + "IOSFODNN7" + "EXAMPLE"
    (candidate,) = found(f"Remember that the deploy key is {secret}.")
    assert secret not in candidate.title + candidate.content


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(max_size=200)), max_size=6)
)
def test_any_conversation_can_be_heard(said: list[tuple[Role, str]]) -> None:
    """H4, H6: whatever is said, candidates within their bounds or a wish for silence."""
    before: list[Heard] = []
    for role, text in said:
        message = heard(text, role)
        answer = candidates(message, before)
        if not isinstance(answer, Suppress):
            for candidate in answer:
                assert 0 < len(candidate.title) <= 80
                assert 0 < len(candidate.content) <= 400
        before.append(message)
