"""Ids: what may be one, and how one is made of a title, a suggestion or a link's name (D2, D3).

An id is a kebab-case slug of at most 64 characters and may serve as a file name anywhere. Whether
it is free is its writer's question (D3); `numbered` gives the next one to try.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache

MAX_LENGTH = 64
"""Characters an id may have (D2)."""

_RESERVED = frozenset(
    ["readme", "memory", "con", "prn", "aux", "nul"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in range(10)]
)
_RESERVED_SUFFIX = "-note"
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_SEPARATORS = re.compile(r"[^a-z0-9]+")
_APOSTROPHES = re.compile(r"(?<=[^\W_])['\u2019\u02bc\uff07](?=[^\W_])")
# "C++" and "C#" are names of their own: without this all of them would share the id "c".
_PLUSES = re.compile(r"(?<=[A-Za-z])\+\+(?![A-Za-z0-9+])")
_SHARP = re.compile(r"(?<=[A-Za-z])#(?![A-Za-z0-9#])")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_MAX_INPUT = 1000
"""Characters of a title or suggestion that are looked at: many times what an id can hold."""
_WORDS_OF_CONTENT = 8
_CONTENT_LENGTH = 48
# A word that a cut leaves dangling at the end says nothing there.
_LITTLE_WORDS = """
a an and are as at be but by for from if in into is it not of on or so that the to was when
which with
"""
_DANGLING = frozenset(_LITTLE_WORDS.split())


def slug(text: str) -> str:
    """Give the id that `text` normalises to, '' where it holds nothing usable (D2).

    Letters and digits of every script count, transliterated; everything else separates words.
    Reserved names get "-note". Idempotent, and the same for NFC and NFD.
    """
    return _cut(name(text.strip()[:_MAX_INPUT]), MAX_LENGTH)


def name(text: str) -> str:
    """Normalise like `slug` but to any length: what a link calls its target (L1)."""
    normal = _SEPARATORS.sub("-", _latin(text).lower()).strip("-")
    return normal + _RESERVED_SUFFIX if normal in _RESERVED else normal


def is_slug(text: str) -> bool:
    """Tell whether `text` may be an id as it stands: well formed, short enough, not reserved."""
    return len(text) <= MAX_LENGTH and _SLUG.fullmatch(text) is not None and text not in _RESERVED


def numbered(base: str, n: int) -> str:
    """Give `base-n`, with the id `base` shortened so that it stays within the limit (D3)."""
    suffix = f"-{n}"
    return _cut(base, MAX_LENGTH - len(suffix)) + suffix


def derive(title: str, content_texts: Iterable[str]) -> str:
    """Make an id of a record that suggests none: of its title, else its content's first words.

    '' where neither holds anything usable: the caller then takes a ULID (D2).
    """
    derived = _whole_words(slug(title), name(title.strip()[:_MAX_INPUT]))
    if derived:
        return derived
    for text in content_texts:
        opening = name(text.strip()[:_MAX_INPUT])
        words = "-".join(opening.split("-")[:_WORDS_OF_CONTENT])
        derived = _whole_words(_cut(words, _CONTENT_LENGTH), opening)
        if derived:
            return derived
    return ""


def _whole_words(cut: str, full: str) -> str:
    """Drop the little words that a cut left at the end of `cut`."""
    if cut == full:
        return cut
    words = cut.split("-")
    while len(words) > 1 and words[-1] in _DANGLING:
        words.pop()
    return "-".join(words)


def _cut(normal: str, length: int) -> str:
    """Shorten to `length` at a word, where a word ends in the second half; else anywhere."""
    if len(normal) <= length:
        return normal
    end = normal.rfind("-", 0, length + 1)
    return normal[: end if end > length // 2 else length].rstrip("-")


def _latin(text: str) -> str:
    """Spell `text` in ASCII letters and digits, with blanks for whatever else it holds."""
    text = unicodedata.normalize("NFC", text)
    text = _APOSTROPHES.sub("", _SHARP.sub(" sharp", _PLUSES.sub(" plus plus", text)))
    if text.isascii():
        return text
    # Twice: compatibility forms of what is no letter (a trade mark sign) would turn into letters.
    letters = unicodedata.normalize("NFKC", _letters(text))
    transliterate = _transliteration()
    return "".join(
        char if char.isascii() else _spelling(char, transliterate) for char in _letters(letters)
    )


def _letters(text: str) -> str:
    """Blank all but letters, marks and numbers: emoji too, which would be spelled ":smile:"."""
    return "".join(char if unicodedata.category(char)[0] in "LMN" else " " for char in text)


def _spelling(char: str, transliterate: Callable[[str], str]) -> str:
    spelled = "".join(c for c in transliterate(char) if c.isalnum() or c == " ")
    return f" {spelled} " if _ideograph(char) else spelled


def _ideograph(char: str) -> bool:
    """Han characters are syllables of their own: bu-shu, not bushu."""
    return _HAN.match(char) is not None


@cache
def _transliteration() -> Callable[[str], str]:
    # Its tables cost as much to load as everything else on the serving path: only when needed.
    from anyascii import anyascii  # noqa: PLC0415

    return anyascii
