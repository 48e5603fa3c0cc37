"""Finds the handler of one request and shapes its answer, with jsonrpcserver.

jsonrpcserver is handed one decoded request at a time. Its own reading of lines and batches is left
out: it fails a batch as a whole, answers answers, and puts the text of exceptions into errors.
"""

import asyncio
import importlib
import importlib.util
import sys
from collections.abc import Awaitable, Callable, Mapping
from types import ModuleType
from typing import Any

from msgspec import Raw

from memplugin.wire.messages import (
    INTERNAL_ERROR,
    Handler,
    Request,
    RpcError,
    cancelled,
    encode,
    visible,
)

_PACKAGE = "jsonrpcserver"


class Dispatcher:
    """A method table that answers requests."""

    def __init__(self, methods: Mapping[str, Handler]) -> None:
        library, result = _load("async_dispatcher"), _load("result")
        self._Request = _load("request").Request
        self._Found, self._Success, self._Error = result.Right, result.Success, result.Error
        self._get_method = library.get_method
        self._call = library.call
        self._to_response = library.to_response
        self._shape = _load("response").to_serializable_one
        self._no_context = _load("sentinels").NOCONTEXT
        self._methods = {name: self._method(handler) for name, handler in methods.items()}

    async def answer(self, request: Request) -> bytes | None:
        """Serve a request and return its answer; None for a notification. Never raises."""
        asked = self._Request(request.method, [request.params], request.id)
        result = self._get_method(self._methods, asked.method)
        if isinstance(result, self._Found):
            result = await self._call(asked, self._no_context, result._value)  # noqa: SLF001 - the library itself reads it so
        if request.id is None:
            return None
        return encode(self._shape(self._to_response(asked, result)))

    def _method(self, handler: Handler) -> Callable[[Raw], Awaitable[Any]]:
        """Return a handler as jsonrpcserver wants it: it returns a result and raises nothing."""

        async def method(params: Raw) -> Any:  # noqa: ANN401 - jsonrpcserver's Result is untyped
            try:
                return self._Success(Raw(encode(await handler(params))))
            except RpcError as error:
                return self._error(error)
            except asyncio.CancelledError:
                # Only what was asked for is a cancellation; a stray one is a fault of the handler.
                task = asyncio.current_task()
                asked = task is not None and task.cancelling() > 0
                return self._error(cancelled() if asked else _internal("CancelledError"))
            except (Exception, SystemExit) as error:  # noqa: BLE001 - one call's fault ends no other
                return self._error(_internal(type(error).__name__))

        return method

    def _error(self, error: RpcError) -> Any:  # noqa: ANN401 - jsonrpcserver's Result is untyped
        told = [error.code, visible(error.message)]
        if error.data is None:
            return self._Error(*told)
        try:
            return self._Error(*told, Raw(encode(error.data)))
        except (TypeError, ValueError) as fault:
            return self._error(_internal(type(fault).__name__))


def _internal(kind: str) -> RpcError:
    """Return the answer to an error that nobody classified; its text may quote contents (E2)."""
    return RpcError(INTERNAL_ERROR, "internal error", {"type": kind})


def _load(module: str) -> ModuleType:
    """Import a module of jsonrpcserver without running its package's __init__.

    That imports jsonschema and http.server, neither of which is used here: 77 of 89 ms.
    """
    name = f"{_PACKAGE}.{module}"
    if _PACKAGE in sys.modules or name in sys.modules:
        return importlib.import_module(name)
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None:
        raise ModuleNotFoundError(f"No module named {_PACKAGE!r}", name=_PACKAGE)
    sys.modules[_PACKAGE] = importlib.util.module_from_spec(spec)
    try:
        return importlib.import_module(name)
    finally:
        del sys.modules[_PACKAGE]
