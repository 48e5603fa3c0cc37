import sys
from concurrent.futures import ThreadPoolExecutor
from subprocess import run

import pytest

from memplugin.recall.words import is_stop_word, stem, uncontracted


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("deployments", "deploy"),
        ("running", "run"),
        ("ran", "run"),
        ("children", "child"),
        ("пароли", "парол"),
        ("the", "the"),
        ("never", "never"),
        ("k8s", "k8s"),
        ("部署", "部署"),
        ("a" * 40 + "ing", "a" * 40 + "ing"),
    ],
)
def test_words_are_compared_by_their_stems(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("don't", ("dont", "not")),
        ("user's", ("user",)),
        ("we'll", ("we",)),
        ("o'brien", ("obrien", "brien")),
        ("rock'n'roll", ("rocknroll", "rock", "roll")),
    ],
)
def test_contractions_are_undone(word: str, expected: tuple[str, ...]) -> None:
    assert uncontracted(word) == expected


def test_a_negation_is_no_stop_word() -> None:
    assert not any(map(is_stop_word, ["no", "not", "never", "without"]))


def test_stems_are_the_same_from_several_threads() -> None:
    words = [f"{start}{end}" for start in "bdfghklmnprst" for end in ("ations", "ingly", "nesses")]
    alone = [stem.__wrapped__(word) for word in words]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(stem.__wrapped__, words * 20)) == alone * 20


def test_the_stemmer_is_loaded_only_when_needed() -> None:
    code = "import sys, memplugin.recall.text; print('snowballstemmer' in sys.modules)"
    done = run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
