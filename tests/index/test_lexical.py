"""What is written is found by what people type, in any script, with any characters."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memplugin.index.catalog import Catalog
from memplugin.index.lexical import COMMON_FROM, Match, search, weigh
from memplugin.recall.text import terms

from .shelf import TRUST_NOTHING, add, catalog_of, found, index_of, shelf

UNRELATED = ("The cat sleeps all day", "Invoices go out on Fridays", "Lunch is at noon")

FORMS = [
    ("identifier", "getUserByID returns None", ["getUserByID", "getuserbyid", "user by id"]),
    ("class", "OrderSyncWorker retries 3×", ["order sync", "OrderSyncWorker", "sync worker"]),
    ("snake case", "max_batch_rows is 500", ["max_batch_rows", "batch rows", "MAX_BATCH_ROWS"]),
    ("kebab case", "run order-sync-worker", ["order-sync-worker", "sync worker"]),
    ("path", "see src/billing/app.py:120", ["src/billing/app.py", "app.py", "billing/app.py"]),
    ("windows path", r"it is in C:\work\notes.txt", [r"C:\work\notes.txt", "notes.txt"]),
    ("e-mail", "write to jo.doe@example.com", ["jo.doe@example.com", "example.com"]),
    ("url", "docs at https://wiki.example.com/x", ["wiki.example.com", "https://wiki.example.com/x"]),
    ("version", "Python 3.11.7 is required", ["3.11.7", "v3.11.7", "python 3.11"]),
    ("flag", "pass --dry-run first", ["--dry-run", "dry run"]),
    ("signs", "written in C++ and C#", ["C++", "c#"]),
    ("unit", "the link does 10 GB/s", ["GB/s", "10 GB/s"]),
    ("han, two characters", "部署前先跑测试", ["测试", "部署"]),
    ("han, one character", "部署前先跑测试", ["跑", "前"]),
    ("kana", "単体テストを走らせる", ["テスト", "単体"]),
    ("hangul", "배포 순서는 이렇다", ["배포 순서", "배포", "순서"]),
    ("thai", "การทดสอบระบบ", ["ทดสอบ"]),
    ("cyrillic", "Пароль от сервера", ["пароль", "сервера".upper(), "сервер"]),
    ("greek", "κωδικός είναι εδώ", ["κωδικός", "ΚΩΔΙΚΟΣ"]),
    ("accents", "the café opens at nine", ["cafe", "café", "cafe\u0301", "CAFÉ"]),
    ("decomposed", "the cafe\u0301 opens at nine", ["café", "cafe"]),
    ("umlauts", "Größe der Straße", ["größe", "straße", "GRÖSSE"]),
    ("inflected", "Deploys are running on Mondays", ["deploy", "deployed run"]),
    ("number", "the relay listens on 2525", ["2525", "which port does the relay use?"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "queries"), [f[1:] for f in FORMS], ids=[f[0] for f in FORMS])
def test_every_form_of_word_is_found(tmp_path: Path, text: str, queries: list[str]) -> None:
    """Cases 23, 24, 25, 26: first, and nothing that has none of the words."""
    store = shelf(tmp_path, *UNRELATED)
    add(store, "wanted", text)
    with catalog_of(store, index_of(tmp_path)) as catalog:
        for query in queries:
            assert found(catalog, query) == ["wanted"], query


@pytest.mark.parametrize(
    ("written", "asked"),
    [("port 8080", "port 8081"), ("v3.11.7", "3.12.7"), ("getUserByID", "getTeamByName")],
)
def test_what_is_only_like_it_ranks_below(tmp_path: Path, written: str, asked: str) -> None:
    """Case 26: an exact identifier ranks first."""
    store = shelf(tmp_path)
    add(store, "like", written)
    add(store, "exact", asked)
    with catalog_of(store, index_of(tmp_path)) as catalog:
        assert found(catalog, asked)[0] == "exact"


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    """Return an index of a few records in several scripts."""
    folder = tmp_path_factory.mktemp("lexical")
    store = shelf(folder, *UNRELATED, *(text for _, text, _ in FORMS))
    with catalog_of(store, index_of(folder)) as opened:
        yield opened


SYNTAX = st.sampled_from(
    [
        *r"""" ' * ( ) ^ : - + { } NEAR( OR AND NOT title: col:val % _ \ -- ; /* ?""".split(),
        "\x00",
        "\ud7ff",
        "\u2028",
        "\u200b",
        "é",
    ]
)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=st.lists(SYNTAX | st.text(max_size=6), max_size=12))
def test_any_characters_are_safe_in_a_query(catalog: Catalog, pieces: list[str]) -> None:
    """Case 23: nothing a person types is syntax; scores are shares, the best first."""
    matches = search(catalog, terms("".join(pieces)))
    assert all(0 < match.score <= 1 for match in matches)
    assert len({match.record for match in matches}) == len(matches)
    assert matches == sorted(matches, key=lambda match: (-match.score, match.record))


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(text=st.text(min_size=1, max_size=60), title=st.text(max_size=20))
def test_any_record_is_found_by_its_own_words(
    tmp_path_factory: pytest.TempPathFactory, text: str, title: str
) -> None:
    """Case 23, D5: whatever it is made of, if there is a word in it."""
    store = shelf(tmp_path_factory.mktemp("any"))
    store.put("note.md", text.replace("\r", " ").replace("\n", " ").lstrip("-<>=|") + f"\n{title}")
    catalog = Catalog(store.folder, None)
    faults = catalog.refresh(TRUST_NOTHING)
    row = catalog.by_id("note")
    assert (row is None) == bool(faults)
    if row is not None and terms(row.record.text):
        assert [match.record for match in search(catalog, terms(row.record.text))] == [row.number]
    catalog.close()


def scores(folder: Path, query: str) -> dict[str, float]:
    with catalog_of(shelf(folder), index_of(folder)) as catalog:
        matches = search(catalog, terms(query))
        names = {
            row.number: row.record.id for row in catalog.by_numbers([m.record for m in matches])
        }
        return {names[match.record]: match.score for match in matches}


def test_a_title_says_more_than_a_text_and_a_name_than_nothing(tmp_path: Path) -> None:
    """R1: field weights; records of the same length that have the word in another field."""
    store = shelf(tmp_path, *UNRELATED)
    add(store, "x1", "It listens on port one", title="About the relay")
    add(store, "x2", "The relay is on port one", title="About the thing")
    add(store, "relay-3", "It listens on port one", title="About the thing")
    by_id = scores(tmp_path, "relay")
    assert by_id["x1"] > by_id["x2"] > 0
    assert by_id["x1"] >= by_id["relay-3"] > 0


def test_links_are_names_to_be_found_by(tmp_path: Path) -> None:
    """L1: a record is found by what it links to."""
    store = shelf(tmp_path, *UNRELATED)
    store.put("note.md", "Wait before [[deploy-order]] says go")
    with catalog_of(store, index_of(tmp_path)) as catalog:
        assert found(catalog, "deploy order") == ["note"]


def test_who_meets_more_of_the_question_ranks_higher(tmp_path: Path) -> None:
    """R1: rare words count more than common ones, two more than one."""
    store = shelf(tmp_path, *(f"the relay is item{n}" for n in range(8)))
    add(store, "both", "the relay port is open")
    add(store, "rare", "a port is open to all")
    with catalog_of(store, index_of(tmp_path)) as catalog:
        assert found(catalog, "relay port")[:2] == ["both", "rare"]


def test_a_mention_in_passing_counts_less_than_a_record_about_it(tmp_path: Path) -> None:
    """R1: of two records with the word once, the shorter says more of it."""
    store = shelf(tmp_path, *UNRELATED)
    add(store, "long", f"{'many other things happened that day. ' * 12} the relay too.")
    add(store, "short", "the relay is down")
    by_id = scores(tmp_path, "relay")
    assert by_id["short"] > by_id["long"] > 0


def test_nothing_in_common_is_nothing(tmp_path: Path) -> None:
    """R9, case 28: not the five nearest."""
    with catalog_of(shelf(tmp_path, *UNRELATED), index_of(tmp_path)) as catalog:
        assert search(catalog, terms("zqxv blorptang")) == []
        assert search(catalog, {}) == []
    with catalog_of(shelf(tmp_path / "cache"), None) as empty:
        assert search(empty, terms("relay")) == []


def test_a_long_record_is_found_by_its_best_passage(tmp_path: Path) -> None:
    """Case 29: once, by the passage that says it, wherever that stands."""
    filler = "\n\n".join(f"Paragraph {n} speaks of weather and lunch. " * 20 for n in range(30))
    store = shelf(tmp_path, *UNRELATED)
    add(store, "long", f"{filler}\n\nThe relay listens on 2525.\n\n{filler}")
    with catalog_of(store, index_of(tmp_path)) as catalog:
        (match,) = search(catalog, terms("relay 2525"))
        ((passage,),) = catalog.query("SELECT body FROM words WHERE rowid = ?", (match.passage,))
        assert {"relay", "2525"} <= set(str(passage).split())
        assert match.words[0] in {"relay", "2525"}


def test_words_of_half_the_store_pick_no_candidates(tmp_path: Path) -> None:
    """R1: a large store is asked for its rare words, for common ones only where none is rare."""
    store = shelf(tmp_path)
    for number in range(COMMON_FROM):
        store.put(f"n{number}.md", f"the relay of item{number}")
    with catalog_of(store, index_of(tmp_path)) as catalog:
        assert found(catalog, "relay item77") == ["n77"]
        assert len(found(catalog, "relay")) > 1


def test_a_rarer_word_weighs_more() -> None:
    """R1: by how many passages have it; a store of one has rare words too."""
    weights = weigh(
        {"rare": 1.0, "common": 1.0, "half": 0.5}, {"rare": 1, "common": 50, "half": 1}, 60, 10.0
    )
    by_word = weights.by_word
    assert by_word["rare"] > by_word["common"] > 0
    assert by_word["half"] == by_word["rare"] / 2
    assert all(weight > 0 for weight in weigh({"a": 1.0}, {"a": 1}, 1, 1.0).by_word.values())


def test_the_same_question_has_the_same_answer(catalog: Catalog) -> None:
    """R7: in every run over the same index."""
    first: list[Match] = search(catalog, terms("the order of app.py"))
    assert first
    assert all(search(catalog, terms("the order of app.py")) == first for _ in range(3))
