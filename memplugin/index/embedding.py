"""Turns text into vectors by looking word pieces up in a table: no network run, numpy alone.

A static embedding (Tulkens and van Dongen 2024, model2vec): the vector of a text is the weighted
sum of the vectors of its word pieces and terms, brought to unit length. Two forms of folders are
read:

- ours (memplugin/models/, made by tools/distil.py): model.json, vocabulary.txt with one piece a
  line, vectors.npy (int8, pieces × dimension), scales.npy (float32: what a row is multiplied by,
  its weight in the sum included);
- model2vec's: model.safetensors with `embeddings` (and `weights`, `mapping`), tokenizer.json with
  an uncased WordPiece vocabulary.

Sentence encoders in ONNX form are read by memplugin.index.onnx, with an extra.

numpy is imported when a model is loaded, never before.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec import Struct

from memplugin.index.arrays import one_core
from memplugin.index.onnx import OnnxEmbedder, onnx_file
from memplugin.index.safetensors import NotSafetensors, read_tensors
from memplugin.index.wordpiece import WordPieces

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BUNDLED = Path(__file__).parent.parent / "models"
"""The folder of the models that come along, each in a folder named as it is."""
DEFAULT = "minilm-static"
"""The bundled model that `auto` means."""
_READ_WHOLE = 1 << 20  # bytes of a file that its fingerprint reads in full; of larger ones samples
_SAMPLES = 64
_LARGEST = 1 << 31  # bytes of a model: more is no static embedding


class EmbedderUnavailable(Exception):  # noqa: N818 - a state of the installation
    """The model cannot be used; `reason` says why and what to do, without a path's contents."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Embedder(Protocol):
    """What turns texts into vectors."""

    @property
    def name(self) -> str:
        """Name and fingerprint: vectors of two models of different name do not compare."""

    @property
    def dim(self) -> int:
        """Numbers in a vector."""

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return one row per text, of unit length, or zeros where nothing in it is known.

        A text's row does not depend on the others'. Time is linear in the length of the texts.
        """


class _Card(Struct, frozen=True):
    """model.json: what must be known to read the rest."""

    version: str
    camel: bool = False  # whether names in camel case are read by their parts


class StaticEmbedder:
    """A table of vectors and the vocabulary that leads into it; threads may share one."""

    def __init__(
        self,
        name: str,
        pieces: WordPieces,
        vectors: "NDArray[np.generic]",
        scales: "NDArray[np.float32]",
    ) -> None:
        """`vectors`: pieces × dimension, of any numeric type; `scales`: one for each row."""
        self.name = name
        self.dim = int(vectors.shape[1])
        self._pieces = pieces
        self._vectors = vectors
        self._scales = scales

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return one row per text, of unit length, or zeros where nothing in it is known."""
        import numpy as np  # noqa: PLC0415 - loaded already; see the head

        found = np.zeros((len(texts), self.dim), np.float32)
        for place, text in enumerate(texts):
            rows = self._pieces.numbers(text)
            if not rows:
                continue
            total = self._scales[rows] @ self._vectors[rows].astype(np.float32)
            length = float(np.linalg.norm(total))
            if length > 0:
                found[place] = total / length
        return found


def load(which: str | Path = "auto") -> Embedder:
    """Load a bundled model by its name (`auto`: the default one), or a folder by its path.

    Raises EmbedderUnavailable where it is missing, damaged or of a form that is not read.
    """
    one_core()
    try:
        import numpy  # noqa: F401, ICN001, PLC0415 - see the head
    except ImportError as error:
        raise EmbedderUnavailable("numpy is not installed or cannot be loaded") from error
    folder = _folder(which)
    try:
        if (folder / "model.json").is_file():
            return _load_ours(folder)
        if (folder / "model.safetensors").is_file():
            return _load_model2vec(folder)
        if onnx_file(folder).is_file():
            return _load_onnx(folder)
    except FileNotFoundError as error:
        missing = Path(error.filename or "").name
        raise EmbedderUnavailable(f"{folder} has no file {missing}") from error
    except (OSError, MemoryError) as error:
        raise EmbedderUnavailable(f"{folder} cannot be read: {_words(error)}") from error
    except (ValueError, EOFError, KeyError) as error:
        raise EmbedderUnavailable(f"{folder} is damaged: {_words(error)}") from error
    raise EmbedderUnavailable(
        f"{folder} holds no model: expected model.json, model.safetensors or model.onnx"
    )


def _folder(which: str | Path) -> Path:
    if isinstance(which, str) and which == Path(which).name:
        name = DEFAULT if which == "auto" else which
        if (BUNDLED / name).is_dir():
            return BUNDLED / name
        names = sorted(path.name for path in BUNDLED.glob("*") if path.is_dir())
        known = ", ".join(names) or "none"
        raise EmbedderUnavailable(
            f"no bundled embedder is called {name!r} (there are: {known}); give the path of a"
            " folder for one of your own"
        )
    folder = Path(which).expanduser()
    if not folder.is_dir():
        raise EmbedderUnavailable(f"there is no folder {folder}")
    return folder


def _load_ours(folder: Path) -> StaticEmbedder:
    import numpy as np  # noqa: PLC0415 - see the head

    paths = [folder / name for name in ("model.json", "vocabulary.txt", "vectors.npy")]
    card = msgspec.json.decode(paths[0].read_bytes(), type=_Card)
    words = paths[1].read_text("utf-8").splitlines()
    vectors = np.load(paths[2], allow_pickle=False, mmap_mode="r")
    scales = np.load(folder / "scales.npy", allow_pickle=False)
    if vectors.dtype != np.int8 or scales.dtype != np.float32:
        raise ValueError("vectors.npy is not int8, or scales.npy not float32")
    _check_shapes(len(words), vectors, scales)
    pieces = WordPieces({word: row for row, word in enumerate(words)}, camel=card.camel)
    name = f"{folder.name}-{card.version}-{_fingerprint([*paths, folder / 'scales.npy'])}"
    return StaticEmbedder(name, pieces, vectors, scales)


class _Normalizer(Struct):
    type: str = ""
    lowercase: bool = True


class _Pieces(Struct):
    vocab: dict[str, int] | list[tuple[str, float]]
    type: str = ""
    unk_token: str | None = None


class _Tokenizer(Struct):
    """What is read of tokenizer.json (huggingface/tokenizers)."""

    model: _Pieces
    normalizer: _Normalizer | None = None


def _load_model2vec(folder: Path) -> StaticEmbedder:
    import numpy as np  # noqa: PLC0415 - see the head

    paths = [folder / "tokenizer.json", folder / "model.safetensors"]
    if paths[1].stat().st_size > _LARGEST:
        raise EmbedderUnavailable(f"{folder} is larger than a static embedding can be (2 GiB)")
    vocabulary = _vocabulary(folder)
    tensors = read_tensors(paths[1])
    if "embeddings" not in tensors:
        raise EmbedderUnavailable(
            f"{folder} is no static embedding: model.safetensors has no tensor `embeddings`"
        )
    vectors = tensors["embeddings"]
    rows = {piece: row for piece, row in vocabulary.items() if not _is_mark(piece)}
    scales = np.ones(len(vectors), np.float32)
    if "weights" in tensors:
        scales = tensors["weights"].astype(np.float32)
    if "mapping" in tensors:  # several pieces share a row, each with its own weight
        mapping = tensors["mapping"].astype(np.int64)
        if (
            mapping.ndim != 1
            or mapping.min(initial=0) < 0
            or mapping.max(initial=0) >= len(vectors)
        ):
            raise ValueError("tensor `mapping` leads out of `embeddings`")
        vectors = vectors[mapping]
        scales = scales if len(scales) == len(mapping) else scales[mapping]
    _check_shapes(max(rows.values(), default=-1) + 1, vectors, scales, at_least=True)
    name = f"{folder.resolve().name}-{_fingerprint(paths)}"
    return StaticEmbedder(name, WordPieces(rows), vectors, scales)


def _vocabulary(folder: Path) -> dict[str, int]:
    """Return the pieces of an uncased WordPiece vocabulary, with their numbers."""
    data = (folder / "tokenizer.json").read_bytes()
    tokenizer = msgspec.json.decode(data, type=_Tokenizer)
    vocabulary = tokenizer.model.vocab
    if not isinstance(vocabulary, dict) or tokenizer.model.type not in ("WordPiece", ""):
        raise EmbedderUnavailable(f"{folder}: only WordPiece vocabularies are read")
    if tokenizer.normalizer is None or not tokenizer.normalizer.lowercase:
        raise EmbedderUnavailable(f"{folder}: only uncased vocabularies are read")
    return vocabulary


def _load_onnx(folder: Path) -> Embedder:
    vocabulary = _vocabulary(folder)
    name = f"{folder.resolve().name}-{_fingerprint([folder / 'tokenizer.json', onnx_file(folder)])}"
    try:
        return OnnxEmbedder(name, folder, vocabulary)
    except ImportError as error:
        raise EmbedderUnavailable(f"{folder} needs onnxruntime: install memplugin[onnx]") from error
    except (OSError, ValueError, KeyError):
        raise
    except Exception as error:  # onnxruntime's own, of many kinds
        raise EmbedderUnavailable(f"{folder}: onnxruntime cannot read model.onnx") from error


def _is_mark(piece: str) -> bool:
    """Whether a piece stands for the start, the end or the unknown, not for text."""
    return piece.startswith("[") and piece.endswith("]") and len(piece) > 2  # noqa: PLR2004


def _check_shapes(
    pieces: int,
    vectors: "NDArray[np.generic]",
    scales: "NDArray[np.float32]",
    *,
    at_least: bool = False,
) -> None:
    if vectors.ndim != 2 or 0 in vectors.shape or scales.shape != vectors.shape[:1]:  # noqa: PLR2004
        raise ValueError("vectors and scales do not fit together")
    if len(vectors) != pieces and not (at_least and len(vectors) >= pieces > 0):
        raise ValueError(f"it has {pieces} pieces, but {len(vectors)} vectors")


def _fingerprint(paths: Sequence[Path]) -> str:
    """Return sixteen hex digits that change with the files; of large ones samples are read."""
    digest = hashlib.blake2b(digest_size=8)
    for path in paths:
        size = path.stat().st_size
        digest.update(f"{path.name} {size}\n".encode())
        with path.open("rb") as file:
            if size <= _READ_WHOLE:
                digest.update(file.read())
                continue
            for sample in range(_SAMPLES):
                file.seek(sample * (size - 4096) // (_SAMPLES - 1))
                digest.update(file.read(4096))
    return digest.hexdigest()


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, NotSafetensors | msgspec.DecodeError):
        return f"{type(error).__name__}: {error}"
    return str(error) or type(error).__name__
