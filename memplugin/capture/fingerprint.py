"""Fingerprints of forgotten text: they recognise it, and say nothing of it (case 41)."""

import hmac
import re
import unicodedata

_WORD = re.compile(r"\w+")


def fingerprint(salt: bytes, text: str) -> str:
    """Return a salted fingerprint of a text's words, 32 hex digits.

    Case, punctuation, white space and the form of accents (NFKC) make no difference.
    """
    words = " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))
    return hmac.digest(salt, words.encode("utf-8", "surrogatepass"), "sha256").hex()[:32]
