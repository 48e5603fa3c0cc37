"""Cancelled calls of tools and commands, through the pipe."""

from pathlib import Path
from typing import Any

import pytest

from memplugin.store.lock import WriteLock
from tests.harness import ScriptedKernel

CALLS = {
    "tool.invoke": {
        "tool_name": "memory.remember",
        "arguments": {"type": "project", "scope": "project", "content": "The relay is on 2525"},
    },
    "slashcommand.invoke": {
        "name": "memory-remember",
        "arguments": {"content": "The relay is on 2525"},
    },
}


def lock_of(folder: Path) -> WriteLock:
    """Return the write lock of a kernel's plugin."""
    (path,) = (folder / "home").rglob("lock")
    return WriteLock(path)


def cancelled(error: Any) -> None:
    """Check an event's error."""
    assert (error["category"], error["retryable"]) == ("cancelled", False)
    assert error["details"] == {"written": False}


@pytest.mark.parametrize("method", CALLS)
def test_a_call_cancelled_while_it_waits_says_what_was_written(tmp_path: Path, method: str) -> None:
    """W7: an event, and nothing is written; no failure is logged."""
    call = {"id": "c", "call_context": {"session_id": "s1"}, **CALLS[method]}
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("makes the lock")
        with lock_of(tmp_path).acquire(5):
            number = kernel.send(method, call=call)
            kernel.call("memory.get_capabilities")
            kernel.notify("$/cancelRequest", id=number)
            answer = kernel.wait_for(number)
        listed = kernel.call("memory.list_records")["records"]
        logged = kernel.count("kernel.log")
    cancelled(answer["result"]["event"]["error"])
    assert len(listed) == 1
    assert logged == 0


@pytest.mark.parametrize("method", CALLS)
def test_a_call_cancelled_at_once_is_an_event_too(tmp_path: Path, method: str) -> None:
    """W7: whether it had begun makes no difference to the shape of the answer."""
    call = {"id": "c", "call_context": {"session_id": "s1"}, **CALLS[method]}
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("makes the lock")
        with lock_of(tmp_path).acquire(5):
            first = kernel.next_number
            batch: list[Any] = [
                {"jsonrpc": "2.0", "id": first, "method": method, "params": {"call": call}},
                {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": first}},
            ]
            (answer,) = kernel.send_batch(batch)
    cancelled(answer["result"]["event"]["error"])
