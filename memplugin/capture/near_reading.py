"""Reads a statement for comparison: its words in order, each with what it is and counts for.

Dates, times, amounts and names take one form however they are written, synonyms one key.
"""

import re
from collections.abc import Iterator
from enum import IntEnum

from msgspec import Struct

from memplugin.capture import near_words
from memplugin.recall import dates, names
from memplugin.recall.scripts import IDEOGRAPHS, UNSPACED, plain
from memplugin.recall.words import is_stop_word, stem


class Kind(IntEnum):
    """What a word is to a statement, from what it may lack to what makes it another."""

    BREAK = 0
    LITTLE = 1
    WEAK = 2
    TELLING = 3
    NAME = 4
    NUMBER = 5
    NEGATION = 6


class Word(Struct, frozen=True):
    """A word's key, its kind, and of a name made of several words their keys."""

    key: str
    kind: Kind
    parts: frozenset[str] = frozenset()


_SYMBOLS = (
    ("€", " eur "),
    ("£", " gbp "),
    ("≥", " at least "),
    ("≤", " at most "),
    ("≠", " not "),
    ("→", " to "),
)
_DOLLARS = re.compile(r"\$(?=[0-9])")
_GREATER = re.compile(r"(?<=[ \t])>=?(?=[ \t]?[0-9])")
_SMALLER = re.compile(r"(?<=[ \t])<=?(?=[ \t]?[0-9])")
_CLOCK = re.compile(
    r"(?<![\w.:])([0-9]{1,2})(?:[:.]([0-9]{2}))? ?([ap])\.?m\b\.?|(?<![\w.:])([0-9]{1,2}):([0-9]{2})(?![\w:])",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9,])")
_RATE = re.compile(r"(?<=[a-z])/(?=(?:s|sec|second|min|minute|h|hour|day|week|month|year)\b)")
_PIECE = re.compile(r"[^\s\"()*,;<=>?\[\]^`{|}!]+|[,;?!\n]")
_SIGNED = re.compile(r"([A-Za-z]+(?:\+\+|#))[.,:]?$")
_FLAG = re.compile(r"--?[A-Za-z][\w-]*$")
_NUMBER = re.compile(r"[vV]?(-?[0-9]+(?:[.:/-][0-9]+)*)(\+?)$")
_AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]+)?)-?([A-Za-z]+|%)$")
_WORDS_JOINED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+$")
_CHARS = re.compile(f"[{IDEOGRAPHS}{UNSPACED}]")
_HUMPED = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_PARTICLES = frozenset("的了着在是吗呢吧啊就会将要把被请也都和与及时请")
_ENDS = frozenset(".!?:\n;")
_CAPITALS = 0.6
"""Share of capitalised words from which on a capital no longer tells a name."""
_MIN_CAPITALS = 3
_NOON = 12


def read(text: str) -> list[Word]:
    """Read `text`; linear in its length."""
    pieces = _PIECE.findall(_prepared(text))
    return _merged(list(_raw(pieces, shouting=_is_shouting(pieces))))


def _prepared(text: str) -> str:
    for symbol, words in _SYMBOLS:
        text = text.replace(symbol, words)
    text = _DOLLARS.sub(" usd ", plain(text))
    text = _GREATER.sub(" above ", _SMALLER.sub(" below ", text))
    text = _THOUSANDS.sub(lambda number: number[0].replace(",", ""), text)
    return _RATE.sub(" per ", _CLOCK.sub(_clock, dates.canonical(text)))


def _clock(found: re.Match[str]) -> str:
    if found[4]:
        return f"{int(found[4]):02}:{found[5]}"
    hour = int(found[1]) % _NOON + (_NOON if found[3] in "pP" else 0)
    return f"{hour:02}:{found[2] or '00'}"


def _is_shouting(pieces: list[str]) -> bool:
    """Tell whether capitals are everywhere, as in titles: then they tell no names."""
    words = [piece for piece in pieces if len(piece) > _MIN_CAPITALS and piece.isalpha()]
    capitals = sum(not word.islower() for word in words)
    return capitals >= _MIN_CAPITALS and capitals > _CAPITALS * len(words)


def _raw(pieces: list[str], *, shouting: bool) -> Iterator[tuple[str, Word | None, bool]]:
    """Give each word in lower case, what it is where that is certain, and whether a capital names."""
    starts = True
    for piece in pieces:
        if len(piece) == 1 and piece in ",;?!\n":
            yield piece, Word(",", Kind.BREAK), False
            starts = starts or piece in _ENDS
            continue
        for word in _CHARS.sub(r" \g<0> ", piece).split() if not piece.isascii() else (piece,):
            yield from _piece(word, names_by_capital=not (starts or shouting), shouting=shouting)
        starts = piece[-1] in _ENDS or (starts and not any(map(str.isalnum, piece)))
        if piece[-1] in ".:":
            yield ".", Word(".", Kind.BREAK), False


def _piece(
    piece: str, *, names_by_capital: bool, shouting: bool
) -> Iterator[tuple[str, Word | None, bool]]:
    if signed := _SIGNED.match(piece):
        yield "", _name(signed[1]), False
        return
    if _FLAG.match(piece):
        yield "", _name(piece), False
        return
    bare = piece.strip("'._/@:#$%~&\\+-") or piece.strip("'")
    tail = "%" if piece.rstrip(".,:").endswith("%") else "+" if piece.endswith("+") else ""
    negative = "-" if piece.startswith("-") and bare[:1].isdigit() else ""
    if number := _NUMBER.match(negative + bare):
        yield "", Word(_plain_number(number[1]), Kind.NUMBER), False
        if tail:
            yield ("%", None, False) if tail == "%" else ("newer", None, False)
    elif amount := _AMOUNT.match(bare):
        yield from _amount(amount)
    elif names_by_capital and len(bare) == 1 and bare.isupper() and bare != "I":
        yield "", Word(bare, Kind.NAME), False
    elif _CHARS.match(bare):
        yield bare, None, False
    elif bare.isalpha():
        capital = (names_by_capital and bare[0].isupper()) or (bare.isupper() and not shouting)
        yield bare.casefold(), None, capital and len(bare) > 1 and not _HUMPED.search(bare)
    elif "'" in bare:
        yield from _contracted(bare.casefold(), named=names_by_capital and bare[0].isupper())
    elif _WORDS_JOINED.match(bare):
        for part in bare.split("-"):
            yield part.casefold(), None, False
    elif any(map(str.isalnum, bare)):
        yield "", _name(bare), False


def _plain_number(number: str) -> str:
    return number.lstrip("0") or "0" if number.isdigit() else number


def _amount(amount: re.Match[str]) -> Iterator[tuple[str, Word | None, bool]]:
    number, unit = amount[1], amount[2].lower()
    if unit in ("st", "nd", "rd", "th"):
        ordinal = {"1": "first", "2": "second", "3": "third", "4": "fourth"}.get(number)
        yield (ordinal, None, False) if ordinal else ("", Word(number, Kind.NUMBER), False)
    elif unit == "k" and number.isdigit():
        yield "", Word(number + "000", Kind.NUMBER), False
    elif unit == "%" or stem(unit) in near_words.units():
        yield "", Word(_plain_number(number), Kind.NUMBER), False
        yield unit, None, False
    else:
        yield "", _name(amount[0]), False


def _contracted(word: str, *, named: bool) -> Iterator[tuple[str, Word | None, bool]]:
    if word.endswith("n't"):
        verb = {"ca": "can", "wo": "will"}.get(word[:-3], word[:-3])
        yield verb, None, False
        yield "not", None, False
    else:
        yield word.split("'", maxsplit=1)[0], None, named


def _name(name: str) -> Word:
    parts = frozenset(
        near_words.key_of(token)
        for token, _ in names.read(name)
        if token.isalnum() and len(token) > 1
    )
    joined = re.sub(r"(?<=\w)[-_](?=\w)", "", name.casefold()).strip(".:'/")
    return Word(joined, Kind.NAME, parts - {joined, stem(joined)})


def _merged(raw: list[tuple[str, Word | None, bool]]) -> list[Word]:
    """Replace phrases and synonyms by their keys, and tell what each word is."""
    words: list[Word] = []
    index = 0
    while index < len(raw):
        form, known, capital = raw[index]
        if known is not None:
            words.append(known)
            index += 1
            continue
        phrase = _phrase(raw, index)
        if phrase is not None:
            words.append(_classified(phrase.key, phrase.key, capital=False))
            index += len(phrase.words)
            continue
        words.append(_single(form, words[-1] if words else None, capital=capital))
        index += 1
    return words


def _phrase(raw: list[tuple[str, Word | None, bool]], index: int) -> near_words.Phrase | None:
    for phrase in near_words.phrases().get(raw[index][0], ()):
        if tuple(form for form, _, _ in raw[index : index + len(phrase.words)]) == phrase.words:
            return phrase
    return None


def _single(form: str, before: Word | None, *, capital: bool) -> Word:
    stemmed = stem(form)
    if before is not None and before.kind is Kind.NUMBER and not before.key.isalpha():
        unit = near_words.units().get(stemmed)
        if unit is not None:
            return Word(unit, Kind.NUMBER)
    if form in near_words.numbers():
        return Word(near_words.numbers()[form], Kind.NUMBER)
    if stemmed in near_words.calendar():
        return Word(near_words.calendar()[stemmed], Kind.NUMBER)
    if form in ("noon", "midnight"):
        return Word("12:00" if form == "noon" else "00:00", Kind.NUMBER)
    return _classified(form, near_words.key_of(form), capital=capital)


def _classified(form: str, key: str, *, capital: bool) -> Word:
    if near_words.is_negation(form):
        return Word(key if form == "instead" else "not", Kind.NEGATION)
    if form in near_words.little() or form in _PARTICLES:
        return Word(key, Kind.LITTLE)
    if key in near_words.weak():
        return Word(key, Kind.WEAK)
    if is_stop_word(form):
        return Word(key, Kind.LITTLE)
    return Word(
        key, Kind.NAME if capital and key not in near_words.keys().values() else Kind.TELLING
    )
