import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memplugin.protocol.errors import ErrorCategory, ProviderError
from memplugin.protocol.records import MemoryScope, MemoryType, RecordStatus
from memplugin.recall.slugs import is_slug
from memplugin.store.folder import MAX_FILE_BYTES, _moment, id_of
from memplugin.store.front import Unreadable
from memplugin.store.roots import global_root, project_root
from tests.store.folders import NEW, contents

from .making import RECORD, places_below, store_below, store_of


def test_a_record_is_created_read_replaced_and_removed(tmp_path: Path) -> None:
    """Design decision 1: one record is one file, named by its id."""
    store = store_below(tmp_path)
    found = store.folder.create(RECORD, {"origin": "capture"})
    assert found is not None
    assert store.folder.scan() == {"mail-relay.md": found.entry}
    assert store.folder.read("mail-relay.md") == found
    assert (found.document.record, found.document.origin) == (RECORD, "capture")
    replaced = store.folder.replace("mail-relay.md", NEW)
    again = store.folder.read("mail-relay.md")
    assert (again.document.record, again.document.origin) == (NEW, "capture")
    assert again.entry == replaced
    assert again.digest != found.digest
    assert store.folder.remove("mail-relay.md")
    assert not store.folder.remove("mail-relay.md")
    assert store.folder.scan() == {}


def test_another_process_reads_the_whole_folder_back(tmp_path: Path) -> None:
    """D5, field case 48."""
    store = store_below(tmp_path)
    records = {
        f"r{n}.md": RECORD.replaced(
            id=f"r{n}", status=status, content=("x" * n, "\n"), links=("q",)
        )
        for n, status in enumerate(RecordStatus)
    }
    for record in records.values():
        store.folder.create(record)
    other = store_below(tmp_path).folder
    assert {name: other.read(name).document.record for name in other.scan()} == records


def test_a_taken_name_is_never_overwritten(tmp_path: Path) -> None:
    """D3."""
    store = store_below(tmp_path)
    path = store.put("mail-relay.md", "theirs")
    assert store.folder.create(RECORD) is None
    assert path.read_text() == "theirs"


@pytest.mark.skipif(not Path(__file__.upper()).exists(), reason="this disk does not fold case")
def test_a_name_taken_in_another_case_is_never_overwritten(tmp_path: Path) -> None:
    """Decision 17."""
    store = store_below(tmp_path)
    store.put("Mail-Relay.md", "theirs")
    assert store.folder.create(RECORD) is None


@pytest.mark.parametrize(
    "record_id",
    ["../up", "a/b", "/etc/cron.d/x", "C:\\x", "A", "a ", "", "con", "readme", "a\0", "é"],
)
def test_only_ids_become_file_names(tmp_path: Path, record_id: str) -> None:
    """Field case 44, design decision 2."""
    store = store_below(tmp_path)
    with pytest.raises(ValueError, match="not an id"):
        store.folder.create(RECORD.replaced(id=record_id))
    assert contents(tmp_path) == {}


# What counts as a record


def test_only_markdown_files_of_the_folder_itself_are_records(tmp_path: Path) -> None:
    """Decision 17, design decision 1."""
    store = store_below(tmp_path)
    for name in ("b.md", "My Note.md", "Foo.md", "foo.md", "ü.md", "con.md"):
        store.put(name, "text")
    for name in ("README.md", "readme.md", "Memory.md", ".hidden.md", "a.txt", "a.MD", "a.md~"):
        store.put(name, "text")
    (store.path / "folder.md").mkdir()
    (store.path / "sub").mkdir()
    (store.path / "sub" / "x.md").touch()
    (store.path / "link.md").symlink_to("b.md")
    os.mkfifo(store.path / "pipe.md")
    (store.path / os.fsdecode(b"\xff.md")).touch()
    assert list(store.folder.scan()) == sorted(
        ["b.md", "My Note.md", "Foo.md", "foo.md", "ü.md", "con.md"]
    )
    for path in store.path.iterdir():
        if path.name not in store.folder.scan():
            with pytest.raises(FileNotFoundError):
                store.folder.read(path.name)
            assert not store.folder.remove(path.name)


def test_names_that_lead_elsewhere_are_no_record_files(tmp_path: Path) -> None:
    store = store_below(tmp_path)
    store.put("a.md", "text")
    (tmp_path / "outside.md").write_text("secret")
    for name in ("../../../outside.md", str(tmp_path / "outside.md"), "x\0.md", "missing.md", "md"):
        for use in (store.folder.read, lambda name: store.folder.replace(name, NEW)):
            with pytest.raises(FileNotFoundError):
                use(name)
        assert not store.folder.remove(name)
    assert (tmp_path / "outside.md").exists()


@pytest.mark.parametrize(
    ("stem", "expected"),
    [("mail-relay", "mail-relay"), ("My Note", "my-note"), ("Foo", "foo"), ("con", "con-note")],
)
def test_the_id_of_a_file_by_hand_is_the_slug_of_its_name(stem: str, expected: str) -> None:
    """Decision 17."""
    assert id_of(stem) == expected


def test_a_name_without_letters_still_gives_an_id() -> None:
    ids = {id_of("🎉"), id_of("🎉🎉"), id_of("…")}
    assert len(ids) == 3
    assert all(is_slug(record_id) for record_id in ids)
    assert id_of("🎉") in ids


def test_a_file_dropped_in_by_hand_is_a_record(tmp_path: Path) -> None:
    """Design decision 1: id, title and times from the file, type by the root."""
    store = store_below(tmp_path)
    path = store.put("My Note.md", "Remember the milk.\n")
    os.utime(path, ns=(0, 1_700_000_000_123_999_999))
    record = store.folder.read("My Note.md").document.record
    assert (record.id, record.title, record.type) == ("my-note", "My Note", MemoryType.PROJECT)
    assert record.updated_at == datetime(2023, 11, 14, 22, 13, 20, 123_000, tzinfo=UTC)
    assert (record.scope, record.verified) == (MemoryScope.PROJECT, False)
    places = places_below(tmp_path / "user")
    other = store_of(places, global_root(places))
    other.put("a.md", "text")
    assert other.folder.read("a.md").document.record.type is MemoryType.USER


def test_a_time_no_date_can_hold_is_1970() -> None:
    assert {_moment(moment) for moment in (10**30, -(10**30), 0)} == {
        datetime(1970, 1, 1, tzinfo=UTC)
    }


def test_a_hand_made_file_keeps_its_name_when_it_is_replaced(tmp_path: Path) -> None:
    """Decision 17: updates keep the path."""
    store = store_below(tmp_path)
    store.put("My Note.md", "text")
    record = store.folder.read("My Note.md").document.record
    store.folder.replace("My Note.md", record.replaced(content=("other",)))
    assert list(store.folder.scan()) == ["My Note.md"]
    assert store.folder.read("My Note.md").document.record.content == ("other",)
    assert store.folder.read("My Note.md").document.sealed


def test_unreadable_files_are_named_and_left_alone(tmp_path: Path) -> None:
    """Field cases 3 and 7."""
    store = store_below(tmp_path)
    store.put("newer.md", "---\nformat: 99\n---\nText")
    store.put("empty.md", "")
    store.put("binary.md", b"\xff\xfe\x00")
    with (store.path / "huge.md").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    before = contents(store.path)
    for name in store.folder.scan():
        for use in (store.folder.read, lambda name: store.folder.replace(name, NEW)):
            with pytest.raises(Unreadable):
                use(name)
    assert contents(store.path) == before


def test_a_file_cut_at_any_byte_is_a_record_or_unreadable(tmp_path: Path) -> None:
    """Field case 3."""
    store = store_below(tmp_path)
    store.folder.create(RECORD)
    whole = (store.path / "mail-relay.md").read_bytes()
    for length in range(len(whole)):
        store.put("mail-relay.md", whole[:length])
        with suppress(Unreadable):
            assert not store.folder.read("mail-relay.md").document.sealed


def test_updating_one_record_leaves_all_others_byte_for_byte(tmp_path: Path) -> None:
    """Field case 5."""
    store = store_below(tmp_path)
    for number in range(3):
        store.folder.create(RECORD.replaced(id=f"r{number}"))
    store.put("by-hand.md", "---\ntags: [a]  # mine\n---\n\ntext\n")
    before = contents(store.path)
    for number in range(100):
        store.folder.replace("r1.md", RECORD.replaced(id="r1", content=(f"text {number}",)))
    after = contents(store.path)
    assert after.pop("r1.md") != before.pop("r1.md")
    assert after == before


# The folder itself


def test_reading_makes_nothing(tmp_path: Path) -> None:
    store = store_below(tmp_path)
    assert not store.folder.exists()
    assert store.folder.scan() == {}
    assert store.folder.sweep() == 0
    assert not store.folder.remove("a.md")
    with pytest.raises(FileNotFoundError):
        store.folder.read("a.md")
    assert [path.name for path in tmp_path.rglob("*")] == ["project"]


def test_a_new_project_folder_is_ignored_by_git_and_trusted(tmp_path: Path) -> None:
    """Field case 22, design decision 2, decision 6."""
    store = store_below(tmp_path)
    store.folder.create(RECORD)
    assert (store.path / ".gitignore").read_text() == "*\n"
    assert store.trust.is_trusted(store.root)
    (store.path / ".gitignore").unlink()
    store.folder.create(RECORD.replaced(id="other"))
    assert not (store.path / ".gitignore").exists()


def test_a_folder_that_came_with_the_project_gets_no_gitignore_and_no_trust(
    tmp_path: Path,
) -> None:
    """Decisions 6 and 20: what is there is not touched; what we wrote shows by its seal."""
    store = store_below(tmp_path)
    store.put("theirs.md", "text")
    store.folder.create(RECORD)
    assert sorted(contents(store.path)) == ["mail-relay.md", "theirs.md"]
    assert not store.trust.is_trusted(store.root)
    assert store.folder.read("mail-relay.md").document.sealed
    assert not store.folder.read("theirs.md").document.sealed


def test_nothing_is_made_where_there_is_no_project(tmp_path: Path) -> None:
    """Decision 19: reads see nothing, writes are source_unavailable."""
    places = places_below(tmp_path / "user")
    store = store_of(places, project_root(places, str(tmp_path / "gone" / "p")))
    assert store.folder.scan() == {}
    with pytest.raises(ProviderError) as caught:
        store.folder.create(RECORD)
    assert caught.value.category is ErrorCategory.SOURCE_UNAVAILABLE
    assert str(tmp_path / "gone" / "p") in caught.value.message
    assert not (tmp_path / "gone").exists()


@pytest.mark.parametrize("directory", ["gone/p", "file/p", "file", "x" * 300])
def test_a_directory_that_is_none_has_no_records(tmp_path: Path, directory: str) -> None:
    """Decision 19."""
    (tmp_path / "file").touch()
    places = places_below(tmp_path / "user")
    store = store_of(places, project_root(places, str(tmp_path / directory)))
    assert store.folder.scan() == {}
    assert store.folder.sweep() == 0
    with pytest.raises(ProviderError, match="does not exist"):
        store.folder.create(RECORD)
