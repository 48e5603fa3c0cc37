"""The index is disposable: whatever becomes of its file, calls are answered from the records."""

import os
import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memplugin.index.database import VERSION, Database

from .shelf import TRUST_NOTHING, add, catalog_of, files_of, found, index_of, records_of, shelf

TEXTS = ("The mail relay listens on 2525", "Deploys run on Mondays", "The dog is called Pepper")


def user_version(path: Path) -> int:
    with sqlite3.connect(path) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    return int(version)


def test_a_missing_index_is_made_from_the_files(tmp_path: Path) -> None:
    """D4: what was recorded is there whether or not its index is."""
    store, path = shelf(tmp_path, *TEXTS), index_of(tmp_path)
    with catalog_of(store, path):
        pass
    shutil.rmtree(path.parent)
    with catalog_of(store, path) as catalog:
        assert records_of(catalog) == files_of(store)
        assert found(catalog, "relay") == ["r0"]
    assert user_version(path) == VERSION


def test_an_index_deleted_while_it_is_open_loses_nothing(tmp_path: Path) -> None:
    """D4, W9: not for those who have it open, not for those who come later."""
    store, path = shelf(tmp_path, *TEXTS), index_of(tmp_path)
    with catalog_of(store, path) as catalog:
        shutil.rmtree(path.parent)
        add(store, "late", "Invoices go out on Fridays")
        catalog.refresh(TRUST_NOTHING)
        assert records_of(catalog) == files_of(store)
        with catalog_of(store, path) as other:
            assert found(other, "invoices") == found(catalog, "invoices") == ["late"]


@pytest.mark.parametrize("version", [VERSION + 1, 99, -1])
def test_an_index_of_another_version_is_made_anew(tmp_path: Path, version: int) -> None:
    """W9: what another release left under this name is neither read nor a fault."""
    store, path = shelf(tmp_path, *TEXTS), index_of(tmp_path)
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE file (what TEXT)")
        connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    with catalog_of(store, path) as catalog:
        assert records_of(catalog) == files_of(store)
        assert not catalog.database.in_memory
    assert user_version(path) == VERSION


@pytest.mark.parametrize("gone", ["meta", "file", "record", "passage", "words", "vocabulary"])
def test_an_index_without_one_of_its_tables_is_made_anew(tmp_path: Path, gone: str) -> None:
    """W9: the version alone does not say that all is there."""
    store, path = shelf(tmp_path, *TEXTS), index_of(tmp_path)
    with catalog_of(store, path):
        pass
    with sqlite3.connect(path) as connection:
        connection.execute(f"DROP TABLE {gone}")
    connection.close()
    with catalog_of(store, path) as catalog:
        assert found(catalog, "relay") == ["r0"]
        assert records_of(catalog) == files_of(store)
        assert not catalog.database.in_memory


@pytest.mark.parametrize("rubbish", [b"", b"x", b"not a database " * 1000, b"SQLite format 3\0"])
def test_a_file_that_is_no_database_is_replaced(tmp_path: Path, rubbish: bytes) -> None:
    """Case 3: start succeeds."""
    store, path = shelf(tmp_path, *TEXTS), index_of(tmp_path)
    path.parent.mkdir()
    path.write_bytes(rubbish)
    with catalog_of(store, path) as catalog:
        assert records_of(catalog) == files_of(store)
        assert not catalog.database.in_memory


def test_an_index_cut_at_any_byte_is_made_anew(tmp_path: Path) -> None:
    """Case 3: start succeeds, everything is there; every page boundary and around it."""
    store, path = shelf(tmp_path, *TEXTS), index_of(tmp_path)
    with catalog_of(store, path):
        pass
    whole = path.read_bytes()
    cuts = {near for page in range(0, len(whole), 4096) for near in (page, page + 1, page + 2047)}
    for cut in sorted(cuts):
        path.write_bytes(whole[:cut])
        with catalog_of(store, path) as catalog:
            assert records_of(catalog) == files_of(store), cut
            assert found(catalog, "pepper dog") == ["r2"], cut


def test_an_index_cut_while_it_is_open_still_answers(tmp_path: Path) -> None:
    """Case 3, W9: a question that meets the damage gets the whole answer, not an empty one."""
    store, path = shelf(tmp_path, *TEXTS), index_of(tmp_path)
    with catalog_of(store, path):
        pass
    with catalog_of(store, path) as catalog:
        os.truncate(path, 4096)
        assert found(catalog, "relay") == ["r0"]
        assert records_of(catalog) == files_of(store)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a store and its index, and a copy of that."""
    folder = tmp_path_factory.mktemp("written")
    store = shelf(folder, *TEXTS)
    with catalog_of(store, index_of(folder)):
        pass
    shutil.copy(index_of(folder), folder / "whole")
    return folder


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(place=st.integers(0, 1 << 20), noise=st.binary(min_size=1, max_size=600))
def test_no_damage_to_the_file_fails_a_call(written: Path, place: int, noise: bytes) -> None:
    """Case 3, W9: bytes overwritten anywhere; reads, searches and writes all go on."""
    whole = (written / "whole").read_bytes()
    start = place % len(whole)
    damaged = whole[:start] + noise[: len(whole) - start] + whole[start + len(noise) :]
    path = index_of(written)
    path.write_bytes(damaged)
    store = shelf(written)
    late = written / "project" / ".agent" / "memory" / "late.md"
    with catalog_of(store, path) as catalog:
        records_of(catalog)
        found(catalog, "relay deploys dog")
        catalog.by_id("r1")
        add(store, "late", "Invoices go out on Fridays")
        catalog.put(store.folder.read("late.md"))
        assert catalog.by_id("late")
        late.unlink()
        catalog.drop("late.md")
        assert catalog.by_id("late") is None


def test_where_the_disk_refuses_the_index_lives_in_memory(tmp_path: Path) -> None:
    """W9: a cache folder that cannot be made, a folder in place of the file."""
    store, path = shelf(tmp_path, *TEXTS), index_of(tmp_path)
    path.parent.write_text("a file where the folder should be")
    with catalog_of(store, path) as catalog:
        assert catalog.database.in_memory
        assert records_of(catalog) == files_of(store)
    path.parent.unlink()
    path.mkdir(parents=True)
    with catalog_of(store, path) as catalog:
        assert catalog.database.in_memory
        assert found(catalog, "relay") == ["r0"]


def test_a_lock_that_is_never_given_back_fails_no_call(tmp_path: Path) -> None:
    """W9, case 4: a process stopped in the middle of its transaction keeps the file locked."""
    store, path = shelf(tmp_path, *TEXTS), index_of(tmp_path)
    with catalog_of(store, path) as catalog:
        stopped = Database(path)
        catalog.database.connection.execute("PRAGMA busy_timeout = 1")
        with stopped.writing():
            add(store, "late", "Invoices go out on Fridays")
            catalog.put(store.folder.read("late.md"))
            assert found(catalog, "invoices") == ["late"]
            assert records_of(catalog) == files_of(store)
        stopped.close()


def test_contents_are_private_from_the_first_byte_on(tmp_path: Path) -> None:
    """Decision 31: the index holds what the records hold."""
    store, path = shelf(tmp_path, *TEXTS), index_of(tmp_path)
    with catalog_of(store, path):
        files = list(path.parent.iterdir())
        assert path in files
        assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
        assert path.parent.stat().st_mode & 0o777 == 0o700


def test_what_is_deleted_leaves_the_file(tmp_path: Path) -> None:
    """D9: no word of a deleted record stays in the index, nor in its journal."""
    store, path = shelf(tmp_path, *TEXTS), index_of(tmp_path)
    with catalog_of(store, path) as catalog:
        add(store, "secret", "The xylophone password is quetzalcoatl")
        catalog.put(store.folder.read("secret.md"))
        assert found(catalog, "quetzalcoatl") == ["secret"]
        store.folder.remove("secret.md")
        catalog.drop("secret.md")
    assert b"quetzalcoatl" not in path.read_bytes()


def test_a_failed_transaction_leaves_nothing(tmp_path: Path) -> None:
    """W9: all of a change or none of it."""
    database = Database(tmp_path / "index.sqlite")
    with suppress(RuntimeError), database.writing() as connection:
        connection.execute("INSERT INTO meta VALUES ('a', 1)")
        raise RuntimeError
    with database.writing() as connection:
        connection.execute("INSERT INTO meta VALUES ('b', 2)")
    assert database.connection.execute("SELECT key FROM meta").fetchall() == [("b",)]
    database.close()
