"""The use case memory.recall: what a session asks, had before, and is given now (section 6)."""

from collections.abc import Mapping
from datetime import datetime

import msgspec

from memplugin.protocol.callbacks import ModelRef
from memplugin.protocol.requests import CallContext, RecallRequest, RecallResult
from memplugin.recall.selection import Kept
from memplugin.service.answers import on_wire, shown_status
from memplugin.service.recall import Recalled
from memplugin.service.runtime import Runtime
from memplugin.service.searching import Question, filters, question_of
from memplugin.service.session_state import SessionKeeper
from memplugin.service.sessions import Session


class SessionRecall:
    """Recall as a kernel asks for it, turn after turn."""

    def __init__(self, runtime: Runtime, keeper: SessionKeeper) -> None:
        self._runtime = runtime
        self._keeper = keeper

    async def recall(self, request: RecallRequest) -> RecallResult:
        """Give what matters now, within the budget."""
        context = CallContext(request.session_id, request.turn_id, request.working_directory)
        config, desk, scene = self._runtime.call(context)
        session = self._runtime.sessions.get(scene.session_id) if scene.session_id else None
        if session is not None:
            await self._keeper.load(session)
        wanted = filters(
            request.type_filter,
            request.scope_filter,
            config,
            pending=bool(request.include_pending),
        )
        question = _question(request, session, self._runtime.clock())
        steady = session is not None and not question.stated
        before = session.recalled.get(_key(request), ()) if session and steady else ()
        recalled = await desk.recaller.recall(
            question,
            scene,
            wanted,
            config,
            budget=request.token_budget,
            model=ModelRef(request.model_target.id, request.model_target.provider),
            before=before,
        )
        if session is not None:
            self._note(session, request, recalled, steady=steady)
        return RecallResult(
            [
                on_wire(
                    one.record,
                    shown_status(one.record, config),
                    tokens=one.tokens,
                    score=one.score,
                )
                for one in recalled
            ]
        )

    def _note(
        self, session: Session, request: RecallRequest, recalled: list[Recalled], *, steady: bool
    ) -> None:
        """Take note of what was given: it is known from now on, and stays (R3, R8)."""
        session.context.gave(text for one in recalled for text in one.record.content)
        if not steady:
            return
        now = [Kept(one.record.id, one.score) for one in recalled]
        key = _key(request)
        is_first = session.recalls_from is None
        session.recalls_from = session.recalls_from or self._runtime.clock()
        if is_first or session.recalled.get(key) != now:
            session.recalled[key] = now
            self._keeper.keep(session)


def _question(request: RecallRequest, session: Session | None, now: datetime) -> Question:
    """Return what is asked: the query, else what the session has shown (R3)."""
    query, files = request.query or "", tuple(request.files_touched or ())
    if query.strip() or session is None:
        return question_of(query, files)
    words: Mapping[str, float] = session.context.words()
    touched = tuple(dict.fromkeys((*files, *session.context.files())))
    return Question(words, touched, as_of=session.recalls_from or now)


def _key(request: RecallRequest) -> str:
    """Return what tells the recalls of a session apart: their filters."""
    parts = (
        sorted(request.type_filter or ()),
        sorted(request.scope_filter or ()),
        bool(request.include_pending),
    )
    return msgspec.json.encode(parts).decode()
