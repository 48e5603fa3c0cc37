"""Hooks: what a kernel shows of its sessions, and what each point brings (section 8).

    session_start        lineage, working directory ──▶ session state
    pre_model_call       new messages, tool results ──▶ working context, capture
    post_model_response  the assistant's answer ──────▶ working context, capture
    post_tool_call       files touched, result ───────▶ working context
    session_end          ─────────────────────────────▶ capture's last chance

The answer's shape is the mode's own (H1); nothing inside a payload is ever refused (H6).
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec
from msgspec import Raw

from memplugin.protocol.requests import (
    CallContext,
    DispatchHookRequest,
    DispatchHookResult,
    Empty,
    HookMode,
    HookPoint,
    HookTransform,
    HookVeto,
)
from memplugin.recall.ours import Voice
from memplugin.service.learning import Learner, Spoken
from memplugin.service.runtime import Runtime
from memplugin.service.session_state import SessionKeeper
from memplugin.service.sessions import Session
from memplugin.service.showing import (
    Message,
    ToolUse,
    inside,
    message_of,
    messages_in,
    result_text,
    tool_use,
)

SUPPORTED_POINTS = [
    HookPoint.SESSION_START,
    HookPoint.PRE_MODEL_CALL,
    HookPoint.POST_MODEL_RESPONSE,
    HookPoint.POST_TOOL_CALL,
    HookPoint.SESSION_END,
]
"""The points that do something here (H2)."""

MAX_CALLS = 1_000  # tool calls of a session whose results are known


class Hooks:
    """The use case dispatch_hook."""

    def __init__(self, runtime: Runtime, keeper: SessionKeeper, learner: Learner) -> None:
        self._runtime = runtime
        self._keeper = keeper
        self._learner = learner
        self._points: Mapping[str, Callable[[Raw, CallContext], Awaitable[None]]] = {
            HookPoint.SESSION_START: self._session_start,
            HookPoint.PRE_MODEL_CALL: self._pre_model_call,
            HookPoint.POST_MODEL_RESPONSE: self._post_model_response,
            HookPoint.POST_TOOL_CALL: self._post_tool_call,
            HookPoint.SESSION_END: self._session_end,
        }

    async def dispatch_hook(self, request: DispatchHookRequest) -> DispatchHookResult:
        """Take note of what a session shows (H1-H7)."""
        ((point, shown),) = msgspec.json.decode(request.payload, type=dict[str, Raw]).items()
        take = self._points.get(point)
        if take is not None:
            await take(shown, request.call_context or CallContext())
        return hook_answer(request)

    async def _session_start(self, shown: Raw, context: CallContext) -> None:
        start = inside(shown)
        id = _word(start, "session_id") or context.session_id
        if not id:
            return
        session = self._runtime.sessions.start(
            id,
            parent=_word(start, "parent_session_id"),
            working_directory=_word(start, "working_directory") or context.working_directory,
        )
        self._keeper.keep(session)
        self._learner.prepare()

    async def _pre_model_call(self, shown: Raw, context: CallContext) -> None:
        session = self._session(inside(shown), context)
        if session is None:
            return
        for message in session.transcript.fresh(messages_in(shown)):
            self._hear(session, message, context.turn_id)

    async def _post_model_response(self, shown: Raw, context: CallContext) -> None:
        response = inside(shown)
        session = self._session(response, context)
        message = message_of(response.get("message"))
        if session is None or message is None:
            return
        session.transcript.answered(message)
        self._hear(session, message, context.turn_id)

    async def _post_tool_call(self, shown: Raw, context: CallContext) -> None:
        done = inside(shown)
        call = done.get("call")
        session = self._session(done, context)
        if session is None or not isinstance(call, dict):
            return
        use = tool_use(call)
        _touch(session, use)
        if not use.is_ours:
            text = result_text(done.get("result") or done.get("error"))
            session.context.say(Voice.TOOL, text, context.turn_id)
        _know(session, use.id)

    async def _session_end(self, shown: Raw, context: CallContext) -> None:
        session = self._session(inside(shown), context)
        if session is None:
            return
        await self._learner.end(session)
        self._runtime.sessions.end(session.id)
        self._keeper.keep(session)

    def _session(self, shown: Mapping[str, Any], context: CallContext) -> Session | None:
        """Return whose hook it is (H5)."""
        call = shown.get("call")
        own = call.get("call_context") if isinstance(call, dict) else None
        named: Mapping[str, Any] = own if isinstance(own, dict) else {}
        whole = CallContext(
            context.session_id,
            context.turn_id or _word(named, "turn_id"),
            context.working_directory or _word(named, "working_directory"),
        )
        id = _word(shown, "session_id") or _word(named, "session_id")
        return self._runtime.sessions.of_hook(whole, id)

    def _hear(self, session: Session, message: Message, turn_id: str | None) -> None:
        is_user = message.role == "user"
        is_assistant = message.role == "assistant"
        if message.text and (is_user or is_assistant):
            voice = Voice.USER if is_user else Voice.ASSISTANT
            said_at = self._runtime.clock().astimezone()
            spoken = Spoken(message.text, voice, message.is_now, turn_id, said_at)
            self._learner.hear(session, spoken)
            session.context.say(voice, message.text, turn_id)
        for use in message.uses:
            _touch(session, use)
            if use.is_ours:
                _know(session, use.id)
        for id, text in message.results:
            if id not in session.known_calls:
                session.context.say(Voice.TOOL, text, turn_id)


def hook_answer(request: DispatchHookRequest) -> DispatchHookResult:
    """Return the answer in the shape of the mode; nothing is changed or vetoed (H1)."""
    match request.mode:
        case HookMode.OBSERVE:
            return DispatchHookResult(observe=Empty())
        case HookMode.TRANSFORM:
            return DispatchHookResult(transform=HookTransform(request.payload))
        case HookMode.VETO:
            return DispatchHookResult(veto=HookVeto("allow"))


def _touch(session: Session, use: ToolUse) -> None:
    for file in use.files:
        session.context.touch(file)


def _know(session: Session, call_id: str) -> None:
    """Note a call whose result says nothing more: it was shown, or it came from memory itself."""
    if call_id:
        session.known_calls[call_id] = None
    while len(session.known_calls) > MAX_CALLS:
        del session.known_calls[next(iter(session.known_calls))]


def _word(shown: Mapping[str, Any], name: str) -> str | None:
    """Return a member that is a string with something in it."""
    value = shown.get(name)
    return value if isinstance(value, str) and value else None
