"""Queries of all kinds through the pipe: found in any script, safe in any spelling."""

from pathlib import Path

import pytest

from tests.harness import ScriptedKernel

AWKWARD = [
    "src/app.py",
    "don't",
    "status: done",
    'x "y',
    "a OR",
    "NEAR(",
    "*",
    "-flag",
    "GB/s",
    "C++",
    "col:val",
    "^",
    '"',
    "",
    "word " * 5000,
    "words: AND NOT {title}: ((",
    "\0\u2028\ud7ff",
]


def test_any_character_in_a_query_is_safe(tmp_path: Path) -> None:
    """R3, R9, case 23: every query is answered, by recall and by list_records."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("The mail relay listens on port 2525.")
        for query in AWKWARD:
            kernel.recall(query)
            kernel.call("memory.list_records", query=query)
        assert kernel.recall("mail relay")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Edit src/app.py by hand", "src/app.py"),
        ("We don't squash commits", "don't squash"),
        ("status: done means deployed", "status: done"),
        ("The link gives 10 GB/s", "GB/s"),
        ("The core is C++ and the rest is Lua", "C++"),
        ("Mail relay listens on 2525", "which port does the mail relay use?"),
        ("OrderSyncWorker retries 3×", "order sync"),
        ("Raise max_batch_rows to 500", "batch rows"),
        ("Call getUserByID first", "user by id"),
        ("Needs Python 3.11.7 or later", "3.11.7"),
        ("Ask ops@example.com for access", "ops@example.com"),
        ("部署前先跑测试", "测试"),
        ("배포 순서는 문서에 있다", "배포 순서"),
        ("Пароль лежит в сейфе", "пароль"),
        ("Meet at the café", "cafe"),
        ("Meet at the cafe", "café"),
        ("Meet at the caf\u00e9", "cafe\u0301"),
        ("Meet at the cafe\u0301", "caf\u00e9"),
    ],
)
def test_words_are_found_in_every_script_and_spelling(
    tmp_path: Path, text: str, query: str
) -> None:
    """R3, R9, case 23, case 24, case 25, case 26: that record, and no other."""
    with ScriptedKernel(tmp_path) as kernel:
        id = kernel.record(text)
        kernel.record("The grid component draws twelve columns.")
        assert [record["id"] for record in kernel.recall(query)] == [id]


@pytest.mark.parametrize("name", ["OrderSyncWorker", "max_batch_rows", "src/app.py", "getUserByID"])
def test_an_exact_identifier_ranks_first(tmp_path: Path, name: str) -> None:
    """R1, case 26: before records that have its parts."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("Order sync: the worker gets a user by id; batch rows at max; the app src py")
        exact = kernel.record(f"Somewhere in the long tail of it all there is {name} as well")
        kernel.record("The order of a sync worker, max of a batch, rows; the app, get user, id")
        assert kernel.recall(name)[0]["id"] == exact


def test_a_list_with_a_query_is_by_relevance_with_scores(tmp_path: Path) -> None:
    """P1, D7: one page, no token; without a query there is no score."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("Nightly the backups run, and the relay restarts.", title="Night")
        relay = kernel.record("The mail relay listens on 2525.", title="Mail relay")
        kernel.record("The grid component draws twelve columns.")
        found = kernel.call("memory.list_records", query="mail relay", page_size=9)
        scores = [record["relevance_score"] for record in found["records"]]
        assert found["records"][0]["id"] == relay
        assert found["next_page_token"] == ""
        assert scores == sorted(scores, reverse=True)
        assert all(0 < score <= 1 for score in scores)
        plain = kernel.call("memory.list_records")["records"]
        assert len(plain) == 3
        assert all("relevance_score" not in record for record in plain)
