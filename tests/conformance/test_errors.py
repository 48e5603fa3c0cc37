"""Failures are classified, help, and give nothing away (section 3, Errors)."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from memplugin.app import now
from memplugin.kernel import Kernel
from memplugin.local_kernel import LocalKernel
from memplugin.router import handlers
from memplugin.store.lock import WriteLock
from tests.harness import ROOT, Params, RefusedError, ScriptedKernel
from tests.wire.other_side import conversation, request, run

PRIVATE = "xyzzy-private-words"
RELAY = "The mail relay listens on port 2525."
TEXT = [{"text": {"text": RELAY}}]

CATEGORIES: dict[str, tuple[int, str, bool, tuple[str, ...], str, Params]] = {
    "not_found": (-32001, "NOT_FOUND", False, (), "memory.get_record", {"id": "nothing"}),
    "invalid_type": (
        -32002,
        "INVALID_ARGUMENT",
        False,
        ("--types", "user"),
        "memory.record",
        {"type": "project", "scope": "project", "content": TEXT},
    ),
    "invalid_scope": (
        -32003,
        "INVALID_ARGUMENT",
        False,
        ("--scopes", "global"),
        "memory.record",
        {"type": "user", "scope": "project", "content": TEXT},
    ),
    "ratification_unsupported": (
        -32004,
        "FAILED_PRECONDITION",
        False,
        (),
        "memory.approve_record",
        {"id": "relay"},
    ),
    "budget_exceeded": (
        -32005,
        "RESOURCE_EXHAUSTED",
        False,
        (),
        "memory.recall",
        {"token_budget": 1, "model_target": {"id": "m"}, "query": "mail relay"},
    ),
    "source_unavailable": (
        -32006,
        "UNAVAILABLE",
        True,
        (),
        "memory.record",
        {
            "type": "user",
            "scope": "project",
            "content": TEXT,
            "call_context": {"working_directory": "/nowhere/at/all"},
        },
    ),
    "unknown": (-32000, "INTERNAL", False, (), "memory.configure", {"config": {"no-such": 1}}),
}


@pytest.mark.parametrize("category", CATEGORIES)
def test_every_category_travels_as_the_table_says(tmp_path: Path, category: str) -> None:
    """E1: code, category, grpc_status and retryable; the message is the same in both places."""
    code, grpc_status, retryable, options, method, params = CATEGORIES[category]
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record(RELAY, id="relay")
    with ScriptedKernel(tmp_path, *options) as kernel:
        with pytest.raises(RefusedError) as refused:
            kernel.call(method, **params)
        assert refused.value.code == code
        assert refused.value.data == {
            "category": category,
            "message": refused.value.message,
            "retryable": retryable,
            "grpc_status": grpc_status,
        }
        assert len(refused.value.message) > 20
        assert kernel.record("and it goes on", type="user", scope="global")


def test_a_lock_that_others_hold_is_source_unavailable(tmp_path: Path) -> None:
    """E1, case 4: never a false success; retried when the lock is free, it is written."""
    with ScriptedKernel(tmp_path, "--lock-timeout-s", "0.1") as kernel:
        id = kernel.record(RELAY)
        lock = WriteLock(kernel.home / ".local/state/agent/memory/lock")
        with lock.acquire(10, lambda: False):
            for method, params in (
                ("record", {"type": "user", "scope": "global", "content": TEXT}),
                ("update_record", {"id": id, "content": TEXT}),
                ("delete_record", {"id": id}),
            ):
                with pytest.raises(RefusedError) as refused:
                    kernel.call(f"memory.{method}", **params)
                assert refused.value.data["category"] == "source_unavailable"
                assert refused.value.data["retryable"] is True
            assert [record["id"] for record in kernel.recall("mail relay")] == [id]
        assert kernel.call("memory.delete_record", id=id)["result"] == {"deleted": True}


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"content": []}, "/content"),
        ({"content": [{"text": " \n"}]}, "/content"),
        ({"content": [{"image": {"data": PRIVATE}}]}, "/content/0"),
        ({"content": [{"text": PRIVATE * 200}]}, "/content"),
        ({"type": PRIVATE}, "/type"),
        ({"scope": None}, "/scope"),
        ({"title": 7}, "/title"),
        ({"scope": "session"}, "/call_context"),
    ],
)
def test_params_that_no_record_can_be_made_of_are_told_by_place(
    tmp_path: Path, change: Params, path: str
) -> None:
    """W5, E1, E2: -32602 is not a MemoryError; its pointers lead to the fault, unquoted."""
    good = {"type": "user", "scope": "global", "content": TEXT}
    with (
        ScriptedKernel(tmp_path, "--max-record-bytes", "2000") as kernel,
        pytest.raises(RefusedError) as refused,
    ):
        kernel.call("memory.record", **{**good, **change})
    assert refused.value.code == -32602
    assert any(error["path"].startswith(path) for error in refused.value.data["errors"])
    assert PRIVATE not in str(refused.value.data)
    assert not list(tmp_path.rglob("*.md"))


def lines_that_fail() -> str:
    """Return calls that fail or make the log speak, each with private words in it."""
    content = [{"text": {"text": f"{PRIVATE} and more"}}]
    calls: list[tuple[str, Any]] = [
        ("memory.record", {"type": "user", "scope": "global", "id": "a", "content": content}),
        ("memory.record", {"type": PRIVATE, "scope": PRIVATE, "content": content}),
        ("memory.record", {"type": "user", "scope": "session", "content": content}),
        ("memory.record", {"type": "user", "scope": "global", "content": content * 50}),
        ("memory.record", {"type": "user", "content": content, PRIVATE: PRIVATE}),
        ("memory.update_record", {"id": f"{PRIVATE} ", "content": content}),
        ("memory.update_record", {"id": "a", "content": [{"image": PRIVATE}]}),
        ("memory.delete_record", {"id": f"../{PRIVATE}"}),
        ("memory.approve_record", {"id": "a"}),
        ("memory.recall", {"token_budget": 1, "model_target": {"id": "m"}, "query": PRIVATE}),
        ("memory.recall", {"token_budget": PRIVATE, "model_target": PRIVATE}),
        ("memory.list_records", {"page_token": PRIVATE}),
        ("memory.list_records", [PRIVATE]),
        ("memory.configure", {"config": {"ratification": PRIVATE}}),
        ("memory.configure", {"config": {"directory": [PRIVATE]}}),
        ("memory.dispatch_hook", {"payload": {PRIVATE: {}}, "mode": PRIVATE}),
    ]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": n, "method": method, "params": params})
        for n, (method, params) in enumerate(calls)
    ]
    return "\n".join([*lines, f'{{"{PRIVATE}": "', f"[{PRIVATE}]", ""])


def test_errors_and_logs_hold_no_contents(tmp_path: Path) -> None:
    """E2, case 3: no answer, no line of the log, nothing on stderr repeats private words."""
    folder = tmp_path / "project/.agent/memory"
    folder.mkdir(parents=True)
    (tmp_path / "home").mkdir()
    (folder / "broken.md").write_bytes(b"---\n" + PRIVATE.encode() + b": [\n---\n\xff")
    outside = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
    done = subprocess.run(
        [sys.executable, "-m", "memplugin", "--local-kernel", "--max-record-bytes", "1024"],
        input=lines_that_fail(),
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path / "project",
        env={**outside, "HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)},
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == 18
    assert sum("error" in answer for answer in answers) == 17
    assert "broken.md" in done.stderr
    assert PRIVATE not in done.stdout + done.stderr


def test_an_uncaught_error_is_answered_with_what_helps() -> None:
    """W9, E2: unknown, type and place of the error; its trace to the log; the loop goes on."""
    logged: list[str] = []

    async def broken(_: Any) -> Struct:
        raise LookupError(PRIVATE)

    async def talk() -> None:
        kernel = Kernel(LocalKernel(logged.append), clock=now, spill=logged.append)
        table = handlers({"memory.list_links": broken}, kernel)
        async with conversation(table) as kernel_side:
            kernel_side.send(request(1, "memory.list_links"), request(2, "ping"))
            answers = {m["id"]: m for m in await kernel_side.messages(2)}
            assert answers[2]["result"] == "pong"
            error = answers[1]["error"]
            assert (error["code"], error["data"]["category"]) == (-32000, "unknown")
            assert error["data"]["retryable"] is False
            assert "memory.list_links" in error["message"]
            assert "LookupError at test_errors.py:" in error["message"]
            await kernel.close()
            assert PRIVATE not in str(answers) + str(logged)
            assert any("debug" in line and "broken" in line for line in logged)

    run(talk())
