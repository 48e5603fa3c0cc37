"""The way of what was captured to its records: queued in order, told, tried again, taken back."""

import asyncio
from collections import deque
from collections.abc import Coroutine, Sequence
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from msgspec import Struct, field

from memplugin.config import Capture
from memplugin.protocol.errors import ProviderError
from memplugin.service.capturing import Kept, Taken
from memplugin.service.chores import Chores
from memplugin.service.desk import Desk
from memplugin.service.recording import Written
from memplugin.service.runtime import Runtime
from memplugin.service.session_state import SessionKeeper
from memplugin.service.sessions import Scene, Session
from memplugin.store.leftovers import sweep_places
from memplugin.store.places import Places

REMEMBERED = 100  # entries of a session that "forget that" can reach
END_WAIT_S = 0.08  # session_end is answered within 100 ms (H4)


def _last_kept() -> deque[tuple[int, Kept]]:
    return deque(maxlen=REMEMBERED)


class Place(Struct, frozen=True):
    """Where what is captured goes."""

    desk: Desk
    scene: Scene


class Pages(Struct, eq=False):
    """What was captured of one session, each with the number of its message, and its writes."""

    kept: deque[tuple[int, Kept]] = field(default_factory=_last_kept)
    writing: set[asyncio.Future[None]] = field(default_factory=set)


class CaptureWriter:
    """Queues the writer thread's jobs of capture, and tells what they did."""

    def __init__(self, runtime: Runtime, keeper: SessionKeeper, chores: Chores) -> None:
        self._runtime = runtime
        self._keeper = keeper
        self._chores = chores
        self._pages: WeakKeyDictionary[Session, Pages] = WeakKeyDictionary()
        self._unwritten: list[tuple[Session, Kept, Place]] = []

    def note(self, session: Session, number: int, kept: Sequence[Kept]) -> None:
        """Note which message entries came from, in case they are taken back."""
        self._of(session).kept.extend((number, one) for one in kept)

    def write(self, session: Session, kept: Sequence[Kept], place: Place) -> None:
        """Queue the writes now, in order."""
        for one in kept:
            job = partial(place.desk.capturer.write, one, place.scene, self._runtime.config)
            queued = self._runtime.workers.write(job)
            self._begin(session, self._written(session, one, place, queued))

    def retry(self) -> None:
        """Queue again what could not be written before."""
        waiting, self._unwritten = self._unwritten, []
        for session, kept, place in waiting:
            self.write(session, [kept], place)

    def take_back(self, session: Session, since: int, place: Place) -> None:
        """Undo what was captured from the messages of these numbers and later (decision 39)."""
        pages = self._of(session)
        reached = [pair for pair in pages.kept if pair[0] >= since]
        for pair in reversed(reached):
            pages.kept.remove(pair)
            job = partial(place.desk.capturer.undo, pair[1], place.scene, self._runtime.config)
            queued = self._runtime.workers.write(job)
            self._begin(session, self._undone(session, pair[1], queued))

    def take_over(self, desk: Desk) -> None:
        """Finish what ended processes left in these places: the journal, half-written files."""
        self._chores.begin(_swept(desk.library.places))
        config = self._runtime.config
        if config.capture is Capture.OFF:
            return
        queued = self._runtime.workers.write(partial(desk.capturer.left_over, config))

        async def finish() -> None:
            for written in await queued:
                self._runtime.audit(written, written.record.provenance.source_session_id)

        self._chores.begin(finish())

    async def wait(self, session: Session) -> None:
        """Wait a little for what was queued."""
        writing = self._of(session).writing
        if writing:
            await asyncio.wait(writing, timeout=END_WAIT_S)

    def _begin(self, session: Session, work: Coroutine[Any, Any, None]) -> None:
        writing = self._of(session).writing
        task = self._chores.begin(work)
        writing.add(task)
        task.add_done_callback(writing.discard)

    async def _written(
        self,
        session: Session,
        kept: Kept,
        place: Place,
        queued: Coroutine[Any, Any, Taken | None],
    ) -> None:
        try:
            taken = await queued
        except (ProviderError, OSError):
            self._unwritten.append((session, kept, place))
            raise
        if taken is not None:
            self._runtime.audit(taken.written, session.id)
            self._keeper.keep(session)
        elif not kept.is_void:
            _uncount(session, kept)  # it was known already

    async def _undone(
        self, session: Session, kept: Kept, queued: Coroutine[Any, Any, Written | None]
    ) -> None:
        _uncount(session, kept)
        written = await queued
        if written is not None:
            self._runtime.audit(written, session.id)

    def _of(self, session: Session) -> Pages:
        return self._pages.setdefault(session, Pages())


async def _swept(places: Places) -> None:
    """Sweep in a thread of its own: answers wait for the writer, session ends for the listener."""
    await asyncio.to_thread(sweep_places, places)


def _uncount(session: Session, kept: Kept) -> None:
    if not kept.entry.candidate.explicit:
        session.captured = max(0, session.captured - 1)
