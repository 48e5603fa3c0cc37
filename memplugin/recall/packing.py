"""Which records go into a budget: the most relevant that fits, then what sums up to most (R5).

The rest is a knapsack, solved exactly by the list of undominated choices (Nemhauser and Ullmann,
Discrete Dynamic Programming and Capital Allocation, 1969): small, because values are whole
hundredths.
"""

from collections.abc import Sequence

from msgspec import Struct

MAX_CHOICES = 5_000  # undominated choices kept; beyond that the least valuable are dropped


class Parcel(Struct, frozen=True):
    """Something to pack: its size in tokens and its value in hundredths."""

    size: int
    value: int


class _Choice(Struct, frozen=True):
    size: int
    value: int
    taken: tuple[int, ...]


def pack(parcels: Sequence[Parcel], budget: int) -> list[int]:
    """Return the indices of what is packed, in order; parcels come best first.

    The first that fits is always in. The sum of sizes never exceeds the budget (R1).
    """
    first = next((i for i, parcel in enumerate(parcels) if parcel.size <= budget), None)
    if first is None:
        return []
    rest = [i for i in range(first + 1, len(parcels)) if parcels[i].size <= budget]
    left = budget - parcels[first].size
    if sum(parcels[i].size for i in rest) <= left:
        return [first, *rest]
    return [first, *_best(parcels, rest, left)]


def _best(parcels: Sequence[Parcel], indices: Sequence[int], budget: int) -> tuple[int, ...]:
    choices = [_Choice(0, 0, ())]
    for index in indices:
        parcel = parcels[index]
        more = [
            _Choice(one.size + parcel.size, one.value + parcel.value, (*one.taken, index))
            for one in choices
            if one.size + parcel.size <= budget
        ]
        choices = _undominated(choices, more)
    return choices[-1].taken


def _undominated(one: list[_Choice], other: list[_Choice]) -> list[_Choice]:
    """Merge by size, keeping a choice only where it is worth more than every smaller one."""
    kept: list[_Choice] = []
    # A tie goes to the earlier choice: it holds the more relevant records (R7).
    for choice in sorted([*one, *other], key=lambda c: (c.size, -c.value, c.taken)):
        if not kept or choice.value > kept[-1].value:
            kept.append(choice)
    return kept[-MAX_CHOICES:] if len(kept) > MAX_CHOICES else kept
