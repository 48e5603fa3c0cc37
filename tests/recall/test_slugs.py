import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memplugin.recall import slugs
from memplugin.recall.slugs import MAX_LENGTH, derive, is_slug, name, numbered, slug

DEVICES = ["con", "prn", "aux", "nul", "com0", "com9", "lpt0", "lpt9"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, World!", "hello-world"),
        ("a: b", "a-b"),
        ("- x", "x"),
        ('"q"', "q"),
        ("yes", "yes"),
        ("1e3", "1e3"),
        ("@x", "x"),
        ("{a}", "a"),
        ("  padded  ", "padded"),
        ("two\nlines", "two-lines"),
        ("snake_case_name", "snake-case-name"),
        ("don't", "dont"),
        ("Don\u2019t", "dont"),
        ("'quoted' word", "quoted-word"),
        ("getUserByID", "getuserbyid"),
    ],
)
def test_a_title_becomes_kebab_case(text: str, expected: str) -> None:
    """D2: ids are kebab-case slugs; a suggested one is normalised."""
    assert slug(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("部署前先跑测试", "bu-shu-qian-xian-pao-ce-shi"),
        ("배포 순서", "baepo-sunseo"),
        ("Пароль", "parol"),
        ("Crème Brûlée", "creme-brulee"),
        ("Straße", "strasse"),
        ("東京タワー", "dong-jing-tawa"),
        ("भारत", "bhart"),
        ("ﬁne \uff11\uff12", "fine-12"),
        ("½ cup", "1-2-cup"),
    ],
)
def test_letters_of_every_script_are_transliterated(text: str, expected: str) -> None:
    """D2: letters of every script are transliterated."""
    assert slug(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C# notes", "c-sharp-notes"),
        ("C++", "c-plus-plus"),
        ("C notes", "c-notes"),
        ("PR#12", "pr-12"),
        ("issue #12", "issue-12"),
    ],
)
def test_languages_named_by_signs_keep_ids_of_their_own(text: str, expected: str) -> None:
    assert slug(text) == expected


@pytest.mark.parametrize(
    "text", ["", " ", "...", "😀🎉", "👩\u200d💻", "™", "\ud83d", "\x00", "»—«"]
)
def test_nothing_usable_gives_no_slug(text: str) -> None:
    """D2: then the id is a ULID, the caller's to make; emoji are not spelled out."""
    assert slug(text) == ""


def test_an_emoji_beside_words_is_dropped() -> None:
    assert slug("🚀 Launch day 🎉") == "launch-day"


@pytest.mark.parametrize("reserved", ["readme", "memory", *DEVICES])
def test_reserved_names_get_a_suffix(reserved: str) -> None:
    """D2: README.md and MEMORY.md are not records, device names no files."""
    assert slug(reserved.upper() + ".") == f"{reserved}-note"
    assert not is_slug(reserved)


def test_a_superscript_does_not_smuggle_a_device_name() -> None:
    assert slug("COM²") == "com2-note"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("../up", "up"),
        ("/etc/cron.d/x", "etc-cron-d-x"),
        ("a/../../b", "a-b"),
        ("C:\\x", "c-x"),
        ("a\x00b", "a-b"),
        ("A", "a"),
        ("a ", "a"),
        ("a.", "a"),
    ],
)
def test_paths_never_survive(text: str, expected: str) -> None:
    """D2: a slug is safe as a file name, whatever was suggested."""
    assert slug(text) == expected


def test_a_long_title_is_cut_at_a_word() -> None:
    title = "The deployment of the billing service happens on Mondays after the weekly freeze ends"
    assert slug(title) == "the-deployment-of-the-billing-service-happens-on-mondays-after"


def test_a_long_word_is_cut_anywhere() -> None:
    assert slug("x" * 300) == "x" * MAX_LENGTH


def test_a_name_is_not_cut() -> None:
    """L1: two names that share their first 64 characters do not bind together."""
    assert name("Word " * 30) == "-".join(["word"] * 30)


def test_a_number_shortens_its_base() -> None:
    """D3: a taken id gets -2, -3, … within the limit."""
    assert numbered("deploy", 2) == "deploy-2"
    assert numbered("x" * 64, 12) == "x" * 61 + "-12"
    assert numbered(slug("word " * 13), 100) == "word-" * 12 + "100"


def test_an_id_is_derived_from_the_title_first() -> None:
    """D2: derived from the content, its title first."""
    assert derive("Deploy order", ["Something else"]) == "deploy-order"
    assert derive("😀", ["", "—", "Deploy from the main branch only"]) == (
        "deploy-from-the-main-branch-only"
    )
    assert derive("😀", ["🎉"]) == ""


def test_a_derived_id_is_short_and_ends_in_a_telling_word() -> None:
    title = "Deployments of the billing service need an approval that comes from the on-call person"
    assert derive(title, []) == "deployments-of-the-billing-service-need-an-approval-that-comes"
    content = "# Heading\n\nThe body goes on and on, for much longer than an id should ever be"
    assert derive("", [content]) == "heading-the-body-goes"


def test_transliteration_is_loaded_only_when_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anyascii", None)
    slugs._transliteration.cache_clear()
    assert slug("Plain ASCII title") == "plain-ascii-title"


@given(st.text())
@settings(max_examples=200)
def test_a_slug_is_valid_and_its_own_slug(text: str) -> None:
    """D2: every id is valid, whatever it was made of; normalising twice changes nothing."""
    made = slug(text)
    assert made == "" or is_slug(made)
    assert slug(made) == made
    assert name(name(text)) == name(text)


@given(st.text())
@settings(max_examples=100)
def test_a_slug_does_not_depend_on_the_unicode_form(text: str) -> None:
    assert name(unicodedata.normalize("NFD", text)) == name(unicodedata.normalize("NFC", text))


@given(st.text(min_size=1), st.integers(min_value=2, max_value=10**9))
@settings(max_examples=100)
def test_a_numbered_slug_is_valid(text: str, n: int) -> None:
    """D3: the suffix never makes an id too long or malformed."""
    base = slug(text) or "memory-note"
    assert is_slug(numbered(base, n))
    assert numbered(base, n).endswith(f"-{n}")


@given(st.text(), st.lists(st.text(), max_size=3))
@settings(max_examples=100)
def test_a_derived_id_is_valid(title: str, contents: list[str]) -> None:
    derived = derive(title, contents)
    assert derived == "" or is_slug(derived)
