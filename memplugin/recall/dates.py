"""Dates in text, however they are written: one canonical token each (2023-05-08, 2023-05, 05-08).

English month names; digits only where the order of day and month is certain.
"""

import re
from collections.abc import Iterator

_MONTHS = "january february march april may june july august september october november december"
_NAME = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    "|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?:1[89]|20|21)[0-9]{2}"
# Blanks are bounded: unbounded ones next to each other would take quadratic time.
_SPELLED = re.compile(
    rf"(?<![^\W_])(?:({_DAY})[ -]{{1,3}}(?:of )?)?({_NAME})(?![^\W_])\.?"
    rf"(?:[ -]{{1,3}}({_DAY})(?![^\W_]|[:.][0-9]))?(?:,?[ -]{{1,3}}({_YEAR})(?![^\W_]))?",
    re.IGNORECASE,
)
_MONTH = re.compile(rf"(?<![^\W_])(?:{_NAME})(?![^\W_])", re.IGNORECASE)
_YEAR_FIRST = re.compile(
    rf"(?<![0-9])({_YEAR})([-/.])(0?[1-9]|1[0-2])(?:\2(0?[1-9]|[12][0-9]|3[01]))?(?![0-9]|\2[0-9])"
)
_YEAR_LAST = re.compile(rf"(?<![0-9])([0-9]{{1,2}})([-/.])([0-9]{{1,2}})\2({_YEAR})(?![0-9])")
_COMPACT = re.compile(
    rf"(?<![0-9a-zA-Z])({_YEAR})(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])(?![0-9a-zA-Z])"
)
_LAST_MONTH = 12
_LAST_DAY = 31

WHOLE = 1.5
"""Weight of a date as precise as it was written."""
PART = 0.5
"""Weight of a less precise form of it."""


def spelled(text: str) -> Iterator[tuple[str, float]]:
    """Give token and weight of the dates in `text` that name their month ("8 May 2023")."""
    if _MONTH.search(text) is None:
        return
    for found in _SPELLED.finditer(text):
        day = found[1] or found[3]
        if day or found[4]:
            month = _month_number(found[2])
            yield from _forms(found[4], month, int(day.rstrip("stndrhSTNDRH")) if day else 0)


def digits(text: str) -> Iterator[tuple[str, float]]:
    """Give token and weight of the dates in `text` that are written in digits.

    05/03/2026 says nothing certain, 25/03/2026 does. Weight 0: what only an index holds.
    """
    for found in _YEAR_FIRST.finditer(text):
        yield from _named(found[1], int(found[3]), int(found[4] or 0))
    for found in _COMPACT.finditer(text):
        yield from _named(found[1], int(found[2]), int(found[3]))
    for found in _YEAR_LAST.finditer(text):
        low, high = sorted((int(found[1]), int(found[3])))
        if 1 <= low <= _LAST_MONTH < high <= _LAST_DAY or low == high <= _LAST_MONTH:
            yield from _named(found[4], low, high)


def canonical(text: str) -> str:
    """Write the dates in `text` as 2023-05-08, 2023-05 or 05-08; what is uncertain stays."""
    if _MONTH.search(text) is not None:
        text = _SPELLED.sub(_rewritten, text)
    text = _YEAR_FIRST.sub(lambda m: _first([*_named(m[1], int(m[3]), int(m[4] or 0))], m[0]), text)
    return _YEAR_LAST.sub(lambda m: _first([*digits(m[0])], m[0]), text)


def _rewritten(found: re.Match[str]) -> str:
    return _first([*spelled(found[0])], found[0])


def _first(forms: list[tuple[str, float]], otherwise: str) -> str:
    return forms[0][0] if forms else otherwise


def _named(year: str, month: int, day: int) -> Iterator[tuple[str, float]]:
    yield from _forms(year, month, day)
    yield _MONTHS.split()[month - 1], 0.0
    yield year, 0.0


def _forms(year: str | None, month: int, day: int) -> Iterator[tuple[str, float]]:
    if year and day:
        yield f"{year}-{month:02}-{day:02}", WHOLE
    if year:
        yield f"{year}-{month:02}", PART if day else WHOLE
    if day:
        yield f"{month:02}-{day:02}", PART if year else WHOLE


def _month_number(name: str) -> int:
    start = name[:3].lower()
    return next(n for n, month in enumerate(_MONTHS.split(), 1) if month.startswith(start))
