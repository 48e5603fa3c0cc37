import pytest
from hypothesis import example, given
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
from memplugin.store.folder import written
from memplugin.store.front import Unreadable, read
from memplugin.store.markdown import Document, render, rewrite
from tests.store.record_files import _PIECES, _RECORDS, LATER, SEAL, a_property, read_back

from .making import RECORD


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
    assert document == written(record)
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
