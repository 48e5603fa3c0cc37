"""The kernel's four methods answered in this process, for piping by hand (K5)."""

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from memplugin.protocol.callbacks import CountTokensParams, CountTokensResult, LogParams
from memplugin.protocol.records import texts
from memplugin.wire.messages import CallError

BYTES_A_TOKEN = 4  # the one documented formula (K5)


class LocalKernel:
    """A transport whose other end is here; sessions cannot be run."""

    def __init__(self, show: Callable[[str], None]) -> None:
        """`show` takes a line of the log."""
        self._show = show
        self._events = 0
        self._encodings: dict[str, Any] = {}

    def call(self, method: str, params: Any, *, label: str = "") -> asyncio.Future[msgspec.Raw]:  # noqa: ANN401, ARG002 - the transport's signature
        """Answer at once."""
        future: asyncio.Future[msgspec.Raw] = asyncio.get_running_loop().create_future()
        match method:
            case "kernel.count_tokens":
                answer: object = self._count(params)
            case "kernel.log":
                self._log(params)
                answer = {}
            case "kernel.emit":
                self._events += 1
                answer = {"id": f"event-{self._events}", "sequence": self._events}
            case _:
                text = "the local kernel runs no sessions"
                future.set_exception(CallError("refused", text, -32601))
                return future
        future.set_result(msgspec.Raw(msgspec.json.encode(answer)))
        return future

    def _log(self, params: LogParams) -> None:
        for entry in params.entries:
            self._show(f"{entry.level}: {entry.message}")

    def _count(self, params: CountTokensParams) -> CountTokensResult:
        text = "".join(texts(params.content))
        encoding = self._encoding(params.model_ref.id) if params.model_ref else None
        if encoding is None:
            return CountTokensResult(-(-len(text.encode()) // BYTES_A_TOKEN), exact=False)
        return CountTokensResult(len(encoding.encode_ordinary(text)), exact=True)

    def _encoding(self, model: str) -> Any:  # noqa: ANN401 - tiktoken is imported late
        """Return the model's encoding if tiktoken knows it and has it on disk."""
        if model not in self._encodings:
            self._encodings[model] = _offline_encoding(model)
        return self._encodings[model]


def _offline_encoding(model: str) -> Any:  # noqa: ANN401 - tiktoken is imported late
    import tiktoken  # noqa: PLC0415 - only this kernel counts, and only for models it knows
    import tiktoken.load  # noqa: PLC0415

    def refuse(blobpath: str) -> bytes:  # noqa: ARG001 - tiktoken gives it by name
        raise OSError("the encoding is not on disk, and nothing is fetched")

    fetch, tiktoken.load.read_file = tiktoken.load.read_file, refuse
    try:
        return tiktoken.encoding_for_model(model)
    except (KeyError, OSError, ValueError):
        return None
    finally:
        tiktoken.load.read_file = fetch
