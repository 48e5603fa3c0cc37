"""A scripted kernel: spawns the plugin, sends lines, answers its callbacks, keeps what it said."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).resolve().parent.parent
Params = dict[str, Any]


class RefusedError(Exception):
    """The plugin answered an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data: Any = error.get("data")


def count_words(params: Params) -> dict[str, Any]:
    """Count tokens as this kernel does: words."""
    words = " ".join(block["text"]["text"] for block in params["content"]).split()
    return {"count": len(words), "exact": True}


class ScriptedKernel:
    """The other side of the pipe, one request at a time.

    `answers` may replace what a callback gets; None refuses it with -32601, and what is in
    `silent` gets no answer. `asked` keeps every callback as (method, params, id).
    """

    def __init__(self, folder: Path, *options: str, environment: Params | None = None) -> None:
        project = folder / "project"
        home = folder / "home"
        for each in (project, home):
            each.mkdir(exist_ok=True)
        (project / ".git").mkdir(exist_ok=True)
        outside = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
        usual = {**outside, "HOME": str(home), "PYTHONPATH": str(ROOT)}
        self.project, self.home = project, home
        self.answers: dict[str, Callable[[Params], Any] | None] = {
            "kernel.count_tokens": count_words,
            "kernel.log": lambda _: {},
            "kernel.emit": lambda _: {"id": "e", "sequence": 1},
        }
        self.silent: set[str] = set()
        self.asked: list[tuple[str, Params, str]] = []
        self._sent = 0
        self._process = subprocess.Popen(
            [sys.executable, "-m", "memplugin", "serve", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=project,
            env=usual if environment is None else environment,
        )

    def call(self, method: str, /, **params: Any) -> Any:
        """Send a request and return its result; raises RefusedError."""
        answer = self.wait_for(self.send(method, **params))
        if "error" in answer:
            raise RefusedError(answer["error"])
        return answer["result"]

    def send(self, method: str, /, **params: Any) -> int:
        """Send a request without waiting for its answer; return its id."""
        number = self.next_number
        self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    @property
    def next_number(self) -> int:
        """An id that was not used yet."""
        self._sent += 1
        return self._sent

    def notify(self, method: str, /, **params: Any) -> None:
        """Send a notification."""
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def wait_for(self, number: int) -> Params:
        """Answer callbacks until the answer to a request comes, and return it."""
        while True:
            message = self._read()
            if isinstance(message, dict) and "method" in message:
                self._callback(message)
            elif message["id"] == number:
                answer: Params = message
                return answer

    def send_batch(self, messages: list[Params]) -> list[Params]:
        """Send a batch and return what answers it."""
        self._write(messages)
        while isinstance(message := self._read(), dict):
            self._callback(message)
        answers: list[Params] = message
        return answers

    def record(self, text: str, **more: Any) -> str:
        """Record a text and return its id."""
        params = {"type": "reference", "scope": "project", "title": text[:40], **more}
        params.setdefault("content", [{"text": {"text": text}}])
        id: str = self.call("memory.record", **params)["result"]["id"]
        return id

    def recall(self, query: str | None = None, budget: int = 500, **more: Any) -> list[Any]:
        """Recall and return the records."""
        params = {"token_budget": budget, "model_target": {"id": "m"}, **more}
        if query is not None:
            params["query"] = query
        records: list[Any] = self.call("memory.recall", **params)["records"]
        return records

    def close(self) -> int:
        """End the input and return the exit code; what the plugin says last is kept in `asked`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if not self._process.stdout.closed:
            with suppress(BrokenPipeError):
                self._process.stdin.close()
            with self._process.stdout as rest:
                for message in map(json.loads, rest):
                    if "method" in message:
                        self._note(message)
        return self._process.wait()

    def kill(self) -> None:
        """End the plugin as a power cut would."""
        self._process.kill()
        self._process.wait()

    def open_files(self) -> int:
        """Return how many files the plugin has open; 0 where the system does not tell."""
        files = Path(f"/proc/{self._process.pid}/fd")
        return len(list(files.iterdir())) if files.is_dir() else 0

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the input."""
        self.close()

    def count(self, method: str) -> int:
        """Return how often a callback was asked."""
        return sum(1 for name, _, _ in self.asked if name == method)

    def _note(self, message: Params) -> None:
        self.asked.append((message["method"], message["params"], message["id"]))

    def _callback(self, message: Params) -> None:
        self._note(message)
        if message["method"] in self.silent:
            return
        answer = self.answers.get(message["method"])
        told: Params = {"jsonrpc": "2.0", "id": message["id"]}
        if answer is None:
            told["error"] = {"code": -32601, "message": "Method not found"}
        else:
            told["result"] = answer(message["params"])
        self._write(told)

    def _write(self, message: Params | list[Params]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the plugin ended"
        return json.loads(line)
