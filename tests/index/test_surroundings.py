"""What stands around a record: the records of its session."""

from datetime import timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memplugin.index.surroundings import NEARNESS, Surrounding, surroundings
from memplugin.recall.ranking import Evidence, Features, rank
from tests.store.making import NOW, RECORD, Store

from .shelf import catalog_of, index_of, shelf


def say(store: Store, session: str, count: int) -> None:
    """Record a session's records, one a minute."""
    provenance = replace(RECORD.provenance, source_session_id=session)
    for number in range(count):
        moment = NOW + timedelta(minutes=number)
        record = RECORD.replaced(
            id=f"{session or 'none'}-{number}",
            title="A title",
            content=(f"fact {number}",),
            links=(),
            created_at=moment,
            updated_at=moment,
            provenance=provenance,
        )
        assert store.folder.create(record)


def around(folder: Path, met: dict[str, float]) -> dict[str, Surrounding]:
    with catalog_of(shelf(folder), index_of(folder)) as catalog:
        ids = {row.record.id: row.number for row in catalog.page(None, 100)}
        found = surroundings(catalog, {ids[id]: value for id, value in met.items()})
        names = {number: id for id, number in ids.items()}
        return {names[number]: each for number, each in found.items()}


def test_the_nearest_count_by_their_distance(tmp_path: Path) -> None:
    """R3: one and two places away, in the order in which they were said; then the best of all."""
    say(shelf(tmp_path), "s", 6)
    found = around(tmp_path, {"s-0": 0.1, "s-1": 0.8, "s-2": 0.2, "s-5": 0.4})
    assert found["s-0"].neighbours == NEARNESS[0] * 0.8 + NEARNESS[1] * 0.2
    assert found["s-1"].neighbours == NEARNESS[0] * 0.1 + NEARNESS[0] * 0.2
    assert found["s-5"].neighbours == 0
    assert found["s-0"].session == 0.8
    assert found["s-1"].session == 0.4


def test_other_sessions_and_none_are_no_company(tmp_path: Path) -> None:
    """R3, X2: records of different sessions, or of none, say nothing of one another."""
    store = shelf(tmp_path)
    for session in ("one", "two", ""):
        say(store, session, 2)
    found = around(tmp_path, {"one-0": 0.9, "two-0": 0.1, "none-0": 0.5, "none-1": 0.5})
    assert found["two-0"] == Surrounding(0.0, 0.0)
    assert "none-0" not in found


@given(st.floats(0, 1), st.floats(0, 0.9))
def test_company_alone_makes_nothing_relevant(session: float, neighbours: float) -> None:
    """R9: what meets nothing of a question is not recalled for standing near what does."""
    alone = Features(neighbours=neighbours, session=session)
    assert rank([Evidence(RECORD, alone)]) == []
