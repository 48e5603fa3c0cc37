"""What a hook's payload shows: words with their voice, files, ids. Nothing is ever refused (H6).

Messages come whole, turn after turn; a Transcript tells which of them are new.
"""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import Raw, Struct

MAX_KNOWN = 20_000  # messages of one session that are recognised when they come again
MAX_NEW = 200  # messages read of a transcript that is new as a whole: the last ones
MAX_RESULT = 2_000  # characters read of a tool's result
MAX_DEPTH = 6  # levels read of a tool's result
MAX_FILE_NAME = 500
FILE_KEYS = frozenset(
    "path paths file files file_path filepath filename notebook_path target_file".split()
)
OWN_TOOLS = "memory."


class ToolUse(Struct, frozen=True):
    """A tool that was called, and the files it was about."""

    id: str
    name: str
    files: tuple[str, ...]

    @property
    def is_ours(self) -> bool:
        """Whether it is one of the provider's own tools, whose results say nothing new."""
        return self.name.startswith(OWN_TOOLS)


class Message(Struct, frozen=True):
    """A message as far as it could be read. Results in it are not its role's own words."""

    role: str
    text: str
    uses: tuple[ToolUse, ...] = ()
    results: tuple[tuple[str, str], ...] = ()  # (id of the call, text)
    is_now: bool = True  # said since the assistant last spoke; else history


class Transcript:
    """Which messages of a session were seen before."""

    def __init__(self) -> None:
        self._known: dict[bytes, int] = {}
        self._answers: dict[bytes, None] = {}

    def answered(self, message: Message) -> None:
        """Take note of an answer shown by itself, which will come again among the messages."""
        self._answers[_digest(message.text.encode("utf-8", "replace"))] = None
        _shorten(self._answers)

    def fresh(self, messages: Sequence[Raw]) -> list[Message]:
        """Return the messages that are new, oldest first; of very many the last."""
        counts: dict[bytes, int] = {}
        new: list[int] = []
        for place, raw in enumerate(messages):
            digest = _digest(raw)
            counts[digest] = counts.get(digest, 0) + 1
            if counts[digest] > self._known.get(digest, 0):
                new.append(place)
        for digest, count in counts.items():
            self._known[digest] = max(count, self._known.get(digest, 0))
        _shorten(self._known)
        if not new:
            return []
        last_answer = _last_answer(messages)
        read = [message_of(_decode(messages[place]), place > last_answer) for place in new]
        return [m for m in read[-MAX_NEW:] if m is not None and not self._is_known_answer(m)]

    def _is_known_answer(self, message: Message) -> bool:
        text = _digest(message.text.encode("utf-8", "replace"))
        return message.role == "assistant" and text in self._answers


def message_of(value: Any, is_now: bool = True) -> Message | None:  # noqa: ANN401, FBT001, FBT002 - whatever a kernel sends
    """Return a message as far as it has the expected form."""
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        return None
    said: list[str] = []
    uses: list[ToolUse] = []
    results: list[tuple[str, str]] = []
    content = value.get("content")
    blocks = content if isinstance(content, list) else [content]
    for block in blocks:
        if isinstance(block, str):
            said.append(block)
        elif isinstance(block, dict):
            said += _text(block)
            use, result = block.get("tool_use"), block.get("tool_result")
            if isinstance(use, dict):
                uses.append(tool_use(use))
            if isinstance(result, dict):
                id = result.get("tool_use_id")
                results.append((id if isinstance(id, str) else "", result_text(result)))
    return Message(value["role"], "\n\n".join(said), tuple(uses), tuple(results), is_now)


def tool_use(value: Mapping[str, Any]) -> ToolUse:
    """Return a tool call of a message (name) or of a hook (tool_name)."""
    id, name = value.get("id"), value.get("name") or value.get("tool_name")
    files = tuple(dict.fromkeys(_files(value.get("arguments"))))
    return ToolUse(id if isinstance(id, str) else "", name if isinstance(name, str) else "", files)


def result_text(value: Any) -> str:  # noqa: ANN401 - whatever a tool gave
    """Return the words of a tool's result, its beginning."""
    parts: list[str] = []
    size = 0
    for text in _strings(value, MAX_DEPTH):
        parts.append(text[: MAX_RESULT - size])
        size += len(text)
        if size >= MAX_RESULT:
            break
    return "\n".join(parts)


def inside(raw: Raw) -> dict[str, Any]:
    """Return what is inside a payload's point, {} for what is no object."""
    value = _decode(raw)
    return value if isinstance(value, dict) else {}


def messages_in(raw: Raw) -> list[Raw]:
    """Return the messages of pre_model_call, undecoded: most of them were seen before."""
    try:
        return msgspec.json.decode(raw, type=_Messages).messages
    except msgspec.DecodeError:
        return []


class _Messages(Struct):
    messages: list[Raw]


def _decode(raw: Raw) -> Any:  # noqa: ANN401 - any JSON
    try:
        return msgspec.json.decode(raw)
    except msgspec.DecodeError:
        return None


def _last_answer(messages: Sequence[Raw]) -> int:
    for place in range(len(messages) - 1, -1, -1):
        value = _decode(messages[place])
        if isinstance(value, dict) and value.get("role") == "assistant":
            return place
    return -1


def _text(block: Mapping[str, Any]) -> list[str]:
    text = block.get("text")
    if isinstance(text, dict):
        text = text.get("text")
    return [text] if isinstance(text, str) else []


def _strings(value: Any, depth: int) -> Iterator[str]:  # noqa: ANN401 - any JSON
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and depth:
        for key, each in value.items():
            if key not in {"tool_use_id", "id", "type"}:
                yield from _strings(each, depth - 1)
    elif isinstance(value, list) and depth:
        for each in value:
            yield from _strings(each, depth - 1)


def _files(arguments: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON
    if not isinstance(arguments, dict):
        return
    for key, value in arguments.items():
        if key.lower() not in FILE_KEYS:
            continue
        for name in value if isinstance(value, list) else [value]:
            if isinstance(name, str) and 0 < len(name) <= MAX_FILE_NAME and "://" not in name:
                yield name


def _digest(data: bytes | Raw) -> bytes:
    return blake2b(bytes(data), digest_size=12).digest()


def _shorten(known: dict[bytes, Any]) -> None:
    while len(known) > MAX_KNOWN:
        del known[next(iter(known))]
