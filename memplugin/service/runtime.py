"""What all use cases share: the configuration in force, the sessions, the threads, the desk."""

import asyncio
from collections.abc import Callable

from memplugin.config import Config, parse_config
from memplugin.kernel import Kernel
from memplugin.protocol.callbacks import LogLevel
from memplugin.protocol.requests import CallContext, ConfigureRequest, Empty
from memplugin.service.desk import Desk, Surroundings
from memplugin.service.library import Report
from memplugin.service.recording import Written, audit
from memplugin.service.sessions import Scene, Sessions
from memplugin.service.workers import Workers


class Runtime:
    """One configuration, its sessions, and where their memories are."""

    def __init__(
        self, base: Config, workers: Workers, kernel: Kernel, surroundings: Surroundings
    ) -> None:
        """Take what file and command line configure as `base`; `configure` builds on it."""
        self._base = base
        self._surroundings = surroundings
        self._desks: dict[str, Desk] = {}
        self._reported: set[tuple[str, ...]] = set()
        self.config = base
        self.workers = workers
        self.kernel = kernel
        kernel.timeout_s = base.callback_timeout_s
        self.clock = surroundings.clock
        self.sessions = Sessions(surroundings.own_directory)
        self.on_configure: Callable[[Config], None] = lambda _: None
        self.on_desk: Callable[[Desk], None] = lambda _: None

    async def configure(self, request: ConfigureRequest) -> Empty:
        """Take a whole configuration, or refuse it and keep the old one (C1, C2)."""
        config = parse_config(request.config, self._base)
        self.config = config
        self.kernel.timeout_s = config.callback_timeout_s
        self.on_configure(config)
        return Empty()

    def desk(self) -> Desk:
        """Return the desk of the places in force; raises source_unavailable (W11)."""
        directory = self.config.directory
        if directory not in self._desks:
            loop = asyncio.get_running_loop()

            def report(what: Report) -> None:
                loop.call_soon_threadsafe(self.report, what)

            desk = Desk(self.config, self.workers, self.kernel, self._surroundings, report)
            self._desks[directory] = desk
            self.on_desk(desk)
        return self._desks[directory]

    def call(self, context: CallContext | None) -> tuple[Config, Desk, Scene]:
        """Return what a call works with from now on, whatever is configured meanwhile."""
        return self.config, self.desk(), self.sessions.scene(context)

    def report(self, what: Report) -> None:
        """Log something that is said only once."""
        if what.key not in self._reported:
            self._reported.add(what.key)
            self.kernel.log(LogLevel.WARN, what.text)

    def audit(self, written: Written, session_id: str | None) -> None:
        """Tell the kernel's audit log of a write on behalf of a session (K4)."""
        event = audit(written, session_id)
        if event is not None:
            self.kernel.emit(event)

    def audit_if_named(self, written: Written, context: CallContext | None) -> None:
        """Tell of a write where the call itself named its session (decision 27)."""
        self.audit(written, context.session_id if context else None)

    def close(self) -> None:
        """Close every file."""
        for desk in self._desks.values():
            desk.close()
