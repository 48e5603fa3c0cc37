"""What is known of sessions across processes and restarts: one session.json beside its records."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import asdict, replace

from memplugin.store.disk import DISK, PRIVATE_FILE, Disk, make_folders, put
from memplugin.store.places import Places
from memplugin.store.roots import session_root

_FILE = "session.json"


class SessionState(Struct, frozen=True, omit_defaults=True):
    """A session's lineage, place and times (aware UTC), and what it last recalled.

    `recalled` is recall's own JSON, kept unread; `captured` counts what was captured unasked.
    """

    id: str
    parent: str | None = None
    working_directory: str | None = None
    project: str | None = None
    opened_at: datetime | None = None
    ended_at: datetime | None = None
    recalled: Raw | None = None
    recalls_from: datetime | None = None
    captured: int = 0


class _Stored(SessionState, frozen=True):
    # The decoder takes no `Raw | None`.
    recalled: Raw = Raw(b"null")


class SessionFiles:
    """The session files in the state."""

    def __init__(self, places: Places, *, disk: Disk = DISK) -> None:
        self._places = places
        self._disk = disk

    def read(self, session_id: str) -> SessionState | None:
        """Return what is known of a session; None if nothing is, or the file is unreadable."""
        state = _read(self._path(session_id))
        return state if state is not None and state.id == session_id else None

    def write(self, state: SessionState, *, durable: bool = True) -> None:
        """Keep a session's state, in place of what was known before.

        Without `durable` it survives the process, but perhaps not a power cut.
        """
        path = self._path(state.id)
        make_folders(self._disk, path.parent)
        data = msgspec.json.encode(state)
        put(self._disk, path, data, mode=PRIVATE_FILE, durable=durable)

    def update(self, session_id: str, **changes: object) -> None:
        """Change what is known of a session, where it is not known so already; not durable."""
        known = self.read(session_id) or SessionState(session_id)
        changed = replace(known, **changes)
        if changed != known:
            self.write(changed, durable=False)

    def all(self) -> Iterator[SessionState]:
        """Yield every session known, in no order."""
        for path in (self._places.state / "sessions").glob(f"*/{_FILE}"):
            state = _read(path)
            if state is not None and self._path(state.id) == path:
                yield state

    def _path(self, session_id: str) -> Path:
        return session_root(self._places, session_id).path / _FILE


def _read(path: Path) -> SessionState | None:
    try:
        stored = msgspec.json.decode(path.read_bytes(), type=_Stored)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
    recalled = None if bytes(stored.recalled) == b"null" else stored.recalled.copy()
    return SessionState(**{**asdict(stored), "recalled": recalled})
