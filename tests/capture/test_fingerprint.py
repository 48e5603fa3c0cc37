"""Fingerprints: they recognise what was forgotten, and say nothing of it."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from memplugin.capture.fingerprint import fingerprint

SALT = b"0123456789abcdef"
TEXT = "The café's Wi-Fi key changes on Mondays."


def test_form_makes_no_difference() -> None:
    """Case 41: case, punctuation, blanks and the form of accents do not hide the same words."""
    same = fingerprint(SALT, TEXT)
    assert fingerprint(SALT, TEXT.upper()) == same
    assert fingerprint(SALT, f"  {TEXT.replace(' ', '   ')}\n") == same
    assert fingerprint(SALT, TEXT.rstrip(".")) == same
    assert fingerprint(SALT, unicodedata.normalize("NFD", TEXT)) == same


def test_other_words_and_other_salts_have_others() -> None:
    """Case 41: one word, the order or the salt changes all of it."""
    others = {
        fingerprint(SALT, TEXT),
        fingerprint(SALT, TEXT.replace("Mondays", "Tuesdays")),
        fingerprint(SALT, "On Mondays the café's Wi-Fi key changes."),
        fingerprint(b"another salt", TEXT),
    }
    assert len(others) == 4


@given(st.binary(min_size=1), st.text(st.characters(exclude_categories=[])))
def test_any_text_has_one_that_is_of_one_length(salt: bytes, text: str) -> None:
    """Case 41: 32 hex digits, the same each time, also of halves of surrogate pairs."""
    found = fingerprint(salt, text)
    assert found == fingerprint(salt, text)
    assert len(found) == 32
    assert set(found) <= set("0123456789abcdef")
