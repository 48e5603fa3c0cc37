"""How a record's text is cut into the passages that are indexed and compared.

A long text says many things, and no one vector or word count stands for all of them; a short one
is best left whole. Passages are slices of the text, cut where a paragraph or a sentence ends.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct

from memplugin.recall.scripts import IDEOGRAPHS, UNSPACED

FULL = 120
"""Words a passage holds at most, but for a short tail that joins it."""
ENOUGH = 60
"""Words after which the end of a paragraph ends the passage too."""
OVERLAP = 30
"""Words of the last sentence that the next passage repeats at most."""
TAIL = 30
"""Words below which the last passage joins the one before it."""
_PIECE = 60  # words of a run without sentence ends (a log, a table) that are kept together
_LONGEST_WORD = 40  # characters; what is longer counts as several
_TITLE = 160  # characters of a title that are set before each passage

# A word, or one of the signs of scripts that set no blanks between words.
_WORD = re.compile(
    rf"[{IDEOGRAPHS}{UNSPACED}]|[^\W{IDEOGRAPHS}{UNSPACED}]{{1,{_LONGEST_WORD}}}|[^\w\s]{{40}}"
)
_PARAGRAPH_END = re.compile(r"\n[^\S\n]*(?:\n\s*)")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]”’]{0,2}\s+|(?<=[\u3002\uff01\uff1f])|\n\s*")


class _Unit(Struct, frozen=True):
    """A sentence, a line or a piece of an endless one: what a cut never goes through."""

    start: int
    end: int
    words: int
    opens: bool  # whether it is the first of its paragraph


def passages(title: str, text: str) -> list[str]:
    """Return the passages of a text in order, each after its title where there is one.

    Together they hold every word of the text. Most have 60 to 120 words; successive ones of one
    paragraph share a sentence. A text of nothing gives its title alone, or no passage. Time is
    linear in the length of the text.
    """
    heading = title.strip()[:_TITLE].rstrip()
    bodies = [text[start:end] for start, end in _cuts(list(_units(text)))]
    if not bodies:
        return [heading] if heading else []
    return [_headed(heading, body) for body in bodies]


def _headed(heading: str, body: str) -> str:
    if not heading or body.startswith(heading):
        return body
    return f"{heading}\n{body}"


def _cuts(units: list[_Unit]) -> list[tuple[int, int]]:
    """Return where each passage starts and ends."""
    if not units:
        return []
    found: list[tuple[int, int]] = []
    first, words = 0, 0
    for place, unit in enumerate(units):
        if words + unit.words > FULL or (unit.opens and words >= ENOUGH):
            found.append((first, place))
            last = units[place - 1]
            repeats = not unit.opens and last.words <= OVERLAP and place - 1 > first
            first = place - 1 if repeats else place
            words = last.words if repeats else 0
        words += unit.words
    if words < TAIL and found:
        found[-1] = (found[-1][0], len(units))
    else:
        found.append((first, len(units)))
    return [(units[start].start, units[end - 1].end) for start, end in found]


def _units(text: str) -> Iterator[_Unit]:
    """Yield the sentences of a text, the long ones in pieces."""
    begin = len(text) - len(text.lstrip())
    for start, end in _spans(_PARAGRAPH_END, text, begin, len(text)):
        opens = True
        for sentence in _spans(_SENTENCE_END, text, start, end):
            for piece in _pieces(text, *sentence):
                yield _Unit(*piece, opens=opens)
                opens = False


def _spans(bound: re.Pattern[str], text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield what lies between the bounds, bounds that show (quotes) with what they end."""
    for match in bound.finditer(text, start, end):
        stop = match.start() + len(match[0].rstrip())
        if text[start:stop].strip():
            yield start, stop
        start = match.end()
    if text[start:end].strip():
        yield start, end


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and words of a sentence, or of its pieces if it is endless."""
    starts = [match.start() for match in _WORD.finditer(text, start, end)]
    step = _PIECE if len(starts) > FULL else FULL
    bounds = [start, *starts[step::step], end]
    for number, (begin, stop) in enumerate(pairwise(bounds)):
        words = max(1, min(step, len(starts) - number * step))
        yield begin, begin + len(text[begin:stop].rstrip()), words
