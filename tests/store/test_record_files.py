from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memplugin.protocol.records import (
    MemoryScope,
    MemoryType,
    Provenance,
    Record,
    RecordStatus,
)
from memplugin.recall.links import links
from memplugin.store import yamlfront
from memplugin.store.front import Unreadable, read
from memplugin.store.markdown import Document, parse, render, rewrite
from memplugin.store.seal import Seal

from .making import NOW, RECORD

a_property = settings(deadline=None, max_examples=60)
LATER = NOW + timedelta(hours=1)
KEY = bytes(range(32))

# Text that takes a file apart where the format is careless.
_PIECES = st.sampled_from(
    ["---", "\n", "\n\n", "\r\n", "\r", "<!-- block -->", "\\", "# Head", "format: 1", "[[a]]", " "]
)
_TEXTS = st.text(max_size=30) | st.lists(_PIECES | st.text(max_size=3), max_size=8).map("".join)
_TITLES = _TEXTS.filter(str.strip)
_TIMES = st.datetimes(
    min_value=datetime(1971, 1, 1),  # noqa: DTZ001 - the strategy adds the zone
    max_value=datetime(2200, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
).map(lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000))
_RECORDS = st.builds(
    Record,
    id=st.just("x"),
    type=st.sampled_from(MemoryType),
    scope=st.just(MemoryScope.PROJECT),
    title=_TITLES,
    content=st.lists(_TEXTS, min_size=1, max_size=4).map(tuple),
    status=st.sampled_from(RecordStatus),
    links=st.lists(_TEXTS, max_size=3).map(tuple),
    created_at=_TIMES,
    updated_at=_TIMES,
    provenance=st.builds(
        Provenance,
        source_session_id=_TITLES | st.just(""),
        recorded_by=_TITLES,
        source_turn_id=_TITLES | st.none(),
    ),
)


class KeyedSeal(Seal):
    """A seal whose key is in memory."""

    def __init__(self, key: bytes = KEY) -> None:
        super().__init__(Path("/nonexistent/key"))
        self.key = key

    def _load(self) -> bytes:
        return self.key


SEAL = KeyedSeal()


def read_back(data: bytes | str, *, id: str = "x", stem: str | None = None) -> Document:
    return parse(
        data.encode() if isinstance(data, str) else data,
        id=id,
        scope=MemoryScope.PROJECT,
        default_type=MemoryType.PROJECT,
        modified=LATER,
        seal=SEAL,
        stem=stem,
    )


def unreadable(data: bytes | str) -> str:
    with pytest.raises(Unreadable) as caught:
        read_back(data)
    assert caught.value.reason == str(caught.value)
    return caught.value.reason


@a_property
@given(record=_RECORDS)
@example(record=RECORD.replaced(id="x", content=("---\nformat: 1\n---\n",)))
@example(record=RECORD.replaced(id="x", content=("", "", "\n")))
@example(record=RECORD.replaced(id="x", content=("\\<!-- block -->\r\n<!-- block -->\r",)))
@example(record=RECORD.replaced(id="x", title="\x85\u2028\u2029\ufeff\x7f\x00\uffff\U0001f600\r\n"))
def test_any_record_comes_back_exactly(record: Record) -> None:
    """D5: content round-trips exactly; so does everything else a record has."""
    document = read_back(render(record, seal=SEAL))
    assert document.record == record
    assert document.sealed
    assert not document.edited


@a_property
@given(record=_RECORDS)
def test_what_is_written_means_the_same_to_a_yaml_reader(record: Record) -> None:
    front = read(render(record, seal=SEAL))
    values, spans = yamlfront.read("".join(front.lines))
    assert values == front.values
    assert spans == front.spans


@a_property
@given(old=_RECORDS, new=_RECORDS)
def test_a_rewritten_file_holds_the_new_record_exactly(old: Record, new: Record) -> None:
    """D5, D4."""
    document = read_back(rewrite(render(old, seal=SEAL), new, seal=SEAL))
    assert document.record == new
    assert document.sealed


@a_property
@given(record=_RECORDS)
def test_rewriting_without_a_change_changes_no_byte(record: Record) -> None:
    data = render(record, extra={"origin": "capture"}, seal=SEAL)
    assert rewrite(data, record, seal=SEAL) == data


@a_property
@given(
    data=st.binary(max_size=60) | st.lists(_PIECES, max_size=12).map(lambda p: "".join(p).encode())
)
def test_any_bytes_are_a_record_or_unreadable(data: bytes) -> None:
    for sample in (data, b"---\n" + data + b"\n---\n" + data):
        try:
            document = read_back(sample)
        except Unreadable:
            continue
        again = rewrite(sample, document.record, seal=SEAL)
        assert read_back(again).record == document.record.replaced(verified=True)


def test_a_file_looks_as_documented() -> None:
    """Decision 16."""
    assert render(RECORD, extra={"origin": "capture"}, seal=SEAL).decode().splitlines()[:-3] == [
        "---",
        "format: 1",
        "type: reference",
        'title: "Mail relay: port 2525"',
        "status: canonical",
        'created_at: "2026-01-05T09:00:00.123Z"',
        'updated_at: "2026-01-05T09:00:00.123Z"',
        'source_session_id: "s1"',
        'source_turn_id: "t1"',
        'recorded_by: "memory.remember"',
        'origin: "capture"',
    ]
    assert render(RECORD, seal=SEAL).endswith(
        b"---\nThe relay listens on 2525, see [[deploy-order]].\n"
    )


@pytest.mark.parametrize(
    "title",
    [
        "a: b",
        "C# notes",
        "- x",
        '"q"',
        "yes",
        "1e3",
        "@x",
        "{a}",
        "  padded  ",
        "two\nlines",
        "null",
    ],
)
def test_titles_that_yaml_could_misread_come_back(title: str) -> None:
    """Field case 42."""
    record = RECORD.replaced(id="x", title=title)
    assert read_back(render(record, seal=SEAL)).record == record


def test_links_of_the_kernel_are_kept_and_parsed_ones_are_not_written() -> None:
    """L1: links the kernel sends are stored as sent."""
    assert b"links:" not in render(RECORD, seal=SEAL)
    sent = RECORD.replaced(id="x", links=("Other Name", "b"))
    assert read_back(render(sent, seal=SEAL)).record == sent
    parsed = sent.replaced(links=links(sent.content))
    assert b"links:" not in rewrite(render(sent, seal=SEAL), parsed, seal=SEAL)


def test_an_extra_key_may_not_stand_for_one_of_ours() -> None:
    for key in ("status", "seal", "two words", "a:b", ""):
        with pytest.raises(ValueError, match="not a key"):
            render(RECORD, extra={key: "x"}, seal=SEAL)


def test_extra_keys_are_kept_and_read() -> None:
    data = render(RECORD, extra={"origin": "capture", "supersedes": "a: b"}, seal=SEAL)
    assert read_back(data).origin == "capture"
    assert read_back(rewrite(data, RECORD.replaced(title="New"), seal=SEAL)).extra == {
        "origin": "capture",
        "supersedes": "a: b",
    }


# Files by hand


def test_a_file_without_front_matter_is_a_record() -> None:
    """Design decision 1: title from the first heading, times from the file."""
    document = read_back("\ufeff\r\n```\n# not this\n```\n\n## Deploy order ##\nFirst [[a]].\n\n")
    assert document == Document(
        record=Record(
            id="x",
            type=MemoryType.PROJECT,
            scope=MemoryScope.PROJECT,
            title="Deploy order",
            content=("```\n# not this\n```\n\n## Deploy order ##\nFirst [[a]].",),
            status=RecordStatus.CANONICAL,
            links=("a",),
            created_at=LATER,
            updated_at=LATER,
            provenance=Provenance("", "file"),
            verified=False,
        ),
        origin=None,
        sealed=False,
        edited=False,
        format=0,
        extra={},
    )


def test_without_a_heading_the_title_is_the_files_name() -> None:
    assert read_back("just text", stem="My Note").record.title == "My Note"
    assert read_back("#\n# \n#tag\n", stem="My Note").record.title == "My Note"


def test_a_little_front_matter_is_enough() -> None:
    record = read_back("---\ntype: Feedback\ntitle: 'Be brief'\n---\n\nReally.\n").record
    assert (record.type, record.title, record.content) == (
        MemoryType.FEEDBACK,
        "Be brief",
        ("Really.",),
    )


def test_words_it_does_not_know_count_as_absent() -> None:
    """Decision 16."""
    text = "---\ntype: opinion\nstatus: draft\ncreated_at: soon\nupdated_at: [1]\ntitle:\n---\nText"
    record = read_back(text, stem="n").record
    assert (record.type, record.status, record.title) == (
        MemoryType.PROJECT,
        RecordStatus.CANONICAL,
        "n",
    )
    assert (record.created_at, record.updated_at) == (LATER, LATER)


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


def test_a_rule_at_the_top_without_a_second_one_is_content() -> None:
    assert read_back("---\nText\n").record.content == ("---\nText",)


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
