"""The working context of a session: what it has shown lately, as words that fade (R3).

    what was said ──▶ without what recall itself gave ──▶ words by turn ──▶ one weighted question

Text that came from a recall says nothing new: were it heard, a memory once recalled would recall
itself for ever. Bounded whatever a session shows: the oldest goes first.
"""

import re
from collections import deque
from collections.abc import Iterable, Mapping
from enum import Enum

from msgspec import Struct

from memplugin.recall.text import MAX_TERMS, says_nothing, terms

FADING = 0.6  # what a turn's words are worth one turn later
MAX_AGE = 10  # turns; 0.6 ** 10 is under a hundredth
MAX_PIECES = 64
MAX_FILES = 32
MAX_OURS = 1_000  # recalled texts and sentences that are recognised
HEAD, TAIL = 3_000, 1_000  # characters read of a long text
QUOTE_LENGTH = 12  # characters from which a repeated sentence is a quotation

_LABEL = re.compile(r"memory:(?:user|feedback|project|reference):[a-z0-9-]+:?")
_SENTENCES = re.compile(r"[^\n.!?]*(?:[.!?](?!\s)[^\n.!?]*)*[.!?]*\s*")
_PARAGRAPHS = re.compile(r"(\n{2,})")
_WORD = re.compile(r"\w+")


class Voice(Enum):
    """Whose words they are, with what they are worth."""

    USER = 1.0
    ASSISTANT = 0.5
    TOOL = 0.25


class _Piece(Struct, frozen=True):
    turn: int
    worth: float
    words: Mapping[str, float]


class Context:
    """What one session has shown."""

    def __init__(self) -> None:
        self._turn = 0
        self._turn_id: str | None = None
        self._pieces: deque[_Piece] = deque(maxlen=MAX_PIECES)
        self._files: dict[str, int] = {}
        self._ours: dict[str, None] = {}

    def say(self, voice: Voice, text: str, turn_id: str | None = None) -> None:
        """Take note of what was said; a turn begins with a new id, else with the user's words."""
        if turn_id is not None and turn_id != self._turn_id:
            self._turn += 1
            self._turn_id = turn_id
        if says_nothing(text):
            return
        if turn_id is None and voice is Voice.USER:
            self._turn += 1
        words = terms(_bounded(text))
        self._pieces.append(_Piece(self._turn, voice.value, words))

    def touch(self, file: str) -> None:
        """Take note of a file that was read or written."""
        self._files.pop(file, None)
        self._files[file] = self._turn
        while len(self._files) > MAX_FILES:
            del self._files[next(iter(self._files))]

    def gave(self, texts: Iterable[str]) -> None:
        """Take note of what recall gave, to recognise it."""
        parts = (part for text in texts for part in (text, *_SENTENCES.findall(text)))
        for plain in map(_plain, parts):
            self._ours.pop(plain, None)
            self._ours[plain] = None
        while len(self._ours) > MAX_OURS:
            del self._ours[next(iter(self._ours))]

    def without_ours(self, text: str, voice: Voice) -> str:
        """Return a text without the sentences that recall gave.

        The user's own sentence stays when it says more than what was recalled: it may correct it.
        """
        if not self._ours:
            return text
        text = _LABEL.sub("", text)
        paragraphs = (part for part in _PARAGRAPHS.split(text) if not self._repeats(_plain(part)))
        sentences = (s for part in paragraphs for s in _SENTENCES.findall(part))
        kept = (s for s in sentences if not self._is_ours(s, voice))
        return "".join(kept)

    def _is_ours(self, sentence: str, voice: Voice) -> bool:
        plain = _plain(sentence)
        return self._repeats(plain) or (
            voice is not Voice.USER
            and any(our in plain for our in self._ours if len(our) >= QUOTE_LENGTH)
        )

    def _repeats(self, plain: str) -> bool:
        return len(plain) >= QUOTE_LENGTH and any(plain in our for our in self._ours)

    def words(self) -> dict[str, float]:
        """Return the words of the last turns, the newest turn's worth most (at most 1)."""
        weights: dict[str, float] = {}
        for piece in self._pieces:
            age = self._turn - piece.turn
            if age > MAX_AGE:
                continue
            for word, weight in piece.words.items():
                weights[word] = weights.get(word, 0.0) + weight * piece.worth * FADING**age
        best = sorted(weights, key=lambda word: -weights[word])[:MAX_TERMS]
        return {word: min(1.0, weights[word]) for word in best}

    def files(self) -> tuple[str, ...]:
        """Return the files touched in the last turns, the last one first."""
        recent = [file for file, turn in self._files.items() if self._turn - turn <= MAX_AGE]
        return tuple(reversed(recent))


def _bounded(text: str) -> str:
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]} {text[-TAIL:]}"


def _plain(text: str) -> str:
    """Return the words alone, so that neither marks nor line breaks hide a quotation."""
    return " ".join(_WORD.findall(text.casefold()))
