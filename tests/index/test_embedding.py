import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memplugin.index.embedding import BUNDLED, DEFAULT, Embedder, EmbedderUnavailable, load
from memplugin.index.wordpiece import WordPieces

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "dog", "cat", "##s", "run", "race"]
FILES = ("model.json", "vocabulary.txt", "vectors.npy", "scales.npy")
# What somebody asks or says again, what was written, and what has nothing to do with it.
NEARER = [
    ("what is her dog called", "she adopted a puppy, Pepper", "the build fails on the server"),
    ("she moved to another city", "she relocated to a new town", "bread needs flour and yeast"),
    ("the tests fail", "the test suite is broken", "he plays the violin in an orchestra"),
    ("which database do we use", "we store orders in Postgres", "she is allergic to peanuts"),
    ("what food does he avoid", "he is allergic to peanuts", "the certificate expires in May"),
    ("how do we ship a release", "deploy with the release script", "her sister has a cat"),
    ("his job", "he works as a carpenter", "the cache is flushed each night"),
    ("a memory leak in the worker", "the worker runs out of RAM", "they sang at the wedding"),
    ("when is the holiday", "their vacation starts in July", "the parser rejects bad input"),
    ("login is broken", "users cannot sign in", "the garden has roses and tulips"),
]


@pytest.fixture(scope="module")
def bundled() -> Embedder:
    return load("auto")


def _safetensors(path: Path, tensors: dict[str, NDArray[np.float32]]) -> None:
    header, body = {}, b""
    for name, tensor in tensors.items():
        span = [len(body), len(body) + tensor.nbytes]
        header[name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": span}
        body += tensor.tobytes()
    head = json.dumps(header).encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head + body)


def _model2vec(folder: Path, **more: NDArray[np.float32]) -> Path:
    folder.mkdir()
    tensors = {"embeddings": np.eye(len(PIECES), dtype=np.float32), **more}
    _safetensors(folder / "model.safetensors", tensors)
    tokenizer = {
        "normalizer": {"type": "BertNormalizer", "lowercase": True},
        "model": {"type": "WordPiece", "vocab": {p: row for row, p in enumerate(PIECES)}},
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    return folder


@pytest.mark.parametrize(("asked", "same", "other"), NEARER)
def test_what_means_the_same_is_nearer(
    bundled: Embedder, asked: str, same: str, other: str
) -> None:
    """Design 9: a paraphrase lies nearer than a text about something else."""
    first, second, third = bundled.embed([asked, same, other])
    assert first @ second > first @ third


@given(texts=st.lists(st.text(max_size=60), max_size=6))
def test_rows_have_unit_length_and_stand_alone(bundled: Embedder, texts: list[str]) -> None:
    """Design 9: whatever the text, its row is of unit length or zeros, whatever comes with it."""
    found = bundled.embed(texts)
    assert found.shape == (len(texts), bundled.dim)
    assert found.dtype == np.float32
    for text, row in zip(texts, found, strict=True):
        length = float(np.linalg.norm(row))
        assert length == pytest.approx(1, abs=1e-5) or not row.any()
        assert np.array_equal(bundled.embed([text])[0], row)


def test_nothing_known_gives_zeros(bundled: Embedder) -> None:
    """Design 9: an empty text is near to nothing."""
    assert not bundled.embed(["", " \n", "\ufffd"]).any()


def test_threads_share_a_model(bundled: Embedder) -> None:
    """Design 9: several threads at once get what one gets."""
    texts = [f"note {number} about the deploy of service {number % 7}" for number in range(200)]
    alone = bundled.embed(texts)
    fresh = load("auto")
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(fresh.embed, [texts] * 8):
            assert np.array_equal(found, alone)


def test_the_bundled_model_is_small_and_tells_its_licence() -> None:
    """Design 9: at most 12 MB, with its card and its licence."""
    folder = BUNDLED / DEFAULT
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 12_000_000
    assert "Apache" in (folder / "LICENSE").read_text("utf-8")
    assert "all-MiniLM-L6-v2" in (folder / "README.md").read_text("utf-8")


def test_a_model2vec_folder_is_read(tmp_path: Path) -> None:
    """Design 9: tables of others work, by their vocabulary and weights."""
    weights = np.ones(len(PIECES), np.float32)
    weights[PIECES.index("cat")] = 3
    embedder = load(_model2vec(tmp_path / "mine", weights=weights))
    row = embedder.embed(["Dogs, [CLS] cat!"])[0] * np.sqrt(11)
    held = {PIECES[place]: float(row[place]) for place in np.flatnonzero(row)}
    assert held == pytest.approx({"dog": 1, "##s": 1, "cat": 3}, abs=1e-5)


def test_the_name_changes_with_the_weights(tmp_path: Path) -> None:
    """Design 9: vectors of two models are never compared for having one folder's name."""
    first = load(_model2vec(tmp_path / "mine")).name
    shutil.rmtree(tmp_path / "mine")
    changed = np.full(len(PIECES), 2, np.float32)
    assert load(_model2vec(tmp_path / "mine", weights=changed)).name != first


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("harm", ["gone", "empty", "short", "junk"])
def test_a_damaged_model_is_one_kind_of_error(tmp_path: Path, name: str, harm: str) -> None:
    """Design 9: whatever file is missing or broken, the embedder is unavailable, with a reason."""
    folder = tmp_path / "model"
    shutil.copytree(BUNDLED / DEFAULT, folder)
    data = (folder / name).read_bytes()
    if harm == "gone":
        (folder / name).unlink()
    else:
        cut = {"empty": b"", "short": data[: len(data) // 2], "junk": b"\xff\x00{" * 100}
        (folder / name).write_bytes(cut[harm])
    with pytest.raises(EmbedderUnavailable) as caught:
        load(folder)
    assert caught.value.reason


@given(data=st.binary(max_size=200))
def test_any_bytes_for_a_model_are_one_kind_of_error(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    """Design 9: no file for a model2vec folder makes anything else than unavailable."""
    folder = _model2vec(tmp_path_factory.mktemp("any") / "mine")
    (folder / "model.safetensors").write_bytes(data)
    with pytest.raises(EmbedderUnavailable):
        load(folder)


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    """Design 9: an unknown name tells the known ones; an empty or missing folder tells itself."""
    with pytest.raises(EmbedderUnavailable, match=DEFAULT):
        load("no-such-model")
    for path in (tmp_path, tmp_path / "gone"):
        with pytest.raises(EmbedderUnavailable, match=str(tmp_path)):
            load(path)


def test_a_broken_onnx_model_is_unavailable(tmp_path: Path) -> None:
    """Design 9: without the extra, or with a file that is no model, the embedder is unavailable."""
    folder = _model2vec(tmp_path / "mine")
    (folder / "model.safetensors").unlink()
    (folder / "model.onnx").write_bytes(b"junk")
    with pytest.raises(EmbedderUnavailable, match="onnx"):
        load(folder)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("DOGS", ["dog", "##s"]),
        ("d\u00f3g c\u00e2ts", ["dog", "cat", "##s"]),
        ("dog-cat", ["dog", "cat"]),
        ("dogCat", ["dog", "cat"]),
        ("dogx", []),
        ("race  Cat", ["race cat"]),
        ("a" * 101, []),
    ],
)
def test_words_are_cut_into_the_longest_pieces(text: str, pieces: list[str]) -> None:
    """Design 9: case and accents do not matter; terms of several words come first."""
    known = [*PIECES, "race cat"]
    rows = WordPieces({piece: row for row, piece in enumerate(known)}, camel=True).numbers(text)
    assert [known[row] for row in rows] == pieces
