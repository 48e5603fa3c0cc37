import pytest

from memplugin.recall.dates import digits, spelled


def tokens(found: object) -> list[str]:
    assert isinstance(found, list)
    return [token for token, _ in found]


FULL = ["2023-05-08", "2023-05", "05-08"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8 May 2023", FULL),
        ("on the 8th of May, 2023.", FULL),
        ("May 8, 2023", FULL),
        ("MAY 8TH 2023", FULL),
        ("08-May-2023", FULL),
        ("Sept. 3", ["09-03"]),
        ("May 2023", ["2023-05"]),
        ("3 Dec", ["12-03"]),
        ("you may 5 times", ["05-05"]),
        ("you may go", []),
        ("march on", []),
        ("May 2023rd", []),
        ("Maya 8", []),
        ("at May 8:30", []),
    ],
)
def test_dates_in_words_become_canonical(text: str, expected: list[str]) -> None:
    assert tokens(list(spelled(text))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2023-05-08", [*FULL, "may", "2023"]),
        ("2023/5/8", [*FULL, "may", "2023"]),
        ("20230508", [*FULL, "may", "2023"]),
        ("2023-05-08T10:00", [*FULL, "may", "2023"]),
        ("2023/05", ["2023-05", "may", "2023"]),
        ("25/03/2026", ["2026-03-25", "2026-03", "03-25", "march", "2026"]),
        ("03/25/2026", ["2026-03-25", "2026-03", "03-25", "march", "2026"]),
        ("05.05.2026", ["2026-05-05", "2026-05", "05-05", "may", "2026"]),
        ("05.03.2026", []),
        ("2023-13-01", []),
        ("2023-05-081", []),
        ("12023-05-08", []),
        ("31/31/2026", []),
    ],
)
def test_dates_in_digits_become_canonical_where_they_are_certain(
    text: str, expected: list[str]
) -> None:
    assert tokens(list(digits(text))) == expected
