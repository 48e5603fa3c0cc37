"""The working context: what a session has shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memplugin.recall.context import MAX_AGE, MAX_FILES, Context
from memplugin.recall.ours import Ours, Voice
from memplugin.recall.text import MAX_TERMS

RELAY = "The mail relay listens on port 2525."


def test_newer_turns_weigh_more_and_old_ones_go() -> None:
    """R3: what the session showed last counts most, and fades."""
    context = Context()
    context.say(Voice.USER, "the invoice parser fails", "t1")
    context.say(Voice.USER, "now the deploy script", "t2")
    words = context.words()
    assert words["deploy"] > words["parser"] > 0
    for turn in range(3, 4 + MAX_AGE):
        context.say(Voice.USER, f"topic{turn}", f"t{turn}")
    assert "parser" not in context.words()


def test_a_turn_about_nothing_changes_nothing() -> None:
    """R9: "ok, go on" adds nothing to what the session had."""
    context = Context()
    context.say(Voice.USER, "the invoice parser fails")
    before = context.words()
    context.say(Voice.USER, "ok, go on")
    assert context.words() == before


def test_the_user_weighs_more_than_the_assistant_and_tools() -> None:
    """R3: voices."""
    context = Context()
    context.say(Voice.USER, "alpha", "t")
    context.say(Voice.ASSISTANT, "beta", "t")
    context.say(Voice.TOOL, "gamma", "t")
    words = context.words()
    assert words["alpha"] > words["beta"] > words["gamma"]


@pytest.mark.parametrize(
    "told", [RELAY, "the mail relay   listens on\nport 2525", f"memory:reference:relay: {RELAY}"]
)
def test_what_recall_gave_is_recognised(told: str) -> None:
    """R3, case 35: recalled text says nothing new, in whatever form it comes back."""
    context = Context()
    context.gave([f"{RELAY} It was moved in May."])
    for voice in Voice:
        context.say(voice, told)
    rest = context.words().keys()
    assert not rest & {"mail", "relay", "2525"}


def test_a_quotation_by_the_assistant_is_dropped_and_a_correction_by_the_user_kept() -> None:
    """Case 35: the assistant repeats what it was told; the user may correct it."""
    ours = Ours().with_([RELAY])
    told = f"From memory: {RELAY} Then restart it."
    assert ours.removed_from(told, Voice.ASSISTANT) == "Then restart it."
    assert ours.removed_from(told, Voice.USER) == told


def test_what_was_said_before_it_was_recalled_stays() -> None:
    """R3: only what comes back after the recall is known to come from it."""
    context = Context()
    context.say(Voice.USER, RELAY)
    context.gave([RELAY])
    assert context.words().keys() >= {"mail", "relay"}


@given(st.text())
def test_a_session_without_recall_loses_nothing(text: str) -> None:
    """R3: text is passed on as it is."""
    assert Ours().removed_from(text, Voice.USER) == text
    ours = Ours().with_(["something else entirely, of some length"])
    assert ours.removed_from(text, Voice.USER) == text


@given(st.lists(st.tuples(st.sampled_from(Voice), st.text()), max_size=20))
def test_it_is_bounded_whatever_is_said(said: list[tuple[Voice, str]]) -> None:
    """R3: weights in (0, 1], at most MAX_TERMS words."""
    context = Context()
    for number, (voice, text) in enumerate(said):
        context.say(voice, text)
        context.touch(f"src/{number % 50}.py")
    words = context.words()
    assert len(words) <= MAX_TERMS
    assert all(0 < weight <= 1 for weight in words.values())
    assert len(context.files()) <= MAX_FILES


def test_files_come_last_touched_first() -> None:
    """R3: files of the last turns."""
    context = Context()
    for file in ("a.py", "b.py", "a.py"):
        context.touch(file)
    assert context.files() == ("a.py", "b.py")
