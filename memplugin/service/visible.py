"""What a reader could not see in a text, made visible (V2, case 47)."""

import unicodedata

_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_SELECTORS = range(0xFE00, 0xFE10)
_MORE_SELECTORS = range(0xE0100, 0xE01F0)
_EMOJI_JOINTS = "\u200d\ufe0e\ufe0f"


def visible(text: str) -> str:
    """Return a text whose hidden and control characters are shown by their numbers.

    Line ends and tabs stay, and what joins emoji between emoji.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"\u27e6U+{ord(c):04X}\u27e7" if _is_hidden(c) and not _joins(text, at) else c
        for at, c in enumerate(text)
    )


def one_line(text: str) -> str:
    """Return a text made visible, on one line."""
    return visible(" ".join(text.split()))


def _is_hidden(char: str) -> bool:
    if char in "\n\t":
        return False
    if unicodedata.category(char) in _HIDDEN or char in _BLANK:
        return True
    return ord(char) in _SELECTORS or ord(char) in _MORE_SELECTORS


def _joins(text: str, at: int) -> bool:
    """Whether a joiner or selector stands right behind a symbol, as emoji have it."""
    if text[at] not in _EMOJI_JOINTS or not at:
        return False
    before = text[at - 2 : at][:1] if text[at - 1] == "\ufe0f" and at > 1 else text[at - 1]
    return unicodedata.category(before) in ("So", "Sk")
