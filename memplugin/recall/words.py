"""Words of prose: which of them say nothing, and what form of a word is compared.

Words come in here in lower case, without accents. English rules serve every language in Latin
letters, Russian ones every language in Cyrillic letters; other scripts are compared as written.
"""

import re
from functools import cache, lru_cache
from threading import Lock
from typing import Protocol

_STOP_ENGLISH = """
a about above after again all also am an and any are as at be because been before being below
between both but by can could did do does doing down during each few for from further had has have
having he her here hers herself him himself his how i if in into is it its itself just let me more
most my myself of off on once only or other our ours ourselves out over own same she should so some
such than that the their theirs them themselves then there these they this those through to too
under until up us very was we were what when where which while who whom whose why will with would
you your yours yourself yourselves shall might must upon via per etc ie eg
"""
# Only words that are none in English: a query in it must not lose them.
_STOP_OTHERS = """
der das und ist sind ein eine einen einem einer mit fur auf von zu zum zur im dem wir ich sie wie
wird auch bei oder aber nach aus durch wenn dass
le les une et que qui dans avec du aux ce cette ces nous vous ils elle
el los las una por para del como
и в во на с со что как по это за из у к ко от до для или но а о об же ли бы то
"""  # noqa: RUF001 - Russian
_NEGATIONS = (
    "no not never none nor neither without cannot dont nicht kein keine ne pas не нет ни без"
)
_FILLERS = """
ok okay yes yeah yep yup sure thanks thank thx please pls go continue proceed next hi hello hey
great good nice cool fine right alright well hmm hm lgtm done perfect got done now ahead keep going
try again sounds awesome wow oh ah no nope not carry move work works do it that so start begin stop
wait ready cheers morning evening
"""
_IRREGULAR = """
went go gone go ran run bought buy sold sell made make paid pay said say told tell taught teach
thought think brought bring caught catch built build sent send spent spend kept keep left leave
lost lose met meet won win found find held hold sat sit stood stand understood understand felt feel
heard hear began begin begun begin drank drink drunk drink drove drive driven drive ate eat eaten
eat fell fall fallen fall flew fly flown fly forgot forget forgotten forget gave give given give
grew grow grown grow knew know known know rode ride ridden ride rose rise risen rise saw see seen
see sang sing sung sing spoke speak spoken speak swam swim swum swim took take taken take wore wear
worn wear wrote write written write chose choose chosen choose broke break broken break woke wake
froze freeze frozen freeze hid hide hidden hide threw throw thrown throw drew draw drawn draw slept
sleep dealt deal meant mean sought seek children child men man women woman people person feet foot
teeth tooth mice mouse lives life wives wife knives knife shelves shelf indices index vertices
vertex matrices matrix better good best good worse bad worst bad
"""
_CLITIC = re.compile(r"'(?:s|ll|ve|re|d|m)$")
_MAX_STEMMED = 32
"""Longer runs of letters are no words."""


def is_stop_word(word: str) -> bool:
    """Tell whether `word` only holds a sentence together."""
    return word in _stop_words()


def is_negation(word: str) -> bool:
    """Tell whether `word` turns a statement round: kept, since it is what two may differ by."""
    return word in _negations()


def is_filler(word: str) -> bool:
    """Tell whether `word` is of those that people only keep a conversation going with."""
    return word in _fillers()


def uncontracted(word: str) -> tuple[str, ...]:
    """Give the words in one with apostrophes: don't → dont, not; user's → user; o'brien → obrien.

    Apostrophes are ASCII here; what is given holds none.
    """
    if word.endswith("n't"):
        return word.replace("'", ""), "not"
    bare = _CLITIC.sub("", word)
    parts = bare.split("'")
    joined = "".join(parts)
    return tuple(dict.fromkeys([joined, *(part for part in parts if len(part) > 1)]))


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Give the form that `word` is compared in; stop words and negations stay as they are."""
    if len(word) > _MAX_STEMMED or not word.isalpha():
        return word
    if is_stop_word(word) or is_negation(word):
        return word
    regular = _irregular().get(word, word)
    if regular.isascii():
        return _stemmers().english(regular)
    return _stemmers().russian(word) if "\u0400" <= word[0] <= "\u052f" else word


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the library's name


class _Stemmers:
    """The reference stemmers, which keep state while they work: one caller at a time."""

    def __init__(self) -> None:
        # All of the library's languages are loaded with it: only once something is to be stemmed.
        import snowballstemmer  # noqa: PLC0415

        self._english: _Stemmer = snowballstemmer.EnglishStemmer()
        self._russian: _Stemmer = snowballstemmer.RussianStemmer()
        self._lock = Lock()

    def english(self, word: str) -> str:
        with self._lock:
            return self._english.stemWord(word)

    def russian(self, word: str) -> str:
        with self._lock:
            return self._russian.stemWord(word)


@cache
def _stemmers() -> _Stemmers:
    return _Stemmers()


@cache
def _stop_words() -> frozenset[str]:
    return frozenset((_STOP_ENGLISH + _STOP_OTHERS).split()) - _negations()


@cache
def _negations() -> frozenset[str]:
    return frozenset(_NEGATIONS.split())


@cache
def _fillers() -> frozenset[str]:
    return frozenset(_FILLERS.split())


@cache
def _irregular() -> dict[str, str]:
    forms = _IRREGULAR.split()
    return dict(zip(forms[::2], forms[1::2], strict=True))
