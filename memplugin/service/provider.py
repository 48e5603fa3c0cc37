"""The memory provider: every `memory.*` method, from request to result."""

from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from memplugin import __version__
from memplugin.config import Config, Ratification, config_schema
from memplugin.protocol.capabilities import (
    DescribeResult,
    MemoryCapabilities,
    MemoryCapabilitiesResult,
    ProducerCategory,
    ProducerRef,
)
from memplugin.protocol.records import MemoryRecord
from memplugin.protocol.requests import (
    DeleteAnswer,
    DeleteResult,
    Empty,
    GetRecordResult,
    IdRequest,
    ListLinksRequest,
    ListLinksResult,
    ListRecordsRequest,
    ListRecordsResult,
    RecordAnswer,
    RecordRequest,
    UpdateRecordRequest,
)
from memplugin.service.answers import answer, on_wire, shown_status
from memplugin.service.desk import Desk
from memplugin.service.drafts import draft
from memplugin.service.hooks import SUPPORTED_POINTS
from memplugin.service.listing import MAX_PAGE_SIZE, PAGE_SIZE, Listed, Wanted
from memplugin.service.recording import Written, ratifying
from memplugin.service.runtime import Runtime
from memplugin.service.searching import Filters, filters, question_of
from memplugin.service.sessions import Scene
from memplugin.service.tool_schemas import EXPANSIONS
from memplugin.service.workers import Stop

SOURCE = "https://pypi.org/project/memplugin/"
PROTOCOL_VERSION = 1


class Provider:
    """The use cases of the memory provider."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._workers = runtime.workers

    # About the provider itself.

    async def get_capabilities(self, _: Empty) -> MemoryCapabilitiesResult:
        """Answer for the configuration in force (C4)."""
        config = self._runtime.config
        return MemoryCapabilitiesResult(
            MemoryCapabilities(
                default_token_budget=config.token_budget,
                supported_types=list(config.types),
                supported_scopes=list(config.scopes),
                ratification_supported=config.ratification is not Ratification.OFF,
                slash_commands=EXPANSIONS,
                config_schema=config_schema(),
                supported_hook_points=SUPPORTED_POINTS,
            )
        )

    def describe(
        self, category: ProducerCategory
    ) -> Callable[[Empty], Coroutine[Any, Any, DescribeResult]]:
        """Return the describe method of one of the three categories."""
        producer = ProducerRef("memplugin", __version__, SOURCE, category, PROTOCOL_VERSION)

        async def describe(_: Empty) -> DescribeResult:
            return DescribeResult(producer)

        return describe

    # The write side.

    async def record(self, request: RecordRequest) -> RecordAnswer:
        """Remember something new (D1-D3)."""
        config, desk, scene = self._runtime.call(request.call_context)
        new = draft(request, scene, config)
        written = await self._workers.write(
            lambda stop: desk.recorder.record(new, scene, config, stop)
        )
        self._runtime.audit(written, scene.session_id or new.provenance.source_session_id)
        return answer(written, config)

    async def update_record(self, request: UpdateRecordRequest) -> RecordAnswer:
        """Replace a record's content (D4)."""
        config, desk, scene = self._runtime.call(request.call_context)
        written = await self._workers.write(
            lambda stop: desk.recorder.update(request, scene, config, stop)
        )
        self._runtime.audit_if_named(written, request.call_context)
        return answer(written, config)

    async def approve_record(self, request: IdRequest) -> RecordAnswer:
        """Make a draft canonical (P3)."""
        config = self._runtime.config
        ratifying(config)
        written = await self._on_id(request, self._runtime.desk().recorder.approve)
        return answer(written, config)

    async def delete_record(self, request: IdRequest) -> DeleteAnswer:
        """Remove a record for good (D9)."""
        await self._on_id(request, self._runtime.desk().recorder.delete)
        return DeleteAnswer(DeleteResult(deleted=True))

    async def reject_record(self, request: IdRequest) -> DeleteAnswer:
        """Discard a draft (P3)."""
        ratifying(self._runtime.config)
        await self._on_id(request, self._runtime.desk().recorder.reject)
        return DeleteAnswer(DeleteResult(deleted=True))

    async def _on_id(
        self, request: IdRequest, job: Callable[[str, Scene, Config, Stop], Written]
    ) -> Written:
        config, _, scene = self._runtime.call(request.call_context)
        written = await self._workers.write(lambda stop: job(request.id, scene, config, stop))
        self._runtime.audit_if_named(written, request.call_context)
        return written

    # The read side.

    async def get_record(self, request: IdRequest) -> GetRecordResult:
        """Give one record."""
        config, desk, scene = self._runtime.call(request.call_context)
        listed = await self._workers.read(lambda: desk.lister.get(request.id, scene, config))
        return GetRecordResult((await self._counted(desk, [listed]))[0])

    async def list_records(self, request: ListRecordsRequest) -> ListRecordsResult:
        """Give a page of records, or with a query the relevant ones (P1)."""
        config, desk, scene = self._runtime.call(request.call_context)
        only = filters(request.type_filter, request.scope_filter, config, pending=True)
        if request.query:
            return await self._matching(request, only)
        wanted = Wanted(only.types, only.scopes, request.status_filter)
        size, token = request.page_size or 0, request.page_token or ""
        page = await self._workers.read(
            lambda: desk.lister.page(wanted, scene, config, size, token)
        )
        return ListRecordsResult(await self._counted(desk, page.records), page.next)

    async def _matching(self, request: ListRecordsRequest, only: Filters) -> ListRecordsResult:
        config, desk, scene = self._runtime.call(request.call_context)
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
        config, desk, scene = self._runtime.call(request.call_context)
        dangling = bool(request.dangling_only)
        links = await self._workers.read(
            lambda: desk.lister.links(request.id, scene, config, dangling_only=dangling)
        )
        return ListLinksResult(links)
