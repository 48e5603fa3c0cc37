"""What outlives the process of a session: lineage, place, what it recalled (R8, H4)."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import msgspec

from memplugin.protocol.errors import ProviderError
from memplugin.recall.selection import Kept
from memplugin.service.library import Library
from memplugin.service.sessions import Session
from memplugin.service.workers import Workers
from memplugin.store.sessions import SessionState


class SessionKeeper:
    """Loads and keeps the state of sessions; a disk that fails costs only what it held."""

    def __init__(self, workers: Workers, library: Callable[[], Library]) -> None:
        """`library` may raise ProviderError: then nothing is kept."""
        self._workers = workers
        self._library = library

    async def load(self, session: Session) -> None:
        """Fill in what earlier processes knew; what this one was told stays."""
        if session.loading is None:
            session.loading = asyncio.ensure_future(self._load(session))
        if not session.loading.done():
            await asyncio.shield(session.loading)

    async def _load(self, session: Session) -> None:
        state: SessionState | None = None
        with suppress(ProviderError, OSError):
            files = self._library().sessions
            state = await self._workers.soon(partial(files.read, session.id))
        if state is None:
            return
        session.parent = session.parent or state.parent
        session.working_directory = session.working_directory or state.working_directory
        session.recalls_from = session.recalls_from or state.recalls_from
        session.captured += state.captured
        session.recalled = _kept(state) | session.recalled

    def keep(self, session: Session) -> None:
        """Keep what is known now, soon; where nothing is known, nothing is written."""
        changes: dict[str, object] = {
            "parent": session.parent,
            "working_directory": session.working_directory,
            "recalls_from": session.recalls_from,
        }
        if session.loading is not None and session.loading.done():
            changes |= {"captured": session.captured, "recalled": _raw(session)}
        known = {name: value for name, value in changes.items() if value}
        if not known:
            return
        with suppress(ProviderError):
            files = self._library().sessions

            def write() -> None:
                with suppress(OSError):
                    files.update(session.id, **known)

            self._workers.soon(write)


def _raw(session: Session) -> msgspec.Raw | None:
    return msgspec.Raw(msgspec.json.encode(session.recalled)) if session.recalled else None


def _kept(state: SessionState) -> dict[str, list[Kept]]:
    if state.recalled is None:
        return {}
    try:
        return msgspec.json.decode(state.recalled, type=dict[str, list[Kept]])
    except msgspec.DecodeError:
        return {}
