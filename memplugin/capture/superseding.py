"""Tells whether a statement gives the same matter a new value, so that the old one is out of date.

    The staging database is on port 5432.
    The staging database is on port 6432.     only the value at the end is another: superseded
    Box 1 lives on shelf 8.
    Box 2 lives on shelf 9.                   another box: nothing may be lost

In doubt nothing is superseded: two records that contradict each other do less harm than a lost one.
"""

import re

MIN_SHARED = 3  # words that say what the value is of
MAX_VALUE = 4  # words of a value, such as "20 March 2026"

_WORD = re.compile(r"\w+(?:[.:/@-]\w+)*")
_VALUE = re.compile(
    r"(?i)v?\d[\w.:/-]*|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|jan(?:uary)?|feb(?:ruary)?|"
    r"mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?|noon|midnight|am|pm|percent|seconds?|minutes?|hours?|days?|weeks?"
)


def supersedes(new: str, old: str) -> bool:
    """Return whether two statements differ in a number, a date or a weekday at the end alone."""
    words, known = _WORD.findall(new), _WORD.findall(old)
    shared = 0
    for word, other in zip(words, known, strict=False):
        if word.casefold() != other.casefold():
            break
        shared += 1
    values = words[shared:], known[shared:]
    if shared < MIN_SHARED or any(_VALUE.fullmatch(word) for word in words[:shared]):
        return False
    return all(_is_value(value) for value in values)


def _is_value(words: list[str]) -> bool:
    return 0 < len(words) <= MAX_VALUE and all(_VALUE.fullmatch(word) for word in words)
