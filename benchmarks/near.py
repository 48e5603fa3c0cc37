"""How well near matches are told from doubles, on labelled pairs.

Run `python benchmarks/near.py`.

A pair is `{id, kind, a, b}`: two statements that say the same (`paraphrase`), or that differ in
one thing that makes them others (`negation`, `number`, `version`, `name`, `date`, `environment`,
`word`). Halves are decided by the id; the held-out half is measured and never looked at.
"""

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Literal, NamedTuple

from memplugin.capture.near import Verdict, compare

PAIRS = Path(__file__).parent.parent / "tests" / "capture" / "near_pairs.jsonl"
Half = Literal["tune", "held-out"]


class Pair(NamedTuple):
    """Two statements, and what is between them."""

    id: str
    kind: str
    a: str
    b: str

    @property
    def half(self) -> Half:
        """Which half it belongs to."""
        even = hashlib.sha256(self.id.encode()).digest()[0] % 2 == 0
        return "tune" if even else "held-out"


class Figures(NamedTuple):
    """What `compare` made of pairs: counts of (kind, verdict)."""

    counts: Counter[tuple[str, Verdict]]

    @property
    def precision(self) -> float:
        """Of the pairs called the same, the share that is, 0 to 1."""
        called = sum(n for (_, verdict), n in self.counts.items() if verdict is Verdict.SAME)
        return self.counts["paraphrase", Verdict.SAME] / max(1, called)

    @property
    def recall(self) -> float:
        """Of the paraphrases, the share called the same, 0 to 1."""
        return self.counts["paraphrase", Verdict.SAME] / max(1, self.pairs("paraphrase"))

    def pairs(self, kind: str) -> int:
        """Count the pairs of a kind."""
        return sum(n for (of, _), n in self.counts.items() if of == kind)


def load(path: Path = PAIRS) -> list[Pair]:
    """Return all pairs, in the order of the file."""
    return [Pair(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def measure(half: Half) -> Figures:
    """Compare the pairs of one half."""
    return Figures(
        Counter(
            (pair.kind, compare("", pair.a, "", pair.b).verdict)
            for pair in load()
            if pair.half == half
        )
    )


def report(half: Half, figures: Figures) -> str:
    """Return the figures of a half as text: precision, recall, and verdicts per kind."""
    head = f"near pairs, {half}: precision {figures.precision:.3f}, recall {figures.recall:.3f}"
    rows = [
        f"  {kind:<12}" + "".join(f"{figures.counts[kind, verdict]:>11}" for verdict in Verdict)
        for kind in dict.fromkeys(pair.kind for pair in load())
    ]
    return "\n".join([head, " " * 14 + "".join(f"{v:>11}" for v in Verdict), *rows])


def main() -> None:
    """Print the report of both halves."""
    halves: tuple[Half, ...] = ("tune", "held-out")
    for half in halves:
        print(report(half, measure(half)))


if __name__ == "__main__":
    main()
