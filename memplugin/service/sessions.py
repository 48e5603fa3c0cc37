"""Which sessions are open in this process, and whom a call concerns (X1, H5, H7).

Lives on the loop and touches no disk: what other processes know of a session is read by the
worker threads (library.py).
"""

import asyncio
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from msgspec import Struct, field

from memplugin.protocol.errors import InvalidParams
from memplugin.protocol.requests import CallContext
from memplugin.recall.context import Context
from memplugin.recall.selection import Kept
from memplugin.service.showing import Transcript
from memplugin.store.places import is_place

MAX_OPEN = 1_000  # a kernel that never ends its sessions; the oldest is forgotten first
MAX_ENDED = 100  # sessions whose context is kept in case they are resumed
MAX_TURNS = 10_000  # turn ids whose session is remembered
MAX_ANCESTORS = 32  # sessions deep; more is a kernel gone astray


class Session(Struct, eq=False, weakref=True):
    """What this process has been told of a session, and what it has shown."""

    id: str
    parent: str | None = None
    working_directory: str | None = None
    loading: asyncio.Future[None] | None = None  # what earlier processes knew of it
    recalled: dict[str, list[Kept]] = field(default_factory=dict)  # by filters (R8)
    recalls_from: datetime | None = None  # its first recall: ages count from then (R8)
    context: Context = field(default_factory=Context)
    transcript: Transcript = field(default_factory=Transcript)
    known_calls: dict[str, None] = field(default_factory=dict)  # their results say nothing new
    captured: int = 0  # memories captured without being asked to


class Scene(Struct, frozen=True):
    """Whom a call concerns.

    `lineage` is the session and its ancestors as far as this process was told, nearest first.
    `directories` has the working directory; several where no session and no directory was named
    and several projects are open: nothing is guessed then. `is_told`: they were told, not our own.
    """

    session_id: str | None
    turn_id: str | None
    lineage: tuple[str, ...]
    directories: tuple[str, ...]
    is_told: bool = True


class Sessions:
    """The open sessions, oldest first."""

    def __init__(self, own_directory: Callable[[], Path]) -> None:
        self._own_directory = own_directory
        self._open: dict[str, Session] = {}
        self._ended: dict[str, Session] = {}
        self._turns: dict[str, str] = {}

    def start(
        self, id: str, *, parent: str | None = None, working_directory: str | None = None
    ) -> Session:
        """Open a session, or learn more of an open one."""
        session = self._open.pop(id, None) or self._ended.pop(id, None) or Session(id)
        self._open[id] = session
        if parent and parent != id:
            session.parent = parent
        if working_directory and is_place(working_directory):
            session.working_directory = working_directory
        while len(self._open) > MAX_OPEN:
            del self._open[next(iter(self._open))]
        return session

    def end(self, id: str) -> None:
        """Close a session; one that is resumed in this process goes on where it was (H4)."""
        session = self._open.pop(id, None)
        if session is not None:
            self._ended[id] = session
        while len(self._ended) > MAX_ENDED:
            del self._ended[next(iter(self._ended))]

    def get(self, id: str) -> Session | None:
        """Return an open session."""
        return self._open.get(id)

    def only(self) -> Session | None:
        """Return the open session if there is exactly one."""
        return next(iter(self._open.values())) if len(self._open) == 1 else None

    def of_hook(self, context: CallContext, named: str | None) -> Session | None:
        """Return whose hook it is (H5): `named` is the session that the payload names."""
        id = context.session_id or named or self._turns.get(context.turn_id or "")
        session = self._open.get(id) or self.start(id) if id else self.only()
        if session is not None:
            directory = context.working_directory
            if directory and is_place(directory) and not session.working_directory:
                session.working_directory = directory
            self._note_turn(context.turn_id, session)
        return session

    def _note_turn(self, turn_id: str | None, session: Session) -> None:
        if turn_id:
            self._turns[turn_id] = session.id
            while len(self._turns) > MAX_TURNS:
                del self._turns[next(iter(self._turns))]

    def scene(self, context: CallContext | None) -> Scene:
        """Return whom a call concerns; a session seen for the first time is open from now on.

        Raises InvalidParams for a directory that is none; nothing is remembered of such a call.
        """
        context = context or CallContext()
        directory = context.working_directory
        if directory and not is_place(directory):
            raise InvalidParams("/working_directory", "must be an absolute path")
        session = self._session(context)
        if session is None:
            directories = (directory,) if directory else self._directories()
            return Scene(None, context.turn_id or None, (), directories)
        if directory and not session.working_directory:
            session.working_directory = directory
        self._note_turn(context.turn_id, session)
        known = directory or session.working_directory
        return Scene(
            session.id,
            context.turn_id or None,
            self._lineage(session),
            (known or str(self._own_directory()),),
            is_told=known is not None,
        )

    def _session(self, context: CallContext) -> Session | None:
        if not context.session_id:
            return self.only()
        return self._open.get(context.session_id) or self.start(context.session_id)

    def _directories(self) -> tuple[str, ...]:
        known = [s.working_directory for s in self._open.values() if s.working_directory]
        return tuple(dict.fromkeys(known)) or (str(self._own_directory()),)

    def _lineage(self, session: Session) -> tuple[str, ...]:
        line = [session.id]
        while session.parent and session.parent not in line and len(line) <= MAX_ANCESTORS:
            line.append(session.parent)
            parent = self._open.get(session.parent)
            if parent is None:
                break
            session = parent
        return tuple(line)
