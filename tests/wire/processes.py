"""Starts the programs of programs.py."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import memplugin

PROGRAMS = Path(__file__).with_name("programs.py")
HANGS_S = 60  # a program that takes so long hangs
# Nothing else: no HOME, no XDG_* (W11).
ENVIRONMENT = {"PYTHONPATH": str(Path(memplugin.__file__).parents[1])}


def command(name: str, *arguments: object) -> list[str]:
    return [sys.executable, "-W", "error", str(PROGRAMS), name, *map(str, arguments)]


def finished(name: str, given: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    """Run a program to its end; gives what it wrote."""
    return subprocess.run(
        command(name),
        input=given,
        capture_output=True,
        env=ENVIRONMENT,
        timeout=HANGS_S,
        check=False,
    )


class Pipes:
    """Both ends of the three pipes that a program is started with; all are closed at the end."""

    def __init__(self) -> None:
        self.child_in, self.to_child = os.pipe()
        self.from_child, self.child_out = os.pipe()
        self.errors, self.child_err = os.pipe()

    def children_only(self) -> None:
        """Close the child's ends here: the child alone holds them."""
        for fd in (self.child_in, self.child_out, self.child_err):
            os.close(fd)

    def send(self, line: bytes) -> None:
        os.write(self.to_child, line + b"\n")

    def line(self) -> bytes:
        """Return the next line; empty at the end."""
        found = b""
        while not found.endswith(b"\n") and (byte := os.read(self.from_child, 1)):
            found += byte
        return found.rstrip(b"\n")

    def close(self) -> None:
        for fd in (self.to_child, self.from_child, self.errors):
            os.close(fd)


@contextmanager
def started(name: str, *arguments: object) -> Iterator[tuple["subprocess.Popen[bytes]", Pipes]]:
    """Run a program beside the test, which holds the other ends of its pipes."""
    pipes = Pipes()
    process = subprocess.Popen(
        command(name, *arguments),
        stdin=pipes.child_in,
        stdout=pipes.child_out,
        stderr=pipes.child_err,
        env=ENVIRONMENT,
    )
    pipes.children_only()
    try:
        yield process, pipes
    finally:
        process.kill()
        process.wait()
        pipes.close()
