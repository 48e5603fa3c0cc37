import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memplugin.protocol.errors import ErrorCategory, ProviderError
from memplugin.store.roots import global_root, session_root
from tests.store.folders import NEW, complete_records, contents

from .failing_disk import FailingDisk, LinklessDisk, power_cuts
from .making import NOW, RECORD, places_below, store_below, store_of


def test_a_broken_private_folder_is_an_error_and_not_empty(tmp_path: Path) -> None:
    places = places_below(tmp_path)
    places.data.touch()
    with pytest.raises(NotADirectoryError):
        store_of(places, global_root(places)).folder.scan()


def test_sharing_removes_our_gitignore_and_no_other(tmp_path: Path) -> None:
    """Decision 20: never touched again except by `memplugin share`."""
    store = store_below(tmp_path)
    assert not store.folder.share()
    store.folder.create(RECORD)
    assert store.folder.share()
    assert not store.folder.share()
    store.put(".gitignore", "drafts-*\n")
    assert not store.folder.share()
    assert sorted(contents(store.path)) == [".gitignore", "mail-relay.md"]


@pytest.mark.parametrize("link", [".agent", ".agent/memory"])
def test_a_project_folder_may_not_lead_out_of_the_project(tmp_path: Path, link: str) -> None:
    """Decision 31: a clone can ship a link to ~/.ssh."""
    store = store_below(tmp_path)
    outside = tmp_path / "outside" / "memory"
    outside.mkdir(parents=True)
    (outside / "a.md").write_text("secret")
    path = tmp_path / "project" / link
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(outside if link.endswith("memory") else outside.parent)
    for use in (
        store.folder.scan,
        store.folder.sweep,
        lambda: store.folder.read("a.md"),
        lambda: store.folder.create(RECORD),
        lambda: store.folder.replace("a.md", RECORD),
        lambda: store.folder.remove("a.md"),
    ):
        with pytest.raises(ProviderError) as caught:
            use()
        assert caught.value.category is ErrorCategory.SOURCE_UNAVAILABLE
        assert str(store.path) in caught.value.message
    assert contents(outside) == {"a.md": b"secret"}


def test_a_project_folder_may_be_a_link_within_the_project(tmp_path: Path) -> None:
    store = store_below(tmp_path)
    (tmp_path / "project" / "notes").mkdir()
    (tmp_path / "project" / ".agent").symlink_to("notes")
    store.folder.create(RECORD)
    assert (tmp_path / "project" / "notes" / "memory" / "mail-relay.md").exists()


def test_private_roots_may_be_links_and_are_private(tmp_path: Path) -> None:
    """Decision 31."""
    places = places_below(tmp_path / "user")
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "user").mkdir()
    places.data.symlink_to(tmp_path / "dotfiles")
    for root in (global_root(places), session_root(places, "s")):
        store = store_of(places, root)
        store.folder.create(RECORD.replaced(scope=root.scope))
        file = root.path / "mail-relay.md"
        assert file.stat().st_mode & 0o777 == 0o600
        assert store.folder.read("mail-relay.md").document.record.scope is root.scope
        assert not (root.path / ".gitignore").exists()
    assert root.path.stat().st_mode & 0o777 == 0o700
    assert not (places.state / "roots").exists()


def test_files_of_a_project_follow_the_umask_and_keep_their_mode(tmp_path: Path) -> None:
    store = store_below(tmp_path)
    old = os.umask(0o027)
    try:
        store.folder.create(RECORD)
    finally:
        os.umask(old)
    path = store.path / "mail-relay.md"
    assert path.stat().st_mode & 0o777 == 0o640
    assert store.path.stat().st_mode & 0o777 == 0o750
    path.chmod(0o664)
    store.folder.replace(path.name, NEW)
    assert path.stat().st_mode & 0o777 == 0o664


def test_a_file_where_the_folder_should_be_is_an_error_of_the_system(tmp_path: Path) -> None:
    """Field case 14's kind: nothing is lost, nothing claimed; works as root too."""
    store = store_below(tmp_path)
    (tmp_path / "project" / ".agent").touch()
    with pytest.raises(OSError, match=r"Not a directory|File exists"):
        store.folder.create(RECORD)
    with pytest.raises(NotADirectoryError):
        store.folder.scan()


def test_a_file_removed_while_the_folder_is_listed_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_below(tmp_path)
    for name in ("a.md", "b.md"):
        store.put(name, "text")
    original = os.scandir

    @contextmanager
    def scandir_then_remove(path: Path) -> Iterator[list[os.DirEntry[str]]]:
        with original(path) as files:
            listed = list(files)
        (store.path / "a.md").unlink()
        yield listed

    monkeypatch.setattr(os, "scandir", scandir_then_remove)
    assert list(store.folder.scan()) == ["b.md"]


# Attacks and accidents


def test_a_hard_link_is_read_and_its_other_name_never_written(tmp_path: Path) -> None:
    """Decision 31."""
    store = store_below(tmp_path)
    outside = tmp_path / "outside"
    outside.write_text("theirs")
    store.path.mkdir(parents=True)
    os.link(outside, store.path / "a.md")
    assert store.folder.read("a.md").document.record.content == ("theirs",)
    store.folder.replace("a.md", NEW.replaced(id="a"))
    assert outside.read_text() == "theirs"


def test_a_link_swapped_in_for_a_record_is_neither_read_nor_written(tmp_path: Path) -> None:
    store = store_below(tmp_path)
    store.folder.create(RECORD)
    outside = tmp_path / "outside"
    outside.write_text("secret")
    path = store.path / "mail-relay.md"
    path.unlink()
    path.symlink_to(outside)
    with pytest.raises(FileNotFoundError):
        store.folder.read(path.name)
    with pytest.raises(FileNotFoundError):
        store.folder.replace(path.name, NEW)
    assert store.folder.create(RECORD) is None
    assert outside.read_text() == "secret"


@pytest.mark.parametrize("kind", [FailingDisk, LinklessDisk])
@pytest.mark.parametrize("dead", [True, False])
def test_the_first_create_of_all_survives_a_failure_at_any_call(
    tmp_path: Path, kind: type[FailingDisk], *, dead: bool
) -> None:
    """Design decision 3: folders, key, trust and file; the next try works and is trusted."""
    for number, disk in enumerate(power_cuts(kind, dead=dead)):
        path = tmp_path / str(number)
        path.mkdir()
        try:
            done = store_below(path, disk).folder.create(RECORD) is not None
        except OSError:
            done = False
        store = store_below(path)
        found = complete_records(store)
        assert found in ([], [RECORD])
        assert not done or found == [RECORD]
        if store.folder.exists():
            assert (store.path / ".gitignore").read_text() == "*\n"
            assert store.trust.is_trusted(store.root)
        assert store.folder.create(RECORD.replaced(id="next")) is not None
        assert RECORD.replaced(id="next") in complete_records(store)


@pytest.mark.parametrize("dead", [True, False])
def test_a_replace_that_fails_at_any_call_leaves_old_or_new(tmp_path: Path, *, dead: bool) -> None:
    """Design decision 3."""
    for number, disk in enumerate(power_cuts(dead=dead)):
        path = tmp_path / str(number)
        path.mkdir()
        store_below(path).folder.create(RECORD)
        try:
            store_below(path, disk).folder.replace("mail-relay.md", NEW)
            allowed = [[NEW]]
        except OSError:
            allowed = [[RECORD], [NEW]]
        assert complete_records(store_below(path)) in allowed


def test_leftovers_of_a_killed_process_are_swept(tmp_path: Path) -> None:
    """Design decision 3."""
    script = (
        "import sys, os; from pathlib import Path; sys.path.insert(0, sys.argv[1])\n"
        "from store.making import RECORD, store_below\n"
        "from memplugin.store.disk import Disk\n"
        "class Killed(Disk):\n"
        "    def write(self, fd, data):\n"
        "        if bytes(data).startswith((b'---', b'*')): os._exit(9)\n"
        "        return super().write(fd, data)\n"
        "store_below(Path(sys.argv[2]), Killed()).folder.create(RECORD)\n"
    )
    command = [sys.executable, "-c", script, str(Path(__file__).parent.parent), str(tmp_path)]
    store = store_below(tmp_path)
    assert subprocess.run(command, check=False).returncode == 9  # while the folder is made
    assert [path.name for path in store.path.parent.iterdir()] != []
    assert store.folder.sweep() == 1
    assert list(store.path.parent.iterdir()) == []
    store.folder.create(RECORD.replaced(id="kept"))
    assert subprocess.run(command, check=False).returncode == 9  # while the record is written
    assert list(store.folder.scan()) == ["kept.md"]
    assert store.folder.sweep() == 1
    assert sorted(contents(store.path)) == [".gitignore", "kept.md"]


def test_an_edit_by_hand_shows(tmp_path: Path) -> None:
    """P4: a change this user's memplugin did not write is unverified."""
    store = store_below(tmp_path)
    store.folder.create(RECORD)
    path = store.path / "mail-relay.md"
    path.write_text(path.read_text().replace("2525, see", "25, see"))
    found = store.folder.read(path.name).document
    assert (found.sealed, found.edited, found.record.verified) == (False, True, False)
    assert found.record.updated_at > NOW
    store.folder.replace(path.name, found.record)
    assert store.folder.read(path.name).document.record == found.record.replaced(verified=True)


def test_our_own_files_are_read_without_loading_yaml(tmp_path: Path) -> None:
    """Start-up: YAML is loaded only for front matter that needs it."""
    store = store_below(tmp_path)
    store.folder.create(RECORD)
    script = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1])\n"
        "from store.making import store_below\n"
        "folder = store_below(Path(sys.argv[2])).folder\n"
        "assert folder.read('mail-relay.md').document.sealed\n"
        "folder.replace('mail-relay.md', folder.read('mail-relay.md').document.record)\n"
        "print(sorted({'yaml', 'platformdirs', 'asyncio', 'sqlite3'} & set(sys.modules)))\n"
    )
    command = [sys.executable, "-c", script, str(Path(__file__).parent.parent), str(tmp_path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"
