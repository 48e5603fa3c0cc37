"""Conversations as they stand in tests/golden, replayed line by line, byte for byte.

# a remark
$ options   starts the plugin; an earlier one first finishes and exits with 0
> line      the kernel says
< line      the plugin says, and nothing before it
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness import ROOT

GOLDEN = Path(__file__).resolve().parent / "golden"
REWRITE = bool(os.environ.get("REWRITE"))


class Plugin:
    """A process over its pipes, in a project and a home of its own."""

    def __init__(self, folder: Path, options: str) -> None:
        project, home = folder / "project", folder / "home"
        for each in (project / ".git", home):
            each.mkdir(parents=True, exist_ok=True)
        outside = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "memplugin", "serve", *options.split()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=project,
            env={**outside, "HOME": str(home), "PYTHONPATH": str(ROOT)},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout

    def hear(self, line: str) -> None:
        """Take a line of the kernel's."""
        self._to.write(f"{line}\n".encode())
        self._to.flush()

    def say(self) -> str:
        """Return the next line, empty at the end."""
        return self._from.readline().decode().removesuffix("\n")

    def end(self) -> tuple[str, int]:
        """End the input; return what was still said, and the exit code."""
        with self._from, self._to:
            self._to.close()
            return self._from.read().decode(), self._process.wait()


@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("*.jsonl")))
def test_a_conversation_is_replayed_to_the_letter(tmp_path: Path, name: str) -> None:
    """W1, W3, W5, K1, K2, D3, D4, R1: every line in its place, and no other."""
    plugin: Plugin | None = None
    path = GOLDEN / f"{name}.jsonl"
    lines = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, 1):
        kind, _, rest = line.partition(" ")
        if kind == "$":
            assert plugin is None or plugin.end() == ("", 0), f"{name}:{number}"
            plugin = Plugin(tmp_path, rest)
        elif kind == ">":
            assert plugin is not None
            plugin.hear(rest)
        elif kind == "<":
            assert plugin is not None
            said = plugin.say()
            lines[number - 1] = f"< {said}"
            assert said == rest or REWRITE, f"{name}:{number}"
        else:
            assert kind in {"#", ""}, f"{name}:{number}"
    assert plugin is not None
    assert plugin.end() == ("", 0)
    if REWRITE:
        path.write_text("\n".join(lines), encoding="utf-8")


def test_there_are_conversations() -> None:
    assert {"record", "recall", "restart"} <= {path.stem for path in GOLDEN.glob("*.jsonl")}
