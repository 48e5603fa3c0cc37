"""The errors a kernel can be told of: the categories of MemoryError and what each travels as.

The protocol's MemoryError is `ProviderError` here, so as not to shadow Python's own.
"""

from enum import StrEnum


class ErrorCategory(StrEnum):
    """MemoryErrorCategory of the data types; categories are never merged (E1)."""

    UNKNOWN = "unknown"
    NOT_FOUND = "not_found"
    INVALID_TYPE = "invalid_type"
    INVALID_SCOPE = "invalid_scope"
    RATIFICATION_UNSUPPORTED = "ratification_unsupported"
    BUDGET_EXCEEDED = "budget_exceeded"
    SOURCE_UNAVAILABLE = "source_unavailable"

    @property
    def code(self) -> int:
        """The JSON-RPC error code (protocol section 3, Errors)."""
        return -32000 - list(ErrorCategory).index(self)

    @property
    def grpc_status(self) -> str:
        """The gRPC status of the same meaning."""
        return _GRPC_STATUS[self]


_GRPC_STATUS = {
    ErrorCategory.UNKNOWN: "INTERNAL",
    ErrorCategory.NOT_FOUND: "NOT_FOUND",
    ErrorCategory.INVALID_TYPE: "INVALID_ARGUMENT",
    ErrorCategory.INVALID_SCOPE: "INVALID_ARGUMENT",
    ErrorCategory.RATIFICATION_UNSUPPORTED: "FAILED_PRECONDITION",
    ErrorCategory.BUDGET_EXCEEDED: "RESOURCE_EXHAUSTED",
    ErrorCategory.SOURCE_UNAVAILABLE: "UNAVAILABLE",
}


class ProviderError(Exception):
    """A classified failure; its message says what to do and holds no memory contents (E2)."""

    def __init__(
        self, category: ErrorCategory, message: str, *, retryable: bool | None = None
    ) -> None:
        super().__init__(message)
        self.category = category
        self.message = message
        unavailable = category is ErrorCategory.SOURCE_UNAVAILABLE
        self.retryable = unavailable if retryable is None else retryable


class InvalidParams(Exception):  # noqa: N818 - JSON-RPC's own name for it
    """Params that no record can be made of: travels as -32602 with JSON Pointers (W5).

    `errors` holds {path, message} for every fault found, never none; no message quotes a value.
    """

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.errors = [{"path": path, "message": message}]

    @classmethod
    def listing(cls, errors: list[dict[str, str]]) -> "InvalidParams":
        """Return one that tells several faults, in this order."""
        told = cls(errors[0]["path"], errors[0]["message"])
        told.errors = errors
        return told
