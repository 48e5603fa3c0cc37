"""Cuts text into the word pieces of a vocabulary, as uncased BERT models do, without their library.

The steps are BERT's (Devlin et al. 2019, tokenization.py): controls are dropped, accents and case
folded, punctuation and Han signs stand alone, and each word becomes the longest pieces known from
its start on. Two are ours, for vocabularies made for them: a name in camel case that is no word of
the vocabulary is read as its parts, and a vocabulary may hold terms of several words.
"""

import re
import unicodedata
from collections.abc import Mapping

_LONGEST_WORD = 100  # characters; BERT takes what is longer for unknown
_CACHED_WORDS = 50_000  # about 10 MB
_HAN = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class _Characters(dict[int, str | None]):
    """What becomes of each character (str.translate); learnt as they are met."""

    def __missing__(self, code: int) -> str | None:
        self[code] = value = _fate(chr(code))
        return value


class WordPieces:
    """A vocabulary, and how text is read with it.

    `camel` reads names in camel case by their parts. Terms of several words in the vocabulary
    have blanks between these.
    """

    def __init__(self, numbers: Mapping[str, int], *, camel: bool = False) -> None:
        """`numbers`: the row of each piece; pieces that go on a word begin with "##"."""
        self._numbers = numbers
        self._camel = camel
        self._longest = max(map(len, numbers), default=0)
        self._known: dict[str, tuple[int, ...]] = {}
        self._characters = _Characters()
        self._terms = _openings(numbers)

    def numbers(self, text: str) -> list[int]:
        """Return the rows of a text's pieces in order; words without any are left out."""
        words = self._words(text)
        found: list[int] = []
        place = 0
        while place < len(words):
            word = words[place]
            longest = self._terms.get(word.lower(), 0) if self._terms else 0
            for length in range(min(longest, len(words) - place), 1, -1):
                term = " ".join(words[place : place + length]).lower()
                if (number := self._numbers.get(term)) is not None:
                    found.append(number)
                    place += length
                    break
            else:
                found.extend(self._pieces(word))
                place += 1
        return found

    def _words(self, text: str) -> list[str]:
        if not text.isascii():
            # Accents that stand alone go first: normalising long runs of them is quadratic.
            text = unicodedata.normalize("NFD", text.translate(self._characters))
        return text.translate(self._characters).split()

    def _pieces(self, word: str) -> tuple[int, ...]:
        known = self._known.get(word)
        if known is None:
            known = self._read(word)
            if len(self._known) < _CACHED_WORDS:
                self._known[word] = known
        return known

    def _read(self, word: str) -> tuple[int, ...]:
        lower = word.lower()
        if (number := self._numbers.get(lower)) is not None:
            return (number,)
        if len(word) > _LONGEST_WORD:
            return ()
        parts = _CAMEL.split(word) if self._camel else [word]
        if len(parts) > 1:
            return tuple(number for part in parts for number in self._pieces(part))
        return self._longest_pieces(lower)

    def _longest_pieces(self, word: str) -> tuple[int, ...]:
        found: list[int] = []
        start = 0
        while start < len(word):
            lead = "##" if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                if (number := self._numbers.get(lead + word[start:end])) is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return ()
        return tuple(found)


def _openings(numbers: Mapping[str, int]) -> dict[str, int]:
    """Return the words that open terms, and how many words the longest such term has."""
    found: dict[str, int] = {}
    for term in numbers:
        if " " in term:
            first, *rest = term.split(" ")
            found[first] = max(found.get(first, 0), 1 + len(rest))
    return found


def _fate(character: str) -> str | None:
    """Return what a character is read as: itself, a blank, a word of its own, or nothing."""
    if character.isspace():
        return " "
    category = unicodedata.category(character)
    if category[0] == "C" or category == "Mn" or character == "\ufffd":
        return None
    ascii_sign = character.isascii() and not character.isalnum()
    if ascii_sign or category[0] == "P" or _is_han(ord(character)):
        return f" {character} "
    return character


def _is_han(code: int) -> bool:
    return any(first <= code <= last for first, last in _HAN)
