"""Record files: bytes to records and back (decision 16). No files are touched here.

    ---
    format: 1
    type: project
    title: "Mail relay listens on 2525"
    status: canonical
    created_at: "2026-01-05T09:00:00.000Z"
    updated_at: "2026-01-05T09:00:00.000Z"
    source_session_id: "s1"
    source_turn_id: "t1"
    recorded_by: "memory.remember"
    seal: "…"
    ---
    The content exactly, then one LF.

The file's name is the id and its folder the scope. A file made by hand may leave out any of the
rest. A file without `format` is read alike, less the empty lines around its text.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final, TypeVar, cast

from msgspec import Struct

from memplugin.protocol.records import (
    MemoryScope,
    MemoryType,
    Provenance,
    Record,
    RecordStatus,
    timestamp,
)
from memplugin.recall.links import links as links_of
from memplugin.store import blocks
from memplugin.store.front import Front, Unreadable, Value, check_size, quote, quote_all, read, utf8
from memplugin.store.seal import Seal, Standing

FORMAT: Final = 1  # of the files written here; a higher one is refused, never rewritten

_SEAL: Final = "seal"
_MAX_HEADING: Final = 200  # characters of a heading that serve as a title
_OURS: Final = (
    "format",
    "type",
    "title",
    "status",
    "created_at",
    "updated_at",
    "source_session_id",
    "source_turn_id",
    "recorded_by",
    "links",
)
_EXTRA = re.compile(r"[a-z_]+")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+([^\n]*)", re.MULTILINE)
_FENCED = re.compile(r"^ {0,3}(```+|~~~+).*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)

_Word = TypeVar("_Word", bound=StrEnum)


class Document(Struct, frozen=True):
    """A record as its file holds it.

    `sealed`: this user's memplugin wrote the file as it is (the record's `verified`). `edited`: it
    was changed after whichever memplugin wrote it. `format` is 0 where the file names none.
    `extra` are further keys with a string each, `origin` among them.
    """

    record: Record
    origin: str | None
    sealed: bool
    edited: bool
    format: int
    extra: Mapping[str, str]


def parse(
    data: bytes,
    *,
    id: str,
    scope: MemoryScope,
    default_type: MemoryType,
    modified: datetime,
    seal: Seal,
    stem: str | None = None,
) -> Document:
    """Read a record from its file's bytes; raises Unreadable.

    `modified` is the file's time, `stem` its name without the ending, for a title of last resort.
    """
    front, modified = read(data), _whole(modified)
    values = front.values
    content = _content(front)
    standing = _standing(front, id, seal)
    updated = _moment(values.get("updated_at"))
    edited = standing is not None and not standing.intact
    if updated is None or edited:
        updated = max(modified, updated or modified)
    explicit = values.get("links")
    ours = standing is not None and standing.ours
    record = Record(
        id=id,
        type=_word(MemoryType, values.get("type")) or default_type,
        scope=scope,
        title=_string(values.get("title")) or _heading(content) or stem or id,
        content=content,
        status=_word(RecordStatus, values.get("status")) or RecordStatus.CANONICAL,
        links=explicit if isinstance(explicit, tuple) else links_of(content),
        created_at=_moment(values.get("created_at")) or min(modified, updated),
        updated_at=updated,
        provenance=Provenance(
            source_session_id=_string(values.get("source_session_id")) or "",
            source_turn_id=_string(values.get("source_turn_id")),
            recorded_by=_string(values.get("recorded_by")) or "file",
        ),
        verified=ours,
    )
    extra = {
        key: text
        for key, text in values.items()
        if isinstance(text, str) and key not in _OURS and key != _SEAL
    }
    return Document(record, extra.get("origin"), ours, edited, _format(front), extra)


def render(record: Record, *, extra: Mapping[str, str] | None = None, seal: Seal) -> bytes:
    """Return the bytes of a new file; `extra` adds keys of lower-case words."""
    pairs = _pairs(record) | {_extra(key): quote(text) for key, text in (extra or {}).items()}
    lines = tuple(f"{key}: {text}\n" for key, text in pairs.items())
    front = Front(b"---\n", lines, b"---\n", blocks.encode(record.content), {}, {})
    return _sealed(front, record.id, seal)


def rewrite(old: bytes, record: Record, *, seal: Seal) -> bytes:
    """Return a file's bytes with another state of its record; raises Unreadable.

    Only lines that mean something else now are changed: unknown keys and comments stay, and so
    does the body where the content is the same.
    """
    front = read(old)
    content = _content(front)
    if not front.opening or set(front.values) != set(front.spans):
        return _afresh(front, record, seal)
    pairs = _pairs(record)
    body = front.body
    if content == record.content:
        if "format" not in front.values:
            del pairs["format"]  # it would say that the empty lines around the text belong to it
    else:
        body = blocks.encode(record.content)
    lines = _edited(front, pairs)
    new = _sealed(Front(front.opening, lines, front.closing, body, {}, {}), record.id, seal)
    return new if _says(read(new), pairs) else _afresh(front, record, seal)


def _pairs(record: Record) -> dict[str, str]:
    """Return the keys of a record with their values as they are written, in order."""
    provenance = record.provenance
    pairs = {
        "format": str(FORMAT),
        "type": str(record.type),
        "title": quote(record.title),
        "status": str(record.status),
        "created_at": quote(timestamp(record.created_at)),
        "updated_at": quote(timestamp(record.updated_at)),
        "source_session_id": quote(provenance.source_session_id),
    }
    if provenance.source_turn_id is not None:
        pairs["source_turn_id"] = quote(provenance.source_turn_id)
    pairs["recorded_by"] = quote(provenance.recorded_by)
    if record.links != links_of(record.content):  # the kernel sent its own (L1)
        pairs["links"] = quote_all(record.links)
    return pairs


def _edited(front: Front, pairs: Mapping[str, str]) -> tuple[str, ...]:
    """Return the lines of front matter with these values in place of what they said before."""
    check_size(front.lines)
    ending = "\r\n" if front.opening.endswith(b"\r\n") else "\n"
    lines: dict[int, str] = dict(enumerate(front.lines))
    for key in (*_OURS, _SEAL):
        if key not in front.spans:
            continue
        first, last = front.spans[key]
        if key in pairs and front.values[key] == _meaning(pairs[key]):
            continue
        for number in range(first, last):
            del lines[number]
        if key in pairs:
            lines[first] = f"{key}: {pairs[key]}{ending}"
    kept = [lines[number] for number in sorted(lines)]
    new = [f"{key}: {text}{ending}" for key, text in pairs.items() if key not in front.spans]
    return (*kept, *new)


def _says(front: Front, pairs: Mapping[str, str]) -> bool:
    """Return whether lines put into front matter count: YAML knows kinds where they do not."""
    return _SEAL in front.spans and all(
        key in front.values and front.values[key] == _meaning(text) for key, text in pairs.items()
    )


def _meaning(written: str) -> Value:
    """Return what a value that we write is read back as."""
    front = read(f"---\nkey: {written}\n---\n".encode())
    return front.values["key"]


def _afresh(front: Front, record: Record, seal: Seal) -> bytes:
    """Return a new file for one whose front matter can't be edited line by line, or has none."""
    extra = {
        key: text
        for key, text in front.values.items()
        if isinstance(text, str) and key not in _OURS and _EXTRA.fullmatch(key) and key != _SEAL
    }
    return render(record, extra=extra, seal=seal)


def _extra(key: str) -> str:
    if key in _OURS or key == _SEAL or not _EXTRA.fullmatch(key):
        raise ValueError(f"not a key for more front matter: {key!r}")
    return key


def _sealed(front: Front, record_id: str, seal: Seal) -> bytes:
    check_size(front.lines)
    ending = "\r\n" if front.opening.endswith(b"\r\n") else "\n"
    unsealed = front.joined(front.lines)
    return front.joined((*front.lines, f'{_SEAL}: "{seal.of(record_id, unsealed)}"{ending}'))


def _standing(front: Front, record_id: str, seal: Seal) -> Standing | None:
    """Return what a file's seal says, None if it has none."""
    found = front.values.get(_SEAL)
    if not isinstance(found, str) or _SEAL not in front.spans:
        return None
    return seal.judge(record_id, front.without(_SEAL), found)


def _format(front: Front) -> int:
    """Return the format a file names, 0 for none; raises Unreadable for one we don't know."""
    value = front.values.get("format")
    if value is None:
        return 0
    if isinstance(value, str) and value.isdecimal() and value.isascii():
        if len(value) < 10 and int(value) <= FORMAT:  # noqa: PLR2004
            return int(value)
        raise Unreadable("newer format: written by a newer memplugin")
    raise Unreadable("`format` is no number")


def _content(front: Front) -> tuple[str, ...]:
    return blocks.decode(utf8(front.body), exact=_format(front) > 0)


def _word(kind: type[_Word], value: Value) -> _Word | None:
    """Return the enum's member of this name, None for an unknown word."""
    if not isinstance(value, str):
        return None
    return cast("_Word | None", kind._value2member_map_.get(value.strip().lower()))


def _string(value: Value) -> str | None:
    """Return a value if it is a string that says something."""
    return value if isinstance(value, str) and value.strip() else None


def _moment(value: Value) -> datetime | None:
    """Return a time in UTC and whole milliseconds, None where it can't be read."""
    if not isinstance(value, str):
        return None
    try:
        return _whole(datetime.fromisoformat(value.strip()))
    except (ValueError, OverflowError):
        return None


def _whole(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)  # written by hand without a zone
    elif moment.tzinfo is not UTC:
        moment = moment.astimezone(UTC)
    rest = moment.microsecond % 1000
    return moment.replace(microsecond=moment.microsecond - rest) if rest else moment


def _heading(content: tuple[str, ...]) -> str | None:
    """Return the first heading outside fenced code."""
    for text in content:
        for found in _HEADING.finditer(_FENCED.sub("", text)):
            heading = found[1].strip().rstrip("#").rstrip()
            if heading:
                return heading[:_MAX_HEADING]
    return None
