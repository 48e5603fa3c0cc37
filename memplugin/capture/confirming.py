"""What the assistant said counts only when the person says that it is right."""

import re
from collections.abc import Sequence

from memplugin.capture import vetoes
from memplugin.capture.cues import CONFIRM, KEEP_DOING
from memplugin.capture.findings import Finding
from memplugin.capture.heard import Heard
from memplugin.capture.own_words import own_words
from memplugin.capture.sentences import Sentence, mask, sentences
from memplugin.protocol.records import MemoryType

_MAX_WORDS = 14  # a longer message speaks for itself
_SUMMARY = re.compile(
    r"(?i)^(?:(?:ok(?:ay)?|got it|right|understood)[,.:] )?(?:so|to sum(?:mari[sz]e)? (?:it )?up|in short|just to confirm|to confirm|let me confirm|if i understand(?: you)?(?: correctly| right)?|"
    r"then we agree|so we agree|(?:do )?i understand(?: correctly)?(?: that)?|my understanding is(?: that)?|in summary)[,:]? (?:that )?"
)
_TAG = re.compile(
    r"(?i)[,–—-] ?(?:correct|right|yes|is that (?:right|correct|so)|do i have that right|isn'?t it|don'?t you|do you|did i get that right)\s*\?\s*$"
)
_ABOUT_YOU = re.compile(
    r"(?i)^(?:it (?:seems|looks|sounds|appears)(?: like| as if| that)?|i (?:gather|assume|take it|see|notice|noticed)(?: that)?|apparently|from what i (?:see|can tell),?|so) (?=you\b|your\b)"
)
_YOU_WANT = re.compile(r"(?i)\byou(?:'d)? (?:want|like|need|expect|would like|prefer that i)\b")
_DID = re.compile(
    r"(?i)^i(?:'ve| have)? (?:\w+ed|kept|made|wrote|put|split|left|built|chose|set|gave|used|ran|took|did|cut|grouped|sent|showed|began|went)\b"
)
_ASKED_TO = re.compile(
    r"(?i)^(?:should|shall|may|can|could|do you want me to|want me to|would you like me to)\b"
)


def confirmed(told: list[Sentence], before: Sequence[Heard]) -> Finding | None:
    """Return the assistant's statement that a short "yes, exactly" confirms, as a finding.

    A plain "yes" confirms nothing that lasts: it answers "shall I …?". A report of work done is kept
    only when the person asks to go on like that.
    """
    last = before[-1] if before else None
    if last is None or last.role != "assistant" or not told:
        return None
    words = " ".join(s.masked for s in told)
    keep = bool(KEEP_DOING.search(words))
    if len(words.split()) > _MAX_WORDS or "?" in words or not (keep or CONFIRM.match(words)):
        return None
    said = [s for s in sentences(own_words(last.text)) if len(s.text.split()) > 2]  # noqa: PLR2004 - "Done."
    statement = said[-1] if said else None
    return _finding(statement, told, keep=keep) if statement else None


def _finding(said: Sentence, told: list[Sentence], *, keep: bool) -> Finding | None:
    if _DID.match(said.masked):
        return _kept_doing(said, told) if keep else None
    summary = _SUMMARY.match(said.masked)
    tag = _TAG.search(said.masked)
    bare = said.part(summary.end() if summary else 0, tag.start() if tag else None)
    if about := _ABOUT_YOU.match(bare.masked) or re.match(
        r"(?i)(?=you (?:prefer|like|work|use|are|live|have)\b)", bare.masked
    ):
        return _of(MemoryType.USER, _as_first_person(bare.part(about.end())), "confirmed/person")
    if wanted := _YOU_WANT.search(bare.masked):
        return _of(MemoryType.FEEDBACK, bare.part(wanted.end()), "confirmed/wanted")
    asked_to = _ASKED_TO.match(bare.masked)
    if asked_to and keep:
        return _of(MemoryType.FEEDBACK, _as_order(bare.part(asked_to.end())), "confirmed/wanted")
    if not (summary or tag) or vetoes.asks(bare.masked):
        return None
    return _of(MemoryType.PROJECT, bare, "confirmed/statement")


def _kept_doing(said: Sentence, told: list[Sentence]) -> Finding:
    """Return a way of working, from what the assistant did and what the person added to it."""
    did = re.sub(r"(?i)^i(?:'ve| have)? ", "", said.text).rstrip(".! ")
    extra = next((s.text for s in told if _says_more(s)), "")
    text = f"{did[0].upper()}{did[1:]}: that was right, keep doing it."
    if extra:
        text = f"{text} {extra}"
    return _of(MemoryType.FEEDBACK, Sentence(text, mask(text)), "confirmed/keep-doing")


def _says_more(sentence: Sentence) -> bool:
    rest = KEEP_DOING.sub("", CONFIRM.sub("", sentence.masked))
    return len(re.findall(r"\w{3,}", rest)) > 2  # noqa: PLR2004 - "that", "please": nothing of its own


def _as_first_person(sentence: Sentence) -> Sentence:
    """Return "you prefer …" as the person would say it, so that it is worded like their own."""
    text = sentence.text
    for pattern, own in ((r"\byou(?:'re| are)\b", "I am"), (r"\byou\b", "I"), (r"\byour\b", "my")):
        text = re.sub(f"(?i){pattern}", own, text)
    return Sentence(text, mask(text))


def _as_order(sentence: Sentence) -> Sentence:
    """Return "I run the linter before I commit?" as it is asked of the assistant."""
    text = re.sub(r"(?i)^\s*i\b ?", "", sentence.text).rstrip("?! ")
    for pattern, theirs in (
        (r"\bI(?:'m| am)\b", "you are"),
        (r"\b(?:I|me)\b", "you"),
        (r"\bmy\b", "your"),
    ):
        text = re.sub(pattern, theirs, text)
    return Sentence(f"{text}.", mask(f"{text}."))


def _of(kind: MemoryType, sentence: Sentence, rule: str) -> Finding:
    return Finding(kind, sentence, 0.8, rule)
