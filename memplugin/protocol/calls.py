"""Calls of tools and slash commands, and the event that answers them (section 9)."""

from enum import StrEnum
from typing import Any

from msgspec import Struct

from memplugin.protocol.render import RenderTree
from memplugin.protocol.requests import CallContext


class ToolCall(Struct, frozen=True):
    """A tool, its arguments, and on whose behalf."""

    id: str
    tool_name: str
    call_context: CallContext
    arguments: Any = None


class SlashCall(Struct, frozen=True):
    """A command, its arguments, and on whose behalf."""

    id: str
    name: str
    call_context: CallContext
    arguments: Any = None


class ToolInvokeRequest(Struct, frozen=True):
    """Params of tool.invoke and tool.preview."""

    call: ToolCall


class SlashInvokeRequest(Struct, frozen=True):
    """Params of slashcommand.invoke."""

    call: SlashCall


class ToolErrorCategory(StrEnum):
    """The categories a provider sends (process_crashed is the kernel's own)."""

    INVALID_ARGUMENTS = "invalid_arguments"
    NOT_FOUND = "not_found"
    PERMISSION_DENIED = "permission_denied"
    EXECUTION_FAILED = "execution_failed"
    TIMEOUT = "timeout"
    CONCURRENCY_CONFLICT = "concurrency_conflict"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"


class ToolError(Struct, frozen=True):
    """A failed call."""

    category: ToolErrorCategory
    message: str
    retryable: bool
    details: dict[str, Any]


class ToolResult(Struct, frozen=True):
    """What a call gives."""

    payload: dict[str, Any]


class InvokeEvent(Struct, frozen=True, omit_defaults=True):
    """One member: the result or the error."""

    result: ToolResult | None = None
    error: ToolError | None = None


class InvokeResult(Struct, frozen=True):
    """The envelope of the only event a call here sends."""

    event: InvokeEvent


class PreviewResult(Struct, frozen=True):
    """What a call would do (T4)."""

    preview: RenderTree
