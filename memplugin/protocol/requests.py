"""What a kernel asks of `memory.*` and what it gets back (protocol section 3, data types)."""

from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta, Raw, Struct

from memplugin.protocol.records import (
    ContentBlock,
    MemoryRecord,
    MemoryScope,
    MemoryType,
    RecordStatus,
)
from memplugin.protocol.render import RenderTree

Count = Annotated[int, Meta(ge=0)]
Content = Annotated[list[ContentBlock], Meta(min_length=1)]


class CallContext(Struct, frozen=True, omit_defaults=True):
    """On whose behalf a call is made (X1); what is left out is taken from what is known."""

    session_id: str | None = None
    turn_id: str | None = None
    working_directory: str | None = None


class ModelTarget(Struct, frozen=True, omit_defaults=True):
    """The model that a recall is for; tokens are counted for it (K1)."""

    id: str
    context_window: int | None = None
    effective_ceiling: int | None = None
    provider: str | None = None


class GivenProvenance(Struct, frozen=True, omit_defaults=True):
    """The provenance a kernel gives with a record; what it leaves out is filled in (D6)."""

    source_session_id: str | None = None
    source_turn_id: str | None = None
    recorded_by: str | None = None


class Empty(Struct, frozen=True):
    """Nothing asked, or nothing to say."""


class ConfigureRequest(Struct, frozen=True):
    """The whole configuration; attributes left out have their defaults (C1, C2)."""

    config: dict[str, Any]


class RecallRequest(Struct, frozen=True, omit_defaults=True):
    """What matters now, within a budget (section 6)."""

    token_budget: Annotated[
        int, Meta(ge=0, description="Tokens that all records together may cost.")
    ]
    model_target: ModelTarget
    session_id: str | None = None
    turn_id: str | None = None
    files_touched: list[str] | None = None
    working_directory: str | None = None
    type_filter: list[MemoryType] | None = None
    scope_filter: list[MemoryScope] | None = None
    include_pending: bool | None = None
    query: str | None = None
    explain: Annotated[
        bool | None, Meta(description="Extension: log each result's features at debug level.")
    ] = None


class RecallResult(Struct, frozen=True):
    """Records in order of relevance; the sum of their tokens is within the budget (R1)."""

    records: list[MemoryRecord]


class RecordRequest(Struct, frozen=True, omit_defaults=True):
    """Something to remember (section 5)."""

    type: MemoryType
    scope: MemoryScope
    content: Content
    title: str | None = None
    id: Annotated[str | None, Meta(description="A suggested slug, normalised (D2).")] = None
    provenance: GivenProvenance | None = None
    links: list[str] | None = None
    call_context: CallContext | None = None


class UpdateRecordRequest(Struct, frozen=True, omit_defaults=True):
    """New content, wholesale, for an existing record (D4)."""

    id: str
    content: Content
    title: str | None = None
    links: list[str] | None = None
    call_context: CallContext | None = None


class RecordResult(Struct, frozen=True):
    """The id a record got and its status."""

    id: str
    status: RecordStatus


class RecordAnswer(Struct, frozen=True):
    """The envelope of RecordResult."""

    result: RecordResult


class IdRequest(Struct, frozen=True, omit_defaults=True):
    """A call about one record."""

    id: str
    call_context: CallContext | None = None


class DeleteResult(Struct, frozen=True):
    """A record is gone."""

    deleted: bool


class DeleteAnswer(Struct, frozen=True):
    """The envelope of DeleteResult."""

    result: DeleteResult


class ListRecordsRequest(Struct, frozen=True, omit_defaults=True):
    """A page of records in a stable order, or with `query` the relevant ones (P1)."""

    type_filter: list[MemoryType] | None = None
    scope_filter: list[MemoryScope] | None = None
    status_filter: RecordStatus | None = None
    page_size: Count | None = None
    page_token: str | None = None
    query: str | None = None
    call_context: CallContext | None = None


class ListRecordsResult(Struct, frozen=True):
    """A page; `next_page_token` is empty on the last one."""

    records: list[MemoryRecord]
    next_page_token: str


class GetRecordResult(Struct, frozen=True):
    """One record."""

    record: MemoryRecord


class ListLinksRequest(Struct, frozen=True, omit_defaults=True):
    """Links from records that can be seen, all or those of one (L4)."""

    id: str | None = None
    dangling_only: bool | None = None
    call_context: CallContext | None = None


class Link(Struct, frozen=True):
    """A link and whether its target can be seen."""

    source: str
    target: str
    exists: bool


class ListLinksResult(Struct, frozen=True):
    """Links by source, then in order of appearance."""

    links: list[Link]


class RenderRequest(Struct, frozen=True):
    """What `kernel.emit` sent, to be shown; the decoder is chosen by schema_version (V1)."""

    payload: dict[str, Any]
    schema_version: str


class RenderResult(Struct, frozen=True):
    """Something a frontend can show."""

    tree: RenderTree


class HookMode(StrEnum):
    """What the kernel does with a hook's answer (H1)."""

    OBSERVE = "observe"
    TRANSFORM = "transform"
    VETO = "veto"


class HookPoint(StrEnum):
    """When a hook is dispatched (section 8)."""

    SESSION_START = "session_start"
    PRE_MODEL_CALL = "pre_model_call"
    POST_MODEL_RESPONSE = "post_model_response"
    PRE_TOOL_CALL = "pre_tool_call"
    PLAN_READY = "plan_ready"
    POST_TOOL_CALL = "post_tool_call"
    POST_APPLY = "post_apply"
    SESSION_END = "session_end"


HookPayload = Annotated[
    Raw,
    Meta(
        description="One key, the hook point; what is inside is never refused (H6).",
        extra_json_schema={
            "type": "object",
            "minProperties": 1,
            "maxProperties": 1,
            "propertyNames": {"enum": [point.value for point in HookPoint]},
        },
    ),
]


class DispatchHookRequest(Struct, frozen=True, omit_defaults=True):
    """Something happened in a session (section 8)."""

    payload: HookPayload
    mode: HookMode
    subscription_id: str | None = None
    call_context: CallContext | None = None


class HookTransform(Struct, frozen=True):
    """The payload, verbatim."""

    payload: Raw


class HookVeto(Struct, frozen=True):
    """Nothing is ever vetoed here."""

    decision: str


class DispatchHookResult(Struct, frozen=True, omit_defaults=True):
    """One member, the mode's own (H1)."""

    observe: Empty | None = None
    transform: HookTransform | None = None
    veto: HookVeto | None = None
