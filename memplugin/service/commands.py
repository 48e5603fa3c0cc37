"""The direct commands of a person, which run without a model turn (T5)."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NoReturn

import msgspec

from memplugin.config import Config, config_schema
from memplugin.protocol.callbacks import EmitKind
from memplugin.protocol.calls import InvokeResult, SlashCall, SlashInvokeRequest
from memplugin.protocol.capabilities import CommandCapabilitiesResult
from memplugin.protocol.errors import ErrorCategory, ProviderError
from memplugin.protocol.records import (
    ContentBlock,
    MemoryScope,
    MemoryType,
    Record,
    RecordStatus,
    TextBlock,
)
from memplugin.protocol.render import GroupNode, RenderNode, RenderTree, TextStyle
from memplugin.protocol.requests import Empty, RecordRequest
from memplugin.service.answers import shown_status
from memplugin.service.arguments import ById, Nothing, RememberCommand, Search, read
from memplugin.service.desk import Desk
from memplugin.service.drafts import draft
from memplugin.service.events import event_of
from memplugin.service.listing import Listed, Wanted
from memplugin.service.previews import matches_node, tree
from memplugin.service.recording import Written, ratifying
from memplugin.service.remembering import Plan
from memplugin.service.rendering import card, shown, styled, titles_of
from memplugin.service.runtime import Runtime
from memplugin.service.sessions import Scene
from memplugin.service.tool_schemas import COMMANDS
from memplugin.service.tools import search, written
from memplugin.service.workers import Stop

REVIEWED = 20  # drafts that one review shows

Payload = dict[str, Any]


class Commands:
    """The use cases of the slash command provider."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._by_name: dict[str, Callable[[SlashCall], Awaitable[Payload]]] = {
            "memory-search": self._search,
            "memory-review": self._review,
            "memory-remember": self._remember,
            "memory-forget": self._forget,
            "memory-approve": self._approve,
            "memory-reject": self._reject,
        }

    async def get_capabilities(self, _: Empty) -> CommandCapabilitiesResult:
        """Tell the commands (C4)."""
        return CommandCapabilitiesResult(list(COMMANDS.values()), config_schema(), [])

    async def invoke(self, request: SlashInvokeRequest) -> InvokeResult:
        """Run a command; every failure is an event (T6)."""
        call = request.call
        run = self._by_name.get(call.name.removeprefix("/"), _unknown)
        return await event_of(run(call), "slashcommand.invoke", self._runtime.kernel)

    async def _search(self, call: SlashCall) -> Payload:
        asked = read(Search, call.arguments, COMMANDS["memory-search"].input_schema)
        config = self._runtime.config
        found = await search(self._runtime, call.call_context, asked, by_person=True)
        if not found:
            return _told("Nothing relevant is remembered.")
        listed = [Listed(one.record, shown_status(one.record, config)) for one in found]
        return await self._cards(call, f"{len(found)} found, best first", listed)

    async def _review(self, call: SlashCall) -> Payload:
        read(Nothing, call.arguments, COMMANDS["memory-review"].input_schema)
        config, desk, scene = self._runtime.call(call.call_context)
        wanted = Wanted(config.types, config.scopes, RecordStatus.PENDING)
        page = await self._runtime.workers.read(
            lambda: desk.lister.page(wanted, scene, config, REVIEWED, "")
        )
        if not page.records:
            return _told("No drafts wait for you.")
        more = ", more follow when these are decided" if page.next else ""
        heading = f"{len(page.records)} drafts wait for you{more}"
        return await self._cards(call, heading, page.records, with_near=True)

    async def _remember(self, call: SlashCall) -> Payload:
        asked = read(RememberCommand, call.arguments, COMMANDS["memory-remember"].input_schema)
        config, desk, scene = self._runtime.call(call.call_context)
        request = RecordRequest(
            asked.type or MemoryType.FEEDBACK,
            asked.scope or MemoryScope.PROJECT,
            [ContentBlock(TextBlock(asked.content))],
            asked.title,
            asked.id,
        )

        def job(stop: Stop) -> Written | Plan:
            new = draft(request, scene, config, recorded_by="memory-remember")
            return desk.rememberer.remember(
                new, scene, config, stop, confirm_new=bool(asked.confirm_new), by_model=False
            )

        done = await written(self._runtime, job, scene)
        if isinstance(done, Plan):
            heading = (
                "Nothing was written: similar memories exist. Give the id of one to change it, or"
                " confirm_new to keep both."
            )
            return {"tree": msgspec.to_builtins(tree(heading, matches_node(done.matches)))}
        heading = f"Remembered as {done.record.id}" if done.changed else "Known already"
        return await self._cards(call, heading, [_listed(done.record, config)])

    async def _forget(self, call: SlashCall) -> Payload:
        _, desk, _ = self._runtime.call(call.call_context)
        done = await self._on_id(call, desk.recorder.delete)
        return _told(f"{done.record.id} is forgotten.", TextStyle.SUCCESS)

    async def _approve(self, call: SlashCall) -> Payload:
        ratifying(self._runtime.config)
        config, desk, _ = self._runtime.call(call.call_context)
        done = await self._on_id(call, desk.recorder.approve)
        if done.kind is EmitKind.MEMORY_DELETE:
            return _told(f"{done.record.id} is forgotten.", TextStyle.SUCCESS)
        heading = f"{done.record.id} is kept"
        return await self._cards(call, heading, [_listed(done.record, config)])

    async def _reject(self, call: SlashCall) -> Payload:
        ratifying(self._runtime.config)
        _, desk, _ = self._runtime.call(call.call_context)
        done = await self._on_id(call, desk.recorder.reject)
        return _told(f"The draft {done.record.id} is discarded.", TextStyle.SUCCESS)

    async def _on_id(
        self, call: SlashCall, job: Callable[[str, Scene, Config, Stop], Written]
    ) -> Written:
        name = call.name.removeprefix("/")
        id = read(ById, call.arguments, COMMANDS[name].input_schema).id
        config, _, scene = self._runtime.call(call.call_context)
        return await written(self._runtime, lambda stop: job(id, scene, config, stop), scene)

    async def _cards(
        self, call: SlashCall, heading: str, listed: Sequence[Listed], *, with_near: bool = False
    ) -> Payload:
        """Return records to look at, with the titles of what they link to."""
        config, desk, scene = self._runtime.call(call.call_context)
        now = self._runtime.clock()

        def job() -> list[RenderNode]:
            nodes: list[RenderNode] = []
            for one in listed:
                titles = titles_of(one.record.content, desk.library, scene, config)
                nodes.append(card(shown(one.record, one.status), titles, now))
                if with_near:
                    nodes += _near(desk, one.record, scene, config)
            return nodes

        nodes = await self._runtime.workers.read(job)
        ids = [one.record.id for one in listed]
        return {"tree": msgspec.to_builtins(tree(heading, *nodes)), "ids": ids}


def _near(desk: Desk, record: Record, scene: Scene, config: Config) -> list[RenderNode]:
    """Return what a draft resembles, for who decides about it (case 46)."""
    matches = desk.rememberer.near_to(record, scene, config)
    if not matches:
        return []
    children = [styled("Similar:", TextStyle.DIM), matches_node(matches)]
    return [RenderNode(group=GroupNode(children))]


def _listed(record: Record, config: Config) -> Listed:
    return Listed(record, shown_status(record, config))


def _told(text: str, style: TextStyle | None = None) -> Payload:
    return {"tree": msgspec.to_builtins(RenderTree(styled(text, style))), "ids": []}


async def _unknown(_: SlashCall) -> NoReturn:
    text = f"no such command: there are {', '.join(COMMANDS)}"
    raise ProviderError(ErrorCategory.NOT_FOUND, text)
