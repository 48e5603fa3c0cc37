"""The front matter of a record file: read to plain strings, written so that no YAML misreads it.

Read in two ways that agree. What we write, and most of what people write, is one `key: value`
a line and is read without YAML; anything else goes through PyYAML's event stream, in which nothing
can be constructed, expanded or nested without bound.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from memplugin.protocol.errors import InvalidParams

Value = str | tuple[str, ...] | None

MAX_HEAD: Final = 64 * 1024  # bytes; front matter is a dozen lines
SPARE: Final = 512  # bytes for the seal and a later status or time
_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n")
_CLOSING = re.compile(rb"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
# A file we wrote begins so. Cut short, it must not pass for what a person wrote.
_OUR_OPENING: Final = b"---\nformat: "
_OURS = re.compile(rb"(?:[^\r\n]+\r?\n)*?format:")  # before the first empty line
_CONFLICT = re.compile(rb"^(?:<{7}|={7}|>{7}|\|{7})(?:[ \r\n]|\Z)", re.MULTILINE)
# A line that means the same to YAML and to us: a quoted string, one word, or quoted strings in
# brackets. Characters that YAML refuses or folds are left to YAML to judge.
_CHARS = r'[^"\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]'
_STRING = rf'"(?:{_CHARS}++|\\["\\/bfnrt]|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{{4}})*+"'
_LIST = rf'\[(?:"{_CHARS}*"(?:, "{_CHARS}*")*)?\]'
_LINE = re.compile(rf"([A-Za-z_][\w-]*): +(?:({_STRING}|{_LIST})|(\w[\w.-]*)) *\r?\n", re.ASCII)
_IGNORED = re.compile(r"(?:#[^\r\x85\u2028\u2029]*)?\r?\n")
_OTHER_BREAKS = re.compile(r"\r(?!\n)|[\x85\u2028\u2029]")  # end a line to YAML, not to us
NULLS = frozenset({"", "~", "null", "Null", "NULL"})  # YAML's words for nothing
Read = tuple[dict[str, Value], dict[str, tuple[int, int]]]
# Characters YAML refuses or folds even inside quotes, though JSON does not mind them.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class Unreadable(Exception):  # noqa: N818 - a finding about a file, which is reported and left alone
    """A file that no record can be read from; `reason` says why, without any of its contents."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Front(Struct, frozen=True):
    """A file taken apart: `opening` fence, `lines` of front matter, `closing` fence and body.

    All parts joined are the file. `spans` says which lines a key takes: first, and one past the
    last. Without front matter all but `body` are empty.
    """

    opening: bytes
    lines: tuple[str, ...]
    closing: bytes
    body: bytes
    values: Mapping[str, Value]
    spans: Mapping[str, tuple[int, int]]

    def without(self, key: str) -> bytes:
        """Return the file's bytes without a key's lines."""
        first, last = self.spans.get(key, (0, 0))
        return self.joined(self.lines[:first] + self.lines[last:])

    def joined(self, lines: Sequence[str]) -> bytes:
        """Return the file's bytes with these lines as its front matter."""
        return self.opening + "".join(lines).encode() + self.closing + self.body


def read(data: bytes) -> Front:
    """Take a file apart; raises Unreadable."""
    opening = _OPENING.match(data)
    closing = _CLOSING.search(data, opening.end()) if opening else None
    if opening is None or closing is None:
        if _CONFLICT.match(data):
            raise Unreadable("conflict markers before the front matter")
        if _is_cut(data, opening):
            raise Unreadable("cut short: the front matter has no end")
        return Front(b"", (), b"", data, {}, {})
    head = data[opening.end() : closing.start()]
    if len(head) > MAX_HEAD:
        raise Unreadable(f"front matter of over {MAX_HEAD} bytes")
    if _CONFLICT.search(head):
        raise Unreadable("conflict markers in the front matter")
    lines = _lines(head)
    values, spans = _plain(lines) or _yaml(lines)
    return Front(opening[0], lines, closing[0], data[closing.end() :], values, spans)


def check_size(lines: Sequence[str]) -> None:
    """Raise InvalidParams for front matter that could not be read again."""
    if sum(len(line.encode()) for line in lines) > MAX_HEAD - SPARE:
        text = f"title, links and provenance together need over {MAX_HEAD} bytes: shorten them"
        raise InvalidParams("", text)


def _is_cut(data: bytes, opening: re.Match[bytes] | None) -> bool:
    """Return whether a file without whole front matter is the beginning of one of ours."""
    if _OUR_OPENING.startswith(data):
        return True
    return opening is not None and _OURS.match(data, opening.end()) is not None


def quote(text: str) -> str:
    """Return a string as a quoted scalar: JSON and YAML alike read back every character."""
    quoted = msgspec.json.encode(text).decode()
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def quote_all(texts: Sequence[str]) -> str:
    """Return strings as a quoted list on one line."""
    return f"[{', '.join(map(quote, texts))}]"


def utf8(data: bytes) -> str:
    """Return bytes as text; raises Unreadable."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8 at byte {error.start}") from None


def _lines(head: bytes) -> tuple[str, ...]:
    return tuple(f"{text}\n" for text in utf8(head).split("\n")[:-1])


def _plain(lines: Sequence[str]) -> Read | None:
    """Read lines that need no YAML; None if there is one that does."""
    values: dict[str, Value] = {}
    spans: dict[str, tuple[int, int]] = {}
    for number, text in enumerate(lines):
        match = _LINE.fullmatch(text)
        if match is None:
            if _IGNORED.fullmatch(text):
                continue
            return None
        key, quoted, word = match.groups()
        if key in values:
            raise Unreadable("a key stands twice in the front matter")
        values[key] = _unquoted(quoted) if quoted else None if word in NULLS else word
        spans[key] = (number, number + 1)
    return values, spans


def _unquoted(quoted: str) -> Value:
    if "\\" not in quoted and quoted[0] == '"':
        return quoted[1:-1]
    return msgspec.json.decode(quoted, type=str | tuple[str, ...])


def _yaml(lines: Sequence[str]) -> Read:
    from memplugin.store import yamlfront  # noqa: PLC0415 - 15 ms that most files never need

    text = "".join(lines)
    values, spans = yamlfront.read(text)
    return values, {} if _OTHER_BREAKS.search(text) else spans
