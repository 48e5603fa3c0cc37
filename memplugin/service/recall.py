"""Recall: what matters now, within a budget (section 6).

request ─▶ reader thread: question ─▶ evidence from each root ─▶ ranked shortlist
        ─▶ loop: tokens counted, all at once ─▶ selection within the budget ─▶ answer
"""

from collections.abc import Sequence

from msgspec import Struct

from memplugin.config import Config
from memplugin.protocol.callbacks import ModelRef
from memplugin.protocol.errors import ErrorCategory, ProviderError
from memplugin.protocol.records import Record
from memplugin.recall.selection import Candidate, Kept, choose
from memplugin.service.counting import Counter
from memplugin.service.searching import Filters, Question, Searcher
from memplugin.service.sessions import Scene
from memplugin.service.workers import Workers

BYTES_A_TOKEN = 8  # at the very most, in running text: only decides what is asked for first


class Recalled(Struct, frozen=True):
    """A record that a recall gives, with its tokens."""

    record: Record
    tokens: int
    score: float | None


class Recaller:
    """The use case of memory.recall and memory.search."""

    def __init__(self, workers: Workers, searcher: Searcher, counter: Counter) -> None:
        self._workers = workers
        self._searcher = searcher
        self._counter = counter

    async def recall(
        self,
        question: Question,
        scene: Scene,
        wanted: Filters,
        config: Config,
        *,
        budget: int,
        model: ModelRef | None,
        before: Sequence[Kept] = (),
    ) -> list[Recalled]:
        """Return what fits the budget, in order (R1-R9).

        Raises budget_exceeded where there are candidates and not even the smallest fits (R5).
        """
        if budget == 0:
            return []
        shortlist = await self._workers.read(
            lambda: self._searcher.shortlist(question, scene, wanted, config, before)
        )
        candidates = shortlist.candidates
        if not candidates:
            return []
        sizes = await self._sizes(candidates, budget, model)
        # Packing many into a large budget takes a while: not on the loop.
        chosen = await self._workers.soon(lambda: choose(candidates, sizes, budget, before))
        if not chosen:
            raise _too_small(budget, min(sizes.values()))
        return [Recalled(c.record, sizes[c.record.id], c.score) for c in chosen]

    async def _sizes(
        self, candidates: Sequence[Candidate], budget: int, model: ModelRef | None
    ) -> dict[str, int]:
        """Count what may be sent, in at most two waves (K2).

        The first wave are the best ones, until they must fill the budget twice; the second the
        rest, where there is still room. The smallest is always counted: R5 names its size.
        """
        records = [candidate.record for candidate in candidates]
        smallest = min(records, key=lambda r: (_bytes(r), r.id))
        room = 2 * budget * BYTES_A_TOKEN
        first: list[Record] = [smallest]
        rest: list[Record] = []
        for record in records:
            if record is smallest:
                continue
            size = _bytes(record)
            if size > budget * BYTES_A_TOKEN:
                continue  # cannot fit, whatever the tokenizer
            (first if room > 0 else rest).append(record)
            room -= size
        sizes = await self._count(first, model)
        if rest and sum(size for size in sizes.values() if size <= budget) < budget:
            sizes |= await self._count(rest, model)
        return sizes

    async def _count(self, records: Sequence[Record], model: ModelRef | None) -> dict[str, int]:
        counts = await self._counter.count([record.content for record in records], model)
        return {record.id: count for record, count in zip(records, counts, strict=True)}


def _bytes(record: Record) -> int:
    return sum(len(text.encode()) for text in record.content)


def _too_small(budget: int, smallest: int) -> ProviderError:
    text = (
        f"not one record fits token_budget {budget}: the smallest needs {smallest} tokens;"
        " send a larger budget"
    )
    return ProviderError(ErrorCategory.BUDGET_EXCEEDED, text)
