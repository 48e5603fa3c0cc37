"""What the plugin asks of its kernel: counts, the log (section 4)."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from memplugin.app import now
from memplugin.kernel import MAX_COUNTS_IN_FLIGHT, Kernel
from memplugin.local_kernel import LocalKernel
from memplugin.protocol.callbacks import LogLevel, LogParams
from tests.harness import Params, RefusedError, ScriptedKernel, count_words
from tests.wire.other_side import run, until

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
    """K3, C4: a kernel that does not answer: unknown, retryable; the loop goes on."""
    with ScriptedKernel(tmp_path, "--callback-timeout-s", "0.1") as kernel:
        kernel.silent.add("kernel.count_tokens")
        kernel.record(RELAY)
        with pytest.raises(RefusedError) as refused:
            kernel.recall("mail relay")
        assert refused.value.data["retryable"] is True
        assert "kernel.count_tokens" in refused.value.message
        assert "callback_timeout_s (0.1 s)" in refused.value.message
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


def test_the_log_goes_to_the_kernel(tmp_path: Path) -> None:
    """K6, W3, case 3: before configure too; damage is told once, however often it is met."""
    with ScriptedKernel(tmp_path) as kernel:
        damage(kernel, ["one", "two", "three"])
        kernel.recall("mail relay")
        kernel.recall("mail relay")
        kernel.call("memory.describe")
        told = entries(kernel)
    assert len(told) == 3
    for entry in told:
        assert set(entry) == {"level", "logger", "message", "fields", "time"}
        assert entry["level"] == "warn"
        assert entry["time"].endswith("Z")
        assert ".md cannot be read and was left alone" in entry["message"]
    ids = [id for method, _, id in kernel.asked if method == "kernel.log"]
    assert ids == [f"memplugin:log:{number}" for number in range(1, len(ids) + 1)]


def test_entries_that_come_together_leave_together() -> None:
    """K6: one batch of what one turn of the loop says, by session; `fatal` is only a label."""
    sent: list[LogParams] = []

    class Line(LocalKernel):
        def _log(self, params: LogParams) -> None:
            sent.append(params)

    async def talk() -> None:
        kernel = Kernel(Line(print), clock=now, spill=print)
        for session, level in ((None, LogLevel.FATAL), (None, LogLevel.INFO), ("s", LogLevel.WARN)):
            kernel.log(level, f"said as {level}", session)
        await until(lambda: len(sent) == 2)
        kernel.log(LogLevel.ERROR, "later")
        await kernel.close()

    run(talk())
    told = [[entry.level for entry in batch.entries] for batch in sent]
    assert told == [[LogLevel.FATAL, LogLevel.INFO], [LogLevel.WARN], [LogLevel.ERROR]]
    assert [batch.session_id for batch in sent] == [None, "s", None]


def test_what_is_logged_last_arrives_although_the_input_has_ended(tmp_path: Path) -> None:
    """K6, W8: requests that are finished during shutdown still tell the log."""
    with ScriptedKernel(tmp_path) as kernel:
        damage(kernel)
        params = {"token_budget": 9, "model_target": {"id": "m"}, "query": "relay"}
        kernel._write({"jsonrpc": "2.0", "id": 1, "method": "memory.recall", "params": params})
        assert kernel.close() == 0
    assert len(entries(kernel)) == 1
