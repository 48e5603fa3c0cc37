"""The shapes of hooks: every point in every mode, whatever is inside (section 8)."""

from pathlib import Path
from typing import Any

import pytest

from tests.harness import Params, RefusedError, ScriptedKernel

SUPPORTED = {
    "session_start",
    "pre_model_call",
    "post_model_response",
    "post_tool_call",
    "session_end",
}
SHOWN: dict[str, Params] = {
    "session_start": {"session_id": "s", "profile": "p", "working_directory": "/nowhere"},
    "pre_model_call": {"messages": [], "model": {"provider": "p", "id": "m"}},
    "post_model_response": {
        "message": {"role": "assistant", "content": [{"text": {"text": "Done."}}]},
        "model": {"name": "m", "version": "1.0.0", "category": "model"},
        "usage": {"input_tokens": 1},
        "cost_usd": 1e-3,
    },
    "pre_tool_call": {"call": {"id": "c", "tool_name": "t", "arguments": {}}, "plan_item": None},
    "plan_ready": {"plan": {"turn_id": "t", "items": [1, {"b": 1, "a": 2}]}},
    "post_tool_call": {"call": {"id": "c", "tool_name": "t"}, "error": {"category": "timeout"}},
    "post_apply": {"apply": {"turn_id": "t", "items": []}},
    "session_end": {"session_id": "s", "status": "error_max_turns"},
}
ODD: list[Any] = [
    {},
    None,
    [],
    "text",
    7,
    {"session_id": 7, "status": "exploded", "profile": None},
    {"messages": [{"role": "oracle", "content": [{"hologram": {}}]}, 3, None], "model": "m"},
    {"messages": {"0": "x"}, "message": {"role": "user", "content": "plain"}},
    {"message": {"role": "assistant", "content": [{"text": "short"}, {"text": {"words": 1}}]}},
    {"call": {"tool_name": ["t"], "arguments": "x"}, "result": {"output": [1]}},
    {"renamed_session": "s", "new_field": {"deep": [[[[]]]]}},
]


@pytest.mark.parametrize("method", ["memory.dispatch_hook", "hook.dispatch_hook"])
def test_the_answers_shape_is_the_modes_own(tmp_path: Path, method: str) -> None:
    """H1, H2: all eight points in all three modes, under both names of the method."""
    with ScriptedKernel(tmp_path) as kernel:
        for point, shown in SHOWN.items():
            expected = {
                "observe": {"observe": {}},
                "transform": {"transform": {"payload": {point: shown}}},
                "veto": {"veto": {"decision": "allow"}},
            }
            for mode, answer in expected.items():
                params = {"payload": {point: shown}, "mode": mode, "subscription_id": "x"}
                assert kernel.call(method, **params) == answer


def test_a_payload_comes_back_verbatim(tmp_path: Path) -> None:
    """H1: the same members in the same order, numbers spelled as they were, doubles kept."""
    payload = (
        '{"plan_ready":{"z":1.0,"a":1e300,"n":-0,"big":123456789012345678901234567890,'
        '"a":0.10,"e":1E+2,"s":"\\u00e9/\\/","nested":{"b":[1.50,{"y":2,"x":1}],"a":null}}}'
    )
    with ScriptedKernel(tmp_path) as kernel:
        assert kernel._process.stdin is not None
        assert kernel._process.stdout is not None
        line = (
            '{"jsonrpc":"2.0","id":1,"method":"memory.dispatch_hook","params":'
            f'{{"mode":"transform","payload":{payload}}}}}\n'
        )
        kernel._process.stdin.write(line.encode())
        kernel._process.stdin.flush()
        answer = kernel._process.stdout.readline().decode()
    assert f'{{"transform":{{"payload":{payload}}}}}' in answer


def test_nothing_inside_a_payload_is_refused(tmp_path: Path) -> None:
    """H6, W9: unknown words and kinds, missing and renamed fields; recall goes on working."""
    with ScriptedKernel(tmp_path) as kernel:
        id = kernel.record("The mail relay listens on port 2525.")
        for point in SHOWN:
            for odd in ODD:
                for mode in ("observe", "transform", "veto"):
                    answer = kernel.call("memory.dispatch_hook", payload={point: odd}, mode=mode)
                    assert list(answer) == [mode]
        assert [record["id"] for record in kernel.recall("mail relay")] == [id]
        logged = [p for method, p, _ in kernel.asked if method == "kernel.log"]
        assert logged == []


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"mode": "admire"}, "/mode"),
        ({"mode": None}, "/mode"),
        ({"payload": {"pre_dawn": {}}}, "/payload"),
        ({"payload": {}}, "/payload"),
        ({"payload": {"session_end": {}, "plan_ready": {}}}, "/payload"),
        ({"payload": []}, "/payload"),
        ({"payload": None}, "/payload"),
    ],
)
def test_an_unknown_point_or_mode_is_refused(tmp_path: Path, change: Params, path: str) -> None:
    """H2, W5: -32602 at its place."""
    good = {"payload": {"session_end": {"session_id": "s"}}, "mode": "observe"}
    with ScriptedKernel(tmp_path) as kernel, pytest.raises(RefusedError) as refused:
        kernel.call("memory.dispatch_hook", **{**good, **change})
    assert refused.value.code == -32602
    assert all(error["path"].startswith(path) for error in refused.value.data["errors"])


def test_the_points_that_do_something_are_named(tmp_path: Path) -> None:
    """H2, C4: in the capabilities, each once."""
    with ScriptedKernel(tmp_path) as kernel:
        points = kernel.call("memory.get_capabilities")["capabilities"]["supported_hook_points"]
    assert len(points) == len(SUPPORTED)
    assert set(points) == SUPPORTED
