"""The journal of captured work: what a process leaves is another's to finish."""

from itertools import count
from pathlib import Path

import pytest

from memplugin.store import disk
from memplugin.store.journal import Journal


def _left_by_a_process(state: Path, entry: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "_numbers", count())  # as in a new process
    journal = Journal(state)
    journal.put(entry)
    journal.close()


def test_a_process_with_the_id_of_an_ended_one_writes_over_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H4, case 15: in containers process ids are the same at every start."""
    entries = [b"first", b"second"]
    for entry in entries:
        _left_by_a_process(tmp_path, entry, monkeypatch)
    journal = Journal(tmp_path)
    mine = journal.put(b"mine")
    found = dict(journal.abandoned())
    assert sorted(found.values()) == entries
    for path in found:
        journal.drop(path)
    journal.drop(mine)
    journal.close()
    assert dict(Journal(tmp_path).abandoned()) == {}
    assert not list((tmp_path / "journal").glob("*.json"))
