"""Programs that the tests run as processes of their own: `python programs.py NAME ARGUMENT…`."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

from msgspec import Raw

from memplugin.wire import lifetime
from memplugin.wire.lifetime import watch_lifetime
from memplugin.wire.messages import CallError, RpcError
from memplugin.wire.peer import Peer
from memplugin.wire.stdio import claim_stdio

MIB = 1024 * 1024


def child(code: str) -> None:
    """Run another process that inherits our streams."""
    subprocess.run([sys.executable, "-c", code], check=True)


def prints() -> None:
    """Print in every way there is, before and after a line on the wire."""
    sys.stdout.write("early, ")
    with claim_stdio() as pipe:
        print("print")  # noqa: T201 - the very thing to be tested
        sys.stdout.write("no line end ")
        os.write(1, b"descriptor\n")
        os.write(pipe.writer, b"wire\n")
        child("import sys; print('child', repr(sys.stdin.read()))")
        os.system("echo shell")  # noqa: S605 - a child by another way
        sys.stderr.write("stderr\n")
        pipe.complain("complaint \udcff")
        pipe.leave(0)


def returns() -> None:
    """Claim and give back: afterwards all is as before."""
    fds = Path("/dev/fd")
    before = len(list(fds.iterdir()))
    with claim_stdio() as pipe:
        print("inside")  # noqa: T201
        os.write(pipe.writer, b"wire ")
    print(sys.stdin.read(), len(list(fds.iterdir())) == before)  # noqa: T201


def shouts() -> None:
    """Print far more to stderr than any pipe holds, then go on when told."""
    with claim_stdio() as pipe:
        for _ in range(24):
            print("p" * (MIB // 8 - 1), flush=True)  # noqa: T201
        os.write(2, b"d" * 2 * MIB)
        child(f"import os; os.write(1, b'c' * {2 * MIB})")
        os.write(pipe.writer, b"printed\n")
        os.read(pipe.reader, 1)
        pipe.leave(0)


def gaps(report: str) -> None:
    """Start with streams missing; tell in a file what was found."""
    with claim_stdio() as pipe:
        file = os.open(report, os.O_WRONLY | os.O_CREAT)
        print("printed")  # noqa: T201
        child("print('child')")
        written = os.write(pipe.writer, b"wire\n")
        told = {"fd": file, "read": os.read(pipe.reader, 10).decode(), "written": written}
        os.write(file, json.dumps(told).encode())
        pipe.leave(0)


def leaves() -> None:
    """Leave while a thread would go on for ever."""
    with claim_stdio() as pipe:
        Thread(target=Event().wait).start()
        sys.stdout.write("last words")
        pipe.leave(7)


def fails() -> None:
    """Fail inside the claim: the traceback must not be lost."""
    with claim_stdio():
        raise ValueError("told on stderr")


def serve(how: str, *pids: str) -> None:
    """Serve until the end; `ping` answers, `ask` waits for a callback."""
    if how == "look":  # as on a system that cannot tell when a process ends
        del os.pidfd_open
        lifetime.LOOK_S = 0.01
    parent_pid = int(pids[0]) if pids else None

    async def ping(_: Raw) -> int:
        return os.getpid()

    async def serve_on_stdio() -> None:
        async def ask(_: Raw) -> Raw:
            try:
                return await peer.call("kernel.ask", {})
            except CallError as error:
                raise RpcError(-32000, error.reason) from error

        peer = Peer(pipe, {"ping": ping, "ask": ask})
        async with watch_lifetime(peer, parent_pid):
            await peer.serve()

    with claim_stdio() as pipe:
        asyncio.run(serve_on_stdio())
        pipe.leave(0)


def wrapper(how: str) -> None:
    """Start a server that shares our pipes, and wait for it, as a parent that can be killed."""
    subprocess.run([sys.executable, __file__, "serve", how], check=True)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
