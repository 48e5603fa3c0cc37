"""Names a memory as a person would: its first thought, short, without a stop."""

import re

from memplugin.capture.phrasing import shortened
from memplugin.capture.sentences import mask

MAX_TITLE = 80  # characters
_MIN_HEAD = 12  # characters: a shorter first thought says too little
_BREAK = re.compile(
    r"(?i)(?:[,;] |(?<!redacted): | [–—-] | \(|[.!?] | (?:because|since|so that|so|as|which|but|and i|and they|when you|the reason) )"
)
_CONDITION = re.compile(
    r"(?i)^(?:if|when|whenever|before|after|for|in|as|every time|each time|next time)\b[^,]*, "
)
_USER = re.compile(r"^The user(?:'s |: | (?:is |has )?(?:(?:an?|the) )?)(?=\w)(?!been)")
_LOOSE_END = re.compile(
    r"(?i)(?: (?:the|a|an|of|to|in|on|at|for|and|or|with|by|is|are|that|my|our|your|their|from|not))+$"
)


def title(content: str) -> str:
    """Return a title for a content: at most 80 characters, never cut inside a word."""
    line = _about_user(content.split("\n", 1)[0].strip())
    masked = mask(line)
    condition = _CONDITION.match(masked)
    for found in _BREAK.finditer(masked, condition.end() if condition else 0):
        if found.start() >= _MIN_HEAD:
            line = line[: found.start()]
            break
    line = line.rstrip(" .,;:!–—-")
    if len(line) > MAX_TITLE:
        line = _LOOSE_END.sub("", shortened(line, MAX_TITLE).rstrip("…"))
    return line if len(line) <= MAX_TITLE else line[:MAX_TITLE]


def _about_user(line: str) -> str:
    """Drop "The user is a" and the like: whose it is, the record's type says."""
    rest = _USER.sub("", line)
    return rest[:1].upper() + rest[1:] if rest != line else line
