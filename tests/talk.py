"""A conversation as a kernel shows it to the plugin, hook by hook."""

from pathlib import Path
from typing import Any

from memplugin.store.lock import WriteLock
from tests.harness import ScriptedKernel


def said(role: str, text: str) -> dict[str, Any]:
    """Return a message."""
    return {"role": role, "content": [{"text": {"text": text}}]}


def hook(
    kernel: ScriptedKernel,
    point: str,
    /,
    mode: str = "observe",
    context: dict[str, Any] | None = None,
    **shown: Any,
) -> Any:
    """Dispatch a hook and return its answer."""
    more = {} if context is None else {"call_context": context}
    return kernel.call("memory.dispatch_hook", payload={point: shown}, mode=mode, **more)


class Talk:
    """One session: its messages grow, and each hook shows all of them, as kernels do."""

    def __init__(self, kernel: ScriptedKernel, id: str, parent: str | None = None) -> None:
        self.kernel = kernel
        self.id = id
        self.messages: list[dict[str, Any]] = []
        self._turn = 0
        hook(
            kernel,
            "session_start",
            session_id=id,
            profile="default",
            parent_session_id=parent,
            working_directory=str(kernel.project),
        )

    @property
    def context(self) -> dict[str, Any]:
        """The call context of the turn."""
        return {"session_id": self.id, "turn_id": f"{self.id}-{self._turn}"}

    def user(self, text: str) -> None:
        """Say something as the user; a turn begins."""
        self._turn += 1
        self.messages.append(said("user", text))
        self.show()

    def show(self) -> None:
        """Show all messages, as before a call of the model."""
        hook(
            self.kernel,
            "pre_model_call",
            context=self.context,
            messages=self.messages,
            model={"provider": "p", "id": "m"},
        )

    def assistant(self, text: str) -> None:
        """Answer."""
        message = said("assistant", text)
        self.messages.append(message)
        hook(self.kernel, "post_model_response", context=self.context, message=message)

    def tool(self, name: str, arguments: dict[str, Any], result: str) -> None:
        """Call a tool, as the model does, and show its result twice, as kernels do."""
        id = f"call-{len(self.messages)}"
        use = {"tool_use": {"id": id, "name": name, "arguments": arguments}}
        answer = {"tool_result": {"tool_use_id": id, "content": result, "is_error": False}}
        self.messages.append({"role": "assistant", "content": [use]})
        call = {"id": id, "tool_name": name, "arguments": arguments, "call_context": self.context}
        hook(self.kernel, "post_tool_call", call=call, result={"payload": {"text": result}})
        self.messages.append({"role": "user", "content": [answer]})
        self.show()

    def end(self) -> None:
        """End the session."""
        hook(self.kernel, "session_end", session_id=self.id, status="completed")

    def recall(self, budget: int = 500, **more: Any) -> list[str]:
        """Recall as a kernel does at the start of a turn; return the ids."""
        records = self.kernel.recall(budget=budget, session_id=self.id, **more)
        return [record["id"] for record in records]


def listed(kernel: ScriptedKernel, **context: Any) -> list[dict[str, Any]]:
    """Return all records that can be seen from the kernel's project, or from a session."""
    context = context or {"working_directory": str(kernel.project)}
    records: list[dict[str, Any]] = kernel.call("memory.list_records", call_context=context)[
        "records"
    ]
    return records


def contents(records: list[dict[str, Any]]) -> list[str]:
    """Return the text of each record."""
    return ["\n".join(block["text"]["text"] for block in r["content"]) for r in records]


def lock_of(kernel: ScriptedKernel) -> WriteLock:
    """Return the write lock of the kernel's plugin."""
    return WriteLock(kernel.home / ".local/state/agent/memory/lock")


def journal(kernel: ScriptedKernel) -> list[Path]:
    """Return what is captured and not yet written."""
    folder = kernel.home / ".local/state/agent/memory/journal"
    return sorted(folder.glob("*.json"))
