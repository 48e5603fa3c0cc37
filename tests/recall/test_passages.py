"""Passages cover their text, end where sentences do, and cost time in proportion."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memplugin.recall.passages import ENOUGH, FULL, TAIL, passages

SENTENCE = "Sentence {} tells how the mail relay of the third office is set up."  # 14 words
LONGEST = FULL + TAIL


def essay(paragraphs: int, sentences: int) -> str:
    return "\n\n".join(
        " ".join(SENTENCE.format(f"{p}.{s}") for s in range(sentences)) for p in range(paragraphs)
    )


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def test_a_short_text_is_one_passage_after_its_title() -> None:
    text = "The relay listens on 2525.\n\n- TLS is off\n- Ask Mira first"
    assert passages("Mail relay", text) == ["Mail relay\n" + text]


def test_a_text_without_a_title_stands_alone() -> None:
    assert passages("", "Deploys run on Mondays.") == ["Deploys run on Mondays."]


def test_a_title_that_opens_the_text_is_not_said_twice() -> None:
    assert passages("Deploys", "Deploys run on Mondays.") == ["Deploys run on Mondays."]


def test_a_title_alone_is_a_passage_and_nothing_is_none() -> None:
    assert passages(" Deploys ", " \n\n ") == ["Deploys"]
    assert passages(" ", "\n") == []


def test_a_text_of_signs_alone_is_a_passage() -> None:
    assert passages("", " 🎉 ") == ["🎉"]


def test_every_passage_of_a_long_text_carries_the_title() -> None:
    found = passages("Relays", essay(5, 6))
    assert len(found) > 1
    assert all(passage.startswith("Relays\n") for passage in found)


def test_an_endless_title_is_cut() -> None:
    found = passages("t" * 100_000, essay(20, 6))
    assert max(len(passage) for passage in found) < 3_000


def test_passages_end_with_their_paragraphs_where_these_are_long_enough() -> None:
    text = essay(4, 6)
    assert passages("", text) == text.split("\n\n")


def test_short_paragraphs_are_gathered() -> None:
    found = passages("", essay(30, 1))
    assert all(ENOUGH <= len(words(passage)) <= LONGEST for passage in found[:-1])


def test_neighbours_in_one_paragraph_share_a_sentence() -> None:
    found = passages("", essay(1, 40))
    ends = [passage.rsplit(". ", 1)[1] for passage in found[:-1]]
    assert [passage.startswith(end) for end, passage in zip(ends, found[1:], strict=True)] == [
        True
    ] * (len(found) - 1)


def test_a_short_rest_joins_the_passage_before_it() -> None:
    text = essay(1, 8) + "\n\nThe end."
    assert passages("", text)[-1].endswith("up.\n\nThe end.")


@pytest.mark.parametrize(
    ("unit", "longest"),
    [
        ("x", 40 * LONGEST),
        ("word ", 6 * LONGEST),
        ("- a\n", 6 * LONGEST),
        (". ", 6 * LONGEST),
        ("-", 40 * LONGEST),
        ("测试", LONGEST),
        ("ทดสอบ", LONGEST),
        ("a\n \n", 6 * LONGEST),
        ("\ud83d", 40 * LONGEST),
    ],
)
def test_endless_texts_of_any_kind_are_cut(unit: str, longest: int) -> None:
    found = passages("", unit * 20_000)
    assert len(found) > 1
    assert max(map(len, found)) <= longest


def test_chinese_is_cut_at_its_own_full_stops() -> None:
    found = passages("", "部署前先跑测试再通知值班的人。" * 40)
    assert len(found) > 1
    assert all(passage.endswith("。") for passage in found)


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from([" ", "字ก", ". ", "!\n", "?", "\t", "\n\n", "\u2028 "]), max_size=600)
)
def test_passages_are_slices_that_cover_the_text_in_order(bounds: list[str]) -> None:
    text = "".join(f"{number}{bound}" for number, bound in enumerate(bounds))
    place = reached = 0
    for passage in passages("", text):
        place = text.index(passage, place)
        assert place <= reached or not text[reached:place].strip()
        reached = max(reached, place + len(passage))
    assert not text[reached:].strip()


@settings(max_examples=30)
@given(st.text(max_size=300), st.text(max_size=300))
def test_the_same_text_gives_the_same_passages(title: str, text: str) -> None:
    assert passages(title, text * 5) == passages(title, text * 5)
