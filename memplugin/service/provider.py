"""The memory provider: every `memory.*` method, from request to result."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from memplugin import __version__
from memplugin.config import Config, Ratification, config_schema, parse_config
from memplugin.kernel import Kernel
from memplugin.protocol.callbacks import LogLevel, ModelRef
from memplugin.protocol.capabilities import (
    DescribeResult,
    MemoryCapabilities,
    MemoryCapabilitiesResult,
    ProducerCategory,
    ProducerRef,
)
from memplugin.protocol.records import MemoryRecord
from memplugin.protocol.requests import (
    CallContext,
    ConfigureRequest,
    DeleteAnswer,
    DeleteResult,
    DispatchHookRequest,
    DispatchHookResult,
    Empty,
    GetRecordResult,
    IdRequest,
    ListLinksRequest,
    ListLinksResult,
    ListRecordsRequest,
    ListRecordsResult,
    RecallRequest,
    RecallResult,
    RecordAnswer,
    RecordRequest,
    UpdateRecordRequest,
)
from memplugin.service.answers import answer, on_wire, shown_status
from memplugin.service.desk import Desk, Surroundings
from memplugin.service.drafts import draft
from memplugin.service.hooks import SUPPORTED_POINTS, hook_answer, take_hook
from memplugin.service.library import Report
from memplugin.service.listing import MAX_PAGE_SIZE, PAGE_SIZE, Listed, Wanted
from memplugin.service.recording import Written, audit, ratifying
from memplugin.service.searching import Filters, filters, question_of
from memplugin.service.sessions import Scene, Sessions
from memplugin.service.workers import Stop, Workers

SOURCE = "https://pypi.org/project/memplugin/"
PROTOCOL_VERSION = 1


class Provider:
    """One configuration, its sessions, and the use cases on them."""

    def __init__(
        self, base: Config, workers: Workers, kernel: Kernel, surroundings: Surroundings
    ) -> None:
        """Take what file and command line configure as `base`; `configure` builds on it."""
        self._base = base
        self._workers = workers
        self._kernel = kernel
        self._surroundings = surroundings
        self._desks: dict[str, Desk] = {}
        self._reported: set[tuple[str, ...]] = set()
        self.sessions = Sessions(surroundings.own_directory)
        self.config = base
        self.on_configure: Callable[[Config], None] = lambda _: None

    # About the provider itself.

    async def get_capabilities(self, _: Empty) -> MemoryCapabilitiesResult:
        """Answer for the configuration in force (C4)."""
        config = self.config
        return MemoryCapabilitiesResult(
            MemoryCapabilities(
                default_token_budget=config.token_budget,
                supported_types=list(config.types),
                supported_scopes=list(config.scopes),
                ratification_supported=config.ratification is not Ratification.OFF,
                slash_commands=[],
                config_schema=config_schema(),
                supported_hook_points=SUPPORTED_POINTS,
            )
        )

    async def configure(self, request: ConfigureRequest) -> Empty:
        """Take a whole configuration, or refuse it and keep the old one (C1, C2)."""
        config = parse_config(request.config, self._base)
        self.config = config
        self._kernel.timeout_s = config.callback_timeout_s
        self.on_configure(config)
        return Empty()

    def describe(
        self, category: ProducerCategory
    ) -> Callable[[Empty], Coroutine[Any, Any, DescribeResult]]:
        """Return the describe method of one of the three categories."""
        producer = ProducerRef("memplugin", __version__, SOURCE, category, PROTOCOL_VERSION)

        async def describe(_: Empty) -> DescribeResult:
            return DescribeResult(producer)

        return describe

    # Recall.

    async def recall(self, request: RecallRequest) -> RecallResult:
        """Give what matters now, within the budget (section 6)."""
        config, desk = self.config, self._desk()
        scene = self.sessions.scene(
            CallContext(request.session_id, request.turn_id, request.working_directory)
        )
        wanted = filters(
            request.type_filter,
            request.scope_filter,
            config,
            pending=bool(request.include_pending),
        )
        recalled = await desk.recaller.recall(
            question_of(request.query or "", request.files_touched or ()),
            scene,
            wanted,
            config,
            budget=request.token_budget,
            model=ModelRef(request.model_target.id, request.model_target.provider),
        )
        records = [
            on_wire(
                one.record, shown_status(one.record, config), tokens=one.tokens, score=one.score
            )
            for one in recalled
        ]
        return RecallResult(records)

    # The write side.

    async def record(self, request: RecordRequest) -> RecordAnswer:
        """Remember something new (D1-D3)."""
        config, desk = self.config, self._desk()
        scene = self.sessions.scene(request.call_context)
        new = draft(request, scene, config)
        written = await self._workers.write(
            lambda stop: desk.recorder.record(new, scene, config, stop)
        )
        self._audit(written, scene.session_id or new.provenance.source_session_id)
        return answer(written, config)

    async def update_record(self, request: UpdateRecordRequest) -> RecordAnswer:
        """Replace a record's content (D4)."""
        config, desk = self.config, self._desk()
        scene = self.sessions.scene(request.call_context)
        written = await self._workers.write(
            lambda stop: desk.recorder.update(request, scene, config, stop)
        )
        self._audit_if_asked(written, request.call_context)
        return answer(written, config)

    async def approve_record(self, request: IdRequest) -> RecordAnswer:
        """Make a draft canonical (P3)."""
        ratifying(self.config)
        config = self.config
        written = await self._on_id(request, self._desk().recorder.approve)
        return answer(written, config)

    async def delete_record(self, request: IdRequest) -> DeleteAnswer:
        """Remove a record for good (D9)."""
        await self._on_id(request, self._desk().recorder.delete)
        return DeleteAnswer(DeleteResult(deleted=True))

    async def reject_record(self, request: IdRequest) -> DeleteAnswer:
        """Discard a draft (P3)."""
        ratifying(self.config)
        await self._on_id(request, self._desk().recorder.reject)
        return DeleteAnswer(DeleteResult(deleted=True))

    async def _on_id(
        self, request: IdRequest, job: Callable[[str, Scene, Config, Stop], Written]
    ) -> Written:
        config, scene = self.config, self.sessions.scene(request.call_context)
        written = await self._workers.write(lambda stop: job(request.id, scene, config, stop))
        self._audit_if_asked(written, request.call_context)
        return written

    # The read side.

    async def get_record(self, request: IdRequest) -> GetRecordResult:
        """Give one record."""
        config, desk = self.config, self._desk()
        scene = self.sessions.scene(request.call_context)
        listed = await self._workers.read(lambda: desk.lister.get(request.id, scene, config))
        return GetRecordResult((await self._counted(desk, [listed]))[0])

    async def list_records(self, request: ListRecordsRequest) -> ListRecordsResult:
        """Give a page of records, or with a query the relevant ones (P1)."""
        config, desk = self.config, self._desk()
        scene = self.sessions.scene(request.call_context)
        only = filters(request.type_filter, request.scope_filter, config, pending=True)
        if request.query:
            return await self._matching(request, only, scene)
        wanted = Wanted(only.types, only.scopes, request.status_filter)
        size, token = request.page_size or 0, request.page_token or ""
        page = await self._workers.read(
            lambda: desk.lister.page(wanted, scene, config, size, token)
        )
        return ListRecordsResult(await self._counted(desk, page.records), page.next)

    async def _matching(
        self, request: ListRecordsRequest, only: Filters, scene: Scene
    ) -> ListRecordsResult:
        config, desk = self.config, self._desk()
        question = question_of(request.query or "")
        found = await self._workers.read(
            lambda: desk.searcher.matching(question, scene, only, config)
        )
        size = min(request.page_size or PAGE_SIZE, MAX_PAGE_SIZE)
        scored = [
            (score, Listed(one.record, shown_status(one.record, config))) for score, one in found
        ]
        listed = [pair for pair in scored if request.status_filter in (None, pair[1].status)][:size]
        records = await self._counted(desk, [one for _, one in listed])
        return ListRecordsResult(
            [
                msgspec.structs.replace(record, relevance_score=round(score, 2))
                for record, (score, _) in zip(records, listed, strict=True)
            ],
            "",
        )

    async def _counted(self, desk: Desk, listed: list[Listed]) -> list[MemoryRecord]:
        counts = await desk.counter.count_or_none([one.record.content for one in listed], None)
        return [
            on_wire(one.record, one.status, tokens=tokens)
            for one, tokens in zip(listed, counts, strict=True)
        ]

    async def list_links(self, request: ListLinksRequest) -> ListLinksResult:
        """Give links and whether their targets exist (L4)."""
        config, desk = self.config, self._desk()
        scene = self.sessions.scene(request.call_context)
        dangling = bool(request.dangling_only)
        links = await self._workers.read(
            lambda: desk.lister.links(request.id, scene, config, dangling_only=dangling)
        )
        return ListLinksResult(links)

    async def dispatch_hook(self, request: DispatchHookRequest) -> DispatchHookResult:
        """Take note of what a session shows (H1, H2, H6)."""
        take_hook(request, self.sessions)
        return hook_answer(request)

    # Behind the methods.

    def _desk(self) -> Desk:
        directory = self.config.directory
        if directory not in self._desks:
            loop = asyncio.get_running_loop()

            def report(what: Report) -> None:
                loop.call_soon_threadsafe(self._report_once, what)

            self._desks[directory] = Desk(
                self.config, self._workers, self._kernel, self._surroundings, report
            )
        return self._desks[directory]

    def _report_once(self, report: Report) -> None:
        if report.key not in self._reported:
            self._reported.add(report.key)
            self._kernel.log(LogLevel.WARN, report.text)

    def _audit(self, written: Written, session_id: str | None) -> None:
        event = audit(written, session_id)
        if event is not None:
            self._kernel.emit(event)

    def _audit_if_asked(self, written: Written, context: CallContext | None) -> None:
        self._audit(written, context.session_id if context else None)

    async def finish(self) -> None:
        """Finish what was queued before the end (W8)."""
        await self._workers.settle()

    def close(self) -> None:
        """Close every file."""
        for desk in self._desks.values():
            desk.close()
