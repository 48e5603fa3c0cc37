"""Records: what is remembered, inside the provider (`Record`) and on the wire (`MemoryRecord`)."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

Timestamp = Annotated[
    str, Meta(description="RFC 3339 in UTC with Z.", extra_json_schema={"format": "date-time"})
]


class MemoryType(StrEnum):
    """What kind of thing is remembered (protocol section 5)."""

    USER = "user"
    FEEDBACK = "feedback"
    PROJECT = "project"
    REFERENCE = "reference"


class MemoryScope(StrEnum):
    """Who can see it (protocol section 5)."""

    SESSION = "session"
    PROJECT = "project"
    GLOBAL = "global"


class RecordStatus(StrEnum):
    """Whether a person ratified it, where that is asked for (P3)."""

    CANONICAL = "canonical"
    PENDING = "pending"


class Provenance(Struct, frozen=True, omit_defaults=True):
    """Where a record came from; the kernel's to give, never changed afterwards (D6)."""

    source_session_id: str
    recorded_by: str
    source_turn_id: str | None = None


class TextBlock(Struct, frozen=True):
    """The text of a block."""

    text: str


class ContentBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """One block of a record: text only; the short form {"text": "…"} is accepted on input."""

    text: TextBlock | str


class Record(Struct, frozen=True):
    """A record as store, index and recall see it.

    `content` holds the texts of the blocks in order; times are aware UTC in whole milliseconds.
    `verified` says that this user's memplugin wrote the file as it is (P4); `trusted` that its
    root may be recalled into a model.
    """

    id: str
    type: MemoryType
    scope: MemoryScope
    title: str
    content: tuple[str, ...]
    status: RecordStatus
    links: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    provenance: Provenance
    verified: bool = True

    @property
    def text(self) -> str:
        """All blocks as one text, blocks divided by an empty line."""
        return "\n\n".join(self.content)

    def replaced(self, **changes: object) -> "Record":
        """Return a copy with these fields changed."""
        return replace(self, **changes)


class MemoryRecord(Struct, frozen=True, omit_defaults=True):
    """A record on the wire (data types, MemoryRecord)."""

    id: str
    type: MemoryType
    scope: MemoryScope
    title: str
    content: list[ContentBlock]
    status: RecordStatus
    links: list[str]
    created_at: Timestamp
    updated_at: Timestamp
    provenance: Provenance
    tokens: Annotated[int, Meta(ge=0)] | None = None
    relevance_score: Annotated[float, Meta(ge=0, le=1)] | None = None
    truncated: bool = False


def blocks(texts: tuple[str, ...]) -> list[ContentBlock]:
    """Return texts as wire blocks, in the long form."""
    return [ContentBlock(TextBlock(text)) for text in texts]


def texts(content: list[ContentBlock]) -> tuple[str, ...]:
    """Return the texts of wire blocks, whichever form they have."""
    return tuple(b.text if isinstance(b.text, str) else b.text.text for b in content)


def timestamp(moment: datetime) -> str:
    """Return a moment as RFC 3339 in UTC with milliseconds and Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
