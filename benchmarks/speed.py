"""Speed, as ratios within one run.

Run: python benchmarks/speed.py [--records 1000,10000].

Prints a table. Each figure is a median; the machine's own pace is in the base of each ratio.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

LOOP = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {}}), flush=True)
"""
WORDS = (
    "relay port deploy order cache worker queue invoice tenant schema backup token retry".split()
)


class Child:
    """A process that answers lines; it counts words where it is asked to."""

    def __init__(self, command: list[str], folder: Path) -> None:
        home = folder / "home"
        home.mkdir(exist_ok=True)
        outside = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            env={**outside, "HOME": str(home)},
        )
        self._sent = 0

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._sent += 1
        self._write({"jsonrpc": "2.0", "id": self._sent, "method": method, "params": params})
        while True:
            message: dict[str, Any] = json.loads(self.process.stdout.readline())
            if message.get("id") == self._sent and "method" not in message:
                return message
            count = sum(
                len(b["text"]["text"].split()) for b in message["params"].get("content", [])
            )
            result = {"count": count, "exact": True}
            self._write({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def _write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def resident_mb(self) -> float:
        """Return the resident memory in MB (Linux)."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))

    def close(self) -> None:
        """End it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def timed(work: Callable[[], object], times: int) -> float:
    """Return the median of several runs, in milliseconds."""
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        spent.append((time.perf_counter() - start) * 1000)
    return median(spent)


def timed_beside(
    base: Callable[[], object], work: Callable[[], object], rounds: int, block: int
) -> tuple[float, float]:
    """Return the medians of two kinds of work, done in blocks by turns: at the same load, warm."""
    spent: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for each, into in zip((base, work), spent, strict=True):
            into.extend(timed(each, 1) for _ in range(block))
    return median(spent[0]), median(spent[1])


def bare_write(folder: Path, number: int) -> None:
    """Do what no durable store can do without: write, fsync, link, fsync of the folder."""
    temporary = folder / f".{number}.tmp"
    with temporary.open("wb") as file:
        file.write(b"x" * 300)
        file.flush()
        os.fsync(file.fileno())
    os.link(temporary, folder / f"{number}.md")
    temporary.unlink()
    handle = os.open(folder, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


def show(name: str, value: float, base: float | None = None, limit: str = "") -> None:
    """Print one row of the table."""
    ratio = f"{value / base:.2f}×" if base else ""
    print(f"| {name} | {value:.2f} | {ratio} | {limit} |")


def start_and_loop(folder: Path, serve: list[str]) -> None:
    """Measure from spawn to the first answer, and a describe round trip."""

    def first_answer() -> None:
        child = Child(serve, folder)
        child.call("memory.describe", {})
        child.process.kill()
        child.process.wait()

    bare = [sys.executable, "-c", "import asyncio, json, sqlite3"]
    base = timed(lambda: subprocess.run(bare, check=True), 15)
    show("bare interpreter with asyncio, json, sqlite3, ms", base)
    show("spawn to first answer, ms", timed(first_answer, 15), base, "≤ 4×")
    loop, plugin = Child([sys.executable, "-c", LOOP], folder), Child(serve, folder)
    for child in (loop, plugin):
        child.call("memory.describe", {})
    base, spent = timed_beside(
        lambda: loop.call("memory.describe", {}),
        lambda: plugin.call("memory.describe", {}),
        rounds=10,
        block=200,
    )
    show("minimal json loop, ms", base)
    show("describe round trip, ms", spent, base, "≤ 3×")
    loop.close()
    plugin.close()


def record_params(number: int) -> dict[str, Any]:
    """Return a record of about 40 words, different for each number."""
    words = [WORDS[(number * step + step) % len(WORDS)] for step in range(1, 36)]
    text = f"Fact {number} about item{number}: {' '.join(words)}."
    return {
        "type": "reference",
        "scope": "project",
        "title": f"Fact {number}",
        "content": [{"text": {"text": text}}],
    }


def writes_and_recall(folder: Path, serve: list[str], records: list[int]) -> None:
    """Measure records with their fsync, and recall in stores of growing size."""
    (folder / ".git").mkdir()
    plugin = Child(serve, folder)
    bare = folder / "bare"
    bare.mkdir()
    numbers = iter(range(10**9))
    written = iter(range(10**9))
    base, spent = timed_beside(
        lambda: bare_write(bare, next(numbers)),
        lambda: plugin.call("memory.record", record_params(next(written))),
        rounds=15,
        block=20,
    )
    show("bare write, fsync, link, fsync of the folder, ms", base)
    show("record, ms", spent, base, "≤ 3×")
    for size in records:
        for number in written:
            if number >= size:
                break
            plugin.call("memory.record", record_params(number))
        asked = iter(range(7, 10**9, 13))

        def recall() -> None:
            query = f"what is fact item{next(asked) % size} about {WORDS[next(asked) % 13]}"  # noqa: B023
            params = {"query": query, "token_budget": 300, "model_target": {"id": "example"}}
            plugin.call("memory.recall", params)

        timed(recall, 5)
        limit = {1000: "< 10 ms", 10000: "< 25 ms"}.get(size, "")
        show(f"recall at {size} records, callbacks included, ms", timed(recall, 100), None, limit)
    show("resident memory, MB", plugin.resident_mb(), None, "< 80 MB")
    plugin.close()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", default="1000,10000")
    sizes = [int(size) for size in parser.parse_args().records.split(",")]
    serve = [sys.executable, "-m", "memplugin", "serve"]
    print("| what | median | ratio | target |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        start_and_loop(Path(one), serve)
        writes_and_recall(Path(other), serve, sizes)


if __name__ == "__main__":
    main()
