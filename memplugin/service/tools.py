"""The three tools of a model: remember, forget, search (section 9)."""

from collections.abc import Awaitable, Callable
from typing import Any, NoReturn, TypeVar

from msgspec.structs import replace

from memplugin.config import Config, config_schema
from memplugin.protocol.callbacks import EmitKind
from memplugin.protocol.calls import InvokeResult, PreviewResult, ToolCall, ToolInvokeRequest
from memplugin.protocol.capabilities import ToolSchemaResult
from memplugin.protocol.errors import ErrorCategory, InvalidParams, ProviderError
from memplugin.protocol.records import (
    ContentBlock,
    Record,
    RecordStatus,
    TextBlock,
    timestamp,
)
from memplugin.protocol.render import RenderTree, TextStyle
from memplugin.protocol.requests import CallContext, Empty, RecordRequest
from memplugin.recall.text import terms, tokens
from memplugin.service.answers import shown_status
from memplugin.service.arguments import ById, Remember, Search, read
from memplugin.service.drafts import Draft, checked_content, draft, provenance_of, status_of_new
from memplugin.service.events import event_of
from memplugin.service.finding import not_found
from memplugin.service.previews import of_forgetting, of_remembering, sentence
from memplugin.service.recall import Recalled
from memplugin.service.recording import Written
from memplugin.service.remembering import Match, Plan, is_ratified
from memplugin.service.runtime import Runtime
from memplugin.service.searching import filters, question_of
from memplugin.service.sessions import Scene
from memplugin.service.tool_schemas import FORGET, REMEMBER, SEARCH, TOOLS, offered
from memplugin.service.workers import Cancelled, Stop

MAX_SHOWN = 300  # characters of a candidate's content
MAX_MATCHED = 20  # words of a query that a result repeats

Payload = dict[str, Any]
Done = TypeVar("Done")


class Tools:
    """The use cases of the tool provider."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._by_name: dict[str, Callable[[ToolCall], Awaitable[Payload]]] = {
            REMEMBER.name: self._remember,
            FORGET.name: self._forget,
            SEARCH.name: self._search,
        }
        self._previews: dict[str, Callable[[ToolCall], Awaitable[RenderTree]]] = {
            REMEMBER.name: self._preview_remember,
            FORGET.name: self._preview_forget,
            SEARCH.name: self._preview_search,
        }

    async def get_schema(self, _: Empty) -> ToolSchemaResult:
        """Tell the tools (C4); commands and hook points are told by the other categories."""
        config = self._runtime.config
        tools = [offered(tool, config.types, config.scopes) for tool in TOOLS.values()]
        return ToolSchemaResult(tools, [], config_schema(), [])

    async def invoke(self, request: ToolInvokeRequest) -> InvokeResult:
        """Run a tool; every failure is an event (T6)."""
        call = request.call
        run = self._by_name.get(call.tool_name, _unknown)
        return await event_of(run(call), "tool.invoke", self._runtime.kernel)

    async def preview(self, request: ToolInvokeRequest) -> PreviewResult:
        """Show what a call would do (T4); what would be refused is told in the same way."""
        call = request.call
        preview = self._previews.get(call.tool_name, _unknown)
        try:
            return PreviewResult(await preview(call))
        except (InvalidParams, ProviderError) as error:
            return PreviewResult(sentence(f"Refused: {error}", TextStyle.ERROR))

    # memory.remember

    async def _remember(self, call: ToolCall) -> Payload:
        asked = read(Remember, call.arguments, REMEMBER.input_schema)
        config, desk, scene = self._runtime.call(call.call_context)
        redacted: list[str] = []

        def job(stop: Stop) -> Written | Plan:
            new, kinds = model_draft(asked, scene, config)
            redacted.extend(kinds)
            return desk.rememberer.remember(
                new, scene, config, stop, confirm_new=bool(asked.confirm_new), by_model=True
            )

        done = await written(self._runtime, job, scene)
        payload = _candidates(done) if isinstance(done, Plan) else _outcome(done, config)
        return payload | {"redacted": redacted} if redacted else payload

    async def _preview_remember(self, call: ToolCall) -> RenderTree:
        asked = read(Remember, call.arguments, REMEMBER.input_schema)
        config, desk, scene = self._runtime.call(call.call_context)

        def job() -> RenderTree:
            new, _ = model_draft(asked, scene, config)
            new = desk.rememberer.titled(new, scene, config)
            plan = desk.rememberer.plan(
                new, scene, config, confirm_new=bool(asked.confirm_new), by_model=True
            )
            return of_remembering(plan, new)

        return await self._runtime.workers.read(job)

    # memory.forget

    async def _forget(self, call: ToolCall) -> Payload:
        id = read(ById, call.arguments, FORGET.input_schema).id
        config, desk, scene = self._runtime.call(call.call_context)
        provenance = provenance_of(None, scene, FORGET.name)
        done = await written(
            self._runtime,
            lambda stop: desk.rememberer.forget(id, provenance, scene, config, stop),
            scene,
        )
        if done.record.id == id:
            return {"id": id, "deleted": True, "note": f"{id} is forgotten."}
        note = f"A person ratified {id}: the wish to forget it waits for them as {done.record.id}."
        return {"id": id, "deleted": False, "note": note}

    async def _preview_forget(self, call: ToolCall) -> RenderTree:
        id = read(ById, call.arguments, FORGET.input_schema).id
        config, desk, scene = self._runtime.call(call.call_context)
        found = await self._runtime.workers.read(lambda: desk.rememberer.named(id, scene, config))
        if found is None:
            raise not_found(id)
        return of_forgetting(found.record, is_request=is_ratified(found.record, config))

    # memory.search

    async def _search(self, call: ToolCall) -> Payload:
        asked = read(Search, call.arguments, SEARCH.input_schema)
        found = await search(self._runtime, call.call_context, asked)
        records = [_found(one, asked.query) for one in found]
        note = f"{len(records)} found" if records else "Nothing relevant is remembered."
        return {"records": records, "note": note}

    async def _preview_search(self, call: ToolCall) -> RenderTree:
        read(Search, call.arguments, SEARCH.input_schema)
        return sentence("Searches what is remembered; changes nothing.")


async def written(runtime: Runtime, job: Callable[[Stop], Done], scene: Scene) -> Done:
    """Run a job; what it wrote is told to the audit log, cancelled or not (K4, W7)."""
    try:
        done = await runtime.workers.write(job)
    except Cancelled as cancelled:
        if isinstance(cancelled.outcome, Written):
            runtime.audit(cancelled.outcome, scene.session_id)
        raise
    if isinstance(done, Written):
        runtime.audit(done, scene.session_id)
    return done


async def search(
    runtime: Runtime, context: CallContext, asked: Search, *, by_person: bool = False
) -> list[Recalled]:
    """Return what a search gives within its own token budget (K1, R5).

    A person sees what came with a project too; a model does not (decision 6).
    """
    config, desk, scene = runtime.call(context)
    budget = config.token_budget if asked.token_budget is None else int(asked.token_budget)
    wanted = replace(filters(asked.types, asked.scopes, config), untrusted=by_person)
    return await desk.recaller.recall(
        question_of(asked.query), scene, wanted, config, budget=budget, model=None
    )


def model_draft(asked: Remember, scene: Scene, config: Config) -> tuple[Draft, list[str]]:
    """Return the draft of what a model asks to keep, without secrets, and their kinds (case 38)."""
    from memplugin.capture.redact import redact  # noqa: PLC0415 - its patterns load slowly

    # Looked at first: taking secrets out of many megabytes would hold everybody up.
    checked_content([ContentBlock(TextBlock(asked.content))], config)
    texts = [redact(text or "") for text in (asked.title, asked.id, asked.content)]
    title, id, content = (one.text for one in texts)
    request = RecordRequest(
        asked.type, asked.scope, [ContentBlock(TextBlock(content))], title or None, id or None
    )
    new = draft(request, scene, config, recorded_by=REMEMBER.name)
    kinds = sorted({kind for one in texts for kind in one.kinds})
    return replace(new, status=status_of_new(config, autonomous=True)), kinds


def matched(record: Record, query: str) -> list[str]:
    """Return the words of a query that a record has, in any of their forms, as they were asked."""
    known = set(tokens(f"{record.title}\n{record.id}\n{record.text}"))
    words = dict.fromkeys(query.split())
    return [word for word in words if known & terms(word).keys()][:MAX_MATCHED]


def _found(one: Recalled, query: str) -> Payload:
    record = one.record
    return {
        "id": record.id,
        "type": record.type,
        "scope": record.scope,
        "title": record.title,
        "content": record.text,
        "score": one.score or 0.0,
        "matched": matched(record, query),
        "tokens": one.tokens,
        "updated_at": timestamp(record.updated_at),
    }


def _outcome(done: Written, config: Config) -> Payload:
    record = done.record
    status = shown_status(record, config)
    payload: Payload = {"written": done.changed, "id": record.id, "status": status}
    if not done.changed:
        return {**payload, "unchanged": True, "note": f"{record.id} says exactly this already."}
    verb = "Recorded" if done.kind is EmitKind.MEMORY_WRITE else "Updated"
    note = f"{verb} as {record.id}."
    if status is RecordStatus.PENDING:
        note = f"{verb} as the draft {record.id}: it is recalled after a person approved it."
    return {**payload, "note": note}


def _candidates(plan: Plan) -> Payload:
    note = (
        "Nothing was written: similar memories exist. To change one of them, call again with its"
        " id; to keep this beside them, with confirm_new: true."
    )
    candidates = [_candidate(match) for match in plan.matches]
    return {"written": False, "candidates": candidates, "note": note}


def _candidate(match: Match) -> Payload:
    record = match.record
    text = record.text
    return {
        "id": record.id,
        "title": record.title,
        "score": round(match.score, 2),
        "status": match.status,
        "content": text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "\u2026",
    }


async def _unknown(_: ToolCall) -> NoReturn:
    text = f"no such tool: there are {', '.join(TOOLS)}"
    raise ProviderError(ErrorCategory.NOT_FOUND, text)
