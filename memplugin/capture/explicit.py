"""Explicit requests: "remember that …", "don't forget to …", "from now on …", in four languages."""

import re
from collections.abc import Sequence

from msgspec import Struct

from memplugin.capture import vetoes
from memplugin.capture.cues import EXPLICIT, Cue
from memplugin.capture.events import judge_event
from memplugin.capture.findings import Finding
from memplugin.capture.heard import Heard
from memplugin.capture.own_words import own_words
from memplugin.capture.people import judge_person
from memplugin.capture.places import judge_place
from memplugin.capture.sentences import Sentence, mask, sentences
from memplugin.capture.working import judge_working
from memplugin.protocol.records import MemoryType

_CONFIDENCE = 0.95
_MAX_FOLLOWING = 3  # sentences taken after "remember the following:"
_ASKED_BACK = re.compile(
    r"(?i)^(?:(?:hey|so|ok|hm+|and|but),? )*(?:(?:do|did|don'?t|didn'?t) (?:you|we|i) (?:still |even |ever )?(?:remember|recall)\b|(?:can|could|will|would) (?:you|we|i) (?:still |even |ever )?(?:recall|remember(?!,? (?:that|to|this)\b|:))\b)"
    r"|\b(?:i|we|they|he|she|who)(?:['’]ll|['’]d)? ?(?:can|could|do|did|will|would|might|just|still|always|never|even|vaguely|suddenly)?(?:n'?t| not|not)? ?(?:always |even |really )?(?:remember|forget|forgot)\b(?! (?:that|to)\b.*\bplease)"
    r"|\b(?:erinnerst|weißt) du|\btu te souviens|\bvous souvenez-vous|¿"
)
_IMPERATIVE_REST = re.compile(
    r"(?i)^(?:to (?P<verb>\w)|(?:always|never|only|do not|don'?t|dont|please)\b|(?:use|run|ask|call|write|keep|add|check|put|make|avoid|prefer|send|give|take|answer|test|set|start|stop|leave)\b)"
)
_TO = re.compile(r"(?i)^(?:to|de|d')\s+(?=\w)")
_FIRST_PERSON = {
    "en": re.compile(
        r"(?i)\b(?:i|i'm|im|i've|my|me|our (?:son|daughter|kids?|anniversary|baby|dog|cat|family|home)|mine)\b"
    ),
    "de": re.compile(r"(?i)\b(?:ich|mein(?:e[rsnm]?)?|mir|mich)\b"),
    "fr": re.compile(r"(?i)\b(?:je|j'|j’|mon|ma|mes|moi)\b|\bj['’]"),
    "es": re.compile(r"(?i)\b(?:yo|soy|mi|mis|me|tengo|vivo|trabajo|prefiero|estoy)\b"),
}
_EVENT_OF_MINE = re.compile(
    r"(?i)\b(?:contract|deadline|appointment|flight|exam|interview|trip|thesis|visa)\b"
)
_A_THING = re.compile(
    r"(?i)(?:the|an?|your|those|these|about (?:the|that|this)) (?:[\w-]+ ?){1,3}[.!]?"
)
_ELSEWHERE = re.compile(
    r"(?i)^(?:all |of |the |any |these |those |my |your )*(?:\w+ ){0,2}(?:above|given|prior|previous|earlier|listed|mentioned|following)\b"
)
_ONLY_POINTS = re.compile(
    r"(?i)^(?:this|that|it|all (?:this|that)|these|those|so|too|for (?:next time|later|the future|me)|please|ok|thanks|[\W_])*$"
)


class Requested(Struct, frozen=True):
    """What was asked to be remembered, and the index of the sentence that comes after it."""

    finding: Finding
    upto: int


def requested(told: list[Sentence], at: int, before: Sequence[Heard]) -> Requested | None:
    """Return what the sentence at an index asks to remember, with the sentences it points to."""
    sentence = told[at]
    for cue in EXPLICIT:
        found = cue.pattern.search(sentence.masked)
        if found and not _is_no_request(sentence, found, cue):
            return _request(told, at, found, cue, before)
    return None


def _is_no_request(sentence: Sentence, found: re.Match[str], cue: Cue) -> bool:
    if cue.language != "en":
        return sentence.is_question and not sentence.masked.casefold().startswith(
            ("kannst", "könntest")
        )
    head = sentence.masked[: found.start()]
    return bool(
        _ASKED_BACK.search(sentence.masked)
        or vetoes.reports(head + ":")
        or vetoes.reports(sentence.masked[: found.end()])
        or vetoes.plays_a_part(head)
    )


def _request(
    told: list[Sentence], at: int, found: re.Match[str], cue: Cue, before: Sequence[Heard]
) -> Requested | None:
    sentence = told[at]
    asked = sentence.part(found.end())
    rest: Sentence | None = asked.part(0, len(asked.text.rstrip(" ?")))
    assert rest is not None
    if cue.name == "dont-forget" and _A_THING.fullmatch(rest.masked):
        return None
    if cue.standing:
        rest = _around(sentence, found)
    upto = at + 1
    if _ONLY_POINTS.match(rest.masked):
        ahead = sentence.masked[: found.start()].strip(" ,;:-–—")
        rest, upto = _pointed_at(told, at, before, ahead)
    if rest is None or not rest.text or _ELSEWHERE.match(rest.masked):
        return None
    return Requested(classified(rest, cue), upto)


def _around(sentence: Sentence, found: re.Match[str]) -> Sentence:
    """Return a sentence without the words that made it stand."""
    head, tail = sentence.part(0, found.start()), sentence.part(found.end())
    if not head.text:
        return tail
    return Sentence(f"{head.text} {tail.text}".strip(), f"{head.masked} {tail.masked}".strip())


def _pointed_at(
    told: list[Sentence], at: int, before: Sequence[Heard], ahead: str
) -> tuple[Sentence | None, int]:
    """Return what "remember this" means.

    That is what comes before it in the sentence, what follows its colon, the sentence before, or
    the last message.
    """
    if len(ahead.split()) > 2:  # noqa: PLR2004 - "ok, please" says nothing
        sentence = told[at]
        return sentence.part(0, sentence.masked.index(ahead) + len(ahead)), at + 1
    following = told[at + 1 : at + 1 + _MAX_FOLLOWING]
    if told[at].text.rstrip().endswith(":") and following:
        return _joined(following), at + 1 + len(following)
    if at:
        return (None if told[at - 1].is_question else told[at - 1]), at + 1
    last = next((m for m in reversed(before) if m.role == "user" and m.speaker == "person"), None)
    earlier = [s for s in sentences(own_words(last.text)) if not s.is_question] if last else []
    return (_joined(earlier[-2:]) if earlier else None), at + 1


def _joined(parts: list[Sentence]) -> Sentence:
    text = " ".join(p.text if p.text[-1] in ".!;:" else f"{p.text};" for p in parts).rstrip(";")
    return Sentence(text, mask(text))


def classified(rest: Sentence, cue: Cue) -> Finding:
    """Return a finding of the type that what is to be remembered belongs to."""
    bare = _TO.match(rest.masked)
    told = rest.part(bare.end()) if bare else rest
    kind = _kind(rest, told, cue)
    rule, foreign = f"explicit/{cue.name}", cue.language != "en"
    return Finding(kind, told, _CONFIDENCE, rule, standing=True, foreign=foreign)


def _kind(rest: Sentence, told: Sentence, cue: Cue) -> MemoryType:
    if cue.standing:
        return MemoryType.FEEDBACK
    if cue.language != "en":
        own = _FIRST_PERSON[cue.language].search(told.masked)
        return MemoryType.USER if own else MemoryType.PROJECT
    if judge_place(told):
        return MemoryType.REFERENCE
    if _IMPERATIVE_REST.match(rest.masked):
        return MemoryType.FEEDBACK
    judged = [
        judge_working(told, correction=False, order=False),
        judge_event(told),
        judge_person(told),
    ]
    best = max((f for f in judged if f), key=lambda f: f.confidence, default=None)
    if best and best.type is not MemoryType.FEEDBACK:
        return best.type
    if _FIRST_PERSON["en"].search(told.masked) and not _EVENT_OF_MINE.search(told.masked):
        return MemoryType.USER
    return best.type if best and best.standing else MemoryType.PROJECT
