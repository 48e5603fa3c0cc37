"""What is newer replaces what was captured only where the same matter has a new value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memplugin.capture.superseding import supersedes


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The staging database is on port 5432.", "The staging database is on port 6432."),
        ("The ledger deploys on Mondays.", "The ledger deploys on Wednesdays."),
        ("The audit is due on 2026-03-20.", "The audit is due on 2026-04-02."),
        ("The relay runs version 3.11.7.", "The relay runs version 3.12."),
    ],
)
def test_a_new_value_of_the_same_matter(old: str, new: str) -> None:
    """H4: only the value at the end is another."""
    assert supersedes(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Box 1 lives on shelf 8.", "Box 2 lives on shelf 9."),
        ("Box 1 lives on shelf 8.", "Box 2 lives on shelf 8."),
        ("Locker 12 belongs to Ana.", "Locker 13 belongs to Bob."),
        ("Use 4 spaces in Python.", "Use 2 spaces in YAML."),
        ("Ana owns the parser.", "Ana owns the linter."),
        ("Always run the linter.", "Never run the linter."),
        ("The relay is up.", "The relay is up."),
        ("Port 5432.", "Port 6432."),
        ("", ""),
    ],
)
def test_another_matter_supersedes_nothing(old: str, new: str) -> None:
    """H4, case 33: nothing may be lost."""
    assert not supersedes(new, old)
    assert not supersedes(old, new)


@given(st.text(max_size=80), st.text(max_size=80))
def test_nothing_supersedes_itself_or_is_superseded_by_its_beginning(a: str, b: str) -> None:
    """H4: what only says more or less is no new value."""
    assert not supersedes(a, a)
    assert not supersedes(a + b, a) or b.strip()
