"""What capture hears and what it proposes: messages in, candidates or a wish for silence out."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

from memplugin.protocol.records import MemoryScope, MemoryType


class Heard(Struct, frozen=True):
    """One message of a conversation.

    `speaker` tells whose words they are: a `user` message can be a task prompt that a model wrote
    for a sub-agent. `said_at` is aware, in the zone of the person.
    """

    text: str
    role: Literal["user", "assistant"]
    speaker: Literal["person", "model"]
    said_at: datetime


class Candidate(Struct, frozen=True):
    """A memory that a message holds: self-contained, redacted, dates absolute.

    `title` has at most 80 characters, `content` at most 400. `confidence` is in [0, 1]; `explicit`
    says that the person asked for it to be kept. `rule` names what found it.
    """

    type: MemoryType
    scope: MemoryScope
    title: str
    content: str
    confidence: float
    explicit: bool
    rule: str


class Suppress(Struct, frozen=True):
    """The person asked that this is not remembered: nothing of the message may be kept.

    `earlier` says that the wish points back ("forget that"): then what was captured of the
    messages before, in the same turn and of the person's message before, goes too. Without it only
    this message is meant ("off the record: …").
    """

    earlier: bool
