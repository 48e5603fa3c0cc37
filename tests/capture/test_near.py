"""Near matches: what says the same, what is about the same matter, what is another thing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.near import Pair, load, measure
from memplugin.capture.near import Verdict, compare

PRECISION = 0.95  # of what is called the same, what is
RECALL = 0.80  # of paraphrases, what is called the same
HARD = [pair for pair in load() if pair.kind != "paraphrase" and pair.half == "tune"]
PADDING = "Deploys need an approval, the checklist is on the wiki. " * 45


def verdict(a: str, b: str, title: str = "") -> Verdict:
    return compare(title, a, title, b).verdict


def test_the_pairs_are_many_and_half_of_them_are_held_out() -> None:
    """T1: enough of both to measure with."""
    pairs = load()
    paraphrases = sum(pair.kind == "paraphrase" for pair in pairs)
    assert paraphrases >= 80
    assert len(pairs) - paraphrases >= 120
    assert 0.4 <= sum(pair.half == "tune" for pair in pairs) / len(pairs) <= 0.6
    assert len({pair.id for pair in pairs}) == len(pairs)


def test_doubles_are_told_from_near_matches_on_the_held_out_half() -> None:
    """T1, case 33: the figures that benchmarks/near.py prints."""
    figures = measure("held-out")
    assert figures.pairs("paraphrase") >= 40
    assert figures.precision >= PRECISION
    assert figures.recall >= RECALL


@pytest.mark.parametrize("pair", HARD, ids=[pair.id for pair in HARD])
def test_one_word_that_matters_is_seen_wherever_it_stands(pair: Pair) -> None:
    """T1, case 33: in the text, in a title, and in a text of 5,000 characters."""
    assert verdict(pair.a, pair.b) is not Verdict.SAME
    assert verdict(pair.a, pair.b, "A note") is not Verdict.SAME
    assert compare(pair.a, "See the wiki.", pair.b, "See the wiki.").verdict is not Verdict.SAME
    assert verdict(f"{PADDING}{pair.a}.", f"{PADDING}{pair.b}.") is not Verdict.SAME


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Force-push to main is permitted", "Force-push to main is not permitted"),
        ("Deploys run on Mondays", "Deploys run on Wednesdays"),
        ("The service listens on port 8080", "The service listens on port 8081"),
    ],
)
def test_another_value_for_the_same_matter_is_close(a: str, b: str) -> None:
    """T1, case 33: it may update what is known."""
    assert verdict(a, b) is Verdict.CLOSE


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The staging port is 8080", "The production port is 8080"),
        (
            "Lena lives in Hamburg and works at the port",
            "Jonas lives in Hamburg and works at the port",
        ),
        ("Answer in French", "The build cache lives in S3"),
        ("", "Use tabs"),
    ],
)
def test_what_is_said_of_another_thing_is_different(a: str, b: str) -> None:
    """T1: staging is not production, and no update of it."""
    assert verdict(a, b) is Verdict.DIFFERENT


def test_an_instruction_not_to_forget_is_the_instruction() -> None:
    """Case 34: "don't forget to" denies nothing."""
    assert verdict("Don't forget to use pool size 8", "Use pool size 8") is Verdict.SAME


def test_a_number_that_changes_place_in_a_long_text_is_seen() -> None:
    """Case 33: both numbers are in both texts, elsewhere."""
    both = f"{PADDING} Ports 8080 and 8081 are open. {PADDING}"
    assert verdict(f"{both} The api is on 8080.", f"{both} The api is on 8081.") is not Verdict.SAME


def test_slips_of_the_fingers_do_not_make_another_memory() -> None:
    """T1: a typing error is no difference."""
    assert verdict("The comittee meets weekly", "The committee meets weekly") is Verdict.SAME
    assert verdict("Sign the contract", "Sign the contact") is not Verdict.SAME


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_memory_is_the_same_as_itself(title: str, text: str) -> None:
    """T1, case 33: the same text again is a double, case and blanks aside."""
    assert compare(title, text, title, text) == compare(title, f" {text}  ", title, text)
    assert compare(title, text, title, text).verdict is Verdict.SAME


WORDS = st.lists(st.sampled_from(" ".join(f"{p.a} {p.b}" for p in load()).split()), max_size=12)


@given(WORDS.map(" ".join) | st.text(), WORDS.map(" ".join) | st.text(), st.text())
def test_it_is_symmetric_and_never_fails(a: str, b: str, title: str) -> None:
    """T1: which one is new makes no difference; a score is a share."""
    near = compare(title, a, "", b)
    assert near == compare("", b, title, a)
    assert 0 <= near.score <= 1


@given(WORDS.map(" ".join), st.integers(0, 99999), st.integers(0, 99999))
def test_another_number_is_never_the_same(text: str, one: int, other: int) -> None:
    """T1, case 33: whatever stands around it."""
    if one == other or {str(one), str(other)} & set(text.split()):
        return
    assert verdict(f"{text} port {one}", f"{text} port {other}") is not Verdict.SAME
