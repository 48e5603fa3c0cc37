from pathlib import Path

import pytest

from memplugin.store.seal import Seal, Standing

from .failing_disk import power_cuts


def seal_at(path: Path, key: int = 1) -> Seal:
    return Seal(path / "state" / "key", random=lambda count: bytes([key]) * count)


def test_the_key_is_made_by_the_first_write_and_is_private(tmp_path: Path) -> None:
    """P4."""
    seal = seal_at(tmp_path)
    assert not seal.matches("a", b"text", "0" * 16 + "-" + "0" * 32)
    assert not seal.path.exists()
    text = seal.of("a", b"text")
    assert seal.path.stat().st_mode & 0o777 == 0o600
    assert seal.path.parent.stat().st_mode & 0o777 == 0o700
    assert seal_at(tmp_path, key=2).matches("a", b"text", text)


def test_a_seal_holds_for_its_id_and_bytes_only(tmp_path: Path) -> None:
    seal = seal_at(tmp_path)
    text = seal.of("a", b"text")
    assert seal.judge("a", b"text", text) == Standing(intact=True, ours=True)
    for record_id, data in (("b", b"text"), ("a", b"text "), ("a\0t", b"ext")):
        assert seal.judge(record_id, data, text) == Standing(intact=False, ours=False)


def test_a_seal_under_another_key_shows_only_that_nothing_was_edited(tmp_path: Path) -> None:
    text = seal_at(tmp_path / "one").of("a", b"text")
    other = seal_at(tmp_path / "two", key=2)
    other.of("a", b"text")
    assert other.judge("a", b"text", text) == Standing(intact=True, ours=False)


def test_without_a_key_nothing_is_ours_and_nothing_fails(tmp_path: Path) -> None:
    text = seal_at(tmp_path / "one").of("a", b"text")
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "state").touch()  # a file where the folder should be
    for path in (tmp_path / "two", tmp_path / "three"):
        assert seal_at(path).judge("a", b"text", text) == Standing(intact=True, ours=False)


def test_a_key_made_by_another_process_is_taken(tmp_path: Path) -> None:
    reader, writer = seal_at(tmp_path), seal_at(tmp_path, key=2)
    text = writer.of("a", b"text")
    assert reader.matches("a", b"text", text)
    assert reader.of("a", b"text") == text


def test_a_removed_key_is_made_anew(tmp_path: Path) -> None:
    """Decision 36: `forget --all` removes the state too."""
    seal = seal_at(tmp_path)
    old = seal.of("a", b"text")
    seal.path.unlink()
    new = Seal(seal.path).of("a", b"text")
    assert seal.of("a", b"text") == new != old
    assert not seal.matches("a", b"text", old)


@pytest.mark.parametrize("junk", [b"", b"short", b"x" * 33])
def test_a_file_that_is_no_key_is_replaced_at_the_next_write(tmp_path: Path, junk: bytes) -> None:
    seal = seal_at(tmp_path)
    seal.path.parent.mkdir()
    seal.path.write_bytes(junk)
    text = seal.of("a", b"text")
    assert seal_at(tmp_path, key=2).matches("a", b"text", text)


def test_making_the_key_survives_a_power_cut_at_any_call(tmp_path: Path) -> None:
    for number, disk in enumerate(power_cuts()):
        path = tmp_path / str(number) / "key"
        try:
            Seal(path, disk=disk).of("a", b"text")
        except OSError:
            assert disk.failed
        text = Seal(path).of("a", b"text")
        assert Seal(path).matches("a", b"text", text)
