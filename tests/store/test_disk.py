import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memplugin.store import disk as on_disk
from memplugin.store.disk import DISK, leftovers, make_folders, put, put_new, remove

from .failing_disk import FailingDisk, LinklessDisk, power_cuts

KINDS = [FailingDisk, LinklessDisk]


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_new_file_is_flushed_before_it_gets_its_name_and_the_name_after(tmp_path: Path) -> None:
    disk = FailingDisk()
    put_new(disk, tmp_path / "a", b"x", mode=0o600)
    assert disk.calls == ["open", "write", "fsync", "link", "unlink", "open", "fsync"]


def test_a_replaced_file_is_flushed_before_it_gets_its_name_and_the_name_after(
    tmp_path: Path,
) -> None:
    disk = FailingDisk()
    put(disk, tmp_path / "a", b"x", mode=0o600, exact=True)
    assert disk.calls == ["open", "chmod", "write", "fsync", "replace", "open", "fsync"]


def test_short_writes_are_continued(tmp_path: Path) -> None:
    data = bytes(range(256)) * 100
    put_new(FailingDisk(), tmp_path / "a", data, mode=0o600)
    assert (tmp_path / "a").read_bytes() == data


@pytest.mark.parametrize("kind", KINDS)
def test_a_taken_name_is_left_alone(tmp_path: Path, kind: type[FailingDisk]) -> None:
    """D3: never overwritten."""
    (tmp_path / "a").write_bytes(b"theirs")
    assert put_new(kind(), tmp_path / "a", b"ours", mode=0o600) is None
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"theirs")]


@pytest.mark.parametrize("dead", [True, False])
def test_a_create_that_fails_at_any_call_leaves_nothing_or_all(
    tmp_path: Path, *, dead: bool
) -> None:
    """Design decision 3."""
    for number, disk in enumerate(power_cuts(dead=dead)):
        path = tmp_path / str(number) / "a"
        path.parent.mkdir()
        try:
            put_new(disk, path, b"new", mode=0o600)
            done = True
        except OSError:
            done = False
        assert not path.exists() or path.read_bytes() == b"new"
        assert not done or path.exists()
        if not dead:
            left = names(path.parent) - {"a"}  # at most the second name of a complete file
            assert all((path.parent / name).samefile(path) for name in left)


def test_without_hard_links_a_failed_create_leaves_nothing_all_or_an_empty_file(
    tmp_path: Path,
) -> None:
    """Decision 31: O_EXCL on the name where link() is missing."""
    for number, disk in enumerate(power_cuts(LinklessDisk)):
        path = tmp_path / str(number) / "a"
        path.parent.mkdir()
        try:
            assert put_new(disk, path, b"new", mode=0o600)
        except OSError:
            assert disk.failed
        assert not path.exists() or path.read_bytes() in {b"", b"new"}


@pytest.mark.parametrize("dead", [True, False])
def test_a_replacement_that_fails_at_any_call_leaves_old_or_new(
    tmp_path: Path, *, dead: bool
) -> None:
    """Design decision 3."""
    for number, disk in enumerate(power_cuts(dead=dead)):
        path = tmp_path / str(number) / "a"
        path.parent.mkdir()
        path.write_bytes(b"old")
        try:
            put(disk, path, b"new", mode=0o600)
            done = True
        except OSError:
            done = False
        assert path.read_bytes() in ({b"new"} if done else {b"old", b"new"})
        if not dead:
            assert names(path.parent) == {"a"}


def test_a_full_disk_leaves_no_trace(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space left"):
        put_new(FailingDisk(1, dead=False, code=errno.ENOSPC), tmp_path / "a", b"x", mode=0o600)
    assert names(tmp_path) == set()


def test_replacing_a_hard_linked_file_replaces_the_name_only(tmp_path: Path) -> None:
    """Decision 31."""
    (tmp_path / "a").write_bytes(b"old")
    os.link(tmp_path / "a", tmp_path / "b")
    put(DISK, tmp_path / "a", b"new", mode=0o600)
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()) == (b"new", b"old")


def test_replacing_a_link_replaces_the_link_only(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"theirs")
    (tmp_path / "a").symlink_to("target")
    put(DISK, tmp_path / "a", b"new", mode=0o600)
    assert (tmp_path / "target").read_bytes() == b"theirs"
    assert not (tmp_path / "a").is_symlink()


def test_removing_flushes_the_folder_and_says_whether_there_was_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    disk = FailingDisk()
    assert remove(disk, tmp_path / "a")
    assert disk.calls == ["unlink", "open", "fsync"]
    assert not remove(disk, tmp_path / "a")


def test_folders_are_made_private_with_those_above(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b"
    assert make_folders(DISK, path)
    assert not make_folders(DISK, path)
    assert [p.stat().st_mode & 0o777 for p in (path.parent, path)] == [0o700, 0o700]


def test_a_file_where_a_folder_should_be_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    for path in (tmp_path / "a", tmp_path / "a" / "b"):
        with pytest.raises(OSError, match=r"File exists|Not a directory"):
            make_folders(DISK, path)


def test_temporary_files_of_dead_processes_and_old_ones_are_leftovers(tmp_path: Path) -> None:
    script = "from memplugin.store.disk import temporary_name; print(temporary_name())"
    dead = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    ).stdout.strip()
    alive = on_disk.temporary_name()
    elsewhere = f".1-{'0' * 8}-0.tmp"
    for name in (dead, alive, elsewhere, ".gitignore", "a.md", "1-2.tmp", ".x-y-1.tmp"):
        (tmp_path / name).touch()
    born = (tmp_path / alive).stat().st_mtime
    assert {p.name for p in leftovers(tmp_path, lambda: born + 3000)} == {dead}
    assert {p.name for p in leftovers(tmp_path, lambda: born + 4000)} == {dead, alive, elsewhere}
    assert list(leftovers(tmp_path / "missing")) == []


def test_a_leftover_under_our_own_next_name_does_not_stop_a_write(tmp_path: Path) -> None:
    prefix, _, number = on_disk.temporary_name().removesuffix(".tmp").rpartition("-")
    for step in (1, 2):
        (tmp_path / f"{prefix}-{int(number) + step}.tmp").touch()
    assert put_new(DISK, tmp_path / "a", b"x", mode=0o600)
