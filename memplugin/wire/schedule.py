"""When requests run: order of arrival, how many at once, cancellation, and the end.

```
 submit ─▶ waiting (FIFO) ─▶ running (a task each) ─▶ reply
              └── cancel: answered at once   └── cancel: the handler decides what is answered
```

In order, one request runs at a time and nothing overtakes, refusals and cancellations included.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial

from msgspec import Raw

from memplugin.wire.messages import (
    Fault,
    IdKey,
    Limits,
    Request,
    cancelled_answer,
    encode_error,
    key_of,
)

Reply = Callable[[bytes | None], None]
"""Takes the answer to one message; None where there is none to give."""

JOB_BYTES = 1024  # what a waiting message costs beside its own bytes
LAST_WORD_S = 1.0  # how long cancelled handlers may take to say what became of them


class _Job:
    """A message on its way to its reply. One that is `decided` needs no handler any more."""

    __slots__ = (
        "begun",
        "cost",
        "decided",
        "key",
        "replied",
        "reply",
        "request",
        "task",
        "verdict",
    )

    def __init__(self, request: Request | None, reply: Reply) -> None:
        self.request = request
        self.reply = reply
        self.key: IdKey | None = None
        self.cost = JOB_BYTES + (_size(request) if request else 0)
        self.task: asyncio.Task[None] | None = None
        self.begun = False
        self.replied = False
        self.decided = False
        self.verdict: bytes | None = None

    def decide(self, verdict: bytes | None) -> None:
        self.decided = True
        self.verdict = verdict

    def finish(self, answer: bytes | None) -> None:
        """Reply, once."""
        if not self.replied:
            self.replied = True
            self.reply(answer)


class Schedule:
    """Runs requests. `waiting_bytes` is what those that wait for their turn hold."""

    def __init__(
        self,
        answer: Callable[[Request], Awaitable[bytes | None]],
        limits: Callable[[], Limits],
        changed: Callable[[], None],
        *,
        ordered: bool,
        cancelled: Callable[[Request], bytes | None] = cancelled_answer,
    ) -> None:
        """`answer` never raises; `changed` is called whenever a request has ended.

        `cancelled` gives the answer to a request that is cancelled before it has begun.
        """
        self._answer = answer
        self._limits = limits
        self._changed = changed
        self._ordered = ordered
        self._cancelled = cancelled
        self._waiting: deque[_Job] = deque()
        self._running: set[_Job] = set()
        self._by_id: dict[IdKey, _Job] = {}
        self._idle = asyncio.Event()
        self._idle.set()
        self._running_bytes = 0
        self._ended = 0  # requests so far
        self.waiting_bytes = 0

    def submit(self, message: Request | Fault, reply: Reply) -> None:
        """Take a message in; `reply` is called once."""
        match message:
            case Fault(id, error):
                job = _Job(None, reply)
                job.decide(encode_error(id, error))
                if not self._ordered:
                    job.finish(job.verdict)
                    return
            case request:
                job = _Job(request, reply)
                if request.id is not None:
                    job.key = key_of(request.id)
                    self._by_id[job.key] = job
        self._waiting.append(job)
        self.waiting_bytes += job.cost
        self._idle.clear()
        self._start()

    def cancel(self, id: Raw) -> None:
        """Cancel the request with this id, once; one unknown or finished is passed over (W7).

        Raises msgspec.DecodeError for what is no id.
        """
        job = self._by_id.pop(key_of(id), None)
        if job is not None:
            self._cancel(job)

    def _cancel(self, job: _Job) -> None:
        if job.begun and job.task is not None:
            job.task.cancel()
            return
        # A task that has not begun would be cancelled without a word: it finds the verdict instead.
        if not job.decided:
            job.decide(None if job.request is None else self._cancelled(job.request))
        if not self._ordered:
            job.finish(job.verdict)

    def _start(self) -> None:
        while self._waiting and self._has_room(self._waiting[0]):
            job = self._waiting.popleft()
            self.waiting_bytes -= job.cost
            if job.decided or job.request is None:
                job.finish(job.verdict)
                continue
            self._running.add(job)
            self._running_bytes += job.cost
            job.task = asyncio.create_task(self._run(job, job.request))
        if not self._waiting and not self._running:
            self._idle.set()

    def _has_room(self, job: _Job) -> bool:
        """Say whether one more may run: what runs is limited in number and in bytes."""
        if not self._running:
            return True
        limits = self._limits()
        return (
            not self._ordered
            and len(self._running) < limits.max_running
            and self._running_bytes + job.cost <= limits.max_waiting_bytes
        )

    async def _run(self, job: _Job, request: Request) -> None:
        try:
            if not job.decided:
                job.begun = True
                job.verdict = await self._answer(request)
        finally:
            self._ended += 1
            self._running.discard(job)
            self._running_bytes -= job.cost
            if job.key is not None and self._by_id.get(job.key) is job:
                del self._by_id[job.key]
            job.finish(job.verdict)
            self._start()
            self._changed()

    async def finish(self, grace_s: float) -> None:
        """Wait until all has been answered (W8).

        When nothing has ended for `grace_s`, what is left is cancelled: a long queue that moves is
        finished, however long it takes.
        """
        ended = self._ended
        while not await self._idle_within(grace_s):
            if self._ended != ended:
                ended = self._ended
                continue
            for job in [*self._running, *self._waiting]:
                self._cancel(job)
            await self._idle_within(LAST_WORD_S)
            return

    async def _idle_within(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self._idle.wait(), seconds)
        except TimeoutError:
            return False
        return True


def _size(request: Request) -> int:
    id = memoryview(request.id).nbytes if request.id is not None else 0
    return id + len(request.method) + memoryview(request.params).nbytes


def gather_replies(count: int, reply: Reply) -> list[Reply]:
    """Return a reply for each element of a batch; `reply` gets them as one, in their order (W5).

    A batch of notifications only has no answer.
    """
    answers: list[bytes | None] = [None] * count
    missing = count

    def put(at: int, answer: bytes | None) -> None:
        nonlocal missing
        answers[at] = answer
        missing -= 1
        if not missing:
            told = [answer for answer in answers if answer is not None]
            reply(b"[" + b",".join(told) + b"]" if told else None)

    return [partial(put, at) for at in range(count)]
