"""How relevant a record is, and what a recall chooses of the relevant."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memplugin.protocol.records import MemoryScope, MemoryType, Provenance, Record, RecordStatus
from memplugin.recall.ranking import (
    FLOOR,
    STAYS_BELOW_FLOOR,
    Evidence,
    Features,
    mentions,
    rank,
    recency,
    relevance,
)
from memplugin.recall.selection import Candidate, Chosen, Kept, Lane, choose

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)
SHARES = st.floats(0, 1)
FEATURES = st.builds(Features, SHARES, SHARES, SHARES, SHARES, SHARES, SHARES)


def record(id: str, *, type: MemoryType = MemoryType.REFERENCE, days: int = 0) -> Record:
    """Return a record that was updated so many days ago."""
    moment = NOW - timedelta(days=days)
    return Record(
        id=id,
        type=type,
        scope=MemoryScope.PROJECT,
        title=f"About {id}",
        content=(f"See src/{id}.py for it",),
        status=RecordStatus.CANONICAL,
        links=(),
        created_at=moment,
        updated_at=moment,
        provenance=Provenance("", "memplugin"),
    )


@given(FEATURES, st.sampled_from(Features.__struct_fields__), SHARES)
def test_more_of_a_feature_is_never_less_relevant(
    features: Features, name: str, other: float
) -> None:
    """R1, R3, D7: within [0, 1], and monotone in every feature."""
    low, high = sorted([getattr(features, name), other])
    less, more = replace(features, **{name: low}), replace(features, **{name: high})
    assert 0 <= relevance(less) <= relevance(more) <= 1


@given(SHARES)
def test_nothing_is_relevant_for_being_new_alone(fresh: float) -> None:
    """R9: what meets nothing of the question has no relevance."""
    assert relevance(Features(recency=fresh)) == 0
    assert rank([Evidence(record("a"), Features(recency=fresh))]) == []


@given(st.integers(1, 5_000))
def test_project_records_fade_fastest(days: int) -> None:
    """R4: at every age; no type gains by it."""
    left = {type: recency(record("a", type=type, days=days), NOW) for type in MemoryType}
    assert all(0 <= share <= 1 for share in left.values())
    assert all(left[MemoryType.PROJECT] < left[t] for t in MemoryType if t != MemoryType.PROJECT)
    assert all(left[t] <= recency(record("a", type=t, days=days - 1), NOW) for t in MemoryType)


@given(st.lists(st.tuples(SHARES, st.integers(0, 3)), max_size=12), st.randoms())
def test_order_is_by_relevance_then_newest_then_id(
    drawn: list[tuple[float, int]], dice: Random
) -> None:
    """R1, R7, R9: whatever order the evidence comes in; below the floor nothing."""
    evidence = [
        Evidence(record(f"r{number:02}", days=days), Features(lexical=share))
        for number, (share, days) in enumerate(drawn)
    ]
    ranked = rank(evidence)
    keys = [(-score, -e.record.updated_at.timestamp(), e.record.id) for score, e in ranked]
    assert keys == sorted(keys)
    assert all(score >= FLOOR for score, _ in ranked)
    dice.shuffle(evidence)
    assert rank(evidence) == ranked


def test_what_a_session_has_may_sink_a_little_below_the_floor() -> None:
    """R8: it stays until it is clearly irrelevant; a newcomer needs the floor."""
    just_below = Evidence(record("a"), Features(lexical=FLOOR - STAYS_BELOW_FLOOR / 2))
    far_below = Evidence(record("b"), Features(lexical=FLOOR - STAYS_BELOW_FLOOR * 1.5))
    assert rank([just_below, far_below]) == []
    assert [one.record.id for _, one in rank([just_below, far_below], ["a", "b"])] == ["a"]


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("src/a.py", 1.0),
        ("SRC/A.PY", 1.0),
        ("src\\a.py", 1.0),
        ("a.py", 1.0),
        ("other/a.py", 0.7),
        ("src/b.py", 0.0),
        ("", 0.0),
    ],
)
def test_a_path_tells_more_than_a_name(file: str, expected: float) -> None:
    """R3: of a touched file, its path, its name, nothing."""
    assert mentions(record("a"), (file,)) == expected


CANDIDATES = st.lists(
    st.tuples(st.sampled_from(Lane), st.integers(20, 100), st.integers(1, 40)), max_size=10
)


def choice(drawn: list[tuple[Lane, int, int]]) -> tuple[list[Candidate], dict[str, int]]:
    """Return candidates, best first in each lane, and their sizes."""
    candidates = [
        Candidate(record(f"r{number}"), lane, score / 100 if lane is Lane.TOPICAL else None)
        for number, (lane, score, _) in enumerate(drawn)
    ]
    candidates.sort(key=lambda c: -(c.score or 0))
    return candidates, {f"r{number}": size for number, (_, _, size) in enumerate(drawn)}


def kept(chosen: list[Chosen]) -> list[Kept]:
    return [Kept(one.record.id, one.score) for one in chosen]


@given(CANDIDATES, st.integers(1, 150), st.integers(0, 10))
def test_what_is_chosen_fits_and_falls(
    drawn: list[tuple[Lane, int, int]], budget: int, had: int
) -> None:
    """R1, R5, R7: within the budget, each once, scores never rising; empty where nothing fits."""
    candidates, sizes = choice(drawn)
    before = [Kept(c.record.id, c.score) for c in candidates[:had]]
    chosen = choose(candidates, sizes, budget, before)
    ids = [one.record.id for one in chosen]
    assert len(ids) == len(set(ids))
    assert sum(sizes[id] for id in ids) <= budget
    scores = [one.score for one in chosen if one.score is not None]
    assert scores == sorted(scores, reverse=True)
    assert bool(chosen) == any(size <= budget for size in sizes.values())
    assert choose(candidates, sizes, budget, before) == chosen


@given(CANDIDATES, st.integers(1, 150))
def test_asked_again_nothing_moves(drawn: list[tuple[Lane, int, int]], budget: int) -> None:
    """R8: with what was chosen as what the session has, the choice is the same."""
    candidates, sizes = choice(drawn)
    chosen = choose(candidates, sizes, budget)
    assert choose(candidates, sizes, budget, kept(chosen)) == chosen
