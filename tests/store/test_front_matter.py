from datetime import UTC, datetime

import pytest

from memplugin.protocol.records import (
    MemoryScope,
    MemoryType,
    RecordStatus,
)
from memplugin.store.front import Unreadable
from memplugin.store.markdown import render, rewrite
from tests.store.record_files import LATER, SEAL, KeyedSeal, read_back, unreadable

from .making import NOW, RECORD


def test_scope_and_id_in_the_front_matter_are_ignored() -> None:
    """Decision 16: scope is the folder, the id is the file's name."""
    record = read_back("---\nid: other\nscope: global\n---\nText").record
    assert (record.id, record.scope) == ("x", MemoryScope.PROJECT)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-03-01", datetime(2026, 3, 1, tzinfo=UTC)),
        ("2026-03-01 10:00:00.123456", datetime(2026, 3, 1, 10, 0, 0, 123_000, tzinfo=UTC)),
        ('"2026-03-01T10:00:00+02:00"', datetime(2026, 3, 1, 8, tzinfo=UTC)),
        ("0001-01-01T00:00:00+14:00", LATER),
    ],
)
def test_times_by_hand_are_read_in_utc_and_whole_milliseconds(
    written: str, meant: datetime
) -> None:
    record = read_back(f"---\nupdated_at: {written}\n---\nText").record
    assert record.updated_at == meant
    assert record.created_at == min(meant, LATER)


def test_yaml_of_any_shape_is_read_for_its_strings() -> None:
    text = (
        "---\n? title\n: >-\n  Folded\n  title\nlinks:\n  - a\n  - ~\n  - [x]\n"
        "tags: {a: [b, {c: d}]}\nsource_session_id: !!str null\n---\nText"
    )
    document = read_back(text)
    assert document.record.title == "Folded title"
    assert document.record.provenance.source_session_id == "null"
    assert document.record.links == ()


# Files left alone


def test_a_newer_format_is_refused() -> None:
    """Field case 7: a newer format is refused and left untouched."""
    assert "newer" in unreadable("---\nformat: 2\n---\nText")
    assert "newer" in unreadable(f"---\nformat: {'9' * 5000}\n---\nText")
    with pytest.raises(Unreadable):
        rewrite(b"---\nformat: 2\n---\nText", RECORD, seal=SEAL)


def test_an_older_format_opens() -> None:
    """Field case 7: a file without `format` keeps its status."""
    document = read_back("---\nstatus: pending\ntitle: Old\n---\nText\n")
    assert (document.format, document.record.status) == (0, RecordStatus.PENDING)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("---\n<<<<<<< HEAD\ntitle: a\n=======\ntitle: b\n>>>>>>> x\n---\nText", "conflict"),
        ("<<<<<<< HEAD\n---\ntitle: a\n---\nText", "conflict"),
        ("---\ntitle: [\n---\nText", "not valid YAML in line"),
        ("---\ntitle: a: b\n---\nText", "not valid YAML in line 2"),
        ("---\ntitle: a\ntitle: b\n---\nText", "twice"),
        ("---\ntitle: 'a'\ntitle: 'b'\n---\nText", "twice"),
        ("---\n- a\n---\nText", "no list of keys"),
        ("---\nA sentence.\n---\nText", "no list of keys"),
        ("---\n[a]: b\n---\nText", "no plain word"),
        ("---\na: &x [1]\nb: *x\n---\nText", "anchors"),
        ("---\na: " + "[" * 50_000 + "\n---\nText", "not valid YAML"),
        ("---\na: " + "b" * 70_000 + "\n---\nText", "over 65536 bytes"),
        ("---\nformat: one\n---\nText", "`format`"),
        ("---\nformat: 1\n---\n\udcff".encode("utf-8", "surrogateescape"), "not UTF-8"),
        (b"---\ntitle: \xff\n---\n", "not UTF-8"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_what_cannot_be_read_says_why_without_its_contents(data: bytes | str, why: str) -> None:
    """Decision 16, E2."""
    reason = unreadable(data)
    assert why in reason
    assert "sentence" not in reason


@pytest.mark.parametrize("text", ["---\nText", "---\n\nformat: 1", "---\nWhich format: 1", "-- "])
def test_a_rule_at_the_top_without_a_second_one_is_content(text: str) -> None:
    assert read_back(f"{text}\n").record.content == (text,)


def test_a_file_cut_inside_its_front_matter_is_no_record() -> None:
    """Case 3, decision 16: at every byte, also after a person's edit."""
    whole = render(RECORD, seal=SEAL)
    end = whole.index(b"\n---\n") + len(b"\n---")
    edited = whole.replace(b"---\n", b"---\r\n# mine\r\n", 1)
    for length in range(1, end):
        assert "cut short" in unreadable(whole[:length])
    for length in range(edited.index(b"format:") + 7, end):
        assert "cut short" in unreadable(edited[:length])
    assert read_back(whole[:end], id=RECORD.id).record.title == RECORD.title
    with pytest.raises(Unreadable):
        rewrite(whole[: end - 1], RECORD, seal=SEAL)


# Edits


def test_only_changed_lines_change() -> None:
    """Unknown keys and comments stay where a person put them."""
    old = (
        b"---\r\n# mine\r\ntags: [a, b]   # keep\r\ntitle: Old\r\nformat: 1\r\n"
        b"nested:\r\n  - {x: y}\r\n---\r\nText\r\n"
    )
    record = read_back(old).record
    new = rewrite(old, record.replaced(title="New: one", type=MemoryType.USER), seal=SEAL)
    lines = new.split(b"\r\n")
    assert lines[:7] == [
        b"---",
        b"# mine",
        b"tags: [a, b]   # keep",
        b'title: "New: one"',
        b"format: 1",
        b"nested:",
        b"  - {x: y}",
    ]
    assert lines[7] == b"type: user"
    assert lines[-2:] == [b"Text", b""]
    assert read_back(new).record.title == "New: one"
    assert read_back(new).sealed


def test_a_hand_made_body_stays_as_it_is_until_the_content_changes() -> None:
    old = b"---\ntitle: Old\n---\n\n\nText\n\n"
    record = read_back(old).record
    approved = rewrite(old, record, seal=SEAL)
    assert approved.endswith(b"\n---\n\n\nText\n\n")
    assert read_back(approved).record == record.replaced(verified=True)
    changed = rewrite(approved, record.replaced(content=("New\n",)), seal=SEAL)
    assert changed.endswith(b"\n---\nNew\n\n")
    assert read_back(changed).record.content == ("New\n",)


@pytest.mark.parametrize(
    "old",
    [
        "{title: Old, tags: kept}",
        "{title: Old,\n tags: kept}",
        "title: Old\ntags: kept\n...",
        '"title": Old\n"tags": kept',
        "? title\n: |\n  Old\n? tags\n: kept",
    ],
)
def test_front_matter_of_any_style_can_be_rewritten(old: str) -> None:
    data = f"---\n{old}\n---\nText\n".encode()
    record = read_back(data).record
    document = read_back(rewrite(data, record.replaced(title="New"), seal=SEAL))
    assert document.record == record.replaced(title="New", verified=True)
    assert document.extra == {"tags": "kept"}


# Seals


def test_an_edit_breaks_the_seal_and_dates_the_record() -> None:
    """P4, decision 16: updated_at is the file's time if it was edited after it was written."""
    data = render(RECORD, seal=SEAL)
    edited = data.replace(b"2525, see", b"2526, see")
    document = read_back(edited, id=RECORD.id)
    assert (document.edited, document.sealed, document.record.verified) == (True, False, False)
    assert document.record.updated_at == LATER
    assert document.record.created_at == NOW


def test_a_file_of_another_user_is_unverified_but_keeps_its_times() -> None:
    data = render(RECORD, seal=KeyedSeal(bytes(32)))
    document = read_back(data, id=RECORD.id)
    assert (document.edited, document.sealed) == (False, False)
    assert document.record == RECORD.replaced(verified=False)


def test_a_sealed_file_under_another_name_is_not_ours() -> None:
    document = read_back(render(RECORD, seal=SEAL), id="other")
    assert (document.edited, document.sealed) == (True, False)


@pytest.mark.parametrize("seal", ["", "x", '"-"', "[a]", "0" * 49, '"é"'])
def test_a_broken_seal_is_no_seal(seal: str) -> None:
    assert not read_back(f"---\ntitle: A\nseal: {seal}\n---\nText").sealed
