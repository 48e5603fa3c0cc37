"""The words that near-duplicates are judged by: synonyms, opposites, negations, empty words.

One line a group, its key first. Single words are compared by their stems, so a line needs each
word once; phrases are compared as written.
"""

from functools import cache

from msgspec import Struct

from memplugin.capture.near_synonyms import SYNONYMS
from memplugin.recall.words import stem

_WEAK = """
use make do get have take keep go come put set let work help try ensure remember note happen occur
sit contain provide exist become stay remain seem look mean know think say tell always usually
normally currently now already still also just really very quite generally typically basically
simply actually strictly exactly directly properly merely thing way case kind one good certain
various own store name reply new done find handle apply support manage rely serve belong give well
any both here there being everything anything something via like same require about first because
execute ok create return receive permit may if all publish own enough fully own further follow
"""
_LITTLE = """
user people somebody someone please we i you they he she it my your their our his her us me them
"""
_NEGATIONS = """
no non not never none nor neither without cannot nothing nobody nowhere avoid forbid forbidden
prohibit prohibited ban banned disallow disallowed refrain lack stop instead
nicht kein keine keinen keiner nie niemals ohne ne pas jamais sans nunca sin nao
не нет ни без никогда нельзя запрещено
不 没 沒 未 勿 别 別 禁 无 無 非
"""
_ENDING_NEGATIONS = ("ない", "ません", "않", "없", "못", "금지")
_OPPOSITES = """
staging | production | development | qa | sandbox | preview
enable | disable
on | off
max | min
above | below
first | second | third | fourth | last
always | sometimes | rarely
all | some | most | few
increase | decrease | reduce
raise | lower
include | except
create | add | introduce | delete | strip
attach | detach
upload | download
read | write
internal | external
public | private
client | server
frontend | backend
up | down
left | right
top | bottom
light | dark
old | new
high | low
start | end | stop | pause | quit | cancel
open | close
lock | unlock
mount | unmount
encrypt | decrypt
encode | decode
compress | decompress
import | export
importer | exporter
push | pull
true | false
yes | no
success | fail | pass
work | fail
green | red | yellow | blue | black | white
sync | async
synchronous | asynchronous
ascending | descending
horizontal | vertical
row | column
primary | secondary | replica
source | target | destination
request | response
sender | receiver
morning | afternoon | evening | night
yesterday | today | tomorrow
hourly | daily | nightly | weekly | two-weekly | monthly | quarterly | yearly
north | south | east | west
like | dislike
win | lose
buy | sell
accept | reject
approve | reject
merge | rebase | squash
tab | space
inner | outer
global | local
static | dynamic
mutable | immutable
inbound | outbound
ingress | egress
upstream | downstream
major | minor | patch
odd | even
hot | cold
fast | slow
big | small
long | short
detailed | short
many | few
more | less
manual | auto
valid | invalid
install | uninstall
subscribe | unsubscribe
connect | disconnect
visible | hidden
show | hide
online | offline
sequential | parallel
strict | lenient
remote | local
son | daughter
wife | husband
mother | father
brother | sister
http | https
generate | manual
启 | 停 | 关 | 禁
开 | 关
前 | 后
前 | 後
有 | 无
有 | 無
"""
_NUMBERS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty
"""
_UNITS = """
ms = millisecond, msec
s = second, sec
min = minute
h = hour, hr
d = day
week = wk
month = mo
year = yr
b = byte
kb = kib, kilobyte
mb = mib, megabyte
gb = gib, gigabyte
tb = tib, terabyte
percent = per cent, pct
px = pixel
x = time
usd = dollar
eur = euro
gbp = pound
"""
_CALENDAR = """
monday = mon
tuesday = tue, tues
wednesday = wed
thursday = thu, thur, thurs
friday = fri
saturday =
sunday =
january = jan
february = feb
april = apr
june = jun
july = jul
august = aug
september = sep, sept
october = oct
november = nov
december = dec
"""


class Phrase(Struct, frozen=True):
    """Words that together stand for the key of their group."""

    key: str
    words: tuple[str, ...]


@cache
def keys() -> dict[str, str]:
    """Give the key of each one-word form, by its stem."""
    return {
        stem(form): key for key, forms in _groups(SYNONYMS) for form in forms if " " not in form
    }


@cache
def phrases() -> dict[str, list[Phrase]]:
    """Give the forms of several words by their first word, longer ones first."""
    found: dict[str, list[Phrase]] = {}
    for key, forms in _groups(SYNONYMS):
        for form in forms:
            words = tuple(form.split())
            if len(words) > 1:
                found.setdefault(words[0], []).append(Phrase(key, words))
    for starting in found.values():
        starting.sort(key=lambda phrase: -len(phrase.words))
    return found


@cache
def units() -> dict[str, str]:
    """Give the unit that a word after a number stands for, by its stem."""
    return {stem(form): key for key, forms in _groups(_UNITS) for form in forms}


@cache
def calendar() -> dict[str, str]:
    """Give the weekday or month that a word stands for, by its stem."""
    return {stem(form): key for key, forms in _groups(_CALENDAR) for form in forms}


@cache
def numbers() -> dict[str, str]:
    """Give the digits of number words; not of "one", which mostly counts nothing."""
    return {word: str(n) for n, word in enumerate(_NUMBERS.split()) if word != "one"}


@cache
def opposites() -> list[frozenset[str]]:
    """Give the groups of keys of which a statement can hold but one."""
    lines = (line.split(" | ") for line in _OPPOSITES.strip().splitlines())
    return [frozenset(key_of(word) for word in line) for line in lines]


def key_of(word: str) -> str:
    """Give what `word`, in lower case, is compared by."""
    stemmed = stem(word)
    return keys().get(stemmed, stemmed)


@cache
def weak() -> frozenset[str]:
    """Give the keys of words that say little: statements may differ by them."""
    return frozenset(key_of(word) for word in _WEAK.split())


@cache
def little() -> frozenset[str]:
    """Give the words that stand for whom everybody knows is meant."""
    return frozenset(_LITTLE.split())


def is_negation(word: str) -> bool:
    """Tell whether `word` turns a statement round, or forbids it."""
    return word in _negations() or (not word.isascii() and word.endswith(_ENDING_NEGATIONS))


@cache
def _negations() -> frozenset[str]:
    return frozenset(_NEGATIONS.split())


def _groups(table: str) -> list[tuple[str, list[str]]]:
    found = []
    for line in table.strip().splitlines():
        key, _, forms = line.partition(" =")
        found.append((key, [key, *(form.strip() for form in forms.split(",") if form.strip())]))
    return found
