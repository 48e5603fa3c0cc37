"""The working context of a session: what it has shown lately, as words that fade (R3).

    what was said ──▶ without what recall itself gave ──▶ words by turn ──▶ one weighted question

Bounded whatever a session shows: the oldest goes first. Saying costs nothing; the words are read
when a recall asks for them.
"""

from collections import deque
from collections.abc import Iterable, Mapping

from msgspec import Struct

from memplugin.recall.ours import Ours, Voice
from memplugin.recall.text import MAX_TERMS, says_nothing, terms

FADING = 0.6  # what a turn's words are worth one turn later
MAX_AGE = 10  # turns; 0.6 ** 10 is under a hundredth
MAX_PIECES = 64
MAX_FILES = 32
HEAD, TAIL = 3_000, 1_000  # characters read of a long text


class _Piece(Struct):
    turn: int
    voice: Voice
    text: str  # until it is read
    words: Mapping[str, float] | None = None


class Context:
    """What one session has shown, and what recall gave it (`ours`)."""

    def __init__(self) -> None:
        self._turn = 0
        self._turn_id: str | None = None
        self._pieces: deque[_Piece] = deque(maxlen=MAX_PIECES)
        self._files: dict[str, int] = {}
        self.ours = Ours()

    def say(self, voice: Voice, text: str, turn_id: str | None = None) -> None:
        """Take note of what was said; a turn begins with a new id, else with the user's words."""
        text = _bounded(text)
        if turn_id is not None and turn_id != self._turn_id:
            self._turn += 1
            self._turn_id = turn_id
        if says_nothing(text):
            return
        if turn_id is None and voice is Voice.USER:
            self._turn += 1
        self._pieces.append(_Piece(self._turn, voice, text))

    def touch(self, file: str) -> None:
        """Take note of a file that was read or written."""
        self._files.pop(file, None)
        self._files[file] = self._turn
        while len(self._files) > MAX_FILES:
            del self._files[next(iter(self._files))]

    def gave(self, texts: Iterable[str]) -> None:
        """Take note of what recall gave, to recognise it from now on."""
        for piece in self._pieces:
            self._read(piece)
        self.ours = self.ours.with_(texts)

    def words(self) -> dict[str, float]:
        """Return the words of the last turns, the newest turn's worth most (at most 1)."""
        weights: dict[str, float] = {}
        for piece in self._pieces:
            age = self._turn - piece.turn
            if age > MAX_AGE:
                continue
            for word, weight in self._read(piece).items():
                fading = piece.voice.value * FADING**age
                weights[word] = weights.get(word, 0.0) + weight * fading
        best = sorted(weights, key=lambda word: -weights[word])[:MAX_TERMS]
        return {word: min(1.0, weights[word]) for word in best}

    def files(self) -> tuple[str, ...]:
        """Return the files touched in the last turns, the last one first."""
        recent = [file for file, turn in self._files.items() if self._turn - turn <= MAX_AGE]
        return tuple(reversed(recent))

    def _read(self, piece: _Piece) -> Mapping[str, float]:
        if piece.words is None:
            own = self.ours.removed_from(piece.text, piece.voice)
            piece.words = {} if says_nothing(own) else terms(own)
            piece.text = ""
        return piece.words


def _bounded(text: str) -> str:
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]} {text[-TAIL:]}"
