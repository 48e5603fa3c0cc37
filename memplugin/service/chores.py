"""Work that nobody waits for: it is begun at once, told when it fails, finished at the end (H3)."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from memplugin.protocol.callbacks import LogLevel
from memplugin.protocol.errors import ProviderError
from memplugin.service.faults import place, trace, unavailable
from memplugin.service.library import Report
from memplugin.service.runtime import Runtime
from memplugin.service.workers import Cancelled

FINISH_WAIT_S = 1.0  # at the end of the input; captured work stays in the journal (decision 23)


class Chores:
    """The running tasks. What fails costs no hook its answer (case 14)."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._tasks: set[asyncio.Future[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
        """Begin a piece of work; the future never fails."""
        task = asyncio.ensure_future(self.guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def guarded(self, work: Coroutine[Any, Any, None]) -> None:
        """Do a piece of work; its failure is logged, storage that is away only once."""
        try:
            await work
        except Cancelled:
            return
        except (ProviderError, OSError) as error:
            told = error if isinstance(error, ProviderError) else unavailable(error)
            text = f"capture waits: {told.message}"
            self._runtime.report(Report(text, ("capture", told.category.value)))
        except Exception as error:  # noqa: BLE001 - whatever it is, the session goes on
            self._runtime.kernel.log(LogLevel.ERROR, f"capture failed: {place(error)}")
            self._runtime.kernel.log(LogLevel.DEBUG, trace(error))

    async def finish(self) -> None:
        """Finish what was begun, as far as that goes quickly; give the rest up."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + FINISH_WAIT_S
        while self._tasks and (left := deadline - clock()) > 0:
            await asyncio.wait(self._tasks, timeout=left)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
