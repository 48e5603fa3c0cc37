"""What answers an invoke: its result, or every failure as a ToolError (T2, T6, W7)."""

import asyncio
from collections.abc import Awaitable
from typing import Any

from memplugin.kernel import Kernel
from memplugin.protocol.callbacks import LogLevel
from memplugin.protocol.calls import (
    InvokeEvent,
    InvokeResult,
    ToolError,
    ToolErrorCategory,
    ToolResult,
)
from memplugin.protocol.errors import ErrorCategory, InvalidParams, ProviderError
from memplugin.service.faults import place, trace, unavailable
from memplugin.service.recording import Written
from memplugin.service.workers import Cancelled

_CATEGORIES = {
    ErrorCategory.NOT_FOUND: ToolErrorCategory.NOT_FOUND,
    ErrorCategory.INVALID_TYPE: ToolErrorCategory.INVALID_ARGUMENTS,
    ErrorCategory.INVALID_SCOPE: ToolErrorCategory.INVALID_ARGUMENTS,
    ErrorCategory.BUDGET_EXCEEDED: ToolErrorCategory.INVALID_ARGUMENTS,
    ErrorCategory.SOURCE_UNAVAILABLE: ToolErrorCategory.EXECUTION_FAILED,
    ErrorCategory.RATIFICATION_UNSUPPORTED: ToolErrorCategory.EXECUTION_FAILED,
    ErrorCategory.UNKNOWN: ToolErrorCategory.UNKNOWN,
}


async def event_of(work: Awaitable[dict[str, Any]], name: str, kernel: Kernel) -> InvokeResult:
    """Wait for a payload; return the event of it, or of its failure. Never raises."""
    try:
        return InvokeResult(InvokeEvent(result=ToolResult(await work)))
    except Cancelled as cancelled:
        return cancelled_event(cancelled.outcome)
    except asyncio.CancelledError:
        return cancelled_event(None)
    except Exception as error:  # noqa: BLE001 - every failure is classified here (T6)
        return InvokeResult(InvokeEvent(error=_told(error, name, kernel)))


def cancelled_event(outcome: object | None) -> InvokeResult:
    """Return the event of a cancelled call; `outcome` is what was written all the same."""
    written = isinstance(outcome, Written) and outcome.changed
    details: dict[str, Any] = {"written": written}
    text = "the call was cancelled before anything was written"
    if isinstance(outcome, Written) and written:
        details["record_id"] = outcome.record.id
        text = "the call was cancelled when it had been written already"
    return InvokeResult(
        InvokeEvent(error=ToolError(ToolErrorCategory.CANCELLED, text, False, details))
    )


def _told(error: Exception, name: str, kernel: Kernel) -> ToolError:
    match error:
        case InvalidParams():
            text = "; ".join(fault["message"] for fault in error.errors)
            details: dict[str, Any] = {"errors": error.errors}
            return ToolError(ToolErrorCategory.INVALID_ARGUMENTS, text, False, details)
        case OSError():
            error = unavailable(error)
    if isinstance(error, ProviderError):
        details = {"memory_category": error.category.value}
        category = _CATEGORIES[error.category]
        return ToolError(category, error.message, error.retryable, details)
    kernel.log(LogLevel.ERROR, f"{name} failed: {place(error)}")
    kernel.log(LogLevel.DEBUG, trace(error))
    text = f"{name} failed inside memplugin; please report this"
    return ToolError(ToolErrorCategory.UNKNOWN, text, False, {"error": place(error)})
