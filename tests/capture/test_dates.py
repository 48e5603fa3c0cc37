"""Relative dates become absolute; what recurs stays."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memplugin.capture.dates import absolute_dates

MONDAY = datetime(2026, 3, 2, 10, tzinfo=timezone(timedelta(hours=1)))


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("we cut over yesterday", "we cut over on 2026-03-01"),
        ("We ship tomorrow", "We ship on 2026-03-03"),
        ("the audit is the day after tomorrow", "the audit is on 2026-03-04"),
        ("it broke two days ago", "it broke on 2026-02-28"),
        ("the freeze starts in two weeks", "the freeze starts on 2026-03-16"),
        ("the freeze starts on Friday", "the freeze starts on 2026-03-06"),
        ("the outage was on Friday", "the outage was on 2026-02-27"),
        ("the demo is next Friday", "the demo is on 2026-03-13"),
        ("we released last Friday", "we released on 2026-02-27"),
        ("we freeze next week", "we freeze in the week of 2026-03-09"),
        ("it is due by end of month", "it is due by 2026-03-31"),
        ("the contract ends on April 14", "the contract ends on 2026-04-14"),
        ("she left on 20 February", "she left on 2026-02-20"),
        ("the trip was on December 24", "the trip was on 2025-12-24"),
        ("we retire it in April", "we retire it in April 2026"),
        ("we moved in November", "we moved in November 2025"),
        ("we decided last month to wait", "we decided in February 2026 to wait"),
    ],
)
def test_a_date_is_that_of_the_day_it_was_said(said: str, kept: str) -> None:
    """Case 39: whoever reads it later knows the day; the verb tells past from future."""
    assert absolute_dates(said, MONDAY) == kept


@pytest.mark.parametrize(
    "said",
    [
        "deploys run on Fridays",
        "the standup is every Monday",
        "my birthday is on May 3",
        "the cutover was on 2026-02-27",
        "we retire it in April 2027",
        "today's build is green",
        "it may work on February 30",
        "keep three days of logs",
    ],
)
def test_what_recurs_or_is_absolute_stays(said: str) -> None:
    """Case 39: only what means nothing later is changed."""
    assert absolute_dates(said, MONDAY) == said


def test_the_day_is_that_of_the_persons_zone() -> None:
    """Case 6: just before and just after midnight are two days."""
    late = datetime(2026, 3, 1, 23, 59, 59, tzinfo=UTC)
    assert absolute_dates("we ship tomorrow", late) == "we ship on 2026-03-02"
    east = late.astimezone(timezone(timedelta(hours=1)))
    assert absolute_dates("we ship tomorrow", east) == "we ship on 2026-03-03"


ANY_TIME = st.datetimes(timezones=st.just(UTC))
WORDS = "yesterday tomorrow in 999 years ago next last Friday May March 31 30 on until end of week"
DATED = st.lists(st.sampled_from([*WORDS.split(), "was", "is"]), max_size=9).map(" ".join)


@given(st.text(st.characters(exclude_categories=[])) | DATED, ANY_TIME)
def test_no_sentence_on_no_day_fails(text: str, said_at: datetime) -> None:
    """Case 39: also in the first and the last year there is."""
    assert isinstance(absolute_dates(text, said_at), str)


@given(ANY_TIME)
def test_an_absolute_date_is_not_moved_again(said_at: datetime) -> None:
    """Case 39: what was made absolute stays, on whichever day it is read again."""
    once = absolute_dates("we cut over on Friday and ship tomorrow", MONDAY)
    assert absolute_dates(once, said_at) == once
