"""Capture by a model: the kernel's own sessions are asked what is worth remembering (K3).

What the rules found waits as a spare until an answer is valid; where none comes it is written.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from msgspec import Struct, field
from msgspec.structs import replace

from memplugin.capture.fingerprint import fingerprint
from memplugin.capture.heard import Candidate, Heard
from memplugin.protocol.callbacks import RunSessionResult
from memplugin.service.capturing import Kept
from memplugin.service.runtime import Runtime
from memplugin.service.sessions import Session
from memplugin.service.showing import message_of

ASK_EVERY = 6  # messages of the person
ANSWER_WAIT_S = 120.0  # a model reads and writes for a while
MAX_MESSAGES = 40  # the last ones that are asked about


class Asked(Struct, frozen=True):
    """A question to a model. `answer` gives None where there was no valid one."""

    answer: Coroutine[Any, Any, list[Candidate] | None]
    spares: list[Kept]
    said: str


class Waiting(Struct, eq=False):
    """What a session said since a model was asked; `is_void`: its answer is not wanted."""

    messages: list[Heard] = field(default_factory=list)
    spares: list[Kept] = field(default_factory=list)
    is_void: bool = False


class Asker:
    """Asks models, one question at a time for each stretch of a session."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._waiting: WeakKeyDictionary[Session, Waiting] = WeakKeyDictionary()

    def note(
        self, session: Session, message: Heard, spares: Sequence[Kept], *, is_now: bool
    ) -> bool:
        """Take note of a message and what the rules found in it; whether it is time to ask."""
        waiting = self._of(session)
        waiting.spares += spares
        if not is_now:
            return False
        waiting.messages = [*waiting.messages, message][-MAX_MESSAGES:]
        return _by_person(waiting.messages) >= ASK_EVERY and message.role == "assistant"

    def take_back(self, session: Session) -> None:
        """Leave out what the person said last: it is not to be remembered (decision 39)."""
        waiting = self._of(session)
        if not _by_person(waiting.messages):
            waiting.is_void = True  # it has been asked about already
        while waiting.messages:
            gone = waiting.messages.pop()
            if gone.speaker == "person":
                break

    async def ask(self, session: Session) -> Asked | None:
        """Ask about what was said since the last time; None where that is nothing."""
        waiting = self._of(session)
        messages, spares = waiting.messages, waiting.spares
        if not _by_person(messages) and not spares:
            return None
        now = Waiting()
        self._waiting[session] = now
        words = "\n".join(message.text for message in messages)
        salt = self._runtime.desk().library.forgotten.salt

        def prepare() -> tuple[str, str]:
            from memplugin.capture.proposals import prompt  # noqa: PLC0415 - see Capturer.prepare

            return prompt(messages), fingerprint(salt(), words)

        text, said = await self._runtime.workers.listen(prepare)
        profile = self._runtime.config.capture_profile
        asking = self._runtime.kernel.run_session(profile, text, session.id)
        return Asked(self._answer(asking, now), spares, said)

    async def _answer(
        self, asking: Coroutine[Any, Any, RunSessionResult | None], since: Waiting
    ) -> list[Candidate] | None:
        try:
            result = await asyncio.wait_for(asking, ANSWER_WAIT_S)
        except TimeoutError:
            return None
        if result is None:
            return None
        message = message_of(result.final_message)
        if message is None or since.is_void:
            return None
        return await self._runtime.workers.listen(partial(_read, message.text))

    def _of(self, session: Session) -> Waiting:
        return self._waiting.setdefault(session, Waiting())


def _read(answer: str) -> list[Candidate] | None:
    from memplugin.capture.proposals import read  # noqa: PLC0415 - see Capturer.prepare

    found = read(answer)
    if found is None:
        return None
    # That the person asked for it is not a model's to say: what is asked for has no limit.
    return [replace(candidate, explicit=False) for candidate in found]


def _by_person(messages: Sequence[Heard]) -> int:
    return sum(message.speaker == "person" for message in messages)
