import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec import Raw

from memplugin.store.leftovers import sweep_places
from memplugin.store.roots import session_root
from memplugin.store.sessions import SessionFiles, SessionState

from .failing_disk import FailingDisk, power_cuts
from .making import places_below

STATE = SessionState(
    id="../s 1",
    parent="s0",
    working_directory="/w/p/sub",
    project="/w/p",
    opened_at=datetime(2026, 1, 5, 9, tzinfo=UTC),
    recalled=Raw(b'[["a", 0.5], {"b":1e3}]'),
)


def test_what_is_known_of_a_session_survives_a_restart(tmp_path: Path) -> None:
    """Decision 3: lineage and project are state, not index."""
    places = places_below(tmp_path)
    SessionFiles(places).write(STATE)
    found = SessionFiles(places).read(STATE.id)
    assert found == STATE
    assert found.recalled == STATE.recalled
    path = session_root(places, STATE.id).path / "session.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_an_unknown_session_is_none(tmp_path: Path) -> None:
    files = SessionFiles(places_below(tmp_path))
    assert files.read("s") is None
    assert list(files.all()) == []


@pytest.mark.parametrize("junk", [b"", b"{", b"{}", b'{"id": "other"}', b"\xff"])
def test_an_unreadable_file_or_one_of_another_session_is_none(tmp_path: Path, junk: bytes) -> None:
    """Decision 18: the id is compared on open."""
    places = places_below(tmp_path)
    files = SessionFiles(places)
    files.write(STATE)
    (session_root(places, STATE.id).path / "session.json").write_bytes(junk)
    assert files.read(STATE.id) is None
    assert list(files.all()) == []


def test_all_sessions_are_listed(tmp_path: Path) -> None:
    files = SessionFiles(places_below(tmp_path))
    states = [STATE, SessionState(id="A"), SessionState(id="a")]
    for state in states:
        files.write(state)
    assert sorted(state.id for state in files.all()) == ["../s 1", "A", "a"]


def test_a_power_cut_at_any_call_leaves_the_old_state_or_the_new(tmp_path: Path) -> None:
    for number, disk in enumerate(power_cuts()):
        places = places_below(tmp_path / str(number))
        SessionFiles(places).write(STATE)
        new = SessionState(id=STATE.id, parent="other")
        try:
            SessionFiles(places, disk=disk).write(new)
        except OSError:
            assert disk.failed
        assert SessionFiles(places).read(STATE.id) in (STATE, new)


def test_a_state_that_need_not_be_durable_is_not_flushed(tmp_path: Path) -> None:
    places = places_below(tmp_path)
    SessionFiles(places).write(STATE)
    disk = FailingDisk()
    SessionFiles(places, disk=disk).write(STATE, durable=False)
    assert "fsync" not in disk.calls
    assert SessionFiles(places).read(STATE.id) == STATE


def test_leftovers_in_the_places_are_swept(tmp_path: Path) -> None:
    """Design decision 3: state, journal and private record folders alike."""
    places = places_below(tmp_path)
    SessionFiles(places).write(STATE)
    session = session_root(places, STATE.id).path
    journal, project = places.state / "journal", places.data / "projects" / "p"
    folders = (places.state, session, journal, places.data, project)
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".1-00000000-0.tmp").touch()
        os.utime(folder / ".1-00000000-0.tmp", (0, 0))
    assert sweep_places(places) == len(folders)
    assert [path.name for path in session.iterdir()] == ["session.json"]
    assert sweep_places(places_below(tmp_path / "none")) == 0
