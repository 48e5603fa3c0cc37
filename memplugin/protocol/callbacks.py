"""What the provider asks of its kernel (protocol section 4)."""

from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta, Struct

from memplugin.protocol.records import ContentBlock, Timestamp


class ModelRef(Struct, frozen=True, omit_defaults=True):
    """A model; tokens are counted by its tokenizer."""

    id: str
    provider: str | None = None


class CountTokensParams(Struct, frozen=True, omit_defaults=True):
    """Content whose tokens are asked for (K1)."""

    content: list[ContentBlock]
    model_ref: ModelRef | None = None


class CountTokensResult(Struct, frozen=True):
    """Tokens; only an exact count outlives the process (K2)."""

    count: Annotated[int, Meta(ge=0)]
    exact: bool = False


class LogLevel(StrEnum):
    """How much an entry matters; `fatal` is only a label (K6)."""

    TRACE = "trace"
    DEBUG = "debug"
    INFO = "info"
    WARN = "warn"
    ERROR = "error"
    FATAL = "fatal"


class LogEntry(Struct, frozen=True):
    """One line of the log; no memory contents, no secrets (E2)."""

    level: LogLevel
    logger: str
    message: str
    fields: dict[str, Any]
    time: Timestamp


class LogParams(Struct, frozen=True, omit_defaults=True):
    """A batch of entries."""

    entries: list[LogEntry]
    session_id: str | None = None


class EmitKind(StrEnum):
    """What happened to a record (K4)."""

    MEMORY_WRITE = "memory_write"
    MEMORY_UPDATE = "memory_update"
    MEMORY_DELETE = "memory_delete"


class EmitPayload(Struct, frozen=True, omit_defaults=True):
    """The audit of a write: content never on delete."""

    record_id: str
    attributes: dict[str, str]
    content: list[ContentBlock] | None = None


class EmitParams(Struct, frozen=True):
    """An event for the kernel's audit log."""

    session_id: str
    kind: EmitKind
    schema_version: str
    payload: EmitPayload


class EmitResult(Struct, frozen=True):
    """The event's place in the log."""

    id: str
    sequence: int


class RunSessionParams(Struct, frozen=True):
    """A session of the kernel's own, for capture by a model."""

    profile: str
    prompt: str
    parent_session_id: str


class RunSessionResult(Struct, frozen=True):
    """What that session said last; the rest of the answer is not looked at."""

    session_id: str
    final_message: dict[str, Any]
    status: str
    total_cost_usd: float = 0.0
    total_input_tokens: int = 0
    total_output_tokens: int = 0
