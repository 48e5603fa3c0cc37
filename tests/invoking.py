"""Tools and commands as a kernel calls them."""

from typing import Any

from tests.harness import ScriptedKernel

Event = dict[str, Any]


def tool(
    kernel: ScriptedKernel, name: str, /, context: Event | None = None, **arguments: Any
) -> Event:
    """Run a tool; return its event."""
    call = _call(context, arguments) | {"tool_name": name}
    event: Event = kernel.call("tool.invoke", call=call)["event"]
    return event


def preview(kernel: ScriptedKernel, name: str, /, **arguments: Any) -> Any:
    """Return the root of a tool's preview."""
    call = _call(None, arguments) | {"tool_name": name}
    return kernel.call("tool.preview", call=call)["preview"]["root"]


def command(
    kernel: ScriptedKernel, name: str, /, context: Event | None = None, **arguments: Any
) -> Event:
    """Run a command; return its event."""
    call = _call(context, arguments) | {"name": name}
    event: Event = kernel.call("slashcommand.invoke", call=call)["event"]
    return event


def given(event: Event) -> Any:
    """Return the payload of a successful event."""
    assert "error" not in event, event
    return event["result"]["payload"]


def remember(kernel: ScriptedKernel, content: str, /, **more: Any) -> Any:
    """Run memory.remember; return its payload."""
    arguments = {"type": "project", "scope": "project", "content": content, **more}
    return given(tool(kernel, "memory.remember", **arguments))


def _call(context: Event | None, arguments: Any) -> Event:
    return {"id": "c1", "arguments": arguments, "call_context": context or {"session_id": "s1"}}
