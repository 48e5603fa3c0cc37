"""The words that near-duplicates are judged by: synonyms, opposites, negations, empty words.

One line a group, its key first. Single words are compared by their stems, so a line needs each
word once; phrases are compared as written.
"""

from functools import cache

from msgspec import Struct

from memplugin.recall.words import stem

_SYNONYMS = """
pr = pull request, pull requests, merge request, merge requests, prs
ci = continuous integration, ci pipeline
k8s = kubernetes
postgres = postgresql, psql
database = db, dbs
repository = repo, repos
config = configuration, cfg, config file, configuration file
environment = env, envs
production = prod
development = dev
staging = stage
deploy = deployment, rollout, roll out
app = application
auth = authentication
docs = documentation, doc, document
directory = folder, dir
javascript = js
typescript = ts
message = msg
admin = administrator
information = info
max = maximum, maximal, at most, up to, no more than, not more than
min = minimum, minimal, at least, no less than, not less than
above = over, larger than, greater than, more than, bigger than, higher than, longer than, exceed
below = under, smaller than, less than, fewer than, lower than, shorter than
newer = later, or later, and later, or newer, and newer, and up, or above, and above, onwards
start = begin, launch, kick off, go live, goes live, commence
end = finish, conclude, is done, complete
fail = break, broken, failure, crash
like = prefer, favor, favour, want, love, enjoy, preference, favourite, favorite
dislike = hate, can't stand, not like, not want, not prefer
short = brief, concise, terse, succinct
long = lengthy, verbose
big = large, huge
small = little, tiny
fast = quick, rapid
theme = mode
keep = retain, save, persist
restate = repeat
delete = remove, drop, erase
strip = discard
migrate = move, migration, relocate
replace = supersede, substitute
modify = edit, change, alter
manual = manually, by hand, handwritten, hand written
auto = automatic, automatically, automated
hourly = every hour, each hour, per hour
daily = every day, each day, per day, a day
nightly = every night, each night
weekly = every week, each week, per week
monthly = every month, each month, per month, of each month, of the month, of every month
yearly = every year, each year, annually, annual, per year
two-weekly = every other, every second, biweekly, fortnightly
about = roughly, approximately, around, approx, circa, nearly, almost
expire = lifetime, ttl
timeout = time out, times out
timezone = time zone, tz
telephone = phone
mail = email, e mail
cronjob = cron, cron job, cron jobs
rebuild = rebuilt, reindex
same = share, shared
own = owner, responsible, maintain, maintainer
name = called, named, titled, title
job = task
because = since, due to, because of, driven by, reason, as a result of
via = through, by means of, using
beside = next to, alongside, adjacent
require = need, must, should, have to, has to, mandatory, necessary, ought
may = can, could, might, able to, possible, optional, optionally
only = solely, exclusively
except = apart from, other than, excluding, exclude, besides
unless = if not
instead = rather than, instead of, in place of, in lieu of, better than, in favour of, in favor of
beginner = new to, novice
explain = explanation
reply = answer, respond, response
summary = summarise, summarize, summaries, summarising, summarizing
color = colour
organize = organise
analyze = analyse
center = centre
behavior = behaviour
license = licence
gray = grey
allergy = allergic
execute = run, invoke
store = reside, live, located, place
log = logging
reset = wipe, wiped
frontend = front end
backend = back end
login = sign in, log in
logout = sign out, log out
password = passwd, pwd
ok = okay, fine, acceptable
bug = defect, issue
test = testing
permit = permitted, allow, allowed
if = when, whenever
all = every, each
valid = validity
response = responses
"""
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
no not never none nor neither without cannot nothing nobody nowhere avoid forbid forbidden
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
    return {stem(form): key for key, forms in _groups(_SYNONYMS) for form in forms if " " not in form}


@cache
def phrases() -> dict[str, list[Phrase]]:
    """Give the forms of several words by their first word, longer ones first."""
    found: dict[str, list[Phrase]] = {}
    for key, forms in _groups(_SYNONYMS):
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
