"""Takes secrets out of a text before anything of it is kept.

A secret becomes `[redacted: <kind>]`; what is around it stays. The forms are tables
(`secret_forms`, `secret_labels`); this module applies them, private key blocks first, since they
hold anything, then what shows by itself, then what a label gives away. In doubt more is taken out.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from msgspec import Struct

from memplugin.capture import secret_labels as labels
from memplugin.capture.secret_forms import (
    CARD,
    CARD_LENGTHS,
    FORMS,
    PEM_BEGIN,
    PEM_BODY,
    PEM_END,
)

MARKER = re.compile(r"\[redacted: [a-z0-9-]{1,40}\]")
"""What stands in place of a secret."""

_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\xad\u034f\u0300-\u036f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
"""What can stand inside a secret without being seen."""
_STASHED = re.compile(r"\[redacted:([0-9]{1,9})\]")
_MAX_PASSES = 4  # taking one secret out can lay another's edge bare; three were never needed
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+=_-])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=_-])")
_BASE64_LINE = re.compile(r"[A-Za-z0-9+/=]{1,100}\r?")


class Redaction(Struct, frozen=True):
    """A text without its secrets, and which kinds were taken out (sorted, each once)."""

    text: str
    kinds: tuple[str, ...]


def redact(text: str) -> Redaction:
    """Replace every secret in a text by `[redacted: <kind>]`.

    Idempotent, linear in the length of the text, never raises. A text without secrets comes back
    as it is; markers that were there before stay and are not counted in `kinds`.
    """
    told = _redacted(text)
    seen = _seen(text)
    if seen != text:
        laid_bare = _redacted(seen)
        if laid_bare.kinds != told.kinds:
            return laid_bare
    return told


def _seen(text: str) -> str:
    """Return what a reader takes a text for: hidden characters hide nothing, nor do wide forms."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub("", unicodedata.normalize("NFKD", text))


def _redacted(text: str) -> Redaction:
    kinds: set[str] = set()
    for _ in range(_MAX_PASSES):
        before, stash = text, _Stash()
        text = stash.hide(text)
        for step in (_keys, _forms, _labelled):
            text = step(text, stash)
        text = stash.restore(text)
        kinds |= stash.kinds
        if text == before:
            break
    return Redaction(text, tuple(sorted(kinds)))


class _Stash:
    """Markers, numbered while patterns run: the kind in a marker is itself a word they look for."""

    def __init__(self) -> None:
        self._markers: list[str] = []
        self.kinds: set[str] = set()

    def mark(self, kind: str) -> str:
        """Return what stands in the text for a new marker."""
        self.kinds.add(kind)
        return self._numbered(f"[redacted: {kind}]")

    def hide(self, text: str) -> str:
        return MARKER.sub(lambda m: self._numbered(m[0]), text)

    def restore(self, text: str) -> str:
        return _STASHED.sub(self._restored, text)

    def _numbered(self, marker: str) -> str:
        self._markers.append(marker)
        return f"[redacted:{len(self._markers) - 1}]"

    def _restored(self, match: re.Match[str]) -> str:
        number = int(match[1])
        return self._markers[number] if number < len(self._markers) else match[0]


def _forms(text: str, stash: _Stash) -> str:
    for form in FORMS:
        text = form.pattern.sub(partial(_put_form, kind=form.kind, stash=stash), text)
    if "aws-access-key" in stash.kinds or "aws" in text.casefold():
        text = _AWS_SECRET.sub(lambda m: _aws_secret(m, stash), text)
    return CARD.sub(lambda m: stash.mark("card-number") if _is_card(m[0]) else m[0], text)


def _put_form(match: re.Match[str], kind: str, stash: _Stash) -> str:
    if "secret" in match.re.groupindex:
        return _put(match, stash.mark(kind), "secret")
    return stash.mark(kind)


def _put(match: re.Match[str], marker: str, group: str) -> str:
    """Return a match with one of its groups replaced."""
    start, end = match.span(group)
    return match.string[match.start() : start] + marker + match.string[end : match.end()]


def _aws_secret(match: re.Match[str], stash: _Stash) -> str:
    random = labels.is_random(match[0], ids=False)
    return stash.mark("aws-secret-key") if random else match[0]


def _is_card(number: str) -> bool:
    """Tell a card number by its length and check digit (Luhn, ISO/IEC 7812-1 annex B)."""
    digits = [int(c) for c in number if c.isdigit()]
    if len(digits) not in CARD_LENGTHS[number[0]] or len(set(digits)) == 1:
        return False
    doubled = [sum(divmod(2 * d, 10)) for d in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _labelled(text: str, stash: _Stash) -> str:
    text = labels.PHRASE.sub(lambda m: _put(m, stash.mark("passphrase"), "bare"), text)
    text = labels.PIN.sub(lambda m: _put(m, stash.mark("pin"), "bare"), text)
    for pattern, is_secret in _LABELLED:
        text = pattern.sub(partial(_put_value, is_secret=is_secret, stash=stash), text)
    return text


class _Found(NamedTuple):
    """A value found by its label."""

    match: re.Match[str]
    group: str
    value: str
    password: bool


def _put_value(match: re.Match[str], is_secret: Callable[[_Found], bool], stash: _Stash) -> str:
    groups = [g for g in ("dq", "sq", "bq", "bare") if g in match.re.groupindex and match[g]]
    if not groups or match[groups[0]].startswith("[redacted:"):
        return match[0]
    password = bool(match.groupdict().get("password"))
    if not is_secret(_Found(match, groups[0], match[groups[0]], password)):
        return match[0]
    return _put(match, stash.mark("password" if password else "secret"), groups[0])


def _assigned(found: _Found) -> bool:
    match = found.match
    sign, start = match.end("sep"), match.start(found.group)
    tight = match["sep"] != ":" and start - sign <= 1 and not match.string[sign].isspace()
    return labels.is_assigned(found.value, password=found.password, tight=tight)


def _spoken(found: _Found) -> bool:
    match = found.match
    after = match.string[match.end() : match.end() + 2].strip(" \t")
    last = found.group != "bare" or found.value[-1] in ".!;" or not after or after[0] in "\n,;)"
    return labels.is_spoken(found.value, password=found.password, last=last)


def _beside(found: _Found) -> bool:
    return labels.is_beside(found.value, password=found.password)


def _near(found: _Found) -> bool:
    return labels.is_random(found.value, ids=False)


_LABELLED: tuple[tuple[re.Pattern[str], Callable[[_Found], bool]], ...] = (
    (labels.ASSIGNED, _assigned),
    (labels.SPOKEN, _spoken),
    (labels.BESIDE, _beside),
    (labels.NEAR, _near),
)


def _keys(text: str, stash: _Stash) -> str:
    """Take out private key blocks: whole ones, ones without an end, ones without a beginning."""
    kept, at, no_end = [], 0, False
    while begin := PEM_BEGIN.search(text, at):
        end = None if no_end else PEM_END.search(text, begin.end())
        no_end = end is None
        kept += [text[at : begin.start()], stash.mark("private-key")]
        at = end.end() if end else _body_end(text, begin.end())
    return "".join(kept) + _without_beginning(text[at:], stash)


def _body_end(text: str, at: int) -> int:
    body = PEM_BODY.match(text, at)
    return body.end() if body else at


def _without_beginning(text: str, stash: _Stash) -> str:
    """Take out tails of key blocks whose first line was cut off."""
    kept, at = [], 0
    for end in PEM_END.finditer(text):
        lines = text[at : end.start()].split("\n")
        while lines and (not lines[-1].strip() or _BASE64_LINE.fullmatch(lines[-1])):
            lines.pop()
        kept += ["\n".join([*lines, stash.mark("private-key")])]
        at = end.end()
    return "".join(kept) + text[at:]
