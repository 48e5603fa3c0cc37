"""Packing records into a budget."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from memplugin.recall.packing import Parcel, pack

PARCELS = st.lists(st.builds(Parcel, st.integers(1, 30), st.integers(1, 100)), max_size=9).map(
    lambda parcels: sorted(parcels, key=lambda parcel: -parcel.value)
)


def size(parcels: list[Parcel], indices: list[int] | tuple[int, ...]) -> int:
    return sum(parcels[index].size for index in indices)


def value(parcels: list[Parcel], indices: list[int] | tuple[int, ...]) -> int:
    return sum(parcels[index].value for index in indices)


@given(PARCELS, st.integers(0, 100))
def test_the_best_that_fits_is_in_and_the_rest_is_worth_most(
    parcels: list[Parcel], budget: int
) -> None:
    """R1, R5: against every choice there is; indices rise, and the budget holds."""
    packed = pack(parcels, budget)
    fitting = [index for index, parcel in enumerate(parcels) if parcel.size <= budget]
    assert packed == sorted(set(packed))
    assert size(parcels, packed) <= budget
    assert bool(packed) == bool(fitting)
    if not fitting:
        return
    first, *others = fitting
    assert packed[0] == first
    best = max(
        value(parcels, (first, *more))
        for count in range(len(others) + 1)
        for more in combinations(others, count)
        if size(parcels, (first, *more)) <= budget
    )
    assert value(parcels, packed) == best


@given(PARCELS, st.integers(0, 100))
def test_the_same_parcels_are_packed_alike(parcels: list[Parcel], budget: int) -> None:
    """R7: and of choices worth the same, the one with the more relevant records is taken."""
    assert pack(parcels, budget) == pack(list(parcels), budget)
    twice = [Parcel(one.size, 50) for one in parcels if one.size == 7]
    assert pack(twice, 7 * 2) == list(range(min(2, len(twice))))


def test_many_parcels_are_packed_within_bounds() -> None:
    """R1, R5: five hundred records of odd sizes; still the best first."""
    parcels = [Parcel(101 + (number * 37) % 613, 100 - number // 5) for number in range(500)]
    packed = pack(parcels, 20_000)
    assert size(parcels, packed) <= 20_000
    assert packed[0] == 0
    assert value(parcels, packed) > 3_000
