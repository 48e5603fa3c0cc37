"""Every rule and every case is named by a test that proves it, and no other is named."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.requirements import CASES, NOT_YET, RULES, Proof, named, proofs

TESTS = Path(__file__).resolve().parent
PROOFS = list(proofs(TESTS))
KNOWN: frozenset[str | int] = frozenset([*RULES, *CASES])


def proven() -> set[str | int]:
    return {name for proof in PROOFS for name in proof.names}


def listed(names: Iterable[str | int]) -> list[str]:
    """Return names in an order, for the failure to be read."""
    return sorted(str(name) for name in names)


def test_every_rule_and_case_is_proven_by_a_test() -> None:
    assert listed(KNOWN - NOT_YET - proven()) == []


def test_what_is_proven_is_no_longer_waited_for() -> None:
    assert listed(NOT_YET & proven()) == []
    assert listed(NOT_YET - KNOWN) == []


def test_every_name_exists() -> None:
    wrong = {p.test: listed(set(p.names) - KNOWN) for p in PROOFS if set(p.names) - KNOWN}
    assert wrong == {}


def test_every_test_of_the_contract_says_what_it_proves() -> None:
    silent = [proof.test for proof in PROOFS if _is_silent(proof)]
    assert silent == []


def _is_silent(proof: Proof) -> bool:
    return proof.test.startswith("conformance/") and not proof.names


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("W5, K1, case 12: what holds.", ("W5", "K1", 12)),
        ("H4, cases 34, 36: both.", ("H4", 34, 36)),
        ("Field cases 3 and 7.", (3, 7)),
        ("D3, field cases 1 and 2: at once.", ("D3", 1, 2)),
        ("X2, D3, decision 19b: a place.", ("X2", "D3")),
        ("Case 3, K2: a file.", (3, "K2")),
        ("Decision 6; decision 19: known.", ()),
        ("A sentence about W5: no head.", ()),
        ("", ()),
    ],
)
def test_heads_are_read(docstring: str, expected: tuple[str | int, ...]) -> None:
    assert named(docstring) == expected
