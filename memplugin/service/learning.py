"""Capture as the loop sees it: hears messages in order, keeps what they hold (section 8).

hook ─▶ hear ─▶ listener thread: rules, journal ─▶ writer thread: record ─▶ kernel.emit
│
session_end waits for this ──────────┘ and a little for the rest (H4)
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from weakref import WeakKeyDictionary

from msgspec import Struct, field

from memplugin.capture.heard import Candidate, Heard, Suppress
from memplugin.config import Capture
from memplugin.protocol.requests import CallContext
from memplugin.recall.ours import Ours, Voice
from memplugin.service.asking import Asked, Asker
from memplugin.service.capture_writing import CaptureWriter, Place
from memplugin.service.capturing import Capturer, Entry, Hearing, Kept
from memplugin.service.chores import Chores
from memplugin.service.runtime import Runtime
from memplugin.service.session_state import SessionKeeper
from memplugin.service.sessions import Scene, Session

HEARD_BEFORE = 6  # messages that a new one may refer to
EDGE = 16_000  # characters heard of each end of a message: what lies between is a paste


class Spoken(Struct, frozen=True):
    """Words as a hook shows them; `said_at` is aware, in the person's zone."""

    text: str
    voice: Voice
    is_now: bool
    turn_id: str | None
    said_at: datetime


def _last_heard() -> deque[Heard]:
    return deque(maxlen=HEARD_BEFORE)


class Ear(Struct, eq=False):
    """What was heard of one session; `number` counts the person's messages."""

    heard: deque[Heard] = field(default_factory=_last_heard)
    number: int = 0
    listening: asyncio.Future[None] | None = None


class Learner:
    """Captures memories from what sessions show."""

    def __init__(self, runtime: Runtime, keeper: SessionKeeper) -> None:
        self._runtime = runtime
        self._keeper = keeper
        self._chores = Chores(runtime)
        self._writer = CaptureWriter(runtime, keeper, self._chores)
        self._asker = Asker(runtime)
        self._ears: WeakKeyDictionary[Session, Ear] = WeakKeyDictionary()
        runtime.on_desk = self._writer.take_over

    def prepare(self) -> None:
        """Get ready to hear: a session has begun."""
        if self._runtime.config.capture is not Capture.OFF:
            self._runtime.workers.listen(Capturer.prepare)

    def hear(self, session: Session, spoken: Spoken) -> None:
        """Take note of a message; what it holds follows in order (H3)."""
        if self._runtime.config.capture is Capture.OFF:
            return
        ear = self._ear(session)
        step = self._listen(session, ear.listening, spoken, session.context.ours)
        ear.listening = self._chores.begin(step)

    async def end(self, session: Session) -> None:
        """Hear what was said, and give its writes a little time (H4)."""
        listening = self._ear(session).listening
        if listening is not None:
            await asyncio.shield(listening)
        self._writer.retry()
        if self._runtime.config.capture is Capture.MODEL:
            await self._chores.guarded(self._ask(session))
        await self._writer.wait(session)

    async def finish(self) -> None:
        """Finish at the end of the input, as far as that goes quickly (W8, H3)."""
        self._writer.retry()
        await self._chores.finish()

    async def _listen(
        self,
        session: Session,
        previous: asyncio.Future[None] | None,
        spoken: Spoken,
        ours: Ours,
    ) -> None:
        if previous is not None:
            await asyncio.shield(previous)
        await self._keeper.load(session)
        place = self._place(session, spoken.turn_id)
        ear = self._ear(session)
        is_person = spoken.voice is Voice.USER and session.parent is None
        before = tuple(ear.heard)

        def listen() -> Hearing | None:
            message = Heard(
                ours.removed_from(_edges(spoken.text), spoken.voice),
                "user" if spoken.voice is Voice.USER else "assistant",
                "person" if is_person else "model",
                spoken.said_at,
            )
            return place.desk.capturer.hear(message, before)

        hearing = await self._runtime.workers.listen(listen)
        if hearing is None:
            return
        ear.heard.append(hearing.message)
        ear.number += is_person
        if isinstance(hearing.found, Suppress):
            if hearing.found.earlier:
                self._writer.take_back(session, ear.number - 1, place)
                self._asker.take_back(session)
        else:
            await self._take(session, spoken, hearing, place)

    async def _take(self, session: Session, spoken: Spoken, hearing: Hearing, place: Place) -> None:
        """Keep what a message holds; with a model, what was not asked for waits for its answer."""
        by_model = self._by_model()
        entries = [
            _entry(
                one,
                place.scene,
                said=hearing.said,
                is_now=spoken.is_now,
                is_spare=by_model and not one.explicit,
            )
            for one in self._within_limit(session, hearing.candidates)
        ]
        kept = await self._keep(session, entries, place)
        self._writer.write(session, [k for k in kept if not k.entry.is_spare], place)
        if by_model:
            spares = [one for one in kept if one.entry.is_spare]
            if self._asker.note(session, hearing.message, spares, is_now=spoken.is_now):
                await self._ask(session)

    def _within_limit(self, session: Session, found: Sequence[Candidate]) -> list[Candidate]:
        """Return what may be captured, and count it; what was asked for always may."""
        allowed: list[Candidate] = []
        for candidate in found:
            if not candidate.explicit:
                if session.captured >= self._runtime.config.capture_limit:
                    continue
                session.captured += 1
            allowed.append(candidate)
        return allowed

    async def _keep(self, session: Session, entries: Sequence[Entry], place: Place) -> list[Kept]:
        if not entries:
            return []
        kept = await self._runtime.workers.listen(partial(place.desk.capturer.keep, entries))
        self._writer.note(session, self._ear(session).number, kept)
        return kept

    async def _ask(self, session: Session) -> None:
        """Have a model read what was said; its answer follows, sometime or never."""
        asked = await self._asker.ask(session)
        if asked is not None:
            self._chores.begin(self._follow(session, asked))

    async def _follow(self, session: Session, asked: Asked) -> None:
        place = self._place(session, None)
        found = await asked.answer
        if found is None:  # the rules' own findings stand in
            self._writer.write(session, asked.spares, place)
            return
        for spare in asked.spares:
            session.captured -= not spare.is_void
            spare.is_void = True
        allowed = self._within_limit(session, found)
        entries = [_entry(one, place.scene, said=asked.said, is_now=True) for one in allowed]
        kept = await self._keep(session, entries, place)
        self._writer.write(session, [*kept, *asked.spares], place)

    def _by_model(self) -> bool:
        runtime = self._runtime
        return runtime.config.capture is Capture.MODEL and runtime.kernel.runs_sessions

    def _ear(self, session: Session) -> Ear:
        return self._ears.setdefault(session, Ear())

    def _place(self, session: Session, turn_id: str | None) -> Place:
        scene = self._runtime.sessions.scene(CallContext(session.id, turn_id))
        return Place(self._runtime.desk(), scene)


def _edges(text: str) -> str:
    return text if len(text) <= 2 * EDGE else f"{text[:EDGE]}\n\n{text[-EDGE:]}"


def _entry(
    candidate: Candidate, scene: Scene, *, said: str, is_now: bool, is_spare: bool = False
) -> Entry:
    session_id = scene.session_id or ""
    return Entry(candidate, session_id, scene.turn_id, scene.directories, said, is_now, is_spare)
