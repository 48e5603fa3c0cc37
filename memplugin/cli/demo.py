"""A session between a kernel (this process) and the plugin, spawned from its plugin.toml."""

import json
import os
import subprocess
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memplugin.manifest import of_this_installation

Say = Callable[[str], object]

_RECORDS: list[dict[str, Any]] = [
    {
        "type": "reference",
        "scope": "project",
        "title": "Mail relay",
        "text": "The mail relay listens on port 2525; its dashboard is grafana.example/d/mail."
        " Restart it as told in [[deploy-order]].",
    },
    {
        "type": "project",
        "scope": "project",
        "title": "Deploy order",
        "text": "Deploy the database migration first, then the workers, then the web servers.",
    },
    {
        "type": "user",
        "scope": "global",
        "title": "Works in Lisbon",
        "text": "The user works from Lisbon and prefers short answers with a command to run.",
    },
    {
        "type": "feedback",
        "scope": "project",
        "title": "Run the tests before a commit",
        "text": "Run `make test` before every commit: a broken main stopped the team in March.",
    },
]
_SAID = "Remember that the dashboard for slow staging queries is grafana.example/d/slow."


class DemoKernel:
    """A kernel as small as can be: it sends a request, and answers callbacks until the answer."""

    def __init__(self, manifest: Path, folder: Path, say: Say) -> None:
        command = tomllib.loads(manifest.read_text(encoding="utf-8"))["command"]
        home = folder / "home"
        home.mkdir(exist_ok=True)
        outside = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
        self._process = subprocess.Popen(  # noqa: S603 - our own command, from our own manifest
            [command["program"], *command["args"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder / "project",
            env={**outside, "HOME": str(home)},
            text=True,
            encoding="utf-8",
        )
        self._say = say
        self._sent = 0
        self.counted = 0

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its result."""
        self._sent += 1
        self._say(f"→ {method} {_short(params)}")
        self._write({"jsonrpc": "2.0", "id": self._sent, "method": method, "params": params})
        while True:
            message = self._read()
            if "method" in message:
                self._answer(message)
            elif message.get("id") == self._sent:
                if "error" in message:
                    raise SystemExit(f"the plugin answered an error: {message['error']['message']}")
                result: dict[str, Any] = message["result"]
                return result

    def end(self) -> int:
        """Close the pipe and return the plugin's exit code."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._process.wait()

    def _answer(self, message: dict[str, Any]) -> None:
        result: dict[str, Any] = {}
        if message["method"] == "kernel.count_tokens":
            words = " ".join(block["text"]["text"] for block in message["params"]["content"])
            self.counted += 1
            result = {"count": len(words.split()), "exact": True}
        elif message["method"] == "kernel.emit":
            payload = message["params"]["payload"]
            self._say(f"  ⋯ audit: {message['params']['kind']} {payload['record_id']}")
            result = {"id": message["id"], "sequence": 1}
        self._write({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("the plugin ended too early: its message is above")
        message: dict[str, Any] = json.loads(line)
        return message


def play(say: Say) -> None:
    """Play the session in a temporary folder and tell each exchange."""
    with tempfile.TemporaryDirectory(prefix="memplugin-demo-") as name:
        folder = Path(name)
        (folder / "project" / ".git").mkdir(parents=True)
        manifest = folder / "plugin.toml"
        manifest.write_text(of_this_installation(), encoding="utf-8")
        say("A kernel spawns the plugin, as its plugin.toml says.")
        _first_session(DemoKernel(manifest, folder, say), folder, say)
        say("\nThe plugin is started again: everything is found again.")
        _second_session(DemoKernel(manifest, folder, say), folder, say)
        say("\nThe same memories as files:")
        for path in sorted(folder.rglob("*.md")):
            say(f"  {path.relative_to(folder)}")


def _context(folder: Path, session: str) -> dict[str, str]:
    return {"session_id": session, "working_directory": str(folder / "project")}


def _first_session(kernel: DemoKernel, folder: Path, say: Say) -> None:
    context = _context(folder, "demo-1")
    producer = kernel.call("memory.describe", {})["producer"]
    say(f"← {producer['name']} {producer['version']}")
    start = {"session_start": {**context, "profile": "default"}}
    kernel.call("memory.dispatch_hook", {"payload": start, "mode": "observe"})
    for record in _RECORDS:
        params = {key: record[key] for key in ("type", "scope", "title")}
        content = [{"text": {"text": record["text"]}}]
        params |= {"content": content, "call_context": context}
        say(f"← {kernel.call('memory.record', params)['result']['id']}")
    links = kernel.call("memory.list_links", {"call_context": context})["links"]
    for link in links:
        say(f"← {link['source']} → {link['target']} ({'there' if link['exists'] else 'dangling'})")
    _recall(kernel, context, 200, "which port does the mail relay use?", say)
    _recall(kernel, context, 14, "how do we deploy the mail relay?", say)
    say("\nThe user says something worth remembering; hooks show it, and the plugin captures it.")
    _said(kernel, context, _SAID)
    end = {"session_end": {"session_id": "demo-1", "status": "completed"}}
    kernel.call("memory.dispatch_hook", {"payload": end, "mode": "observe"})
    say(f"The pipe is closed; the plugin ends with exit code {kernel.end()}.")


def _second_session(kernel: DemoKernel, folder: Path, say: Say) -> None:
    context = _context(folder, "demo-2")
    _recall(kernel, context, 200, "which port does the mail relay use?", say)
    say("\nThe user speaks of a topic; the next recall, without a query, is about it.")
    _said(kernel, context, "Where do I look when staging queries are slow?")
    _recall(kernel, context, 60, "", say)
    say(f"  token counts asked again after the restart: {kernel.counted}")
    kernel.end()


def _said(kernel: DemoKernel, context: dict[str, str], text: str) -> None:
    message = {"role": "user", "content": [{"text": {"text": text}}]}
    shown = {"pre_model_call": {"messages": [message], "model": {"id": "example"}}}
    params = {"payload": shown, "mode": "observe", "call_context": context}
    kernel.call("memory.dispatch_hook", params)


def _recall(kernel: DemoKernel, context: dict[str, str], budget: int, query: str, say: Say) -> None:
    params: dict[str, Any] = {**context, "token_budget": budget, "model_target": {"id": "example"}}
    if query:
        params["query"] = query
    records = kernel.call("memory.recall", params)["records"]
    for record in records:
        say(f"← {record['id']}: {record['tokens']} tokens, {_score(record)}")
    say(f"  {len(records)} recalled, {sum(r['tokens'] for r in records)} of {budget} tokens used")


def _score(record: dict[str, Any]) -> str:
    score = record.get("relevance_score")
    return "standing or recent memory" if score is None else f"relevance {score:.2f}"


def _short(params: dict[str, Any]) -> str:
    text = json.dumps(params, ensure_ascii=False)
    return text if len(text) <= 100 else text[:99] + "…"  # noqa: PLR2004 - a line of a terminal
