"""Hears one message and proposes what of it is worth remembering: the rules, in order.

    message ── a model's words? ──▶ nothing
       │
       ├── asks for silence ──▶ Suppress
       ├── confirms what the assistant said ──▶ that
       ▼
    own words ─▶ sentences ─▶ explicit request, else the likeliest of the four kinds
                                   │
                  names instead of pronouns, absolute dates, third person, redacted, titled

Every step is pure; at most `own_words.MAX_TYPED` characters of a message are judged.
"""

import re
from collections.abc import Sequence

from memplugin.capture import vetoes
from memplugin.capture.confirming import confirmed
from memplugin.capture.cues import SUPPRESS_EARLIER, SUPPRESS_THIS
from memplugin.capture.events import judge_event
from memplugin.capture.explicit import requested
from memplugin.capture.findings import Finding
from memplugin.capture.heard import Candidate, Heard, Suppress
from memplugin.capture.own_words import own_words
from memplugin.capture.people import judge_person
from memplugin.capture.places import judge_place
from memplugin.capture.sentences import Sentence, mask, sentences
from memplugin.capture.wording import candidate
from memplugin.capture.working import judge_working
from memplugin.protocol.records import MemoryType

_MAX_WORDS = 60  # a longer sentence is an account or a paste
_REFUSAL = re.compile(
    r"(?i)^(?:no+|nope|nah|wrong|that'?s (?:wrong|not right)|actually|again)\b[ ,.:;!–—-]"
)
_REJECTS = re.compile(r"(?i)^(?:(?:no|nope|wrong),? )?not [\w.\"_`-]+(?: [\w.\"_`-]+)?[.!;]?$")
_REASON = re.compile(
    r"(?i)^(?:(?:the )?reason (?:is|being|was)|because|otherwise|that'?s (?:because|why)|it'?s because|"
    r"(?:we|i) (?:got burned|had|were bitten|learned|lost|once)|last (?:time|quarter|year|month)|they come from|it (?:breaks|broke|makes|keeps))\b"
)


def candidates(message: Heard, before: Sequence[Heard]) -> list[Candidate] | Suppress:
    """Return what a message holds that is worth remembering, the most confident first.

    `before` are up to a few earlier messages, newest last; they are read only for what the message
    refers to ("yes, exactly"). Deterministic; never raises. The caller limits how many are kept,
    and compares with what is known.
    """
    if message.speaker == "model" or message.role == "assistant":
        return []
    own = own_words(message.text)
    masked = mask(own)
    if SUPPRESS_EARLIER.search(masked):
        return Suppress(earlier=True)
    if hushed := SUPPRESS_THIS.search(masked):
        return Suppress(earlier=_points_back(masked, hushed))
    told = sentences(own)
    agreed = confirmed(told, before)
    found = [(agreed, None)] if agreed else _heard(told, before)
    kept = [candidate(each, previous, message.said_at) for each, previous in found]
    return sorted(_distinct([c for c in kept if c]), key=lambda c: (-c.explicit, -c.confidence))


def _points_back(masked: str, hushed: re.Match[str]) -> bool:
    """Tell whether a wish for silence stands alone: then it is about what was said before."""
    rest = masked[: hushed.start()] + masked[hushed.end() :]
    return len(re.findall(r"\w+", rest)) <= 3  # noqa: PLR2004 - "please", "ok": no subject of its own


def _distinct(found: list[Candidate]) -> list[Candidate]:
    """Drop candidates whose content another one has already."""
    kept: dict[str, Candidate] = {}
    for each in found:
        kept.setdefault(each.content.casefold(), each)
    return list(kept.values())


def _heard(told: list[Sentence], before: Sequence[Heard]) -> list[tuple[Finding, Sentence | None]]:
    """Return the findings of a message's sentences, each with the sentence before it."""
    found: list[tuple[Finding, Sentence | None]] = []
    correction = bool(told and _REFUSAL.match(told[0].masked))
    played = order = False
    at = 0
    while at < len(told):
        sentence, previous = told[at], told[at - 1] if at else None
        order = order or vetoes.orders_a_thing(sentence.masked)
        asked = requested(told, at, before)
        if asked:
            found.append((asked.finding, previous))
            at = asked.upto
            continue
        played = played or vetoes.plays_a_part(sentence.masked)
        if not played and len(sentence.masked.split()) <= _MAX_WORDS:
            _judge(sentence, previous, found, correction=correction, order=order)
        at += 1
    return found


def _judge(
    sentence: Sentence,
    previous: Sentence | None,
    found: list[tuple[Finding, Sentence | None]],
    *,
    correction: bool,
    order: bool,
) -> None:
    """Add what a sentence holds; a reason goes to what it explains."""
    explains = found and found[-1][0].sentence.text and previous
    if (
        explains
        and previous
        and _REASON.match(sentence.masked)
        and previous.text.endswith(found[-1][0].sentence.text)
    ):
        last, its_previous = found[-1]
        found[-1] = (_joined(last, last.sentence, sentence), its_previous)
        return
    judged = [
        judge_place(sentence),
        judge_working(sentence, correction=correction, order=order),
        judge_event(sentence),
        judge_person(sentence),
    ]
    best = max((f for f in judged if f), key=lambda f: f.confidence, default=None)
    if best and previous and best.type is MemoryType.FEEDBACK and _REJECTS.match(previous.masked):
        best = _joined(best, previous, best.sentence)
    if best:
        found.append((best, previous))


def _joined(finding: Finding, first: Sentence, second: Sentence) -> Finding:
    """Return a finding over two sentences."""
    stop = " " if first.text.endswith((".", "!", ";", ":")) else ". "
    joined = Sentence(f"{first.text}{stop}{second.text}", f"{first.masked}{stop}{second.masked}")
    return Finding(finding.type, joined, finding.confidence, finding.rule, finding.standing)
