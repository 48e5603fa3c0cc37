"""What a recall returns: lanes, budget, and steadiness from turn to turn (R1, R3, R5, R8, R9).

    topical   every record that is relevant                          what the others leave
    standing  who the person is, how to work: no question needed     30 % of the budget
    recent    where nothing is asked: what was touched lately         20 % of the budget

Unused shares go to the others. With a stated query only the topical lane is open.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from memplugin.protocol.records import Record
from memplugin.recall.packing import Parcel, pack

STANDING_SHARE = 0.3
RECENT_SHARE = 0.2
REPLACES_AT = 0.1  # how much better a newcomer must be to take a kept record's room
REORDERS_AT = 0.15  # how much better than the first to put all in a new order


class Lane(StrEnum):
    """Why a record is a candidate."""

    TOPICAL = "topical"
    STANDING = "standing"
    RECENT = "recent"


class Candidate(Struct, frozen=True):
    """A record that may be recalled; `score` is None where it is not about the question."""

    record: Record
    lane: Lane
    score: float | None = None


class Kept(Struct, frozen=True):
    """A record as it was recalled before in this session."""

    id: str
    score: float | None


class Chosen(Struct, frozen=True):
    """A record that is recalled, with the relevance it is sent with."""

    record: Record
    score: float | None


def choose(
    candidates: Sequence[Candidate],
    sizes: Mapping[str, int],
    budget: int,
    before: Sequence[Kept] = (),
) -> list[Chosen]:
    """Return the records to send, in order.

    `candidates` come best first within their lane, each id once; `sizes` has their tokens by id
    (a candidate without a size is not sent). The sum of sizes is within the budget. `before` is
    what this session had for the same filters.
    """
    sized = [c for c in candidates if c.record.id in sizes]
    kept = {one.id: one.score for one in before}
    taken = _fill(sized, sizes, budget, kept)
    order = _ordered([c for c in sized if c.record.id in taken], before)
    return _falling(order, kept)


def _fill(
    candidates: Sequence[Candidate],
    sizes: Mapping[str, int],
    budget: int,
    kept: Mapping[str, float | None],
) -> set[str]:
    lanes = {lane: [c for c in candidates if c.lane is lane] for lane in Lane}
    standing = lanes[Lane.STANDING]
    taken: set[str] = set()
    used = _greedy(standing, sizes, int(budget * STANDING_SHARE), taken)
    if not taken and standing and not lanes[Lane.TOPICAL]:
        used = _greedy(standing, sizes, budget, taken, most=1)
    topical = sorted(lanes[Lane.TOPICAL], key=lambda c: -_steady_score(c, kept))
    parcels = [Parcel(sizes[c.record.id], _hundredths(_steady_score(c, kept))) for c in topical]
    for index in pack(parcels, budget - used):
        taken.add(topical[index].record.id)
        used += parcels[index].size
    recent_room = min(int(budget * RECENT_SHARE), budget - used)
    used += _greedy(lanes[Lane.RECENT], sizes, recent_room, taken)
    used += _greedy(standing, sizes, budget - used, taken)
    _greedy(lanes[Lane.RECENT], sizes, budget - used, taken)
    return taken


def _greedy(
    lane: Sequence[Candidate],
    sizes: Mapping[str, int],
    room: int,
    taken: set[str],
    most: int | None = None,
) -> int:
    """Take in order what fits; return the tokens used."""
    used = count = 0
    for candidate in lane:
        id, size = candidate.record.id, sizes[candidate.record.id]
        if id not in taken and used + size <= room and (most is None or count < most):
            taken.add(id)
            used += size
            count += 1
    return used


def _steady_score(candidate: Candidate, kept: Mapping[str, float | None]) -> float:
    """Return a score at which a kept record gives way only to one that is clearly better."""
    score = candidate.score or 0.0
    return score + REPLACES_AT if candidate.record.id in kept else score


def _hundredths(score: float) -> int:
    return max(1, round(score * 100))


def _ordered(chosen: Sequence[Candidate], before: Sequence[Kept]) -> list[Candidate]:
    fresh = sorted(chosen, key=_by_lane_and_score)
    by_id = {c.record.id: c for c in chosen}
    staying = [by_id[one.id] for one in before if one.id in by_id]
    ids = {c.record.id for c in staying}
    newcomers = [c for c in fresh if c.record.id not in ids]
    if not staying or _is_much_better(newcomers, staying):
        return fresh
    return [*staying, *newcomers]


def _is_much_better(newcomers: Sequence[Candidate], staying: Sequence[Candidate]) -> bool:
    best = max((c.score or 0.0 for c in newcomers), default=0.0)
    return best > 0 and best >= (staying[0].score or 0.0) + REORDERS_AT


def _by_lane_and_score(candidate: Candidate) -> tuple[int, float]:
    # sorted() is stable: within a lane ties stay in the order in which candidates came.
    return list(Lane).index(candidate.lane), -(candidate.score or 0.0)


def _falling(order: Sequence[Candidate], kept: Mapping[str, float | None]) -> list[Chosen]:
    """Give each the score it was admitted with, two decimals, never rising down the list."""
    ceiling = 1.0
    chosen: list[Chosen] = []
    for candidate in order:
        score = candidate.score
        if score is not None:
            admitted = kept.get(candidate.record.id)
            ceiling = min(ceiling, round(score if admitted is None else admitted, 2))
            score = ceiling
        chosen.append(Chosen(candidate.record, score))
    return chosen
