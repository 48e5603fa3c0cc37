"""Fits a table of vectors, whose sums stand for texts, to a teacher's vectors of these texts.

Two aims at once, over batches of texts: each sum points where the teacher's vector does, and the
texts of a batch lie to one another as they do for the teacher (the divergence of the softmax of
similarities, as Tian et al. 2020 and tokenlearn use it). Rows that no text touches stay as they
are. Plain numpy: gradients by hand, Adam on the rows that a batch touches.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]

BATCH = 1024
"""Texts compared at once."""
_MOMENTUM, _SPREAD, _EPSILON = 0.9, 0.99, 1e-8


class Bags:
    """Texts as the rows of the table that they hold, one after the other."""

    def __init__(self, rows: Sequence[Sequence[int]]) -> None:
        """No text is empty."""
        self._rows = np.fromiter((row for text in rows for row in text), np.int64)
        self._ends = np.cumsum([len(text) for text in rows])
        self._starts = self._ends - np.array([len(text) for text in rows])

    def __len__(self) -> int:
        """How many texts there are."""
        return len(self._ends)

    def choose(self, texts: Rows) -> tuple[Rows, Rows]:
        """Return the rows of these texts, and where each text starts in them."""
        lengths = self._ends[texts] - self._starts[texts]
        starts = np.cumsum(lengths) - lengths
        places = np.arange(lengths.sum()) + np.repeat(self._starts[texts] - starts, lengths)
        return self._rows[places], starts


def sums(table: Floats, rows: Rows, starts: Rows) -> tuple[Floats, Floats]:
    """Return the unit vectors of texts, and the lengths they had."""
    totals: Floats = np.add.reduceat(table[rows], starts, axis=0)
    lengths = np.linalg.norm(totals, axis=1, keepdims=True) + np.float32(1e-9)
    return totals / lengths, lengths


def fit(
    table: Floats,
    bags: Bags,
    targets: Floats,
    *,
    epochs: int,
    rate: float,
    heat: float,
    share: float,
    seed: int,
) -> Floats:
    """Return the fitted table.

    `targets`: a unit vector for each text; `rate`: the first step, as a share of a row's usual
    size; `heat`: the softmax's temperature; `share`: how much of the aim is the similarities.
    """
    table = table.copy()
    chance = np.random.default_rng(seed)
    first, second = np.zeros_like(table), np.zeros(len(table), np.float32)
    steps = np.zeros(len(table), np.int64)
    size = float(np.sqrt((table * table).mean()))
    count = len(bags) // BATCH
    for step in range(epochs * count):
        if step % count == 0:
            order = chance.permutation(len(bags))
        texts = order[step % count * BATCH :][:BATCH]
        rows, starts = bags.choose(texts)
        found, lengths = sums(table, rows, starts)
        slope = _slope(found, targets[texts], heat, share)
        slope -= found * (found * slope).sum(axis=1, keepdims=True)
        slope /= lengths
        touched, gradient = _gather(slope, rows, starts)
        pace = rate * size * (1 - step / (epochs * count))
        steps[touched] += 1
        first[touched] += (1 - _MOMENTUM) * (gradient - first[touched])
        second[touched] += (1 - _SPREAD) * ((gradient * gradient).mean(axis=1) - second[touched])
        usual = np.sqrt(second[touched] / (1 - _SPREAD ** steps[touched])) + _EPSILON
        moved = first[touched] / (1 - _MOMENTUM ** steps[touched])[:, None] / usual[:, None]
        table[touched] -= (pace * moved).astype(np.float32)
    return table


def _slope(found: Floats, targets: Floats, heat: float, share: float) -> Floats:
    """Return how the aim changes with the texts' unit vectors."""
    mine, wanted = _softmax(found @ found.T, heat), _softmax(targets @ targets.T, heat)
    apart = (mine - wanted) / np.float32(heat)
    slope: Floats = np.float32(share) * ((apart + apart.T) @ found)
    return slope - np.float32(1 - share) * targets


def _softmax(similarities: Floats, heat: float) -> Floats:
    """Return each row as probabilities of the other texts."""
    np.fill_diagonal(similarities, -np.inf)
    similarities = np.exp((similarities - similarities.max(axis=1, keepdims=True)) / heat)
    found: Floats = similarities / similarities.sum(axis=1, keepdims=True)
    return found


def _gather(slope: Floats, rows: Rows, starts: Rows) -> tuple[Rows, Floats]:
    """Return the rows that were touched, once each, and the sum of what pulls at them."""
    lengths = np.diff(starts, append=len(rows))
    text = np.repeat(np.arange(len(starts)), lengths)
    order = np.argsort(rows, kind="stable")
    touched, firsts = np.unique(rows[order], return_index=True)
    return touched, np.add.reduceat(slope[text[order]], firsts, axis=0)
