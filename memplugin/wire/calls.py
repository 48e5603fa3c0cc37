"""Calls to the other side that wait for their answers."""

import asyncio
from collections import Counter

from msgspec import Raw

from memplugin.wire.messages import Answer, CallError


class Calls:
    """Gives ids in call order (W3) and brings answers home."""

    def __init__(self, name: str) -> None:
        """`name` begins every id."""
        self._name = name
        self._issued: Counter[str] = Counter()
        self._waiting: dict[str, asyncio.Future[Raw]] = {}
        self._ended = False

    def open(self, label: str) -> tuple[str, asyncio.Future[Raw]]:
        """Return a new id and the future of its answer; each label has a count of its own.

        A future that its owner cancels is forgotten. After the end it fails at once.
        """
        prefix = f"{self._name}:{label}" if label else self._name
        self._issued[prefix] += 1
        id = f"{prefix}:{self._issued[prefix]}"
        future: asyncio.Future[Raw] = asyncio.get_running_loop().create_future()
        if self._ended:
            _fail(future, _ended())
        else:
            self._waiting[id] = future
            future.add_done_callback(lambda _: self._waiting.pop(id, None))
        return id, future

    def settle(self, answer: Answer) -> bool:
        """Hand an answer to who waits for it; say whether its id is one of ours, even if late."""
        if answer.id is None:
            return False
        future = self._waiting.get(answer.id)
        if future is None:
            return self._was_issued(answer.id)
        if not future.done():
            match answer.outcome:
                case CallError() as error:
                    _fail(future, error)
                case result:
                    future.set_result(result)
        return True

    def _was_issued(self, id: str) -> bool:
        prefix, _, number = id.rpartition(":")
        issued = self._issued[prefix]
        if not number.isdecimal() or len(number) > len(str(issued)):
            return False
        return 1 <= int(number) <= issued

    def end(self) -> None:
        """Fail what waits and whatever comes later: no answer can arrive any more (W8)."""
        self._ended = True
        for future in list(self._waiting.values()):
            if not future.done():
                _fail(future, _ended())


def _ended() -> CallError:
    return CallError("ended", "the other side has ended the conversation")


def _fail(future: asyncio.Future[Raw], error: CallError) -> None:
    """Fail a future that perhaps nobody awaits any more, which asyncio must not complain of."""
    future.set_exception(error)
    future.exception()
