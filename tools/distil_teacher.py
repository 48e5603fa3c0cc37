"""The teacher of the bundled embedder: a small BERT sentence encoder, run forward by numpy alone.

Reads sentence-transformers' all-MiniLM-L6-v2 (Apache-2.0): config.json, vocab.txt and
model.safetensors of its folder. The vector of a text is the mean of its last layer, of unit
length (Reimers and Gurevych 2019, Sentence-BERT).
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memplugin.index.safetensors import read_tensors
from memplugin.index.wordpiece import WordPieces

Floats = NDArray[np.float32]

LONGEST = 192
"""Word pieces of a text that are read, the two marks at its ends included."""
_BATCH = 4096  # word pieces computed at once
_BLOCK = 32  # rows that stay in the processor's cache


class Teacher:
    """A BERT encoder with mean pooling."""

    def __init__(self, folder: Path) -> None:
        """`folder`: config.json, vocab.txt, model.safetensors."""
        config = json.loads((folder / "config.json").read_text("utf-8"))
        self.vocabulary = (folder / "vocab.txt").read_text("utf-8").split("\n")
        self.vocabulary = self.vocabulary[: config["vocab_size"]]
        rows = {piece: row for row, piece in enumerate(self.vocabulary)}
        self._pieces = WordPieces(rows)
        self._first, self._last = rows["[CLS]"], rows["[SEP]"]
        self._heads: int = config["num_attention_heads"]
        self._layers: int = config["num_hidden_layers"]
        self._epsilon: float = config["layer_norm_eps"]
        self._weights = {
            name.removeprefix("bert."): value.astype(np.float32)
            for name, value in read_tensors(folder / "model.safetensors").items()
            if value.dtype.kind == "f"
        }

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return the texts' vectors, of unit length."""
        return self.embed_rows([self._pieces.numbers(text) for text in texts])

    def embed_rows(self, rows: Sequence[Sequence[int]]) -> Floats:
        """Return the vectors of texts given as rows of the vocabulary, without the marks."""
        found = np.zeros((len(rows), self._weights["embeddings.LayerNorm.weight"].size), np.float32)
        for batch in _of_one_length(rows):
            marked = [[self._first, *rows[place][: LONGEST - 2], self._last] for place in batch]
            found[batch] = self._forward(np.array(marked))
        return found

    def _forward(self, rows: NDArray[np.int64]) -> Floats:
        """`rows`: texts × pieces."""
        weights = self._weights
        texts, length = rows.shape
        state = (
            weights["embeddings.word_embeddings.weight"][rows]
            + weights["embeddings.position_embeddings.weight"][:length]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        state = self._normal(state.reshape(texts * length, -1), "embeddings.LayerNorm")
        for layer in range(self._layers):
            part = f"encoder.layer.{layer}"
            seen = self._attention(state, f"{part}.attention.self", texts)
            state = self._normal(
                state + self._linear(seen, f"{part}.attention.output.dense"),
                f"{part}.attention.output.LayerNorm",
            )
            inner = _gelu(self._linear(state, f"{part}.intermediate.dense"))
            state = self._normal(
                state + self._linear(inner, f"{part}.output.dense"), f"{part}.output.LayerNorm"
            )
        means: Floats = state.reshape(texts, length, -1).mean(axis=1)
        means /= np.linalg.norm(means, axis=1, keepdims=True)
        return means

    def _attention(self, state: Floats, part: str, texts: int) -> Floats:
        def heads(name: str) -> Floats:
            values = self._linear(state, f"{part}.{name}")
            return values.reshape(texts, -1, self._heads, size).transpose(0, 2, 1, 3)

        size = state.shape[1] // self._heads
        scores: Floats = heads("query") @ heads("key").transpose(0, 1, 3, 2) / np.float32(size**0.5)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        seen: Floats = (scores @ heads("value")).transpose(0, 2, 1, 3)
        joined: Floats = seen.reshape(state.shape)
        return joined

    def _linear(self, values: Floats, part: str) -> Floats:
        found: Floats = values @ self._weights[f"{part}.weight"].T
        found += self._weights[f"{part}.bias"]
        return found

    def _normal(self, values: Floats, part: str) -> Floats:
        values = values - values.mean(axis=1, keepdims=True)
        values /= np.sqrt((values * values).mean(axis=1, keepdims=True) + self._epsilon)
        return values * self._weights[f"{part}.weight"] + self._weights[f"{part}.bias"]


def _of_one_length(rows: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield places of texts that have equally many pieces, so that nothing needs filling up."""
    lengths = [min(len(row), LONGEST - 2) + 2 for row in rows]
    order = sorted(range(len(rows)), key=lengths.__getitem__)
    batch: list[int] = []
    for place in order:
        length = lengths[place]
        if batch and (length != lengths[batch[0]] or length * len(batch) >= _BATCH):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _gelu(values: Floats) -> Floats:
    """Give x Φ(x) in place, its error function by Abramowitz and Stegun 7.1.26 (off by 2e-7)."""
    for start in range(0, len(values), _BLOCK):
        block = values[start : start + _BLOCK]
        size = np.abs(block)
        t = 1 / (1 + np.float32(0.3275911 * 0.5**0.5) * size)
        tail = np.float32(1.061405429) * t
        for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
            tail += np.float32(factor)
            tail *= t
        np.multiply(block, block, out=t)
        t *= np.float32(-0.5)
        tail *= np.exp(t, out=t)
        block += size - size * tail
        block *= np.float32(0.5)
    return values
