"""Token counts that outlive the process: a cache whose faults never matter (K2)."""

import sqlite3
from pathlib import Path

import pytest

from memplugin.index.counts import VERSION, Counts

ONE, TWO = ("m", b"digest one"), ("m", b"digest two")


def file_of(folder: Path) -> Path:
    return folder / f"tokens-{VERSION}.sqlite"


def saved(folder: Path, *counts: tuple[tuple[str, bytes], int]) -> None:
    kept = Counts(folder)
    kept.save(counts)
    kept.close()


def loaded(folder: Path, *keys: tuple[str, bytes]) -> dict[tuple[str, bytes], int]:
    kept = Counts(folder)
    found = kept.load(keys)
    kept.close()
    return found


def test_counts_are_kept_by_content_and_model(tmp_path: Path) -> None:
    """K2: known to the next process; another model's are other counts."""
    saved(tmp_path, (ONE, 7), (("other", ONE[1]), 9))
    assert loaded(tmp_path, ONE, TWO, ("other", ONE[1])) == {ONE: 7, ("other", ONE[1]): 9}


def test_a_count_said_anew_replaces_the_old_one(tmp_path: Path) -> None:
    """K2: what the kernel said last."""
    saved(tmp_path, (ONE, 7))
    saved(tmp_path, (ONE, 8), (TWO, 0))
    assert loaded(tmp_path, ONE, TWO) == {ONE: 8, TWO: 0}


def test_without_a_file_nothing_is_known(tmp_path: Path) -> None:
    """K2: the folder is made when there is something to keep."""
    assert loaded(tmp_path / "a" / "b", ONE) == {}
    saved(tmp_path / "c" / "d", (ONE, 7))
    assert loaded(tmp_path / "c" / "d", ONE) == {ONE: 7}


@pytest.mark.parametrize("rubbish", [b"rubbish " * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_says_nothing_and_is_replaced(tmp_path: Path, rubbish: bytes) -> None:
    """K2, W9: the next count that is kept starts a new one."""
    file_of(tmp_path).write_bytes(rubbish)
    assert loaded(tmp_path, ONE) == {}
    saved(tmp_path, (ONE, 7))
    saved(tmp_path, (ONE, 7))
    assert loaded(tmp_path, ONE) == {ONE: 7}


def test_a_file_cut_anywhere_is_replaced(tmp_path: Path) -> None:
    """Case 3, K2: whatever is left of it."""
    many = [(("m", number.to_bytes(16, "big")), number) for number in range(500)]
    saved(tmp_path, *many)
    whole = file_of(tmp_path).read_bytes()
    for cut in range(0, len(whole), 2048):
        file_of(tmp_path).write_bytes(whole[:cut])
        assert loaded(tmp_path, *dict(many)).items() <= dict(many).items()
        for _ in range(2):
            saved(tmp_path, *many)
        assert loaded(tmp_path, *dict(many)) == dict(many), cut


@pytest.mark.parametrize("schema", ["CREATE TABLE count (a)", "CREATE VIEW count AS SELECT 1"])
def test_a_file_of_another_shape_is_replaced(tmp_path: Path, schema: str) -> None:
    """K2, W9: a name alone does not make it ours."""
    with sqlite3.connect(file_of(tmp_path)) as connection:
        connection.execute(schema)
    connection.close()
    assert loaded(tmp_path, ONE) == {}
    saved(tmp_path, (ONE, 7))
    saved(tmp_path, (ONE, 7))
    assert loaded(tmp_path, ONE) == {ONE: 7}


def test_what_is_no_count_is_not_believed(tmp_path: Path) -> None:
    """K1: a damaged row is asked for again."""
    saved(tmp_path, (ONE, 7), (TWO, 8))
    with sqlite3.connect(file_of(tmp_path)) as connection:
        connection.execute("UPDATE count SET tokens = 'seven' WHERE digest = ?", (ONE[1],))
    connection.close()
    assert loaded(tmp_path, ONE, TWO) == {TWO: 8}


def test_where_the_disk_refuses_nothing_is_kept(tmp_path: Path) -> None:
    """K2, W9: no error, and the same object works once the way is free."""
    folder = tmp_path / "cache"
    folder.write_text("a file where the folder should be")
    counts = Counts(folder)
    counts.save([(ONE, 7)])
    assert counts.load([ONE]) == {}
    folder.unlink()
    counts.save([(ONE, 7)])
    assert counts.load([ONE]) == {ONE: 7}
    counts.close()


def test_a_file_that_another_process_has_locked_is_left_alone(tmp_path: Path) -> None:
    """K2: what it holds is not thrown away."""
    saved(tmp_path, (ONE, 7))
    other = sqlite3.connect(file_of(tmp_path), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    counts = Counts(tmp_path)
    assert counts.load([ONE]) == {ONE: 7}
    assert counts._connection is not None
    counts._connection.execute("PRAGMA busy_timeout = 1")
    counts.save([(TWO, 8)])
    other.execute("ROLLBACK")
    other.close()
    assert counts.load([ONE, TWO]) == {ONE: 7}
    counts.save([(TWO, 8)])
    assert counts.load([ONE, TWO]) == {ONE: 7, TWO: 8}
    counts.close()
