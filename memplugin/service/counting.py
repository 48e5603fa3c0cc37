"""Token counts of records: from memory, from the cache on disk, from the kernel (K1, K2)."""

import asyncio
from collections.abc import Sequence
from functools import partial

from memplugin.index.counts import Counts
from memplugin.kernel import Kernel
from memplugin.protocol.callbacks import ModelRef
from memplugin.service.workers import Workers


class Counter:
    """Counts, each asked of the kernel at most once as long as the index lives."""

    def __init__(self, workers: Workers, kernel: Kernel, counts: Counts | None) -> None:
        """Keep nothing where `counts` is None, as with --local-kernel (decision 25)."""
        self._workers = workers
        self._kernel = kernel
        self._counts = counts

    async def count(self, contents: Sequence[tuple[str, ...]], model: ModelRef | None) -> list[int]:
        """Return the tokens of each content; raises ProviderError where one cannot be had."""
        counts = self._counts
        unknown = self._kernel.unknown_counts(contents, model)
        if counts is not None and unknown:
            self._kernel.prime(await self._workers.read(partial(counts.load, unknown)))
        try:
            return await self._kernel.count_tokens(contents, model)
        finally:
            fresh = self._kernel.fresh_counts()
            if counts is not None and fresh:
                self._workers.soon(partial(counts.save, fresh))

    async def count_or_none(
        self, contents: Sequence[tuple[str, ...]], model: ModelRef | None
    ) -> list[int | None]:
        """Return the counts that can be had; with the first that cannot, the rest is given up.

        Listing must work with a kernel that counts nothing (K1 as amended), and wait for it once.
        """
        if not contents:
            return []
        asked = [asyncio.ensure_future(self.count([content], model)) for content in contents]
        try:
            await asyncio.wait(
                asked, timeout=self._kernel.timeout_s, return_when=asyncio.FIRST_EXCEPTION
            )
        finally:
            for one in asked:
                one.cancel()
        done = await asyncio.gather(*asked, return_exceptions=True)
        return [counts[0] if isinstance(counts, list) else None for counts in done]
