"""What a recall keeps, adds, replaces and reorders from turn to turn, and what its lanes get."""

from hypothesis import given
from hypothesis import strategies as st

from memplugin.protocol.records import MemoryType
from memplugin.recall.selection import (
    RECENT_SHARE,
    REORDERS_AT,
    REPLACES_AT,
    STANDING_SHARE,
    Candidate,
    Chosen,
    Kept,
    Lane,
    choose,
)
from tests.recall.test_ranking import record


def topical(**scores: float) -> list[Candidate]:
    ranked = sorted(scores.items(), key=lambda pair: -pair[1])
    return [Candidate(record(id), Lane.TOPICAL, score) for id, score in ranked]


def unasked(lane: Lane, *ids: str) -> list[Candidate]:
    return [Candidate(record(id, type=MemoryType.FEEDBACK), lane) for id in ids]


def sizes(candidates: list[Candidate], size: int = 10) -> dict[str, int]:
    return {candidate.record.id: size for candidate in candidates}


def had(chosen: list[Chosen]) -> list[Kept]:
    return [Kept(one.record.id, one.score) for one in chosen]


def ids(chosen: list[Chosen]) -> list[str]:
    return [one.record.id for one in chosen]


def turns(budget: int, *candidates: list[Candidate]) -> list[list[str]]:
    """Return what one session is given turn by turn, every record ten tokens."""
    before: list[Kept] = []
    given_: list[list[str]] = []
    for each in candidates:
        chosen = choose(each, sizes(each), budget, before)
        before = had(chosen)
        given_.append(ids(chosen))
    return given_


HUNDREDTHS = st.integers(30, 90)
WIGGLE = st.integers(-4, 4)  # hundredths: two of them make less than REPLACES_AT


@given(st.lists(st.tuples(HUNDREDTHS, WIGGLE), min_size=1, max_size=12), st.integers(1, 12))
def test_scores_that_hardly_change_change_nothing(drawn: list[tuple[int, int]], room: int) -> None:
    """R8, case 30: the same records in the same order with the same scores, byte for byte."""
    names = [f"r{number}" for number in range(len(drawn))]
    first = topical(**{n: base / 100 for n, (base, _) in zip(names, drawn, strict=True)})
    then = topical(**{n: (base + by) / 100 for n, (base, by) in zip(names, drawn, strict=True)})
    chosen = choose(first, sizes(first), room * 10)
    assert choose(then, sizes(then), room * 10, had(chosen)) == chosen


def test_a_newcomer_comes_after_what_is_there() -> None:
    """R8: where there is room, however the scores lie, unless it is much better than the first."""
    first, then = topical(a=0.5, b=0.3), topical(c=0.5 + REORDERS_AT - 0.01, a=0.5, b=0.3)
    assert turns(100, first, then) == [["a", "b"], ["a", "b", "c"]]


def test_one_much_better_than_the_first_reorders_all() -> None:
    """R1, R8: the order is by relevance again."""
    first, then = topical(a=0.5, b=0.3), topical(c=0.5 + REORDERS_AT, a=0.5, b=0.3)
    assert turns(100, first, then) == [["a", "b"], ["c", "a", "b"]]


def test_where_there_is_no_room_one_clearly_better_replaces_the_weakest() -> None:
    """R8: a little better is not enough."""
    first = topical(a=0.5, b=0.3)
    little, clearly = 0.3 + REPLACES_AT - 0.02, 0.3 + REPLACES_AT + 0.02
    assert turns(20, first, topical(a=0.5, b=0.3, c=little))[1] == ["a", "b"]
    assert turns(20, first, topical(a=0.5, b=0.3, c=clearly))[1] == ["a", "c"]


def test_what_is_no_candidate_any_more_goes_and_the_others_keep_their_places() -> None:
    """R8, R9: a record below the floor, deleted or filtered."""
    first = topical(a=0.6, b=0.5, c=0.4)
    assert turns(100, first, topical(c=0.55, b=0.5))[1] == ["b", "c"]


def test_a_score_is_the_one_it_was_admitted_with_and_never_rises_down_the_list() -> None:
    """R8, R1, D7: two decimals; a newcomer's is lowered to what stands above it."""
    first = topical(a=0.512, b=0.3)
    then = topical(c=0.6, a=0.52, b=0.49)
    chosen = choose(then, sizes(then), 100, had(choose(first, sizes(first), 100)))
    assert [(one.record.id, one.score) for one in chosen] == [("a", 0.51), ("b", 0.3), ("c", 0.3)]


def test_standing_memory_has_its_share_and_what_others_leave() -> None:
    """R3: it does not starve the topic, nor the topic it."""
    standing = unasked(Lane.STANDING, *(f"s{n}" for n in range(9)))
    many = [*topical(**{f"t{n}": 0.9 - n / 100 for n in range(9)}), *standing]
    chosen = ids(choose(many, sizes(many), 100))
    share = int(10 * STANDING_SHARE)
    assert chosen == [*(f"t{n}" for n in range(10 - share)), *(f"s{n}" for n in range(share))]
    few = [*topical(t=0.9), *standing]
    assert ids(choose(few, sizes(few), 100)) == ["t", *(f"s{n}" for n in range(9))]


def test_one_standing_record_comes_whatever_its_share_where_nothing_is_asked() -> None:
    """R3, R5: the first that fits, else a session's first turn would be told nothing."""
    alone = unasked(Lane.STANDING, "large", "small")
    assert ids(choose(alone, {"large": 30, "small": 20}, 25)) == ["small"]


def test_recent_memory_has_a_share_and_comes_last() -> None:
    """R3: user and feedback first, then what is recent; without a score, for nothing was asked."""
    lanes = [*unasked(Lane.STANDING, *"abcdefghij"), *unasked(Lane.RECENT, *"vwxyz")]
    chosen = choose(lanes, sizes(lanes), 100)
    recent = [one.record.id for one in chosen if one.record.id in "vwxyz"]
    assert recent == list("vwxyz")[: int(10 * RECENT_SHARE)]
    assert ids(chosen)[-len(recent) :] == recent
    assert {one.score for one in chosen} == {None}
