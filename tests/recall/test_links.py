from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memplugin.recall.links import Link, Text, links, segments

PIECES = [
    *"[]|`\\#x é🎉\n\t",
    "[[",
    "]]",
    "[[a]]",
    "``",
    "```",
    "~~~",
    "\n\n",
    "\r\n",
    "> ",
    "- ",
    "1. ",
]
MARKDOWN = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def source(part: Text | Link) -> str:
    return part.text if isinstance(part, Text) else part.source


def test_links_come_in_order_of_first_appearance_without_doubles() -> None:
    """L1: in order of first appearance, no duplicates."""
    assert links(["see [[Beta]] and [[alpha]],", "[[beta]] again, [[gamma ray]]"]) == (
        "beta",
        "alpha",
        "gamma-ray",
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[name|shown as]]", [Link("name", "shown as", "[[name|shown as]]")]),
        ("[[name|]]", [Link("name", None, "[[name|]]")]),
        ("[[name|a|b]]", [Link("name", "a|b", "[[name|a|b]]")]),
        ("[[ Name ]]", [Link("name", None, "[[ Name ]]")]),
        ("[[README]]", [Link("readme-note", None, "[[README]]")]),
        ("[[app/[id]/page]]", [Link("app-id-page", None, "[[app/[id]/page]]")]),
        ("[[app/[id]]]", [Link("app-id", None, "[[app/[id]]]")]),
        ("[[[x]]]", [Text("["), Link("x", None, "[[x]]"), Text("]")]),
        ("[[a [[b]]", [Text("[[a "), Link("b", None, "[[b]]")]),
        ("a [[b]] c", [Text("a "), Link("b", None, "[[b]]"), Text(" c")]),
        ("", []),
    ],
)
def test_segments_name_target_and_label(text: str, expected: list[Text | Link]) -> None:
    """L1: `[[name|label]]` links to name, normalised as ids are."""
    assert segments(text) == expected


@pytest.mark.parametrize(
    "text",
    ["[[🎉]]", "[[]]", "[[ ]]", "[[|label]]", "[[a\nb]]", "[[a]", "[a]]", "[[ [[ ]", "]] [["],
)
def test_what_names_nothing_is_text(text: str) -> None:
    """L1, decision 37: a name that leaves nothing usable is text."""
    assert links([text]) == ()
    assert segments(text) == [Text(text)]


def test_an_unresolvable_name_is_not_bound_to_a_similar_one() -> None:
    """L1: names are never matched to a merely similar id."""
    assert links(["[[overview (billing)]] [[overview]]"]) == ("overview-billing", "overview")


def test_long_names_are_not_cut_together() -> None:
    """Decision 37: names are not truncated, so two that share a start stay two."""
    start = "word-" * 13
    assert links([f"[[{start}one]] [[{start}two]]"]) == (f"{start}one", f"{start}two")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`[[a]]` [[b]]", ("b",)),
        ("``[[a]] ` [[c]]`` [[b]]", ("b",)),
        ("`one\n[[a]] two` [[b]]", ("b",)),
        ("`unclosed [[a]]", ("a",)),
        ("``unequal [[a]]`", ("a",)),
        (r"\`[[a]]`", ("a",)),
        (r"\\`[[a]]` [[b]]", ("b",)),
        (r"`a\` [[b]]`", ("b",)),
        ("`ends with\n\nthe paragraph [[a]]`", ("a",)),
        ("# a ` heading\n[[a]]`", ("a",)),
        ("a `\n---\n[[a]]`", ("a",)),
        ("a `\n===\n[[a]]`", ("a",)),
        ("- `item\n- next` [[a]]", ("a",)),
        ("> `quoted\nlazy [[a]]` [[b]]", ("b",)),
    ],
)
def test_code_spans_hold_no_links(text: str, expected: tuple[str, ...]) -> None:
    """L1: `[[…]]` inside code spans is text, by CommonMark's rule for them."""
    assert links([text]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```\n[[a]]\n```\n[[b]]", ("b",)),
        ("~~~ text\n[[a]]\n~~~\n[[b]]", ("b",)),
        ("```\n[[a]]\n~~~\n[[b]]", ()),
        ("````\n[[a]]\n```\n[[b]]\n`````  \n[[c]]", ("c",)),
        ("```\n[[a]]\n``` no closer\n[[b]]", ()),
        ("```\n[[a]]\n``` ```\n[[b]]", ()),
        ("   ```\n[[a]]\n   ```\n[[b]]", ("b",)),
        ("    ```\n\n[[a]]\n", ("a",)),
        ("```\n[[a]]\n    ```\n[[b]]", ()),
        ("``` a`b\n[[a]]", ("a",)),
        ("~~~ a`b\n[[a]]", ()),
        ("~~\n[[a]]", ("a",)),
        ("```\r\n[[a]]\r\n```\r\n[[b]]", ("b",)),
        ("text\n```\n[[a]]\n```\ntext [[b]]", ("b",)),
        ("[[a]]\n```\nnever closed\n[[b]]\n\n[[c]]", ("a",)),
        ("- item\n\n  ```\n  [[a]]\n  ```\n  [[b]]", ("b",)),
        ("10. item\n    ~~~\n    [[a]]\n    ~~~\n    [[b]]", ("b",)),
        ("- ```\n  [[a]]\n[[b]]", ("b",)),
        ("> ```\n> [[a]]\n[[b]]", ("b",)),
        ("> - ```\n>   [[a]]\n>   ```\n>   [[b]]", ("b",)),
        ("-\t~~~\n\t[[a]]\n\t~~~\n\t[[b]]", ("b",)),
        ("a\n2. ```\n[[b]]", ("b",)),
        ("-\n  ~~~\n  [[a]]", ()),
        ("- - ~~~\n    [[a]]\n  ~~~\n  [[b]]", ()),
    ],
)
def test_fenced_code_holds_no_links(text: str, expected: tuple[str, ...]) -> None:
    """L1: `[[…]]` inside fenced code is text, by CommonMark's rules for fences."""
    assert links([text]) == expected


def test_each_text_is_read_by_itself() -> None:
    assert links(["```\n[[a]]", "[[b]] `", "[[c]]`"]) == ("b", "c")


@given(MARKDOWN)
@settings(max_examples=200)
def test_segments_joined_are_the_text(text: str) -> None:
    parts = segments(text)
    assert "".join(map(source, parts)) == text
    assert links([text]) == tuple(
        dict.fromkeys(part.name for part in parts if isinstance(part, Link))
    )
    assert all(isinstance(part, Link) or isinstance(after, Link) for part, after in pairwise(parts))


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "]" * 100_000,
        "`" * 100_000 + "[[",
        "` " * 50_000 + "[[",
        "".join("`" * n + " " for n in range(400)) + "[[",
        "\\`" * 50_000 + "[[",
        "[[" * 50_000 + "]" * 100_000,
        "[[a|" * 50_000 + "]]",
        ">" * 100_000 + "[[",
        "- " * 50_000 + "[[",
        ("> " * 40 + "\n") * 2_000 + "[[",
        "\t" * 100_000 + "[[",
    ],
    ids=lambda text: text[:4],
)
def test_hostile_text_is_read_through(text: str) -> None:
    """Quadratic work on any of these would keep the suite waiting for minutes."""
    assert "".join(map(source, segments(text))) == text
