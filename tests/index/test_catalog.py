"""The index of a root is kept equal to its files, whoever changes them."""

import os
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memplugin.index.catalog import FILES_A_TRANSACTION, Catalog, batched_list
from memplugin.index.rows import Fault, Position, milliseconds
from memplugin.protocol.records import MemoryType, RecordStatus
from tests.harness import ROOT
from tests.store.making import NOW, Store

from .shelf import TRUST_NOTHING, add, catalog_of, files_of, found, index_of, records_of, shelf

LONG_AGO = (1_600_000_000, 1_600_000_000)  # seconds since 1970: access, modification


def edit(store: Store, name: str, old: str, new: str) -> Path:
    """Change a file in place, as an editor does."""
    path = store.path / name
    path.write_bytes(path.read_bytes().replace(old.encode(), new.encode()))
    return path


def test_a_file_edited_by_hand_is_read_again(tmp_path: Path) -> None:
    """D5: the owner's edit is the truth, also for what is found."""
    store = shelf(tmp_path, "The relay listens on 2525", "Deploys run on Mondays")
    with catalog_of(store, index_of(tmp_path)) as catalog:
        edit(store, "r0.md", "relay listens on 2525", "proxy answers at port 8080")
        assert catalog.refresh(TRUST_NOTHING) == []
        assert records_of(catalog) == files_of(store)
        assert found(catalog, "relay 2525") == []
        assert found(catalog, "proxy") == ["r0"]


def test_files_added_renamed_and_deleted_by_hand_are_followed(tmp_path: Path) -> None:
    """X2: a new name is a new id, a name that is gone is no record."""
    store = shelf(tmp_path, "one apple", "two pears", "three plums")
    with catalog_of(store, index_of(tmp_path)) as catalog:
        store.put("new.md", "four figs")
        (store.path / "r0.md").rename(store.path / "moved.md")
        (store.path / "r1.md").unlink()
        catalog.refresh(TRUST_NOTHING)
        assert set(records_of(catalog)) == {"moved", "new", "r2"}
        assert records_of(catalog) == files_of(store)
        assert (found(catalog, "apple"), found(catalog, "figs")) == (["moved"], ["new"])
        assert found(catalog, "pears") == []


def test_two_files_that_change_names_are_told_apart(tmp_path: Path) -> None:
    """X2: also where both have the same size."""
    store = shelf(tmp_path, "apple", "grape")
    os.utime(store.path / "r0.md", LONG_AGO)
    with catalog_of(store, index_of(tmp_path)) as catalog:
        (store.path / "r0.md").rename(store.path / "aside")
        (store.path / "r1.md").rename(store.path / "r0.md")
        (store.path / "aside").rename(store.path / "r1.md")
        catalog.refresh(TRUST_NOTHING)
        assert records_of(catalog) == {"r0": "grape", "r1": "apple"}


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_checkout_is_followed(tmp_path: Path) -> None:
    """Records shared by git change, appear and vanish as its branches do."""
    store = shelf(tmp_path, "The relay listens on 2525", "Deploys run on Mondays")

    def git(*words: str) -> None:
        who = ["-c", "user.name=n", "-c", "user.email=e@example.com"]
        subprocess.run(["git", *who, *words], cwd=tmp_path / "project", check=True)

    store.folder.share()
    git("init", "--quiet", "--initial-branch=main")
    git("add", ".")
    git("commit", "--quiet", "--message=one")
    git("switch", "--quiet", "--create=other")
    edit(store, "r0.md", "2525", "8080")
    (store.path / "r1.md").unlink()
    add(store, "late", "Invoices go out on Fridays")
    git("add", "--all", ".")
    git("commit", "--quiet", "--message=two")
    with catalog_of(store, index_of(tmp_path)) as catalog:
        for branch, query, ids in (("main", "2525", ["r0"]), ("other", "8080", ["r0"])):
            git("switch", "--quiet", branch)
            catalog.refresh(TRUST_NOTHING)
            assert records_of(catalog) == files_of(store)
            assert found(catalog, query) == ids
        assert set(records_of(catalog)) == {"r0", "late"}


def test_what_another_process_indexed_is_taken_over(tmp_path: Path) -> None:
    """D4: its row is believed, its file followed; each sees what the other wrote and deleted."""
    store, path = shelf(tmp_path, "The relay listens on 2525"), index_of(tmp_path)
    program = (
        "import sys; from pathlib import Path\n"
        "from tests.index.shelf import *\n"
        "folder = Path(sys.argv[1]); store = store_below(folder)\n"
        "with catalog_of(store, index_of(folder)) as catalog:\n"
        "    add(store, 'theirs', 'Deploys run on Mondays')\n"
        "    catalog.put(store.folder.read('theirs.md'))\n"
        "    store.folder.remove('r0.md'); catalog.drop('r0.md')\n"
    )
    with catalog_of(store, path) as catalog:
        subprocess.run(
            [sys.executable, "-c", program, tmp_path],
            check=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        catalog.refresh(TRUST_NOTHING)
        assert records_of(catalog) == files_of(store) == {"theirs": "Deploys run on Mondays"}
        assert found(catalog, "mondays") == ["theirs"]
        assert catalog.by_id("r0") is None


def test_an_edit_within_the_clock_s_grain_is_found_later(tmp_path: Path) -> None:
    """Decision 15: same size, same time; a file read in the tick it was written is read twice."""
    store, path = shelf(tmp_path, "port 2525"), index_of(tmp_path)
    file = store.path / "r0.md"
    os.utime(file, LONG_AGO)
    with catalog_of(store, path) as catalog, catalog.database.writing() as connection:
        connection.execute("UPDATE file SET read_ns = mtime_ns + 1")
    edit(store, "r0.md", "2525", "8080")
    os.utime(file, LONG_AGO)
    with catalog_of(store, path) as catalog:
        assert records_of(catalog) == {"r0": "port 8080"}
    with catalog_of(store, path) as catalog:  # no doubt is left: it is not read a third time
        edit(store, "r0.md", "8080", "9090")
        os.utime(file, LONG_AGO)
        catalog.refresh(TRUST_NOTHING)
        assert records_of(catalog) == {"r0": "port 8080"}


def test_doubt_of_another_process_is_shared(tmp_path: Path) -> None:
    """Decision 15: a row taken over from another process is doubted as that one doubts it."""
    store, path = shelf(tmp_path), index_of(tmp_path)
    with catalog_of(store, path) as mine:
        add(store, "r0", "port 2525")
        os.utime(store.path / "r0.md", LONG_AGO)
        with catalog_of(store, path) as theirs, theirs.database.writing() as connection:
            connection.execute("UPDATE file SET read_ns = mtime_ns + 1")
        mine.refresh(TRUST_NOTHING)
        edit(store, "r0.md", "2525", "8080")
        os.utime(store.path / "r0.md", LONG_AGO)
        mine.refresh(TRUST_NOTHING)
        assert records_of(mine) == {"r0": "port 8080"}


def test_a_young_comparison_is_trusted_unless_the_folder_changed(tmp_path: Path) -> None:
    """Decision 15: the setting `freshness_s`; new names are seen at once all the same."""
    store = shelf(tmp_path, "port 2525")
    with catalog_of(store, index_of(tmp_path)) as catalog:
        edit(store, "r0.md", "2525", "80801")
        catalog.refresh(3600)
        assert records_of(catalog) == {"r0": "port 2525"}
        add(store, "r1", "port 9090")
        catalog.refresh(3600)
        assert records_of(catalog) == {"r0": "port 80801", "r1": "port 9090"}


@pytest.mark.parametrize(
    "broken",
    [b"---\nformat: 99\n---\ntext", b"---\n<<<<<<< ours\n---\ntext", b"", b"\xff\xfe"],
)
def test_what_cannot_be_read_is_told_once_and_left_alone(tmp_path: Path, broken: bytes) -> None:
    """Case 3, case 7, E2: everything else is there; mended, it is a record like any other."""
    store = shelf(tmp_path, "one", "two")
    with catalog_of(store, index_of(tmp_path)) as catalog:
        store.put("broken.md", broken)
        faults = catalog.refresh(TRUST_NOTHING)
        assert [fault.name for fault in faults] == ["broken.md"]
        assert "text" not in faults[0].reason
        assert set(records_of(catalog)) == {"r0", "r1"}
        assert catalog.refresh(TRUST_NOTHING) == []
        assert catalog.faults() == faults
        assert (store.path / "broken.md").read_bytes() == broken
        store.put("broken.md", "mended")
        catalog.refresh(TRUST_NOTHING)
        assert catalog.faults() == []
        assert records_of(catalog)["broken"] == "mended"


def test_faults_found_while_a_damaged_index_is_made_anew_are_told(tmp_path: Path) -> None:
    """Case 3: whatever question it is that meets the damage."""
    store, path = shelf(tmp_path, "one"), index_of(tmp_path)
    with catalog_of(store, path) as catalog:
        store.put("broken.md", b"")
        catalog.database.connection.execute("DROP TABLE record")
        assert catalog.by_id("r0") is not None
        assert catalog.refresh(TRUST_NOTHING) == [Fault("broken.md", "empty")]


def test_of_two_files_with_one_id_the_exact_name_counts(tmp_path: Path) -> None:
    """D3, decision 17: once in every list, the other one told of."""
    store = shelf(tmp_path)
    store.put("my-note.md", "exact words")
    store.put("My Note.md", "hidden words")
    with catalog_of(store, index_of(tmp_path)) as catalog:
        row = catalog.by_id("my-note")
        assert row is not None
        assert row.name == "my-note.md"
        assert records_of(catalog) == {"my-note": "exact words"}
        assert [r.name for r in catalog.newest(list(MemoryType), 9)] == ["my-note.md"]
        assert found(catalog, "exact") == ["my-note"]
        assert catalog.doubles() == [("my-note", "My Note.md")]
        (store.path / "my-note.md").unlink()
        catalog.refresh(TRUST_NOTHING)
        assert records_of(catalog) == {"my-note": "hidden words"}
        assert catalog.doubles() == []


def test_pages_are_in_the_order_of_creation_then_id(tmp_path: Path) -> None:
    """P1: a page begins after a position, whether or not its record is still there."""
    store = shelf(tmp_path)
    for id, minutes in (("c", 0), ("a", 1), ("b", 1), ("d", 2)):
        add(store, id, "text", created_at=NOW + timedelta(minutes=minutes))
    with catalog_of(store, index_of(tmp_path)) as catalog:
        rows = catalog.page(None, 2)
        assert [row.record.id for row in rows] == ["c", "a"]
        after = Position(milliseconds(rows[-1].record), rows[-1].record.id)
        (store.path / "a.md").unlink()
        catalog.refresh(TRUST_NOTHING)
        assert [row.record.id for row in catalog.page(after, 9)] == ["b", "d"]
        assert catalog.count() == 3


def test_the_newest_are_canonical_and_of_the_wanted_types(tmp_path: Path) -> None:
    """R3, R7: last updated first, ties by id; drafts never."""
    store = shelf(tmp_path)
    for id, minutes in (("a", 5), ("c", 9), ("b", 9)):
        add(store, id, "text", type=MemoryType.USER, updated_at=NOW + timedelta(minutes=minutes))
    add(store, "other", "text", type=MemoryType.PROJECT)
    add(store, "draft", "text", type=MemoryType.USER, status=RecordStatus.PENDING)
    with catalog_of(store, index_of(tmp_path)) as catalog:
        rows = catalog.newest([MemoryType.USER], 9)
        assert [row.record.id for row in rows] == ["b", "c", "a"]
        since = milliseconds(rows[0].record, "updated_at")
        assert len(catalog.newest([MemoryType.USER], 9, since)) == 2
        assert len(catalog.newest([MemoryType.USER], 1)) == 1


def test_ids_that_begin_alike(tmp_path: Path) -> None:
    """D3: what a new id must avoid; a file that is not indexed yet is seen by its name."""
    store = shelf(tmp_path)
    for id in ("relay", "relay-2", "relays", "rela", "sun"):
        add(store, id, "text")
    with catalog_of(store, index_of(tmp_path)) as catalog:
        assert catalog.ids_like("relay") == {"relay", "relay-2", "relays"}
        store.put("late.md", "text")
        has = catalog.folder.has
        assert (has("late.md"), has("later.md")) == (True, False)


def test_a_record_comes_out_of_the_index_as_it_went_in(tmp_path: Path) -> None:
    """D5, D6: every field, blocks and links included."""
    store = shelf(tmp_path)
    text = "line\r\n\r\n---\n\u2028 e\u0301 é  "
    record = add(store, "r", text, title="a: b", type=MemoryType.FEEDBACK)
    with catalog_of(store, index_of(tmp_path)) as catalog:
        row = catalog.by_id("r")
        assert row is not None
        assert row.record == record
        assert [r.record for r in catalog.by_numbers([row.number, 10**6])] == [record]


def test_no_folder_is_no_records(tmp_path: Path) -> None:
    """Decision 19: reading makes nothing."""
    store = shelf(tmp_path)
    catalog = Catalog(store.folder, None)
    assert catalog.refresh(TRUST_NOTHING) == []
    assert catalog.page(None, 9) == []
    assert not store.path.exists()
    catalog.close()


@given(st.lists(st.integers(), max_size=40), st.integers(1, 9))
def test_cutting_into_parts_loses_nothing(items: list[int], size: int) -> None:
    """P1: every item once, in order, whatever the size of a part."""
    parts = list(batched_list(iter(items), size))
    assert [item for part in parts for item in part] == items
    assert all(len(part) == size for part in parts[:-1])
    assert all(parts)


def test_a_store_of_many_files_is_indexed_whole_at_once(tmp_path: Path) -> None:
    """W9: more files than one transaction takes, and none left for the next comparison."""
    store = shelf(tmp_path)
    count = 2 * FILES_A_TRANSACTION + 3
    for number in range(count):
        store.put(f"n{number}.md", f"fact {number}")
    with catalog_of(store, index_of(tmp_path)) as catalog:
        assert catalog.count() == count
        numbers = [row.number for row in catalog.page(None, count)]
        assert len(catalog.by_numbers(numbers)) == count
        assert len(catalog.known([f"n{number}" for number in range(count)])) == count
