"""Which sessions are open in this process, and whom a call concerns (X1, H5, H7).

Lives on the loop and touches no disk: what other processes know of a session is read by the
worker threads (library.py).
"""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from memplugin.protocol.requests import CallContext

MAX_OPEN = 1_000  # a kernel that never ends its sessions; the oldest is forgotten first


class Session(Struct):
    """What this process has been told of a session."""

    id: str
    parent: str | None = None
    working_directory: str | None = None


class Scene(Struct, frozen=True):
    """Whom a call concerns.

    `lineage` is the session and its ancestors as far as this process was told, nearest first.
    `directories` has the working directory; several where no session and no directory was named
    and several projects are open: nothing is guessed then.
    """

    session_id: str | None
    turn_id: str | None
    lineage: tuple[str, ...]
    directories: tuple[str, ...]


class Sessions:
    """The open sessions, oldest first."""

    def __init__(self, own_directory: Callable[[], Path]) -> None:
        self._own_directory = own_directory
        self._open: dict[str, Session] = {}

    def start(
        self, id: str, *, parent: str | None = None, working_directory: str | None = None
    ) -> Session:
        """Open a session, or learn more of an open one."""
        session = self._open.pop(id, None) or Session(id)
        self._open[id] = session
        if parent and parent != id:
            session.parent = parent
        if working_directory:
            session.working_directory = working_directory
        while len(self._open) > MAX_OPEN:
            del self._open[next(iter(self._open))]
        return session

    def end(self, id: str) -> None:
        """Close a session; its records and its state stay."""
        self._open.pop(id, None)

    def get(self, id: str) -> Session | None:
        """Return an open session."""
        return self._open.get(id)

    def only(self) -> Session | None:
        """Return the open session if there is exactly one."""
        return next(iter(self._open.values())) if len(self._open) == 1 else None

    def scene(self, context: CallContext | None) -> Scene:
        """Return whom a call concerns; a session seen for the first time is open from now on."""
        context = context or CallContext()
        session = self._session(context)
        directory = context.working_directory
        if session is None:
            directories = (directory,) if directory else self._directories()
            return Scene(None, context.turn_id or None, (), directories)
        if directory and not session.working_directory:
            session.working_directory = directory
        known = directory or session.working_directory or ""
        return Scene(
            session.id,
            context.turn_id or None,
            self._lineage(session),
            (known or str(self._own_directory()),),
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
        while session.parent and session.parent not in line:
            line.append(session.parent)
            parent = self._open.get(session.parent)
            if parent is None:
                break
            session = parent
        return tuple(line)
