import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memplugin.wire.lifetime import is_alive, watch_lifetime

from .other_side import line_of, request
from .processes import ENVIRONMENT, HANGS_S, Pipes, command, started

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")

STOPS = [signal.SIGTERM, signal.SIGINT]
WAYS = ["told", "look"]  # the system tells of a process's end, or it has to be looked for


def send(pipes: Pipes, id: int, method: str) -> None:
    pipes.send(line_of(request(id, method)).rstrip())


def ready(pipes: Pipes) -> int:
    """Wait until a server serves; gives its process id."""
    send(pipes, 0, "ping")
    return int(json.loads(pipes.line())["result"])


@pytest.mark.parametrize("stop", STOPS)
def test_a_signal_ends_an_idle_server(stop: signal.Signals) -> None:
    """W8, W11: SIGTERM and SIGINT are as the end of input: exit code 0, nothing on stderr."""
    with started("serve", "told") as (process, pipes):
        ready(pipes)
        process.send_signal(stop)
        assert process.wait(HANGS_S) == 0
        assert pipes.line() == b""
        assert os.read(pipes.errors, 100) == b""


@pytest.mark.parametrize("stop", STOPS)
def test_a_signal_lets_requests_in_flight_finish(stop: signal.Signals) -> None:
    """W8: a request that waits for a callback is answered with an error before the exit."""
    with started("serve", "told") as (process, pipes):
        send(pipes, 1, "ask")
        assert json.loads(pipes.line())["method"] == "kernel.ask"
        process.send_signal(stop)
        assert json.loads(pipes.line())["error"] == {"code": -32000, "message": "ended"}
        assert process.wait(HANGS_S) == 0


def test_the_end_of_input_ends_a_server() -> None:
    """W8, case 13: stdin closed: answers are written, exit code 0."""
    with started("serve", "told") as (process, pipes):
        ready(pipes)
        send(pipes, 1, "ping")
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, pipes.to_child)
        os.close(null)
        assert json.loads(pipes.line())["id"] == 1
        assert process.wait(HANGS_S) == 0


def test_broken_output_ends_a_server() -> None:
    """W8: nobody reads stdout: exit code 0 and not a word on stderr, though stdin stays open."""
    with started("serve", "told") as (process, pipes):
        ready(pipes)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, pipes.from_child)
        os.close(null)
        send(pipes, 1, "ping")
        assert process.wait(HANGS_S) == 0
        assert os.read(pipes.errors, 100) == b""


@pytest.mark.parametrize("way", WAYS)
def test_a_parent_that_dies_is_noticed_though_the_pipes_stay_open(way: str) -> None:
    """W8, case 13: a sibling holds the pipes, and only the server its own ends."""
    with started("wrapper", way) as (parent, pipes):
        assert ready(pipes) != parent.pid
        parent.kill()
        assert pipes.line() == b""  # only the server held that end


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("reaped", [True, False])
def test_a_kernel_behind_a_wrapper_is_watched_by_its_id(way: str, *, reaped: bool) -> None:
    """W8, case 13: the process named by --parent-pid has died, be it still a zombie; ours lives."""
    with started("serve", "told") as (kernel, kernel_pipes):
        ready(kernel_pipes)
        with started("serve", way, kernel.pid) as (process, pipes):
            ready(pipes)
            kernel.kill()
            if reaped:
                kernel.wait()
            assert process.wait(HANGS_S) == 0


@pytest.mark.parametrize("way", WAYS)
def test_a_kernel_that_is_gone_already_ends_the_server_at_once(way: str) -> None:
    """W8: nobody is there to serve."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    with started("serve", way, gone.pid) as (process, _):
        assert process.wait(HANGS_S) == 0


def test_processes_are_alive_until_they_end() -> None:
    """W8: a zombie is dead, and so is what never was."""
    assert is_alive(os.getpid())
    assert is_alive(1)
    assert not is_alive(2**40)
    reader, writer = os.pipe()
    process = subprocess.Popen(
        command("leaves"), env=ENVIRONMENT, stdout=writer, stderr=writer, stdin=subprocess.DEVNULL
    )
    os.close(writer)
    with os.fdopen(reader, "rb") as output:
        output.read()
    if sys.platform == "linux":
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # ended, and not yet reaped
        assert not is_alive(process.pid)
    process.wait()
    assert not is_alive(process.pid)


class _Counted:
    def __init__(self) -> None:
        self.stops = 0

    def stop(self) -> None:
        self.stops += 1


def test_the_watch_leaves_nothing_behind() -> None:
    """W8: after the watch signals mean what they meant, and its descriptors are closed."""
    peer = _Counted()

    async def test() -> None:
        async with watch_lifetime(peer, os.getpid()):
            os.kill(os.getpid(), signal.SIGTERM)
            while not peer.stops:  # noqa: ASYNC110 - the loop tells of a signal in a later turn
                await asyncio.sleep(0)

    fds = Path("/dev/fd")
    before = len(list(fds.iterdir()))
    asyncio.run(test())
    assert peer.stops == 1
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert len(list(fds.iterdir())) == before
