"""Hooks in any order, missing, twice, malformed: the loop goes on."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.harness import ScriptedKernel
from tests.talk import said

POINTS = (
    "session_start",
    "pre_model_call",
    "post_model_response",
    "pre_tool_call",
    "plan_ready",
    "post_tool_call",
    "post_apply",
    "session_end",
)
SESSIONS = st.sampled_from(["s1", "s2", "", "s1/../x"])
TEXTS = st.sampled_from(
    ["Remember that we deploy on Fridays.", "forget that", "ok", "", "a\0b", "é" * 5_000]
) | st.text(max_size=20)
ODD: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)
BLOCKS = st.one_of(
    ODD,
    st.builds(lambda text: {"text": {"text": text}}, TEXTS),
    st.builds(lambda odd: {"tool_use": {"id": "c", "name": "read", "arguments": odd}}, ODD),
    st.builds(lambda odd: {"tool_result": {"tool_use_id": "c", "content": odd}}, ODD),
    st.just({"hologram": {"kind": 7}}),
)
MESSAGES = st.one_of(
    ODD,
    st.builds(said, st.sampled_from(["user", "assistant", "tool", "oracle"]), TEXTS),
    st.builds(lambda content: {"role": "user", "content": content}, st.lists(BLOCKS, max_size=3)),
)
SHOWN = st.fixed_dictionaries(
    {},
    optional={
        "session_id": SESSIONS | ODD,
        "parent_session_id": SESSIONS | ODD,
        "working_directory": ODD,
        "messages": st.lists(MESSAGES, max_size=4) | ODD,
        "message": MESSAGES,
        "call": ODD | st.fixed_dictionaries({"id": ODD, "tool_name": ODD, "arguments": ODD}),
        "result": ODD,
        "error": ODD,
        "status": st.sampled_from(["completed", "exploded"]) | ODD,
    },
)
HOOKS = st.fixed_dictionaries(
    {
        "payload": st.builds(lambda point, shown: {point: shown}, st.sampled_from(POINTS), SHOWN),
        "mode": st.sampled_from(["observe", "transform", "veto"]),
    },
    optional={
        "call_context": st.fixed_dictionaries({}, optional={"session_id": SESSIONS}),
        "subscription_id": st.just("sub"),
    },
)


@pytest.mark.parametrize("capture", ["rules", "model"])
def test_no_order_of_hooks_breaks_the_loop(tmp_path: Path, capture: str) -> None:
    """H1, H2, H5, H6, H7: every answer has its mode's shape, and what follows is served."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.call("memory.configure", config={"capture": capture})

        @settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
        @given(st.lists(HOOKS, min_size=1, max_size=12))
        def storm(hooks: list[dict[str, Any]]) -> None:
            for each in hooks:
                answer = kernel.call("memory.dispatch_hook", **each)
                match each["mode"]:
                    case "observe":
                        assert answer == {"observe": {}}
                    case "transform":
                        assert answer == {"transform": {"payload": each["payload"]}}
                    case "veto":
                        assert answer == {"veto": {"decision": "allow"}}
            assert isinstance(kernel.recall(session_id="s1"), list)

        storm()
        assert kernel.call("memory.describe")["producer"]["name"] == "memplugin"
        levels = [e["level"] for m, p, _ in kernel.asked if m == "kernel.log" for e in p["entries"]]
    assert "error" not in levels
