"""Makes the bundled embedder: a static model distilled from a sentence encoder.

    python tools/distil.py --teacher FOLDER --wordnet FOLDER --cache FOLDER --out FOLDER

1. The vocabulary: the teacher's word pieces, and frequent words and terms that it has no piece of.
2. One forward pass of the teacher for each; principal components; weights by how rare a piece is
   (Tulkens and van Dongen 2024, model2vec).
3. A fit of the table to the teacher's vectors of whole texts (tools/distil_fit.py).
4. The direction that all rows share is taken out: what is left of unrelated texts has a cosine
   of about 0 (Mu and Viswanath 2018, all-but-the-top).
5. Eight bits a number, one scale a row.

Teacher: config.json, vocab.txt and model.safetensors of all-MiniLM-L6-v2. WordNet: its data files
(Debian: /usr/share/wordnet). The same inputs give the same model, up to rounding.
"""

import argparse
import hashlib
import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one core, before numpy is imported

import numpy as np
from distil_fit import Bags, fit
from distil_teacher import Floats, Teacher
from distil_text import lemmas, texts
from distil_vocabulary import additions, kept_pieces

from memplugin.index.wordpiece import WordPieces

VERSION = "2"
DIMENSION = 256
SEED = 1
ADDED = 9_000
"""Words and terms that the teacher has no piece of, at most."""
RARE = 1e-3
"""The share of all pieces at which one counts half (Arora, Liang and Ma 2017, SIF)."""
PRIOR = 50_000
"""Pieces that are taken as met beforehand, by the rank of each in the vocabulary (Zipf)."""
EPOCHS, RATE, HEAT, SHARE = 15, 0.05, 0.05, 0.5
_CHUNK = 4000  # texts between two savings


def main() -> None:
    """Make the model."""
    options = _options()
    teacher = Teacher(options.teacher)
    words = lemmas(options.wordnet)
    found = texts(options.wordnet, SEED)
    kept = kept_pieces(teacher.vocabulary)
    added = additions(WordPieces(_rows(kept)), found, words, ADDED)
    vocabulary = kept + added
    pieces = WordPieces(_rows(vocabulary), camel=True)
    bags = [pieces.numbers(text) for text in found]
    table = _token_by_token(teacher, vocabulary, options.cache)
    wanted = _taught(teacher, found, options.cache)
    axes = principal(wanted, DIMENSION)
    table = (table @ axes) * weights(bags, len(vocabulary), len(kept))[:, None]
    full = [place for place, bag in enumerate(bags) if bag]
    table = fit(
        table,
        Bags([bags[place] for place in full]),
        unit(wanted[full] @ axes),
        epochs=EPOCHS,
        rate=RATE,
        heat=HEAT,
        share=SHARE,
        seed=SEED,
    )
    write(options.out, vocabulary, centred(table))


def _options() -> argparse.Namespace:
    kind = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=kind)
    for name in ("teacher", "wordnet", "cache", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    return parser.parse_args()


def _rows(vocabulary: Sequence[str]) -> dict[str, int]:
    return {piece: row for row, piece in enumerate(vocabulary)}


def _token_by_token(teacher: Teacher, vocabulary: Sequence[str], cache: Path) -> Floats:
    """Return the teacher's vector of each piece, word and term alone."""
    rows = _rows(teacher.vocabulary)
    pieces = WordPieces(rows)
    known = [[rows[word]] if word in rows else pieces.numbers(word) for word in vocabulary]
    return _cached(cache, "tokens", known, teacher)


def _taught(teacher: Teacher, found: Sequence[str], cache: Path) -> Floats:
    """Return the teacher's vectors of the texts."""
    pieces = WordPieces(_rows(teacher.vocabulary))
    return _cached(cache, "texts", [pieces.numbers(text) for text in found], teacher)


def _cached(cache: Path, name: str, rows: Sequence[Sequence[int]], teacher: Teacher) -> Floats:
    """Return the teacher's vectors, each chunk kept on disk: it takes a quarter of an hour."""
    cache.mkdir(parents=True, exist_ok=True)
    chunks: list[Floats] = []
    for start in range(0, len(rows), _CHUNK):
        part = [list(row) for row in rows[start : start + _CHUNK]]
        digest = hashlib.sha256(json.dumps(part).encode()).hexdigest()[:16]
        path = cache / f"{name}-{digest}.npy"
        if not path.exists():
            np.save(path, teacher.embed_rows(part).astype(np.float16))
            print(f"{name}: {start + len(part)} of {len(rows)}", flush=True)
        chunks.append(np.load(path).astype(np.float32))
    return np.concatenate(chunks)


def unit(vectors: Floats) -> Floats:
    """Return vectors of unit length."""
    found: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return found


def principal(vectors: Floats, dimension: int) -> Floats:
    """Return the axes (columns) along which vectors are longest; their mean is not taken off."""
    _, axes = np.linalg.eigh((vectors.T @ vectors).astype(np.float64))
    return axes[:, ::-1][:, :dimension].astype(np.float32)


def centred(table: Floats) -> Floats:
    """Return rows without the part along their mean; of a sum of rows it takes the same part."""
    common = table.mean(axis=0)
    common /= np.linalg.norm(common)
    found: Floats = (table - np.outer(table @ common, common)).astype(np.float32)
    return found


def weights(bags: Sequence[Sequence[int]], size: int, ranked: int) -> Floats:
    """Return a / (a + p) for each row, p the share of pieces that it makes up in texts."""
    counts = np.zeros(size)
    for row, count in Counter(row for bag in bags for row in bag).items():
        counts[row] = count
    # The first `ranked` rows are in the order of how often the teacher's own texts held them.
    counts[:ranked] += PRIOR / np.log(ranked) / np.arange(1, ranked + 1)
    share = counts / counts.sum()
    found: Floats = (RARE / (RARE + share)).astype(np.float32)
    return found


def write(folder: Path, vocabulary: Sequence[str], table: Floats) -> None:
    """Write the model as memplugin.index.embedding reads it."""
    folder.mkdir(parents=True, exist_ok=True)
    scales = np.maximum(np.abs(table).max(axis=1), 1e-9).astype(np.float32) / np.float32(127)
    np.save(folder / "vectors.npy", np.rint(table / scales[:, None]).astype(np.int8))
    np.save(folder / "scales.npy", scales)
    (folder / "vocabulary.txt").write_text("\n".join(vocabulary) + "\n", "utf-8")
    card = {"version": VERSION, "camel": True}
    (folder / "model.json").write_text(json.dumps(card) + "\n", "utf-8")


if __name__ == "__main__":
    main()
