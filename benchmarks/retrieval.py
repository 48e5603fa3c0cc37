"""Retrieval on data sets, through the provider: every row is recorded, every query is asked.

Run: python benchmarks/retrieval.py DATA SET... [--runs FOLDER]

DATA holds one folder a set: corpus.jsonl.gz {id, text, title?, speaker?, session?, timestamp?,
group?} and queries.jsonl.gz {id, query, gold, group?, candidates?}. A query is asked of a store
that holds the rows of its group, or its candidates. Rows keep their session and their time. The
data are other people's and no part of this project.

Prints recall and the time a search takes; with --runs it writes each ranking as a line
{"id": query, "ranked": [row, ...]}.
"""

import argparse
import asyncio
import gzip
import json
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from statistics import mean, median
from typing import Any

import msgspec

from memplugin.config import Capture, Config
from memplugin.kernel import Kernel
from memplugin.local_kernel import LocalKernel
from memplugin.protocol.records import MemoryScope, MemoryType, blocks
from memplugin.protocol.requests import GivenProvenance, ListRecordsRequest, RecordRequest
from memplugin.service.desk import Surroundings
from memplugin.service.provider import Provider
from memplugin.service.runtime import Runtime
from memplugin.service.workers import Workers

DEPTH = 100  # records of a ranking
START = datetime(2024, 1, 1, tzinfo=UTC)  # of rows without a time
FORMS = ("%I:%M %p on %d %B, %Y", "%Y-%m-%d", "%Y/%m/%d (%a) %H:%M")

Row = dict[str, Any]


class Store:
    """A provider over an empty folder, with a clock that can be set."""

    def __init__(self, folder: Path) -> None:
        self.now = START
        kernel = Kernel(LocalKernel(print), clock=lambda: self.now, spill=print)
        surroundings = Surroundings(
            clock=lambda: self.now, new_id=lambda: "memory", own_directory=lambda: folder
        )
        config = Config(directory=str(folder), capture=Capture.OFF, freshness_s=60.0)
        self._workers = Workers()
        self._runtime = Runtime(config, self._workers, kernel, surroundings)
        self._provider = Provider(self._runtime)
        self._rows: dict[str, str] = {}

    async def record(self, row: Row) -> None:
        """Record a row at its time, on behalf of its session."""
        if row["id"] in self._rows.values():
            return
        said = row["text"] if row.get("title") or not row.get("speaker") else _said(row)
        self.now = max(self.now + timedelta(milliseconds=1), time_of(row))
        request = RecordRequest(
            type=MemoryType.PROJECT,
            scope=MemoryScope.GLOBAL,
            title=row.get("title") or "",
            content=blocks((said,)),
            provenance=GivenProvenance(row.get("session") or ""),
        )
        answer = await self._provider.record(request)
        self._rows[answer.result.id] = row["id"]

    async def search(self, query: str) -> tuple[list[str], float]:
        """Return the rows that answer a query, best first, and the seconds it took."""
        begin = time.perf_counter()
        found = await self._provider.list_records(ListRecordsRequest(query=query, page_size=DEPTH))
        took = time.perf_counter() - begin
        return [self._rows[record.id] for record in found.records], took

    def close(self) -> None:
        """Close the files."""
        self._runtime.close()
        self._workers.close()


def _said(row: Row) -> str:
    return f"{row['speaker']}: {row['text']}"


def time_of(row: Row) -> datetime:
    """Return when a row was said; rows without a time all at one."""
    stamp = re.sub(r" \([A-Z]\w+\)$", "", str(row.get("timestamp") or ""))
    for form in FORMS:
        with suppress(ValueError):
            return datetime.strptime(stamp, form).replace(tzinfo=UTC)
    return START


@asynccontextmanager
async def opened(folder: Path) -> Any:  # noqa: ANN401 - a Store
    """Open a store and close it."""
    store = Store(folder)
    try:
        yield store
    finally:
        await asyncio.to_thread(store.close)


def load(data: Path, name: str, what: str) -> list[Row]:
    """Return the rows of one file of a set."""
    with gzip.open(data / name / f"{what}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def plans(data: Path, name: str) -> Iterator[list[tuple[list[Row], Row]]]:
    """Yield stores: for each its queries in order, each with the rows to be recorded before it.

    Where candidates of queries contain one another, one store grows from query to query.
    """
    corpus = {row["id"]: row for row in load(data, name, "corpus")}
    groups: dict[str | None, list[Row]] = defaultdict(list)
    for row in corpus.values():
        groups[row.get("group")].append(row)
    by_group: dict[str | None, list[tuple[list[Row], Row]]] = defaultdict(list)
    for query in load(data, name, "queries"):
        given = query.get("candidates")
        rows = [corpus[id] for id in given] if given else groups[query.get("group")]
        by_group[query.get("group")].append((rows, query))
    for asked in by_group.values():
        asked.sort(key=lambda pair: len(pair[0]))
        ids = [{row["id"] for row in rows} for rows, _ in asked]
        if all(small <= large for small, large in pairwise(ids)):
            yield asked
        else:
            yield from ([pair] for pair in asked)


async def ranked(data: Path, name: str) -> tuple[dict[str, list[str]], list[float]]:
    """Return the ranking of each query, and how long each search took."""
    rankings: dict[str, list[str]] = {}
    seconds: list[float] = []
    for asked in plans(data, name):
        with tempfile.TemporaryDirectory() as folder:
            async with opened(Path(folder)) as store:
                for rows, query in asked:
                    for row in rows:
                        await store.record(row)
                    rankings[query["id"]], took = await store.search(query["query"])
                    seconds.append(took)
    return rankings, seconds


def recall(rankings: dict[str, list[str]], queries: Sequence[Row], depth: int) -> float:
    """Return the mean share of what answers a query among the first `depth` records."""
    return mean(
        len(set(rankings[query["id"]][:depth]) & set(query["gold"])) / len(set(query["gold"]))
        for query in queries
    )


def main(say: Callable[[str], object] = print) -> None:
    """Measure the sets that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--runs", type=Path)
    given = parser.parse_args()
    say("| set | queries | recall@5 | recall@10 | ms a search |\n|---|---|---|---|---|")
    for name in given.sets:
        rankings, seconds = asyncio.run(ranked(given.data, name))
        queries = load(given.data, name, "queries")
        figures = [f"{recall(rankings, queries, depth):.3f}" for depth in (5, 10)]
        say(f"| {name} | {len(queries)} | {' | '.join(figures)} | {1000 * median(seconds):.1f} |")
        if given.runs is not None:
            given.runs.mkdir(parents=True, exist_ok=True)
            lines = (msgspec.json.encode({"id": k, "ranked": v}) for k, v in rankings.items())
            (given.runs / f"{name}.jsonl").write_bytes(b"\n".join(lines) + b"\n")


if __name__ == "__main__":
    main()
