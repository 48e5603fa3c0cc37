import asyncio
import os
import tracemalloc
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memplugin.wire import lines
from memplugin.wire.lines import ATOMIC_BYTES, LineSplitter, LineWriter, Overlong

from .other_side import run, until

CHUNKS = st.lists(st.lists(st.sampled_from([b"\n", b"\r", b"a", b"\xc2\x85", b"bc"])).map(b"".join))


def split(chunks: list[bytes], limit: int) -> list[bytes | Overlong]:
    """Return all lines; checks at every step what is held."""
    splitter = LineSplitter(lambda: limit)
    found = []
    for chunk in chunks:
        found += splitter.feed(chunk)
        assert len(splitter._held) <= limit
    return found + splitter.end()


def lines_of(data: bytes) -> list[bytes]:
    *ended, rest = data.split(b"\n")
    return [*ended, rest] if rest else ended


@given(CHUNKS | st.lists(st.binary()))
def test_lines_end_at_lf_alone_however_they_arrive(chunks: list[bytes]) -> None:
    """W1: any chunks give the lines of the whole; CR and other line ends do not split."""
    assert split(chunks, 10**9) == lines_of(b"".join(chunks))


@given(CHUNKS | st.lists(st.binary()), st.integers(1, 6))
def test_a_line_over_the_limit_is_skipped_to_its_lf(chunks: list[bytes], limit: int) -> None:
    """W6: only the line that is too long is lost, and never more than the limit is held."""
    expected = [
        line if len(line) <= limit else Overlong(limit) for line in lines_of(b"".join(chunks))
    ]
    assert split(chunks, limit) == expected


def test_a_skipped_line_is_not_held_in_memory() -> None:
    """W6: 64 MiB in one line cost no more than the limit."""
    chunk = b"x" * 65_536
    splitter = LineSplitter(lambda: 100_000)
    tracemalloc.start()
    try:
        for _ in range(1024):
            assert splitter.feed(chunk) == []
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 500_000
    assert splitter.feed(b"y\nnext\n") == [Overlong(100_000), b"next"]


def test_the_limit_is_asked_anew_for_each_line() -> None:
    """W6: a limit that changes holds from the next line on."""
    limits = iter([3, 5])
    splitter = LineSplitter(lambda: next(limits))
    assert splitter.feed(b"ab") == []
    assert splitter.feed(b"cd\nabcde\n") == [Overlong(3), b"abcde"]


# Writing.


@contextmanager
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    try:
        yield reader, writer
    finally:
        for fd in (reader, writer):
            try:
                os.close(fd)
            except OSError:
                continue


def read_all(fd: int) -> bytes:
    found = bytearray()
    while chunk := os.read(fd, 65_536):
        found += chunk
    return bytes(found)


async def written_by(writer: LineWriter, reader: int, fd: int) -> bytes:
    """Read all that comes out of a pipe while the writer finishes, then close it."""
    reading = asyncio.create_task(asyncio.to_thread(read_all, reader))
    await writer.drain()
    thread = writer._thread
    writer.close()
    if thread is not None:
        await asyncio.to_thread(thread.join)
    os.close(fd)
    return await reading


@pytest.mark.parametrize("blocking", [True, False])
def test_lines_of_all_lengths_go_out_whole_and_in_order(*, blocking: bool) -> None:
    """W4: short lines and long ones keep their order, whoever made the pipe non-blocking."""

    async def test() -> None:
        with pipe() as (reader, fd):
            os.set_blocking(fd, blocking)
            writer = LineWriter(fd, lambda: None)
            sizes = [1, ATOMIC_BYTES, ATOMIC_BYTES + 1, 5, 1_000_000, 0, 300_000, 7]
            told = [bytes([65 + i]) * size + b"\n" for i, size in enumerate(sizes)]
            for line in told:
                writer.write(line)
            assert await written_by(writer, reader, fd) == b"".join(told)

    run(test())


def test_a_full_pipe_does_not_hold_up_the_loop() -> None:
    """W4: while nobody reads, lines wait beside the loop, and are counted."""

    async def test() -> None:
        with pipe() as (reader, fd):
            changes: list[int] = []
            writer = LineWriter(fd, lambda: changes.append(writer.waiting_bytes))
            told = [b"%d" % i * 1000 + b"\n" for i in range(1000)]
            for line in told:
                writer.write(line)
            total = sum(map(len, told))
            assert total // 2 < writer.waiting_bytes < total
            assert await written_by(writer, reader, fd) == b"".join(told)
            assert writer.waiting_bytes == 0
            assert changes[-1] == 0

    run(test())


@pytest.mark.parametrize("size", [10, 1_000_000])
def test_a_pipe_that_nobody_will_read_is_broken_once_and_for_all(size: int) -> None:
    """W8: a short write finds out at once, a long one soon; later lines are dropped."""

    async def test() -> None:
        with pipe() as (reader, fd):
            changes: list[bool] = []
            writer = LineWriter(fd, lambda: changes.append(writer.broken))
            if size > ATOMIC_BYTES:
                writer.write(b"x" * size)  # the thread is in the midst of it when the pipe breaks
            os.close(reader)
            writer.write(b"x" * 10)
            await until(lambda: writer.broken)
            writer.write(b"more")
            await writer.drain()
            assert writer.waiting_bytes == 0
            assert changes[-1]
            thread = writer._thread
            writer.close()
            if thread is not None:
                await asyncio.to_thread(thread.join)

    run(test())


def test_the_end_does_not_wait_for_a_reader_that_takes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """W8: what nobody takes is given up."""
    monkeypatch.setattr(lines, "PATIENCE_S", 0.01)

    async def test() -> None:
        with pipe() as (reader, fd):
            writer = LineWriter(fd, lambda: None)
            writer.write(b"x" * 1_000_000)
            await writer.drain()
            assert writer.waiting_bytes > 0
            thread = writer._thread
            assert isinstance(thread, Thread)
            os.close(reader)
            writer.close()
            await asyncio.to_thread(thread.join)

    run(test())


def test_lines_go_to_files_too(tmp_path: Path) -> None:
    """W1: output may be a file."""

    async def test() -> None:
        with (tmp_path / "out").open("wb") as file:
            writer = LineWriter(file.fileno(), lambda: None)
            with closing(writer):
                writer.write(b"short\n")
                writer.write(b"l" * 100_000 + b"\n")
                await writer.drain()
        assert (tmp_path / "out").read_bytes() == b"short\n" + b"l" * 100_000 + b"\n"

    run(test())
