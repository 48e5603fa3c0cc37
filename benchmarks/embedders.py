"""Compares embedders on conversations and facts: alone, and in half-and-half sums with BM25.

    python benchmarks/embedders.py DATA [MODEL …]

DATA holds a folder for each set: corpus.jsonl.gz {id, title?, text, speaker?, group?} and
queries.jsonl.gz {query, gold: [ids], group?, candidates?}. A MODEL is what embedding.load
takes (default: auto). Texts are compared by passages, a text by its best one. Prints a table.
"""

import argparse
import gzip
import json
import math
import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one core, before numpy is imported

import numpy as np
from numpy.typing import NDArray

from memplugin.index.embedding import Embedder, load
from memplugin.recall.passages import passages
from memplugin.recall.text import terms, tokens

SETS = {"locomo_obs": 5, "locomo_turn": 10, "realmem_mem": 10, "longmemeval_s": 5}
"""The sets, and at how many results the share of what was wanted is told."""
K1, B = 1.2, 0.6
Floats = NDArray[np.float32]
Rows = list[dict[str, Any]]


def main() -> None:
    """Print a line a model."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("models", nargs="*", default=["auto"])
    options = parser.parse_args()
    sets = {name: _Set(options.data / name) for name in SETS if (options.data / name).is_dir()}
    print("| embedder | ms a text |", *(f"{name} @{SETS[name]} |" for name in sets))
    print("|---|---|" + "---|" * len(sets))
    lexical = (f"{one.recall(SETS[name], None, 0):.3f} |" for name, one in sets.items())
    print("| BM25 alone | |", *lexical)
    for which in options.models:
        print(f"| {which} |", *_figures(load(which), sets), flush=True)


def _figures(embedder: Embedder, sets: dict[str, "_Set"]) -> list[str]:
    cells, spent, embedded = [], 0.0, 0
    for name, one in sets.items():
        started = time.perf_counter()
        similar = one.similarities(embedder)
        spent, embedded = spent + time.perf_counter() - started, embedded + one.size
        half, alone = (one.recall(SETS[name], similar, share) for share in (0.5, 1))
        cells.append(f"{half:.3f} ({alone:.3f}) |")
    return [f"{spent / embedded * 1000:.2f} |", *cells]


class _Set:
    """Texts, questions, and how well words alone match them."""

    def __init__(self, folder: Path) -> None:
        self._corpus, self._queries = _read(folder / "corpus"), _read(folder / "queries")
        groups: dict[str, list[int]] = defaultdict(list)
        rows = {text["id"]: row for row, text in enumerate(self._corpus)}
        for row, text in enumerate(self._corpus):
            groups[text.get("group", "")].append(row)
        self._stores = [
            np.array(
                [rows[id] for id in query["candidates"]]
                if "candidates" in query
                else groups[query["group"]]
            )
            for query in self._queries
        ]
        self._gold = [{rows[id] for id in query["gold"]} for query in self._queries]
        words = [Counter(tokens(_whole(text))) for text in self._corpus]
        self._lexical = [
            bm25(terms(query["query"]), [words[row] for row in store])
            for query, store in zip(self._queries, self._stores, strict=True)
        ]
        self._passages = [passages(_heading(text), text["text"]) for text in self._corpus]

    @property
    def size(self) -> int:
        """Texts that are embedded."""
        return sum(map(len, self._passages)) + len(self._queries)

    def similarities(self, embedder: Embedder) -> list[Floats]:
        """Return for each question the cosine of the best passage of each text of its store."""
        flat = [passage for parts in self._passages for passage in parts]
        vectors = _embed(embedder, flat)
        starts = np.cumsum([0, *map(len, self._passages[:-1])])
        asked = _embed(embedder, [query["query"] for query in self._queries])
        return [
            np.maximum.reduceat(vectors @ vector, starts)[store]
            for vector, store in zip(asked, self._stores, strict=True)
        ]

    def recall(self, limit: int, similar: Sequence[Floats] | None, share: float) -> float:
        """Return the mean share of what was wanted among the first `limit` of a weighted sum."""
        found = []
        for place, store in enumerate(self._stores):
            score = (1 - share) * scaled(self._lexical[place])
            if similar is not None:
                score = score + share * scaled(similar[place])
            best = store[np.argsort(-score, kind="stable")[:limit]]
            gold = self._gold[place]
            found.append(len(gold.intersection(best.tolist())) / len(gold))
        return float(np.mean(found))


def _read(path: Path) -> Rows:
    with gzip.open(f"{path}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _heading(text: dict[str, Any]) -> str:
    return text.get("title") or text.get("speaker") or ""


def _whole(text: dict[str, Any]) -> str:
    return f"{_heading(text)} {text['text']}"


def _embed(embedder: Embedder, texts: Sequence[str]) -> Floats:
    return np.concatenate([embedder.embed(part) for part in _batches(texts)])


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(texts), 256):
        yield texts[start : start + 256]


def bm25(wanted: dict[str, float], texts: Sequence[Counter[str]]) -> Floats:
    """Return how well each text of a store meets a query."""
    lengths = np.array([text.total() for text in texts], np.float32)
    norms = K1 * (1 - B + B * lengths / max(lengths.mean(), 1))
    score = np.zeros(len(texts), np.float32)
    for word, weight in wanted.items():
        met = np.array([text[word] for text in texts], np.float32)
        holders = np.count_nonzero(met)
        rarity = math.log(1 + (len(texts) - holders + 0.5) / (holders + 0.5))
        score += np.float32(weight * rarity) * met * (1 + K1) / (met + norms)
    return score


def scaled(values: Floats) -> Floats:
    """Return values moved and stretched to reach from 0 to 1."""
    low, high = values.min(), values.max()
    spread: Floats = (values - low) / max(high - low, np.float32(1e-9))
    return spread


if __name__ == "__main__":
    main()
