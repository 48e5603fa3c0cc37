"""What stands around a record: the records of the same session, before and after it.

People and agents say one thing over several turns. A record that meets a question a little is
likelier to answer it where those next to it meet it well: on conversations this gained more than
any model of meaning that was measured (benchmarks/README.md).
"""

from collections.abc import Mapping
from itertools import groupby
from operator import itemgetter

from msgspec import Struct

from memplugin.index.catalog import Catalog

STRONGEST = 32  # records whose sessions are looked at
LONGEST = 5_000  # records of these sessions that are looked at, in all
NEARNESS = (0.3, 0.15)  # what a record one and two places away counts


class Surrounding(Struct, frozen=True):
    """How well others of its session meet the question, each in [0, 1]."""

    neighbours: float = 0.0  # the nearest four, by NEARNESS
    session: float = 0.0  # the best one


_SESSIONS = (
    "SELECT session, number FROM record WHERE session IN (SELECT session FROM record"
    " WHERE number IN ({marks}) AND session <> '') ORDER BY session, created_ms, id LIMIT ?"
)


def surroundings(catalog: Catalog, met: Mapping[int, float]) -> dict[int, Surrounding]:
    """Return what stands around records; `met` tells by number how well each meets a question.

    Records without a session, or alone in theirs, are left out.
    """
    strongest = sorted(met, key=lambda number: (-met[number], number))[:STRONGEST]
    if len(met) < 2:  # noqa: PLR2004 - nothing stands around one
        return {}
    sql = _SESSIONS.format(marks=", ".join("?" for _ in strongest))
    rows = catalog.query(sql, (*strongest, LONGEST))
    found: dict[int, Surrounding] = {}
    for _, group in groupby(rows, key=itemgetter(0)):
        numbers = [number for _, number in group]
        found |= _around(numbers, met)  # type: ignore[arg-type]  # a column of numbers
    return found


def _around(numbers: list[int], met: Mapping[int, float]) -> dict[int, Surrounding]:
    values = [met.get(number, 0.0) for number in numbers]
    best, second = (*sorted(values, reverse=True), 0.0)[:2]
    found: dict[int, Surrounding] = {}
    for place, number in enumerate(numbers):
        if number not in met:
            continue
        near = sum(
            weight * values[other]
            for away, weight in enumerate(NEARNESS, 1)
            for other in (place - away, place + away)
            if 0 <= other < len(values)
        )
        others = second if values[place] == best else best
        found[number] = Surrounding(near, others)
    return found
