"""Recall through the pipe: what is relevant, within the budget (section 6)."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.harness import Params, RefusedError, ScriptedKernel
from tests.talk import Talk

RELAY = "The mail relay listens on port 2525."
DEPLOY = "Deploys run on Mondays after the tests."
GRID = "The grid component draws twelve columns."


def at(moment: str) -> tuple[str, str]:
    """Return the option that fixes the time."""
    return "--clock", f"{moment}T09:00:00Z"


def ids(records: list[Params]) -> list[str]:
    return [record["id"] for record in records]


def test_the_budget_is_never_exceeded_and_order_is_by_relevance(tmp_path: Path) -> None:
    """R1, R5: whatever the budget and the question; what is left out did not fit."""
    with ScriptedKernel(tmp_path) as kernel:
        for number in range(1, 13):
            kernel.record(f"The mail relay {number} " + "restarts " * number)
            kernel.record(f"Deploy {number} uses the relay " + "nightly " * (number % 4))
        smallest = 5

        @given(
            st.integers(smallest, 120),
            st.sampled_from(["mail relay", "deploy nightly", "relay restarts"]),
        )
        def recalled(budget: int, query: str) -> None:
            found = kernel.recall(query, budget)
            assert found
            assert sum(record["tokens"] for record in found) <= budget
            scores = [record["relevance_score"] for record in found]
            assert scores == sorted(scores, reverse=True)
            assert all(0 <= score <= 1 for score in scores)

        recalled()


def test_a_budget_of_nothing_is_an_empty_list_and_below_it_an_error(tmp_path: Path) -> None:
    """R1, X3: 0 asks for nothing; below 0, or without a model, it is -32602."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record(RELAY)
        assert kernel.recall("mail relay", budget=0) == []
        for wrong in ({"token_budget": -1, "model_target": {"id": "m"}}, {"token_budget": 9}):
            with pytest.raises(RefusedError) as refused:
                kernel.call("memory.recall", **wrong)
            assert refused.value.code == -32602


def test_filters_narrow_and_empty_ones_do_not(tmp_path: Path) -> None:
    """R2: by type, by scope, by both; empty means all that is supported."""
    context = {"session_id": "s"}
    with ScriptedKernel(tmp_path) as kernel:
        kept = {
            (type, scope): kernel.record(RELAY, type=type, scope=scope, call_context=context)
            for type in ("user", "feedback", "project", "reference")
            for scope in ("session", "project", "global")
        }

        def given_by(types: list[str], scopes: list[str]) -> set[str]:
            found = kernel.recall(
                "mail relay", session_id="s", type_filter=types, scope_filter=scopes
            )
            return set(ids(found))

        assert given_by([], []) == set(kept.values())
        assert given_by(["user"], []) == {id for (type, _), id in kept.items() if type == "user"}
        assert given_by([], ["global", "session"]) == {
            id for (_, scope), id in kept.items() if scope != "project"
        }
        assert given_by(["feedback"], ["project"]) == {kept["feedback", "project"]}


def test_a_filter_with_a_type_switched_off_matches_nothing(tmp_path: Path) -> None:
    """R2, E1: asked for what is not supported, recall and list find nothing and do not fail."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record(RELAY, type="user")
        kernel.call("memory.configure", config={"types": ["feedback"], "scopes": ["global"]})
        assert kernel.recall("mail relay", type_filter=["user"]) == []
        assert kernel.recall("mail relay", scope_filter=["project"]) == []
        assert kernel.call("memory.list_records", type_filter=["user"])["records"] == []


def test_drafts_never_surface_unasked(tmp_path: Path) -> None:
    """R2, P3: neither by a query nor as standing memory; with include_pending they do."""
    with ScriptedKernel(tmp_path, "--ratification", "all") as kernel:
        id = kernel.record(RELAY, type="user")
        assert kernel.recall("mail relay") == kernel.recall() == []
        (draft,) = kernel.recall("mail relay", include_pending=True)
        assert (draft["id"], draft["status"]) == (id, "pending")
        kernel.call("memory.approve_record", id=id)
        assert ids(kernel.recall("mail relay")) == ids(kernel.recall()) == [id]


@pytest.mark.parametrize("file", ["app/[id]/My Page.tsx", "src/billing/tax.py", "Makefile"])
def test_what_mentions_a_touched_file_comes_first(tmp_path: Path, file: str) -> None:
    """R3, case 27: by files_touched alone, and before others that a query finds."""
    with ScriptedKernel(tmp_path) as kernel:
        about = kernel.record(f"See {file} for how the relay starts.", title="One")
        other = kernel.record("See the handbook for how the relay starts.", title="Two")
        kernel.record(GRID)
        assert ids(kernel.recall(files_touched=[file])) == [about]
        touched = [str(kernel.project / "other.txt"), file]
        assert ids(kernel.recall("gateway relay", files_touched=touched)) == [about, other]


def test_a_first_turn_has_standing_memory_then_what_is_recent(tmp_path: Path) -> None:
    """R3: who the person is and how to work first; then what was touched lately; no more."""
    with ScriptedKernel(tmp_path, *at("2025-11-01")) as kernel:
        old = kernel.record(GRID, type="project")
        user = kernel.record("Writes Haskell at home.", type="user", scope="global")
    with ScriptedKernel(tmp_path, *at("2026-01-04")) as kernel:
        recent = kernel.record(DEPLOY, type="project")
        feedback = kernel.record("Prefers short answers.", type="feedback")
    with ScriptedKernel(tmp_path, *at("2026-01-05")) as kernel:
        found = ids(kernel.recall(session_id="s"))
        assert found == [feedback, user, recent]
        assert old not in found
        assert all("relevance_score" not in record for record in kernel.recall(session_id="t"))


def test_a_query_brings_no_standing_memory(tmp_path: Path) -> None:
    """R3, R9: asked about something, only what is about it is given."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("Prefers short answers.", type="feedback")
        relay = kernel.record(RELAY)
        assert ids(kernel.recall("mail relay")) == [relay]


def test_project_records_fade_fastest(tmp_path: Path) -> None:
    """R4: of one text and one age the project record has lost more; fresh, they are alike."""
    kinds = ("project", "reference", "feedback", "user")
    with ScriptedKernel(tmp_path, *at("2026-01-05")) as kernel:
        by_type = {type: kernel.record(RELAY, type=type) for type in kinds}
        fresh = {r["type"]: r["relevance_score"] for r in kernel.recall("mail relay")}
    with ScriptedKernel(tmp_path, *at("2026-04-05")) as kernel:
        later = kernel.recall("mail relay")
    scores = {r["type"]: r["relevance_score"] for r in later}
    assert len(set(fresh.values())) == 1
    assert all(scores["project"] < scores[other] for other in kinds[1:])
    assert later[-1]["id"] == by_type["project"]


def test_where_not_even_the_smallest_fits_the_error_says_how_much_is_needed(tmp_path: Path) -> None:
    """R5, E1: budget_exceeded names the budget and the smallest size; with it, one comes."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("The mail relay " + "word " * 30)
        small = kernel.record(RELAY)
        with pytest.raises(RefusedError) as refused:
            kernel.recall("mail relay", budget=3)
        assert (refused.value.code, refused.value.data["category"]) == (-32005, "budget_exceeded")
        assert refused.value.data["grpc_status"] == "RESOURCE_EXHAUSTED"
        assert refused.value.data["retryable"] is False
        assert "token_budget 3" in refused.value.message
        assert " 7 tokens" in refused.value.message
        assert ids(kernel.recall("mail relay", budget=7)) == [small]
        assert kernel.recall("zqxv blorptang", budget=1) == []


def test_a_huge_record_gives_way_to_many_small_ones(tmp_path: Path) -> None:
    """R1, R5, R6, case 29: small ones come; the huge one is marked as cut, or left out."""
    with ScriptedKernel(tmp_path) as kernel:
        huge = kernel.record("mail relay words " * 12_500, title="Huge")
        small = {kernel.record(f"The mail relay {n} restarts at night.") for n in range(20)}
        found = kernel.recall("mail relay", budget=1000)
    assert sum(record["tokens"] for record in found) <= 1000
    assert small <= set(ids(found))
    for record in found:
        assert record["id"] != huge or record["truncated"] is True


def test_the_same_request_has_the_same_answer(tmp_path: Path) -> None:
    """R7: ties are broken by updated_at, newest first, then by id; a restart changes nothing."""
    with ScriptedKernel(tmp_path, *at("2026-01-05")) as kernel:
        for id in ("c", "a"):
            kernel.record(RELAY, id=id, title="Relay")
    with ScriptedKernel(tmp_path, "--clock", "2026-01-05T10:00:00Z") as kernel:
        kernel.record(RELAY, id="b", title="Relay")
        first = kernel.recall("mail relay")
        assert ids(first) == ["b", "a", "c"]
        assert kernel.recall("mail relay") == first
    for path in (tmp_path / "home").rglob("*.sqlite*"):
        path.unlink()
    with ScriptedKernel(tmp_path, "--clock", "2026-01-05T10:00:00Z") as kernel:
        assert kernel.recall("mail relay") == first


@pytest.mark.parametrize(
    "query", ["zqxv blorptang", "how do I cook rice?", "🎉", "the of and", "?"]
)
def test_a_query_about_nothing_here_brings_nothing(tmp_path: Path, query: str) -> None:
    """R9, case 28: not the nearest ones, not the newest ones."""
    with ScriptedKernel(tmp_path) as kernel:
        for text in (RELAY, DEPLOY, GRID, "Prefers short answers."):
            kernel.record(text, type="feedback")
        assert kernel.recall(query) == []


def test_what_is_sent_is_whole_and_typed_as_the_data_types_say(tmp_path: Path) -> None:
    """R6, D7: a record comes as it was recorded, with tokens, score and dates; nothing more."""
    content: list[Any] = [{"text": {"text": RELAY}}, {"text": {"text": "See [[deploys]].\n\n"}}]
    with ScriptedKernel(tmp_path, *at("2026-01-05")) as kernel:
        id = kernel.record("", content=content, title="Relay")
        (record,) = kernel.recall("mail relay")
    score = record.pop("relevance_score")
    assert 0 < score <= 1
    assert record == {
        "id": id,
        "type": "reference",
        "scope": "project",
        "title": "Relay",
        "content": content,
        "tokens": 9,
        "status": "canonical",
        "links": ["deploys"],
        "created_at": "2026-01-05T09:00:00.000Z",
        "updated_at": "2026-01-05T09:00:00.000Z",
        "provenance": {"source_session_id": "", "recorded_by": "memplugin"},
    }


def test_ten_turns_on_one_topic_recall_the_same_byte_for_byte(tmp_path: Path) -> None:
    """R8, case 30: records, order, contents and scores, though the words change turn by turn."""
    turns = ("refuses connections", "restarts", "is slow", "on port 2525", "at night", "again")
    with ScriptedKernel(tmp_path) as kernel:
        for number in range(8):
            kernel.record(f"The mail relay {number} restarts at night.", title=f"Relay {number}")
        kernel.record("Prefers short answers.", type="feedback")
        talk = Talk(kernel, "s")
        talk.user("Why does the mail relay refuse connections?")
        first = kernel.recall(session_id="s", budget=60)
        assert len(first) > 3
        for turn in range(10):
            talk.assistant(f"The mail relay {turns[turn % 6]}, as far as I can see.")
            talk.user(f"And when the mail relay {turns[(turn + 1) % 6]}?")
            assert kernel.recall(session_id="s", budget=60) == first


def test_a_budget_is_filled_with_what_fits_whatever_is_larger(tmp_path: Path) -> None:
    """R5: records that fit are taken although better or newer ones are too large for it."""
    with ScriptedKernel(tmp_path) as kernel:
        for number in range(24):
            words = " ".join(["zebra fact", *(f"w{number}x{i}" for i in range(10 * number))])
            kernel.record(words, title=f"Zebra fact {number}")
        for budget in (20, 50, 100, 300):
            found = kernel.recall("zebra fact", budget=budget)
            used = sum(record["tokens"] for record in found)
            assert budget * 0.6 <= used <= budget, (budget, used)
