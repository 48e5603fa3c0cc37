"""Names that machines use, taken apart: identifiers, paths, addresses, versions, flags.

Everything here is a run of letters, digits and the signs such names are made of, without blanks.
Each token comes with a weight: the whole is worth more than a part, and 0 means that only an index
holds it, a query need not ask for it.
"""

import re
from collections.abc import Iterator
from hashlib import blake2b

from memplugin.recall import dates
from memplugin.recall.words import stem, uncontracted

SIGNS = "._-/@+#:$%~&\\"
"""The ASCII signs that a token may hold besides letters and digits."""

Weighted = Iterator[tuple[str, float]]

MAX_TOKEN = 64
"""Characters of a token; a longer one ends in a digest, so that only its equal matches it."""
_MAX_NAME = 256
"""Characters of a name that is taken apart with care; longer ones only into words."""
_DIGEST_BYTES = 8

_WHOLE = 2.0
_FILE = 1.5
_PART = 0.5

_EDGES = SIGNS + "'"
_VERSION = re.compile(r"[vV]?([0-9]+(?:\.[0-9]+)+)([-+._]?[A-Za-z][\w.+-]*)?")
_SIGNED = re.compile(r"([A-Za-z]+)(\+\+|#)([0-9]*)")
_SIGIL = re.compile(r"(?:--?|~/|[$@#./_])$")
_POSSESSIVE = re.compile(r"'[sS]$|'$")
_TIMESTAMP = re.compile(r"[0-9]{4}([-/.])[0-9]{1,2}(?:\1[0-9]{1,2})?(?:[tT][0-9:.+-]*[zZ]?)?")
_LINE_NUMBER = re.compile(r"(?<=[A-Za-z]):[0-9]+(?::[0-9]+)?$")
_ORDINAL = re.compile(r"([0-9]+)(?:st|nd|rd|th)", re.IGNORECASE)
_SLASH = re.compile(r"[/\\]+")
_LEVELS = (re.compile(r"[@:#$%~&+]+"), re.compile(r"\.+"), re.compile(r"[_-]+"))
_CAMEL = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^A-Za-z0-9]+")
_RUN = re.compile(r"[^\W_]+")
_MAX_HUMPS = 8
"""Parts a word may have: more are noise (digests, base64)."""


def read(name: str) -> Weighted:
    """Give the tokens of `name`, wholes before parts; a token may come more than once."""
    if name.isascii() and name.isdigit():
        yield _bounded(name), 1.0
        return
    if len(name) > _MAX_NAME:
        yield from _oversized(name)
        return
    body = name.strip(_EDGES)
    if not body:
        return
    yield from _with_signs(name, body)
    body = _POSSESSIVE.sub("", body)
    if body.isalpha():
        if len(body) == 1 and name.startswith(("++", "#"), name.index(body) + 1):
            return  # C++ is not about C
        yield from _word(body, 1.0)
    elif "'" in body and body.replace("'", "").isalpha():
        for word in uncontracted(body.casefold()):
            yield _bounded(stem(word)), 1.0
    else:
        yield from dates.digits(body)
        if _TIMESTAMP.fullmatch(body):
            yield _bounded(body.casefold()), 1.0
        else:
            yield from _path(body.replace("'", ""))


def _with_signs(name: str, body: str) -> Weighted:
    """Give the forms that mean something else without the signs around them: C++, --flag, 50%."""
    start = name.index(body)
    lead, tail = name[:start], name[start + len(body) :]
    if signed := _SIGNED.match(body + tail):
        yield _bounded((signed[1] + signed[2]).lower()), _WHOLE
    if sigil := _SIGIL.search(lead):
        yield _bounded((sigil[0] + body).casefold()), _FILE
    if tail.startswith("%") and body[-1].isdigit():
        yield _bounded(body.casefold() + "%"), _FILE


def _path(name: str) -> Weighted:
    parts = [part for part in _SLASH.split(name) if part]
    if len(parts) > 1 and parts[0].endswith(":"):
        parts = parts[1:]  # a scheme or a drive
    if len(parts) == 1:
        yield from _split(parts[0], 0, 1.0)
        return
    parts[-1] = _LINE_NUMBER.sub("", parts[-1])
    yield _bounded("/".join(parts).casefold()), _WHOLE
    yield _bounded("/".join(parts[-2:]).casefold()), _FILE
    yield from _split(parts[-1], 0, 1.0)
    for part in parts[:-1]:
        yield from _split(part, 0, _PART)


def _split(name: str, level: int, weight: float) -> Weighted:
    """Split by the signs of `level`, then each part by those of the next, words at the end."""
    name = name.strip(_EDGES)
    if level == len(_LEVELS):
        yield from _word(name, weight)
        return
    if version := _VERSION.fullmatch(name):
        yield from _version(version, weight)
        return
    parts = [part for part in _LEVELS[level].split(name) if part]
    if len(parts) > 1:
        yield _bounded(name.casefold()), _WHOLE * weight
        if level == len(_LEVELS) - 1:
            joined = "".join(parts).casefold()
            yield _bounded(joined), weight
            yield _bounded(stem(joined)), 0.0
        weight *= _PART
    for part in parts:
        if len(parts) == 1 or len(part) > 1:
            yield from _split(part, level + 1, weight)


def _version(version: re.Match[str], weight: float) -> Weighted:
    numbers = version[1].split(".")
    yield _bounded(version[1] + (version[2] or "").casefold()), _FILE * weight
    for length in range(len(numbers), 1, -1):
        yield _bounded(".".join(numbers[:length])), (_PART if length < len(numbers) else 1) * weight


def _word(word: str, weight: float) -> Weighted:
    """Give a word's stem, or where it has humps (getUserByID, http2) the whole and their stems."""
    if not word:
        return
    if ordinal := _ORDINAL.fullmatch(word):
        yield _bounded(ordinal[1]), weight
        return
    humps = _CAMEL.findall(word) if len(word) <= MAX_TOKEN else []
    if not 1 < len(humps) <= _MAX_HUMPS:
        yield _bounded(stem(word.casefold())), weight
        return
    whole = word.casefold()
    yield whole, _WHOLE * weight
    yield stem(whole), 0.0  # what it is where somebody writes it without humps
    for hump in humps:
        if len(hump) > 1:
            yield stem(hump.casefold()), _PART * weight


def _oversized(name: str) -> Weighted:
    yield _bounded(name.casefold()), _WHOLE
    for run in _RUN.finditer(name):
        yield _bounded(stem(run[0].casefold())), _PART


def _bounded(token: str) -> str:
    if len(token) <= MAX_TOKEN:
        return token
    digest = blake2b(token.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()
    return token[: MAX_TOKEN - len(digest) - 1] + "~" + digest
