"""What recall itself gave to a session, to tell it from what the session says.

Text that came from a recall says nothing new: were it heard, a memory once recalled would recall
itself for ever, and be captured again.
"""

import re
from collections.abc import Iterable, Mapping
from enum import Enum

MAX_OURS = 1_000  # recalled texts and sentences that are recognised
QUOTE_LENGTH = 12  # characters from which a repeated sentence is a quotation

_LABEL = re.compile(r"memory:(?:user|feedback|project|reference):[a-z0-9-]+:?")
_SENTENCES = re.compile(r"[^\n.!?]*(?:[.!?](?!\s)[^\n.!?]*)*[.!?]*\s*")
_PARAGRAPHS = re.compile(r"(\n{2,})")
_WORD = re.compile(r"\w+")


class Voice(Enum):
    """Whose words they are, with what they are worth to a recall."""

    USER = 1.0
    ASSISTANT = 0.5
    TOOL = 0.25


class Ours:
    """Texts that recall gave, and their sentences. Immutable: any thread may use it."""

    def __init__(self, known: Mapping[str, None] | None = None) -> None:
        self._known = known or {}

    def with_(self, texts: Iterable[str]) -> "Ours":
        """Return these and those texts; of very many the latest."""
        known = dict(self._known)
        for plain in (_plain(part) for text in texts for part in (text, *_SENTENCES.findall(text))):
            known.pop(plain, None)
            known[plain] = None
        while len(known) > MAX_OURS:
            del known[next(iter(known))]
        return Ours(known)

    def removed_from(self, text: str, voice: Voice) -> str:
        """Return a text without the sentences that recall gave.

        The user's own sentence stays when it says more than what was recalled: it may correct it.
        """
        if not self._known:
            return text
        text = _LABEL.sub("", text)
        paragraphs = (part for part in _PARAGRAPHS.split(text) if not self._repeats(_plain(part)))
        sentences = (s for part in paragraphs for s in _SENTENCES.findall(part))
        return "".join(s for s in sentences if not self._is_quoted(s, voice))

    def _is_quoted(self, sentence: str, voice: Voice) -> bool:
        plain = _plain(sentence)
        return self._repeats(plain) or (
            voice is not Voice.USER
            and any(known in plain for known in self._known if len(known) >= QUOTE_LENGTH)
        )

    def _repeats(self, plain: str) -> bool:
        return len(plain) >= QUOTE_LENGTH and any(plain in known for known in self._known)


def _plain(text: str) -> str:
    """Return the words alone, so that neither marks nor line breaks hide a quotation."""
    return " ".join(_WORD.findall(text.casefold()))
