"""The method table, and the one place where exceptions become errors.

A newcomer who reads only this knows the API.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from msgspec import Raw, Struct

from memplugin.kernel import Kernel
from memplugin.parsing import parse
from memplugin.protocol.callbacks import LogLevel
from memplugin.protocol.capabilities import ProducerCategory
from memplugin.protocol.errors import ErrorCategory, InvalidParams, ProviderError
from memplugin.service.commands import Commands
from memplugin.service.events import cancelled_event
from memplugin.service.faults import place, trace, unavailable
from memplugin.service.hooks import Hooks
from memplugin.service.provider import Provider
from memplugin.service.rendering import Renderer
from memplugin.service.runtime import Runtime
from memplugin.service.session_recall import SessionRecall
from memplugin.service.tools import Tools
from memplugin.service.workers import Cancelled
from memplugin.wire.messages import RpcError

INVALID_PARAMS = -32602
REQUEST_CANCELLED = -32800  # as in LSP

UseCase = Callable[[Any], Awaitable[Struct]]
Handler = Callable[[Raw], Awaitable[Any]]


class UseCases(Struct):
    """All that the methods do."""

    runtime: Runtime
    memory: Provider
    recall: SessionRecall
    hooks: Hooks
    renderer: Renderer
    tools: Tools
    commands: Commands


def method_table(use_cases: UseCases) -> dict[str, UseCase]:
    """Return every method with its use case; each takes and gives what protocol/methods.py says."""
    provider, configure = use_cases.memory, use_cases.runtime.configure
    dispatch_hook = use_cases.hooks.dispatch_hook
    return {
        "memory.get_capabilities": provider.get_capabilities,
        "memory.configure": configure,
        "memory.recall": use_cases.recall.recall,
        "memory.record": provider.record,
        "memory.update_record": provider.update_record,
        "memory.delete_record": provider.delete_record,
        "memory.approve_record": provider.approve_record,
        "memory.reject_record": provider.reject_record,
        "memory.list_records": provider.list_records,
        "memory.get_record": provider.get_record,
        "memory.list_links": provider.list_links,
        "memory.render": use_cases.renderer.render,
        "memory.dispatch_hook": dispatch_hook,
        "hook.dispatch_hook": dispatch_hook,
        "memory.describe": provider.describe(ProducerCategory.MEMORY),
        "tool.get_schema": use_cases.tools.get_schema,
        "tool.configure": configure,
        "tool.describe": provider.describe(ProducerCategory.TOOL),
        "tool.invoke": use_cases.tools.invoke,
        "tool.preview": use_cases.tools.preview,
        "slashcommand.get_capabilities": use_cases.commands.get_capabilities,
        "slashcommand.configure": configure,
        "slashcommand.invoke": use_cases.commands.invoke,
        "slashcommand.describe": provider.describe(ProducerCategory.SLASHCOMMAND),
    }


CANCELLED: Mapping[str, Struct] = dict.fromkeys(
    ("tool.invoke", "slashcommand.invoke"), cancelled_event(None)
)
"""What answers a call that was cancelled before it began, where that is a result (W7)."""


def handlers(table: Mapping[str, UseCase], kernel: Kernel) -> dict[str, Handler]:
    """Return what the wire calls: params parsed, exceptions told as errors."""
    return {method: _handler(method, use_case, kernel) for method, use_case in table.items()}


def _handler(method: str, use_case: UseCase, kernel: Kernel) -> Handler:
    async def handle(params: Raw) -> Struct:
        try:
            return await use_case(parse(params, method))
        except Exception as error:  # noqa: BLE001 - every failure is classified here (E1)
            raise _told(error, method, kernel) from None

    return handle


def _told(error: Exception, method: str, kernel: Kernel) -> RpcError:
    match error:
        case RpcError():
            return error
        case InvalidParams():
            return RpcError(INVALID_PARAMS, "Invalid params", {"errors": error.errors})
        case Cancelled():
            return RpcError(REQUEST_CANCELLED, "request cancelled", _durable(error.outcome))
        case ProviderError():
            return _memory_error(error)
        case OSError():
            return _memory_error(unavailable(error))
        case _:
            kernel.log(LogLevel.ERROR, f"{method} failed: {place(error)}")
            kernel.log(LogLevel.DEBUG, trace(error))
            text = f"{method} failed inside memplugin: {place(error)}; please report this"
            return _memory_error(ProviderError(ErrorCategory.UNKNOWN, text))


def _memory_error(error: ProviderError) -> RpcError:
    data = {
        "category": error.category.value,
        "message": error.message,
        "retryable": error.retryable,
        "grpc_status": error.category.grpc_status,
    }
    return RpcError(error.category.code, error.message, data)


def _durable(outcome: object | None) -> dict[str, object]:
    """Return what had become durable before a cancellation (W7)."""
    id = getattr(getattr(outcome, "record", None), "id", None)
    written = outcome is not None and getattr(outcome, "changed", True)
    return {"written": written, "id": id} if written and id else {"written": written}
