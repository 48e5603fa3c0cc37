"""Makes dates absolute: "yesterday" means nothing to whoever reads it next month.

A day becomes `2026-03-01`, a month `April 2026`, a week `the week of 2026-03-09` (its Monday).
What recurs ("on Fridays", "every Sunday", a birthday) stays as it is. A weekday or a day of a month
without a year is the last one in a sentence about the past and the next one otherwise; "next
Friday" is that of the next calendar week; a week ends on Friday. English only.
"""

import calendar
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import NamedTuple

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = tuple(name.casefold() for name in calendar.month_name[1:])
_NUMBERS = {
    word: number
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
         "eleven", "twelve")
    )
} | {"a": 1, "an": 1, "a couple of": 2}  # fmt: skip

_DAY = "|".join(_DAYS)
_MONTH = "|".join(_MONTHS) + "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
_COUNT = "|".join(sorted(_NUMBERS, key=len, reverse=True)) + r"|\d{1,3}"
_ON = r"(?P<on>\b(?:on|by|until|till|since|after|before|from|for|to|as of|through|in|at|around|due) )?(?:the )?"
_NTH = r"(?P<nth>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,? (?P<year>20\d\d))?(?![\d-])"

_PAST = re.compile(
    r"(?i)\b(?:was|were|had|did|went|lost|left|began|broke|cut over|came|gave|took|made|chose|met|ran|sent|"
    r"told|said|found|built|wrote|threw|fell|became|since|ago|outage|crashed|has been|have been|\w{2,}ed)\b"
)
_FUTURE = re.compile(
    r"(?i)\b(?:(?:is|are|gets?|be) (?:\w+ )?\w+ed|will|won'?t|going to|is|are|must|has to|have to|needs? to|due|until|till|starts?|ends?|goes|"
    r"expires?|deadline|plans?|gets?|next|(?:decided|agreed|voted|promised|planned|scheduled|supposed|want(?:s|ed)?|"
    r"hope[sd]?) (?:not )?to)\b|'(?:s|re|ll)\b"
)
_TENSE = re.compile(f"{_PAST.pattern}|{_FUTURE.pattern.removeprefix('(?i)')}")
_RECURS = re.compile(
    r"(?i)\b(?:birthdays?|anniversar(?:y|ies)|every|each|yearly|usually|annual(?:ly)?|was born)\b"
)


class _Said(NamedTuple):
    """When a sentence was said, and whether it tells of the past."""

    today: date
    past: bool


def absolute_dates(text: str, said_at: datetime) -> str:
    """Return a sentence with its relative dates made absolute, in the zone of `said_at`."""
    recurs = bool(_RECURS.search(text))
    for pattern, resolve in _FORMS:
        if recurs and resolve in (_weekday, _month_day, _day_month, _in_month):
            continue
        text = pattern.sub(lambda m, f=resolve: _replaced(m, said_at.date(), f), text)  # type: ignore[misc]  # mypy cannot infer a lambda with defaults
    return text


def _replaced(match: re.Match[str], today: date, resolve: "_Resolve") -> str:
    try:
        return resolve(match, _Said(today, _is_past(match))) or match[0]
    except (ValueError, OverflowError):
        return match[0]  # February 30, or a year no calendar has


def _is_past(match: re.Match[str]) -> bool:
    """Tell whether a date lies in the past, from its preposition, then from the verb before it.

    "decided to retire it in April" points ahead: what was decided is still to come.
    """
    given = match["on"] if "on" in match.re.groupindex else ""
    if (given or "").strip().casefold() in {"to", "until", "till", "by", "due", "for"}:
        return False
    head, tail = match.string[: match.start()], match.string[match.end() :]
    return _tells_past(head) if _TENSE.search(head) else _tells_past(tail)


def _tells_past(text: str) -> bool:
    past = [m.end() for m in _PAST.finditer(text)]
    future = [m.end() for m in _FUTURE.finditer(text)]
    return bool(past) and (not future or past[-1] > future[-1])


def _on(match: re.Match[str], when: date | str, default: str = "on ") -> str:
    """Return a date with the preposition it had; "in two weeks" becomes "on"."""
    given = match["on"] or ""
    if given.strip().casefold() in {"in", "for", "at", ""} and default:
        given = default if not given or given.islower() else default.capitalize()
    return f"{given}{when}"


def _shifted_day(match: re.Match[str], said: _Said) -> str:
    word = re.sub(r"\s+", " ", match["word"].casefold())
    shift = {
        "yesterday": -1, "last night": -1, "tomorrow": 1, "day after tomorrow": 2,
        "day before yesterday": -2,
    }.get(word.removesuffix(" morning").removesuffix(" evening").removesuffix(" afternoon"), 0)  # fmt: skip
    return _on(match, said.today + timedelta(days=shift))


def _counted(match: re.Match[str], said: _Said) -> str | None:
    count = _NUMBERS.get(match["count"].casefold())
    number = int(match["count"]) if count is None else count
    if match["ago"]:
        number = -number
    elif not (match["on"] or "").casefold().startswith("in"):
        return None
    match match["unit"].casefold():
        case "day":
            when: date | str = said.today + timedelta(days=number)
        case "week":
            when = said.today + timedelta(weeks=number)
        case "month":
            return _capital(match, f"in {_month_name(_add_months(said.today, number))}")
        case _:
            return _capital(match, f"in {said.today.year + number}")
    return _capital(match, f"on {when}")


def _capital(match: re.Match[str], text: str) -> str:
    return text[0].upper() + text[1:] if match[0][0].isupper() else text


def _add_months(day: date, months: int) -> date:
    index = day.year * 12 + day.month - 1 + months
    return date(index // 12, index % 12 + 1, 1)


def _month_name(day: date) -> str:
    return f"{calendar.month_name[day.month]} {day.year}"


def _near_period(match: re.Match[str], said: _Said) -> str:
    step = {"next": 1, "last": -1, "this": 0, "coming": 1, "past": -1}[match["which"].casefold()]
    match match["unit"].casefold():
        case "week":
            monday = said.today - timedelta(days=said.today.weekday()) + timedelta(weeks=step)
            return _on(match, f"the week of {monday}", "in ")
        case "month":
            return _on(match, _month_name(_add_months(said.today, step)), "in ")
        case _:
            return _on(match, str(said.today.year + step), "in ")


def _near_weekday(match: re.Match[str], said: _Said) -> str:
    wanted = _DAYS.index(match["day"].casefold())
    monday = said.today - timedelta(days=said.today.weekday())
    which = match["which"].casefold()
    if which == "last":
        return _on(match, _last(said.today, wanted))
    if which == "coming":
        return _on(match, _next(said.today, wanted))
    return _on(match, monday + timedelta(days=wanted + (7 if which == "next" else 0)))


def _last(today: date, weekday: int) -> date:
    return today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)


def _next(today: date, weekday: int) -> date:
    return today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)


def _weekday(match: re.Match[str], said: _Said) -> str:
    wanted = _DAYS.index(match["day"].casefold())
    since = (match["on"] or "").casefold().startswith("since")
    return _on(match, (_last if said.past or since else _next)(said.today, wanted))


def _owned_weekday(match: re.Match[str], said: _Said) -> str:
    wanted = _DAYS.index(match["day"].casefold())
    return f"the {(_last if said.past else _next)(said.today, wanted)}"


def _end_of(match: re.Match[str], said: _Said) -> str:
    unit, today = match["unit"].casefold(), said.today
    match unit.removeprefix("the ").removeprefix("this "):
        case "week":
            when = today + timedelta(days=(4 - today.weekday()) % 7)
        case "month":
            when = _month_end(today.year, today.month)
        case "quarter":
            when = _month_end(today.year, (today.month - 1) // 3 * 3 + 3)
        case "year":
            when = date(today.year, 12, 31)
        case "next month":
            following = _add_months(today, 1)
            when = _month_end(following.year, following.month)
        case name:
            month = _month_number(name)
            when = _month_end(
                _year_of(said, month, calendar.monthrange(today.year, month)[1]), month
            )
    return _on(match, when)


def _month_end(year: int, month: int) -> date:
    return date(year, month, calendar.monthrange(year, month)[1])


def _month_number(name: str) -> int:
    return next(i for i, m in enumerate(_MONTHS, 1) if m.startswith(name.casefold()[:3]))


def _year_of(said: _Said, month: int, day: int) -> int:
    """Return the year a day and month without one are meant in: the nearest in the right direction."""
    this = said.today.year
    passed = (month, day) < (said.today.month, said.today.day)
    if said.past:
        return this if passed or (month, day) == (said.today.month, said.today.day) else this - 1
    return this + 1 if passed else this


def _month_day(match: re.Match[str], said: _Said) -> str:
    month, day = _month_number(match["month"]), int(match["nth"])
    year = int(match["year"]) if match["year"] else _year_of(said, month, day)
    return _on(match, date(year, month, day))


_day_month = _month_day


def _in_month(match: re.Match[str], said: _Said) -> str:
    month = _month_number(match["month"])
    past = said.past or match["on"].casefold().startswith("since")
    year = _year_of(_Said(said.today, past), month, said.today.day)
    return f"{match['on']}{match['lead'] or ''}{match['month']} {year}"


_Resolve = Callable[[re.Match[str], _Said], str | None]

_FORMS: tuple[tuple[re.Pattern[str], _Resolve], ...] = tuple(
    (re.compile(f"(?i){pattern}"), resolve)
    for pattern, resolve in (
        (rf"{_ON}\b(?P<word>day after tomorrow|day before yesterday|yesterday(?: morning| evening| afternoon)?|"
         r"tomorrow(?: morning| evening| afternoon)?|last night|tonight|this (?:morning|afternoon|evening)|today)\b(?!'s|’s)",
         _shifted_day),
        (rf"{_ON}\bend of (?P<unit>(?:the |this )?(?:week|month|quarter|year)|next month|{_MONTH})\b(?! 20\d\d)", _end_of),
        (rf"{_ON}(?:\b(?:about|around|roughly|some) )?\b(?P<count>{_COUNT}) (?P<unit>day|week|month|year)s?(?:'|’)?(?: time)?(?P<ago> ago)?\b(?! of\b)", _counted),
        (rf"{_ON}\b(?P<which>next|last|this|coming) (?P<day>{_DAY})\b(?!s)", _near_weekday),
        (rf"{_ON}\b(?P<which>next|last|this|coming|past) (?P<unit>week|month|year)\b(?!'s|’s)", _near_period),
        (rf"\b(?P<day>{_DAY})['’]s\b", _owned_weekday),
        (rf"{_ON}\b(?P<month>{_MONTH})\.? {_NTH}\b{_YEAR}", _month_day),
        (rf"{_ON}\b{_NTH}(?: of)? (?P<month>{_MONTH})\b\.?{_YEAR}", _day_month),
        (rf"(?P<on>\b(?:on|by|until|till|since|after|before|from|to|due|this|through) )(?:this |coming )?(?P<day>{_DAY})\b(?!['’]s|s| \w+s\b)",
         _weekday),
        (rf"(?P<on>\b(?:in|until|till|by|since|before|after|from|of) )(?P<lead>early |late |mid-?)?(?P<month>(?-i:{'|'.join(calendar.month_name[1:])}))\b(?! ?\d|,? 20)",
         _in_month),
    )
)  # fmt: skip
