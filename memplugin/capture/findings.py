"""What a rule found in a sentence, and how shapes and features add up to a confidence."""

import re

from msgspec import Struct

from memplugin.capture.sentences import Sentence
from memplugin.protocol.records import MemoryType

THRESHOLD = 0.5  # confidence from which a finding is worth proposing
_MOST = 0.95  # nothing told from words alone is certain


class Finding(Struct, frozen=True):
    """A memory found in a sentence; `standing` says that the person asked for it to hold.

    `foreign` text is in another language than English, and is worded as it was said.
    """

    type: MemoryType
    sentence: Sentence
    confidence: float
    rule: str
    standing: bool = False
    foreign: bool = False


class Shape(Struct, frozen=True):
    """A way of saying something, with the confidence it gives by itself.

    With a group `from` in its pattern, what it found starts there, else at the sentence's start.
    """

    name: str
    base: float
    pattern: re.Pattern[str]
    standing: bool = False


class Feature(Struct, frozen=True):
    """What makes a shape more or less likely to be meant to last."""

    weight: float
    pattern: re.Pattern[str]


def shape(name: str, base: float, pattern: str, *, standing: bool = False) -> Shape:
    """Return a shape; its pattern ignores case and runs on a sentence's mask."""
    return Shape(name, base, re.compile(f"(?i){pattern}"), standing)


def feature(weight: float, pattern: str) -> Feature:
    """Return a feature; its pattern ignores case and runs on a sentence's mask."""
    return Feature(weight, re.compile(f"(?i){pattern}"))


def weigh(
    sentence: Sentence, shapes: tuple[Shape, ...], features: tuple[Feature, ...], kind: MemoryType
) -> Finding | None:
    """Return the likeliest finding among shapes: a shape's base plus the features' weights."""
    extra = sum(f.weight for f in features if f.pattern.search(sentence.masked))
    best: Finding | None = None
    for each in shapes:
        found = each.pattern.search(sentence.masked)
        if not found:
            continue
        confidence = round(min(_MOST, each.base + extra), 2)
        if confidence >= THRESHOLD and (best is None or confidence > best.confidence):
            start = found.start("from") if "from" in each.pattern.groupindex else 0
            part = sentence.part(max(0, start))
            best = Finding(kind, part, confidence, f"{kind}/{each.name}", each.standing)
    return best
