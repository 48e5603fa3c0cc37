import pytest

from memplugin.recall.scripts import plain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Crème Ångström", "Creme Angstrom"),
        ("cafe\u0301", "cafe"),
        ("Łódź Ørsted Æther straße", "Lodz Orsted AEther strasse"),
        ("Ещё паро\u0301ль й", "Еще пароль й"),
        ("шёл и\u0306", "шел й"),
        ("Ελλάδα", "Ελλαδα"),
        ("שָׁלוֹם", "שלום"),
        ("مُحَمَّد", "محمد"),
        ("हिन्दी ไทย่", "हिन्दी ไทย่"),
        ("が ｶﾞ", "が ガ"),
        ("don\u2019t", "don't"),
        ("soft\u00adhyphen zero\u200bwidth", "softhyphen zerowidth"),
        ("\uff13×½", "3 1 2"),
        ("٣", "3"),
        ("a\u2028b\u0085c\u3000d", "a b c d"),
        ("\ud83d", " "),
        ("👍🏽", " 👍  "),
        ("€5 – “x”", " 5    x "),
    ],
)
def test_characters_take_one_form(text: str, expected: str) -> None:
    assert plain(text) == expected
