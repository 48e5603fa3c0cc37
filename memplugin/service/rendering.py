"""The use case memory.render, and how a record is shown wherever it is (section 10).

payload ─▶ decoder of its schema_version (V1) ─▶ Shown ─▶ titles of what it links to ─▶ tree
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from memplugin.config import Config
from memplugin.protocol.errors import ErrorCategory, InvalidParams, ProviderError
from memplugin.protocol.records import (
    ContentBlock,
    MemoryRecord,
    Record,
    RecordStatus,
    texts,
    timestamp,
)
from memplugin.protocol.render import (
    ActionNode,
    CollapsibleNode,
    GroupNode,
    LinkNode,
    RenderNode,
    RenderTree,
    TableNode,
    TableRow,
    TextNode,
    TextStyle,
)
from memplugin.protocol.requests import RenderRequest, RenderResult
from memplugin.recall.links import Link, links, segments
from memplugin.service.finding import locate, status_in_force
from memplugin.service.library import Library
from memplugin.service.runtime import Runtime
from memplugin.service.sessions import Scene
from memplugin.service.visible import visible

MAX_LINKS = 200  # whose titles are looked up
PROVIDER = "memplugin"


class Shown(Struct, frozen=True):
    """A record as far as it is known where it is shown; `content` None: it is gone."""

    id: str
    title: str
    type: str
    scope: str
    status: str
    content: tuple[str, ...] | None
    recorded_by: str
    session: str | None = None
    created_at: str | None = None
    updated_at: str | None = None

    @property
    def is_draft(self) -> bool:
        """Whether it waits for a person."""
        return self.status == RecordStatus.PENDING


class _Event(Struct, frozen=True):
    """What kernel.emit is sent under schema_version "1" (K4)."""

    record_id: str
    attributes: dict[str, str]
    content: list[ContentBlock] | None = None


class _Envelope(Struct, frozen=True):
    record: MemoryRecord


class Renderer:
    """Shows what a frontend asks for."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def render(self, request: RenderRequest) -> RenderResult:
        """Show an event or a record; its version alone says what it is (V1)."""
        shown = decoded(request.payload, request.schema_version)
        titles = await self._titles(shown)
        return RenderResult(RenderTree(card(shown, titles, self._runtime.clock())))

    async def _titles(self, shown: Shown) -> Mapping[str, str]:
        if not links(shown.content or ()):
            return {}
        with suppress(ProviderError, OSError):  # away: the names alone are shown
            config, desk, scene = self._runtime.call(None)
            return await self._runtime.workers.read(
                lambda: titles_of(shown.content or (), desk.library, scene, config)
            )
        return {}


def titles_of(
    content: Sequence[str], library: Library, scene: Scene, config: Config
) -> dict[str, str]:
    """Return the titles of the records that a content links to, of those that can be seen (L3)."""
    view = library.view(scene, config)
    titles: dict[str, str] = {}
    for name in links(content)[:MAX_LINKS]:
        with suppress(ProviderError):
            record = locate(library, view, name, config).record
            if status_in_force(record, config) is not None:
                titles[name] = record.title
    return titles


def decoded(payload: Mapping[str, Any], version: str) -> Shown:
    """Return what a payload of a schema_version shows; raises `unknown` for one never sent."""
    decode = _DECODERS.get(version)
    if decode is None:
        known = ", ".join(_DECODERS)
        name = visible(version[:40])
        text = f"schema_version {name!r} is none that was ever sent: there are {known}"
        raise ProviderError(ErrorCategory.UNKNOWN, text)
    try:
        return decode(payload)
    except msgspec.ValidationError:
        text = f"this is no payload of schema_version {version}: send it as it was sent"
        raise InvalidParams("/payload", text) from None


def _event(payload: Mapping[str, Any]) -> Shown:
    event = msgspec.convert(payload, _Event)
    about = event.attributes
    return Shown(
        id=event.record_id,
        title=about.get("title", ""),
        type=about.get("type", ""),
        scope=about.get("scope", ""),
        status=about.get("status", ""),
        content=None if event.content is None else texts(event.content),
        recorded_by=about.get("recorded_by", ""),
    )


def _record(payload: Mapping[str, Any]) -> Shown:
    if "record" in payload and "id" not in payload:
        record = msgspec.convert(payload, _Envelope).record
    else:
        record = msgspec.convert(payload, MemoryRecord)
    return Shown(
        id=record.id,
        title=record.title,
        type=record.type,
        scope=record.scope,
        status=record.status,
        content=texts(record.content),
        recorded_by=record.provenance.recorded_by,
        session=record.provenance.source_session_id,
        created_at=record.created_at,
        updated_at=record.updated_at,
    )


_DECODERS: dict[str, Callable[[Mapping[str, Any]], Shown]] = {"1": _event, "record/1": _record}
"""Every version that was ever sent. One that is changed is a new one, beside the old."""


def shown(record: Record, status: RecordStatus) -> Shown:
    """Return a record of ours as it is shown."""
    return Shown(
        id=record.id,
        title=record.title,
        type=record.type,
        scope=record.scope,
        status=status,
        content=record.content,
        recorded_by=record.provenance.recorded_by,
        session=record.provenance.source_session_id,
        created_at=timestamp(record.created_at),
        updated_at=timestamp(record.updated_at),
    )


def card(shown: Shown, titles: Mapping[str, str], now: datetime) -> RenderNode:
    """Return a record to look at: what it is, what it says, what can be done with it (V2)."""
    summary = visible(shown.title) or shown.id
    children = [_facts(shown, now)]
    if shown.is_draft:
        text = (
            f"Draft, not recalled yet. Type /memory-approve {shown.id} to accept it,"
            f" /memory-reject {shown.id} to discard it."
        )
        children.insert(0, styled(text, TextStyle.WARNING))
        summary += " (draft)"
    if shown.content is None:
        children.append(styled("This memory was deleted.", TextStyle.DIM))
    else:
        children += [content_node(text, titles) for text in shown.content]
        children.append(forget_action(shown.id))
    return RenderNode(collapsible=CollapsibleNode(summary, children, collapsed_by_default=False))


def content_node(text: str, titles: Mapping[str, str]) -> RenderNode:
    """Return content with its links as links (L3)."""
    return RenderNode(group=GroupNode(list(_parts(text, titles))))


def _parts(text: str, titles: Mapping[str, str]) -> Iterator[RenderNode]:
    for part in segments(text):
        if isinstance(part, Link):
            told = part.label or titles.get(part.name) or part.name
            yield RenderNode(link=LinkNode(visible(told), f"memory:{part.name}"))
        else:
            yield styled(visible(part.text))


def forget_action(id: str) -> RenderNode:
    """Return the action that forgets a record, by our own tool."""
    return RenderNode(action=ActionNode("forget", "Forget", "memory.forget", {"id": id}, PROVIDER))


def styled(text: str, style: TextStyle | None = None) -> RenderNode:
    """Return a text node."""
    return RenderNode(text=TextNode(text, style))


def _facts(shown: Shown, now: datetime) -> RenderNode:
    facts = [
        ("id", shown.id),
        ("type", shown.type),
        ("scope", shown.scope),
        ("status", shown.status),
        ("recorded by", shown.recorded_by),
        ("session", shown.session or ""),
        ("recorded", age(shown.created_at, now)),
        ("changed", age(shown.updated_at, now) if shown.updated_at != shown.created_at else ""),
    ]
    known = [(name, visible(value)) for name, value in facts if value]
    headers = [name for name, _ in known]
    return RenderNode(table=TableNode(headers, [TableRow([value for _, value in known])]))


def age(moment: str | None, now: datetime) -> str:
    """Return how long ago a moment was, with its date; the moment itself where it is no time."""
    if moment is None:
        return ""
    try:
        then = datetime.fromisoformat(moment)
        days = (now - then).days
    except (ValueError, TypeError):
        return moment
    told = "today" if days < 1 else "yesterday" if days == 1 else f"{days} days ago"
    return f"{told} ({then:%Y-%m-%d})"
