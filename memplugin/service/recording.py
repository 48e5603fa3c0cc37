"""Writing records: record, update, delete, approve, reject (D1-D9, P2, P3).

Each use case checks its request on the loop, queues one job on the writer thread, and tells the
audit log what was done. A job looks, locks, writes and indexes in one go, and never calls the
kernel.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import count

from msgspec import Struct

from memplugin.capture.fingerprint import fingerprint
from memplugin.config import Config, Ratification
from memplugin.protocol.callbacks import EmitKind, EmitParams, EmitPayload
from memplugin.protocol.errors import ErrorCategory, ProviderError
from memplugin.protocol.records import (
    MemoryScope,
    Record,
    RecordStatus,
    blocks,
)
from memplugin.protocol.requests import (
    UpdateRecordRequest,
)
from memplugin.recall.links import links
from memplugin.recall.slugs import derive, numbered, slug
from memplugin.service.drafts import Draft, checked_content
from memplugin.service.finding import Located, ambiguous, locate, not_found, status_in_force
from memplugin.service.library import Library, View
from memplugin.service.sessions import Scene
from memplugin.service.workers import Stop
from memplugin.store.folder import Folder
from memplugin.store.roots import Root

FAMILY_START = 56  # characters that all numbered forms of an id share (64 less the longest number)
AUDIT_VERSION = "1"  # of the payload that kernel.emit is sent (V1)
MILLISECOND = timedelta(milliseconds=1)
REVISES = "revises"  # front matter of a draft: the id of the record whose place it takes
REMOVES = "removes"  # front matter of a draft: the id of the record that it asks to forget


class Written(Struct, frozen=True):
    """What a write did, for the answer and the audit log."""

    kind: EmitKind
    record: Record
    changed: bool = True


class Recorder:
    """The jobs that write, as the writer thread runs them."""

    def __init__(
        self, library: Library, clock: Callable[[], datetime], fallback_id: Callable[[], str]
    ) -> None:
        """`fallback_id` gives an id for content that leaves no usable slug (D2)."""
        self._library = library
        self._clock = clock
        self._fallback_id = fallback_id

    def record(self, new: Draft, scene: Scene, config: Config, stop: Stop) -> Written:
        """Write a new record under the first free id (D2, D3)."""
        view = self._library.view(scene, config)
        root = target(view, new.scope)
        base = slug(new.suggested or "") or derive(new.title, new.content) or self._fallback_id()
        with self._library.lock.acquire(config.lock_timeout_s, stop):
            now = self._clock()
            for id in self._free_ids(base, view):
                record = Record(
                    id=id,
                    type=new.type,
                    scope=new.scope,
                    title=new.title,
                    content=new.content,
                    status=new.status,
                    links=new.links,
                    created_at=now,
                    updated_at=now,
                    provenance=new.provenance,
                )
                if self._create(root, record, new.extra):
                    return Written(EmitKind.MEMORY_WRITE, record)
        raise AssertionError("there is always a next number")

    def _free_ids(self, base: str, view: View) -> Iterator[str]:
        """Pass on ids that neither index nor file of anything visible has, numbered upwards."""
        taken: set[str] = set()
        folders: list[Folder] = []
        for root in view.roots:  # one at a time: of very many the first are closed again
            catalog = self._library.catalog(root)
            taken |= catalog.ids_like(base[:FAMILY_START])
            folders.append(catalog.folder)
        for number in count(1):
            id = base if number == 1 else numbered(base, number)
            if id not in taken and not any(folder.has(f"{id}.md") for folder in folders):
                yield id

    def _create(self, root: Root, record: Record, extra: Mapping[str, str]) -> bool:
        found = self._library.catalog(root).folder.create(record, extra)
        if found is None:
            return False
        # Asked for again: a folder that has just been made has its index on disk from now on.
        self._library.catalog(root).put(found)
        return True

    def update(
        self, request: UpdateRecordRequest, scene: Scene, config: Config, stop: Stop
    ) -> Written:
        """Replace a record's content (D4)."""
        content = checked_content(request.content, config)
        given = tuple(request.links) if request.links is not None else links(content)

        def change(record: Record, status: RecordStatus) -> Record:
            title = request.title if request.title and request.title.strip() else record.title
            return record.replaced(title=title, content=content, links=given, status=status)

        return self._change(request.id, scene, config, stop, change)

    def approve(self, id: str, scene: Scene, config: Config, stop: Stop) -> Written:
        """Make a draft canonical, or do what it proposes; a canonical record stays (P3)."""
        ratifying(config)
        proposed = self._carry_out(id, scene, config, stop)
        if proposed is not None:
            return proposed

        def change(record: Record, status: RecordStatus) -> Record:
            canonical = status is RecordStatus.CANONICAL
            return record if canonical else record.replaced(status=RecordStatus.CANONICAL)

        return self._change(id, scene, config, stop, change)

    def _carry_out(self, id: str, scene: Scene, config: Config, stop: Stop) -> Written | None:
        """Do to another record what a draft proposes, None where it proposes nothing."""
        draft = locate(self._library, self._library.view(scene, config), id, config)
        record = draft.record
        if status_in_force(record, config) is not RecordStatus.PENDING:
            return None
        removed, revised = draft.extra.get(REMOVES), draft.extra.get(REVISES)
        try:
            self._not_outdated(record, removed or revised, scene, config)
            if removed is not None:
                written = self.delete(removed, scene, config, stop)
            elif revised is not None:
                new = UpdateRecordRequest(
                    revised, blocks(record.content), record.title, list(record.links)
                )
                written = self.update(new, scene, config, stop)
            else:
                return None
        except ProviderError as error:
            if error.category is not ErrorCategory.NOT_FOUND:
                raise
            if removed is None:  # it must not come back under another id (D9)
                text = f"{revised} is gone: reject {id}, or remember it anew"
                raise ProviderError(ErrorCategory.UNKNOWN, text) from None
            return self.delete(id, scene, config, stop)
        self.delete(id, scene, config, stop)
        return written

    def _not_outdated(self, draft: Record, about: str | None, scene: Scene, config: Config) -> None:
        """Refuse what was proposed before the record it is about was changed."""
        if about is None:
            return
        known = locate(self._library, self._library.view(scene, config), about, config).record
        if known.updated_at > draft.updated_at:
            text = f"{about} was changed after {draft.id} was proposed: reject it, or propose anew"
            raise ProviderError(ErrorCategory.UNKNOWN, text)

    def _change(
        self,
        id: str,
        scene: Scene,
        config: Config,
        stop: Stop,
        change: Callable[[Record, RecordStatus], Record],
    ) -> Written:
        view = self._library.view(scene, config)
        with self._library.lock.acquire(config.lock_timeout_s, stop):
            located = locate(self._library, view, id, config)
            record = located.record
            status = status_in_force(record, config)
            if status is None:
                raise not_found(id)
            changed = change(record, status)
            if changed is record:
                return Written(EmitKind.MEMORY_UPDATE, record, changed=False)
            now = max(self._clock(), record.updated_at + MILLISECOND)
            changed = changed.replaced(updated_at=now)
            catalog = self._library.catalog(located.root)
            catalog.folder.replace(located.name, changed)
            catalog.put(catalog.folder.read(located.name))
        return Written(EmitKind.MEMORY_UPDATE, changed)

    def delete(self, id: str, scene: Scene, config: Config, stop: Stop) -> Written:
        """Remove a record, a draft that is held back too (P2), wholly and for good (D9)."""
        return self._remove(id, scene, config, stop, lambda _: None)

    def reject(self, id: str, scene: Scene, config: Config, stop: Stop) -> Written:
        """Discard a draft; refuses what is none (P3)."""
        ratifying(config)

        def check(record: Record) -> None:
            if status_in_force(record, config) is RecordStatus.CANONICAL:
                text = f"{id} is not a draft: delete_record removes a canonical record"
                raise ProviderError(ErrorCategory.UNKNOWN, text)

        return self._remove(id, scene, config, stop, check)

    def _remove(
        self,
        id: str,
        scene: Scene,
        config: Config,
        stop: Stop,
        check: Callable[[Record], None],
    ) -> Written:
        view = self._library.view(scene, config)
        with self._library.lock.acquire(config.lock_timeout_s, stop):
            located = locate(self._library, view, id, config)
            check(located.record)
            catalog = self._library.catalog(located.root)
            if not catalog.folder.remove(located.name):
                raise not_found(id)
            catalog.drop(located.name)
            self._forget(located)
        return Written(EmitKind.MEMORY_DELETE, located.record)

    def _forget(self, located: Located) -> None:
        """See to it that capture does not bring it back (case 41)."""
        forgotten = self._library.forgotten
        content = fingerprint(forgotten.salt(), located.record.text)
        with suppress(OSError):  # it is gone, on a full disk too
            forgotten.add(content, located.extra.get("said"))


def target(view: View, scope: MemoryScope) -> Root:
    """Return the root that a new record of a scope goes to."""
    match scope:
        case MemoryScope.SESSION:
            return view.sessions[0]
        case MemoryScope.PROJECT:
            if len(view.projects) != 1:
                raise ambiguous()
            return view.projects[0]
        case MemoryScope.GLOBAL:
            return view.everyone


def ratifying(config: Config) -> None:
    """Raise ratification_unsupported where nothing is ratified (P2)."""
    if config.ratification is Ratification.OFF:
        text = "ratification is off: set `ratification` to captured or all"
        raise ProviderError(ErrorCategory.RATIFICATION_UNSUPPORTED, text)


def audit(written: Written, session_id: str | None) -> EmitParams | None:
    """Return the event for the kernel's audit log, None without a session (K4)."""
    if not session_id or not written.changed:
        return None
    record = written.record
    attributes = {
        "type": record.type.value,
        "scope": record.scope.value,
        "status": record.status.value,
        "title": record.title,
        "recorded_by": record.provenance.recorded_by,
    }
    gone = written.kind is EmitKind.MEMORY_DELETE
    content = None if gone else blocks(record.content)
    payload = EmitPayload(record_id=record.id, attributes=attributes, content=content)
    return EmitParams(session_id, written.kind, AUDIT_VERSION, payload)
