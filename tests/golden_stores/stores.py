"""Reading the golden stores, asking their questions, judging the answers."""

import tomllib
from itertools import groupby
from pathlib import Path
from typing import Any

from msgspec import Struct, convert

from tests.harness import ScriptedKernel

FOLDER = Path(__file__).resolve().parent
TODAY = "2026-01-05"
PLENTY = 100_000  # tokens: nothing is left out for want of room


class Item(Struct, frozen=True, forbid_unknown_fields=True):
    """A record of a store; `id` is the file's own word for it, the plugin never sees it."""

    id: str
    type: str
    text: str
    session: str = ""
    day: str = ""


class Query(Struct, frozen=True, forbid_unknown_fields=True, rename={"absent": "not"}):
    """A question, and what must hold of its answer; `store` only in wanted.toml."""

    ask: str
    first: str = ""
    among: list[str] = []
    within: int = 0
    absent: list[str] = []
    nothing: bool = False
    store: str = ""

    @property
    def named(self) -> set[str]:
        """The records it speaks of."""
        return {*self.among, *self.absent, *([self.first] if self.first else [])}


class Store(Struct, frozen=True, forbid_unknown_fields=True):
    """The records of one file and the questions that must be answered."""

    about: str
    records: list[Item]
    queries: list[Query] = []
    today: str = TODAY


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


NAMES = sorted(path.stem for path in FOLDER.glob("*.toml") if path.stem != "wanted")
STORES = {name: convert(_read(name), Store) for name in NAMES}
WANTED = convert(_read("wanted")["queries"], list[Query])


def answers(store: Store, asks: list[str], folder: Path) -> dict[str, list[str]]:
    """Record a store day by day, ask each question, return the ids that come back, in order."""
    own: dict[str, str] = {}
    days = {item.id: item.day or store.today for item in store.records}
    for day, items in groupby(sorted(store.records, key=lambda i: days[i.id]), _day(store)):
        with _opened(folder, day) as kernel:
            own |= {_record(kernel, item): item.id for item in items}
            if day == store.today:
                return _asked(kernel, asks, own)
    with _opened(folder, store.today) as kernel:
        return _asked(kernel, asks, own)


def faults(query: Query, found: list[str]) -> list[str]:
    """Return what is wrong with an answer, in words; nothing where it is right."""
    wrong: list[str] = []
    if query.nothing and found:
        wrong.append("something came back")
    if query.first and found[:1] != [query.first]:
        wrong.append(f"{query.first} is not first")
    late = sorted(set(query.among) - set(found[: query.within]))
    if late:
        wrong.append(f"{', '.join(late)} not within the first {query.within}")
    unwanted = sorted(set(query.absent) & set(found))
    if unwanted:
        wrong.append(f"{', '.join(unwanted)} came back")
    return wrong


def _day(store: Store) -> Any:
    return lambda item: item.day or store.today


def _opened(folder: Path, day: str) -> ScriptedKernel:
    return ScriptedKernel(folder, "--clock", f"{day}T09:00:00Z")


def _record(kernel: ScriptedKernel, item: Item) -> str:
    provenance = {"source_session_id": item.session, "recorded_by": "kernel"}
    more = {"provenance": provenance} if item.session else {}
    return kernel.record(item.text, type=item.type, title="", **more)


def _asked(kernel: ScriptedKernel, asks: list[str], own: dict[str, str]) -> dict[str, list[str]]:
    return {ask: [own[found["id"]] for found in kernel.recall(ask, PLENTY)] for ask in asks}
