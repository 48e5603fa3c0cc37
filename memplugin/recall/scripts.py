"""What is common to all writing before it is read: one form of each character (NFKC, no accents).

Case is left as it is: identifiers are split by it later.
"""

import re
import unicodedata
from functools import cache

IDEOGRAPHS = (
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
"""Han, Hiragana and Katakana, as a character class: written without spaces."""
HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
"""Korean, as a character class: words are spaced, but carry their particles with them."""
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\ua9e0-\ua9ff\uaa60-\uaa7f"
"""Thai, Lao, Burmese and Khmer, as a character class: written without spaces."""

# Letters whose accents are folded; elsewhere marks are vowels, or make another letter of one.
_FOLDED = re.compile(
    "[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff\u0370-\u03ff\u1f00-\u1fff]"
)
# Accents and points that stand alone after normalisation, Hebrew and Arabic vowels, tatweel.
_DROPPED = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c7\u0640\u064b-\u065f\u0670\ufe00-\ufe0f]"
)
# What normalisation leaves together or apart, and people do not tell from its neighbour.
_UNDECOMPOSED = {
    "Æ": "AE",
    "æ": "ae",
    "Œ": "OE",
    "œ": "oe",
    "Ø": "O",
    "ø": "o",
    "Ł": "L",
    "ł": "l",
    "Đ": "D",
    "đ": "d",
    "Ð": "D",
    "ð": "d",
    "Þ": "Th",
    "þ": "th",
    "ß": "ss",
    "ẞ": "SS",
    "Ħ": "H",
    "ħ": "h",
    "\u0131": "i",  # dotless i
    "\u0401": "\u0415",  # Russian IO, written IE nearly everywhere
    "\u0451": "\u0435",
    "\u2018": "'",
    "\u2019": "'",
    "\u02bc": "'",
    "\u2032": "'",
    "\u2010": "-",
    "\u2212": "-",
}
_PICTURES = 0x2300
"""From here on symbols are pictures (emoji), which people may search for."""


def plain(text: str) -> str:
    """Give `text` with compatibility forms resolved and accents folded.

    What is left is ASCII, letters, marks and digits of all scripts, emoji (each by itself), and
    blanks for everything else. The same for NFC and NFD.
    """
    return text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_folds())


class _Folds(dict[int, str]):
    """What each character becomes, found once a character."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold(chr(code))
        return folded


@cache
def _folds() -> _Folds:
    return _Folds()


def _fold(char: str) -> str:
    if char.isascii():
        return char
    if char in _UNDECOMPOSED:
        return _UNDECOMPOSED[char]
    if _FOLDED.match(char):
        parts = unicodedata.normalize("NFKD", char)
        return "".join(part for part in parts if not unicodedata.combining(part))
    return "" if _DROPPED.match(char) else _by_category(char)


def _by_category(char: str) -> str:
    match unicodedata.category(char):
        case "Nd":
            return str(unicodedata.digit(char))
        case "Cf":
            return ""
        case "So" if ord(char) >= _PICTURES:
            return f" {char} "
        case category:
            return char if category[0] in "LMN" else " "
