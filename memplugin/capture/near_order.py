"""What the order of words tells of a statement: what is denied, what comes first, who does what."""

from collections.abc import Iterable, Sequence

from memplugin.capture import near_words
from memplugin.capture.near_reading import Kind, Word

STRONG = frozenset({Kind.TELLING, Kind.NAME, Kind.NUMBER})
"""Words that carry a statement."""
_RELATIONS = {
    "from": "from", "to": "to", "into": "to", "onto": "to", "before": "before", "after": "after",
    "above": "above", "below": "below", "newer": "newer", "older": "older", "than": "than",
    "until": "until", "since": "since", "unless": "unless", "except": "except", "by": "by",
    "over": "above", "under": "below",
}  # fmt: skip
_PERMITS = frozenset(near_words.key_of(word) for word in "permit may ok require".split())


def negations(words: Iterable[Word]) -> int:
    """Count the negations of a statement."""
    return sum(word.kind is Kind.NEGATION for word in words)


def agree(a: Sequence[Word], b: Sequence[Word]) -> bool:
    """Tell whether what is denied, and what stands before or after what, is the same in both."""
    if negations(a) != negations(b):
        return False
    denied_a, denied_b = _denied(a), _denied(b)
    keys_a, keys_b = {word.key for word in a}, {word.key for word in b}
    if (denied_a - denied_b) & keys_b and (denied_b - denied_a) & keys_a:
        return False
    relations_a, relations_b = _relations(a), _relations(b)
    for key in relations_a.keys() & relations_b.keys():
        if not relations_a[key] & relations_b[key]:
            return False
    shared = keys_a & keys_b
    moved_a = {key: of for key, of in relations_a.items() if key in shared - relations_b.keys()}
    moved_b = {key: of for key, of in relations_b.items() if key in shared - relations_a.keys()}
    return not set().union(*moved_a.values()) & set().union(*moved_b.values())


def _denied(words: Sequence[Word]) -> set[str]:
    """Give the keys that a negation stands before, but for "not allowed", which looks back."""
    found = set()
    for at, word in enumerate(words):
        if word.kind is Kind.NEGATION:
            rest = _clause(words[at + 1 :])
            first = next((w for w in rest if w.kind is not Kind.LITTLE), None)
            strong = next((w for w in rest if w.kind in STRONG), None)
            if first is None and rest:
                found.add(rest[0].key)
            elif first is not None and strong is not None and first.key not in _PERMITS:
                found.add(strong.key)
    return found


def _relations(words: Sequence[Word]) -> dict[str, set[str]]:
    """Give what relation each key stands in, by what is right before it; of numbers the unit."""
    found: dict[str, set[str]] = {}
    for at, word in enumerate(words):
        unit = words[at + 1] if at + 1 < len(words) else None
        if unit is not None and _is_count(word) and unit.kind is Kind.NUMBER:
            found.setdefault(f"unit of {word.key}", set()).add(unit.key)
        relation = _RELATIONS.get(word.key)
        if relation is None:
            continue
        rest = _clause(words[at + 1 :])
        strong = next((w for w in rest if w.kind in STRONG), None)
        weak = next((w for w in rest if w.kind is Kind.WEAK), None)
        if strong := strong or weak:
            found.setdefault(strong.key, set()).add(relation)
    return found


def _clause(words: Sequence[Word]) -> list[Word]:
    end = next((at for at, word in enumerate(words[:12]) if word.kind is Kind.BREAK), 12)
    return list(words[:end])


def swapped(a: Sequence[Word], b: Sequence[Word]) -> bool:
    """Tell whether two words of a kind have changed places, and all others have not.

    A statement that is turned round as a whole keeps what it says ("tabs for indenting" is "indent
    with tabs"); "Dana reviews Lena" does not.
    """
    shared = {w.key for w in a} & {w.key for w in b}
    order_a, order_b = _order(a, shared), _order(b, shared)
    if len(order_a) != len(order_b):
        return False
    moved = [at for at, pair in enumerate(zip(order_a, order_b, strict=True)) if len(set(pair)) > 1]
    if len(moved) != 2:  # noqa: PLR2004 - a swap
        return False
    one, other = order_a[moved[0]], order_a[moved[1]]
    kinds = {w.kind for w in a if w.key in (one, other)}
    if kinds == {Kind.NAME} or all(key.isdigit() for key in (one, other)):
        return True
    if any({one, other} <= group for group in near_words.opposites()):
        return True
    return moved[1] - moved[0] > 1 and kinds <= {Kind.TELLING, Kind.NAME}


def _order(words: Iterable[Word], shared: set[str]) -> list[str]:
    return list(dict.fromkeys(w.key for w in words if w.kind in STRONG and w.key in shared))


def _is_count(word: Word) -> bool:
    return word.kind is Kind.NUMBER and word.key.isdigit()
