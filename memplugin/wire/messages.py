"""What travels: the messages of JSON-RPC 2.0 as values, the two errors, and how a value is written.

Ids, params and results are kept as their bytes: they are echoed and handed on as they were spelled.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
REQUEST_CANCELLED = -32800  # as in LSP

NULL = Raw(b"null")
NO_PARAMS = Raw(b"{}")

Handler = Callable[[Raw], Awaitable[Any]]
"""Takes the bytes of a params object; gives any value msgspec can encode, `Raw` included."""


class RpcError(Exception):
    """An error to be answered as it stands: a handler raises it."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:  # noqa: ANN401 - any JSON value
        """Leave `data` None for an answer without."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class CallError(Exception):
    """A call to the other side that brought no result.

    `code` is that of the other side's error answer, None otherwise. The text holds nothing of what
    the other side sent: it may quote contents (E2).
    """

    def __init__(
        self,
        reason: Literal["refused", "timeout", "ended", "malformed"],
        message: str,
        code: int | None = None,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.code = code


class Limits(Struct, frozen=True):
    """What one side may ask of the other's memory (W6, W11 of decision 24)."""

    max_line_bytes: int = 16 * 1024 * 1024  # without the LF
    max_running: int = 256  # requests; a batch counts as its elements
    max_waiting_bytes: int = 64 * 1024 * 1024  # in either direction; beyond it reading pauses
    max_batch: int = 50_000  # elements: each costs far more than the two bytes of "1,"
    max_depth: int = 100  # arrays and objects within one another, the envelope included


class Request(Struct, frozen=True):
    """A call of ours to serve; a notification has no id."""

    id: Raw | None
    method: str
    params: Raw  # an object


class Answer(Struct, frozen=True):
    """What became of a call to the other side; `id` is None where it is no string."""

    id: str | None
    outcome: Raw | CallError


class Fault(Struct, frozen=True):
    """A message that is answered with an error before any method is looked at."""

    id: Raw
    error: RpcError


class Ignored(Struct, frozen=True):
    """A message that must not be answered; `reason` quotes nothing of it."""

    reason: str


Message = Request | Answer | Fault | Ignored


class Batch(Struct, frozen=True):
    """Several messages of one line, never none; answered on one line."""

    elements: tuple[Message, ...]


_encoder = msgspec.json.Encoder()
_id = msgspec.json.Decoder(str | int | float | None)


def encode(value: Any) -> bytes:  # noqa: ANN401 - any value with a JSON form
    r"""Return a value as compact JSON that no host's idea of a line end can split (W1).

    What comes as `Raw` keeps its spelling, but not the white space between its tokens. Half of a
    surrogate pair, as in a file name that is not UTF-8, is made visible: `\udcff`, six letters.
    Raises what msgspec raises.
    """
    try:
        text = _encoder.encode(value)
    except UnicodeEncodeError:
        text = _encoder.encode(visible(msgspec.to_builtins(value)))
    return _one_line(msgspec.json.format(text, indent=-1))


def visible(value: Any) -> Any:  # noqa: ANN401 - any value with a JSON form
    """Return a value of built-in types with every half of a surrogate pair spelled out."""
    match value:
        case str():
            return value.encode(errors="backslashreplace").decode()
        case dict():
            return {visible(key): visible(member) for key, member in value.items()}
        case list():
            return [visible(member) for member in value]
        case _:
            return value


def _one_line(text: bytes) -> bytes:
    if text.isascii():
        return text
    return (
        text.replace(b"\xc2\x85", b"\\u0085")
        .replace(b"\xe2\x80\xa8", b"\\u2028")
        .replace(b"\xe2\x80\xa9", b"\\u2029")
    )


def encode_error(id: Raw, error: RpcError) -> bytes:
    """Return the answer that tells an error. The id is echoed even where msgspec would not read it.

    Raises what msgspec raises for the error's data.
    """
    told: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        told["data"] = error.data
    return b'{"jsonrpc":"2.0","error":%b,"id":%b}' % (encode(told), _one_line(bytes(id)))


def cancelled() -> RpcError:
    """Return the error of a request that was cancelled before it wrote anything (W7)."""
    return RpcError(REQUEST_CANCELLED, "request cancelled", {"written": False})


def cancelled_answer(request: "Request", result: object | None = None) -> bytes | None:
    """Return the answer to a request that was cancelled before it began: an error, or a result."""
    if request.id is None:
        return None
    if result is None:
        return encode_error(request.id, cancelled())
    return encode({"jsonrpc": "2.0", "result": result, "id": request.id})


IdKey = tuple[bool, str | float | None]
"""An id by value: whether it is a string, and which ("1" is not 1)."""


def key_of(id: Raw) -> IdKey:
    """Return what makes two ids the same. Raises msgspec.DecodeError for what is no id."""
    value = _id.decode(id)
    return isinstance(value, str), value
