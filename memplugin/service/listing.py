"""Listing records and links, and getting one (P1, L4, X2)."""

import base64
import binascii
from collections.abc import Iterator
from heapq import merge

import msgspec
from msgspec import Struct

from memplugin.config import Config
from memplugin.index.catalog import Catalog
from memplugin.index.rows import Position, Row, milliseconds
from memplugin.protocol.errors import InvalidParams
from memplugin.protocol.records import MemoryScope, MemoryType, Record, RecordStatus
from memplugin.protocol.requests import Link
from memplugin.service.finding import locate, not_found, status_in_force
from memplugin.service.library import Library, View
from memplugin.service.sessions import Scene

PAGE_SIZE = 50
MAX_PAGE_SIZE = 500


class Wanted(Struct, frozen=True):
    """Which records a list has; None: all that is supported."""

    types: tuple[MemoryType, ...]
    scopes: tuple[MemoryScope, ...]
    status: RecordStatus | None = None


class Listed(Struct, frozen=True):
    """A record with the status in force."""

    record: Record
    status: RecordStatus


class Page(Struct, frozen=True):
    """A page of a list; `next` is empty on the last one."""

    records: list[Listed]
    next: str


class Lister:
    """The jobs that list, as the reader thread runs them."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def get(self, id: str, scene: Scene, config: Config) -> Listed:
        """Return one record, read from its file; raises `not_found`."""
        view = self._library.view(scene, config)
        record = locate(self._library, view, id, config).record
        status = status_in_force(record, config)
        if status is None:
            raise not_found(id)
        return Listed(record, status)

    def page(self, wanted: Wanted, scene: Scene, config: Config, size: int, token: str) -> Page:
        """Return a page of what can be seen, in the order of (created_at, id)."""
        after = position(token) if token else None
        size = min(size or PAGE_SIZE, MAX_PAGE_SIZE)
        view = self._library.view(scene, config)
        listed: list[Listed] = []
        for record in self._in_order(view, config, after):
            status = status_in_force(record, config)
            if status is None or not _is_wanted(record, status, wanted):
                continue
            if len(listed) == size:
                return Page(listed, token_for(listed[-1].record))
            listed.append(Listed(record, status))
        return Page(listed, "")

    def _in_order(self, view: View, config: Config, after: Position | None) -> Iterator[Record]:
        streams: list[Iterator[Record]] = []
        nearer: list[Catalog] = []
        for root in view.unambiguous:
            catalog = self._library.fresh(root, config)
            streams.append(_unshadowed(catalog, after, tuple(nearer)))
            nearer.append(catalog)
        return merge(*streams, key=lambda r: (milliseconds(r), r.id))

    def links(
        self, id: str | None, scene: Scene, config: Config, *, dangling_only: bool
    ) -> list[Link]:
        """Return the links of what can be seen, by source; `exists`: the target can be seen."""
        view = self._library.view(scene, config)
        if id:
            sources = [self.get(id, scene, config).record]
        else:
            everything = self._in_order(view, config, None)
            sources = [r for r in everything if status_in_force(r, config) is not None]
            sources.sort(key=lambda record: record.id)
        catalogs = [self._library.fresh(root, config) for root in view.unambiguous]
        targets = {target for record in sources for target in record.links}
        seen = {target for target in targets if _is_visible(target, catalogs, config)}
        return [
            Link(record.id, target, target in seen)
            for record in sources
            for target in record.links
            if not (dangling_only and target in seen)
        ]


def _is_visible(id: str, catalogs: list[Catalog], config: Config) -> bool:
    rows = (catalog.by_id(id) for catalog in catalogs)
    nearest = next((row for row in rows if row is not None), None)
    return nearest is not None and status_in_force(nearest.record, config) is not None


def _unshadowed(
    catalog: Catalog, after: Position | None, nearer: tuple[Catalog, ...]
) -> Iterator[Record]:
    for row in _rows(catalog, after):
        if not any(other.by_id(row.record.id) for other in nearer):
            yield row.record


def _rows(catalog: Catalog, after: Position | None) -> Iterator[Row]:
    while rows := catalog.page(after, MAX_PAGE_SIZE):
        yield from rows
        last = rows[-1].record
        after = Position(milliseconds(last), last.id)


def _is_wanted(record: Record, status: RecordStatus, wanted: Wanted) -> bool:
    return (
        record.type in wanted.types
        and record.scope in wanted.scopes
        and (wanted.status is None or wanted.status is status)
    )


def token_for(record: Record) -> str:
    """Return the opaque token of the page after a record."""
    place = msgspec.json.encode(Position(milliseconds(record), record.id))
    return base64.urlsafe_b64encode(place).decode()


def position(token: str) -> Position:
    """Return where a page begins; raises InvalidParams for what is no token of ours."""
    try:
        return msgspec.json.decode(base64.b64decode(token, b"-_", validate=True), type=Position)
    except (binascii.Error, msgspec.DecodeError, ValueError):
        text = "not a token that list_records gave: start again without one"
        raise InvalidParams("/page_token", text) from None
