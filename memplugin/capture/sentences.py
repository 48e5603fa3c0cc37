"""Cuts own words into sentences, each with a mask that hides what is quoted or code in it.

The mask has the length of the text: where a rule matches in the mask, the same place in the text
holds the words. So a rule never hears a quotation, and the content keeps it.
"""

import re

from msgspec import Struct

_QUOTED = re.compile(
    r"`[^`\n]{1,400}`|\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|"
    r"(?<![\w'])'[^'\n]{2,200}'(?![\w'])|‘[^’\n]{1,400}’"
)
_ABBREVIATION = re.compile(
    r"(?i)(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|mr|mrs|ms|dr|prof|st|no|nr|bzw|usw|z\.b|d\.h|"
    r"ca|p\.ex|ej|sr|sra)|\b[a-z])\.$"
)
_END = re.compile(r"[.!?…]+[\"'”’)\]]{0,2}(?=\s|$)|\n+")
_LIST_MARK = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)]|[a-z]\))\s+")
_WRAPPED = 60  # characters from which a line that ends without a stop goes on in the next


class Sentence(Struct, frozen=True):
    """A sentence as it was said, and the same with quotations and code hidden."""

    text: str
    masked: str

    def part(self, start: int, end: int | None = None) -> "Sentence":
        """Return a part of it, without white space around."""
        text, masked = self.text[start:end], self.masked[start:end]
        lead = len(text) - len(text.lstrip())
        tail = len(text.rstrip())
        return Sentence(text[lead:tail], masked[lead:tail])

    @property
    def is_question(self) -> bool:
        """Whether it ends with a question mark."""
        return self.text.rstrip("\"'”’)] ").endswith("?")


def mask(text: str) -> str:
    """Hide what is in quotation marks or backticks, mark and length kept."""
    return _QUOTED.sub(lambda m: m[0][0] + "_" * (len(m[0]) - 2) + m[0][-1], text)


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of a text in order, list marks dropped, wrapped lines joined."""
    text = _joined(text)
    masked = mask(text)
    found, start = [], 0
    for end in _END.finditer(masked):
        if end[0].startswith("."):
            head = masked[max(start, end.start() - 8) : end.start() + 1]
            if end[0] == "." and _ABBREVIATION.search(head):
                continue
        found.append(_sentence(text[start : end.end()], masked[start : end.end()]))
        start = end.end()
    found.append(_sentence(text[start:], masked[start:]))
    return [s for s in found if any(c.isalnum() for c in s.text)]


def _sentence(text: str, masked: str) -> Sentence:
    listed = _LIST_MARK.match(masked)
    return Sentence(text, masked).part(listed.end() if listed else 0)


def _joined(text: str) -> str:
    """Join lines that an editor wrapped: long, without a stop, the next in lower case."""
    lines = text.split("\n")
    joined = lines[:1]
    for line in lines[1:]:
        last = joined[-1].rstrip()
        wrapped = len(last) >= _WRAPPED and last[-1] not in ".!?:;" and line[:1].islower()
        if wrapped:
            joined[-1] = f"{last} {line}"
        else:
            joined.append(line)
    return "\n".join(joined)
