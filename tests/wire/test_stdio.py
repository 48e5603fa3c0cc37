import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from .processes import ENVIRONMENT, HANGS_S, command, finished, started

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="descriptors as POSIX has them")

MIB = 1024 * 1024


def test_whatever_is_printed_goes_to_stderr() -> None:
    """W2, W11: print, descriptor 1, children: nothing but the wire's own lines is on stdout."""
    done = finished("prints", b"input that no child may take")
    assert done.returncode == 0
    assert done.stdout == b"early, wire\n"
    words = [
        b"print", b"no line end", b"descriptor", b"child ''", b"shell", b"stderr",
        rb"complaint \udcff",
    ]  # fmt: skip
    for word in words:
        assert word in done.stderr


def test_after_the_claim_all_is_as_before() -> None:
    """W2: stdin, stdout and stderr are given back, and no descriptor is left open."""
    done = finished("returns", b"mine")
    assert (done.returncode, done.stderr) == (0, b"inside\n")
    assert done.stdout == b"wire mine True\n"


def test_an_error_inside_the_claim_is_told() -> None:
    """W2: a traceback reaches the real stderr."""
    done = finished("fails")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"ValueError: told on stderr" in done.stderr


def test_a_stderr_that_nobody_reads_stops_nobody() -> None:
    """W2: 7 MiB printed by the process and its child while the pipe of stderr stays full."""
    with started("shouts") as (process, pipes):
        assert pipes.line() == b"printed"
        pipes.send(b"")
        assert process.wait(HANGS_S) == 0


def test_a_stderr_that_is_read_late_says_what_was_dropped() -> None:
    """W2: what there was no room for is counted, byte by byte."""
    with started("shouts") as (process, pipes):
        assert pipes.line() == b"printed"
        found = b""
        while not found.endswith(b" bytes of stderr were dropped\n"):
            found += os.read(pipes.errors, MIB)
        words, _, note = found.removesuffix(b"\n").rpartition(b"memplugin: ")
        assert len(words) + int(note.split()[0]) == 7 * MIB
        assert words.startswith(b"pppp")
        pipes.send(b"")
        assert process.wait(HANGS_S) == 0


def test_leaving_waits_for_no_thread() -> None:
    """W8: the process ends at once with its code; what was printed is let go of."""
    done = finished("leaves")
    assert (done.returncode, done.stdout, done.stderr) == (7, b"", b"last words")


@pytest.mark.parametrize(
    "missing", [[fd for fd, gone in enumerate(mask) if gone] for mask in product([0, 1], repeat=3)]
)
def test_streams_may_be_missing(missing: list[int], tmp_path: Path) -> None:
    """W2, W11: started without 0, 1 or 2, these are the null device, and no file gets prints."""
    report = tmp_path / "report"
    closing = " ".join(f"{fd}>&-" for fd in missing)
    shell = ["/bin/sh", "-c", f'exec "$@" {closing}', "sh", *command("gaps", report)]
    done = subprocess.run(
        shell, input=b"given", capture_output=True, env=ENVIRONMENT, timeout=HANGS_S, check=False
    )
    assert done.returncode == 0
    told = json.loads(report.read_bytes())
    assert told["fd"] > 2
    assert told["read"] == ("" if 0 in missing else "given")
    assert told["written"] == 5
    assert done.stdout == (b"" if 1 in missing else b"wire\n")
    # Python itself has no sys.stdout then, and its print says nothing.
    words = [b"child"] if 1 in missing else [b"child", b"printed"]
    assert sorted(done.stderr.split()) == ([] if 2 in missing else words)
