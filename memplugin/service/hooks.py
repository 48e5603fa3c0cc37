"""Hooks: what a kernel shows of its sessions (section 8).

The answer's shape is the mode's own (H1); nothing inside a payload is ever refused (H6).
"""

from typing import Any

import msgspec
from msgspec import Raw, Struct

from memplugin.protocol.requests import (
    DispatchHookRequest,
    DispatchHookResult,
    Empty,
    HookMode,
    HookPoint,
    HookTransform,
    HookVeto,
)
from memplugin.service.sessions import Sessions

SUPPORTED_POINTS = [HookPoint.SESSION_START, HookPoint.SESSION_END]
"""The points that do something here (H2)."""


class SessionStart(Struct, frozen=True):
    """What is looked at of a session's start."""

    session_id: str
    parent_session_id: str | None = None
    working_directory: str | None = None


def hook_answer(request: DispatchHookRequest) -> DispatchHookResult:
    """Return the answer in the shape of the mode; nothing is changed or vetoed (H1)."""
    match request.mode:
        case HookMode.OBSERVE:
            return DispatchHookResult(observe=Empty())
        case HookMode.TRANSFORM:
            return DispatchHookResult(transform=HookTransform(request.payload))
        case HookMode.VETO:
            return DispatchHookResult(veto=HookVeto("allow"))


def take_hook(request: DispatchHookRequest, sessions: Sessions) -> None:
    """Learn of sessions that start and end; whatever else is shown is passed over."""
    ((point, inside),) = msgspec.json.decode(request.payload, type=dict[str, Raw]).items()
    if point == HookPoint.SESSION_START:
        start = _read(inside, SessionStart)
        if start is not None and start.session_id:
            sessions.start(
                start.session_id,
                parent=start.parent_session_id,
                working_directory=start.working_directory,
            )
    elif point == HookPoint.SESSION_END:
        named = _read(inside, SessionStart)
        if named is not None:
            sessions.end(named.session_id)


def _read(inside: Raw, kind: type[Any]) -> Any:  # noqa: ANN401 - the kind asked for, or None
    """Return the payload as far as it has the expected form, else None (H6)."""
    try:
        return msgspec.json.decode(inside, type=kind)
    except msgspec.DecodeError:
        return None
