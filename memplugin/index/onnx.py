"""Reads a sentence encoder in ONNX form, by onnxruntime: the extra `memplugin[onnx]`.

The folder is sentence-transformers' (Reimers and Gurevych 2019): model.onnx, here or in onnx/,
tokenizer.json with an uncased WordPiece vocabulary, 1_Pooling/config.json where it is not the mean
of the last layer that stands for a text.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from memplugin.index.wordpiece import WordPieces

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST = 256
"""Word pieces of a text that are read, the two marks at its ends included."""
_TOGETHER = 16  # texts computed at once


class OnnxEmbedder:
    """A sentence encoder; threads may share one."""

    def __init__(self, name: str, folder: Path, rows: Mapping[str, int]) -> None:
        """`rows`: the vocabulary. Raises ImportError, or what onnxruntime raises of the file."""
        import onnxruntime  # type: ignore[import-not-found, import-untyped, unused-ignore]  # noqa: PLC0415 - an extra

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4  # stderr is ours
        self._session: Any = onnxruntime.InferenceSession(
            str(onnx_file(folder)), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {one.name for one in self._session.get_inputs()}
        self._pieces = WordPieces(rows)
        self._first, self._last = rows["[CLS]"], rows["[SEP]"]
        self._by_first = _pooled_by_first(folder)
        self.name = name
        self.dim = len(self._compute([[self._first, self._last]])[0])

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return one row per text, of unit length, or zeros where nothing in it is known."""
        import numpy as np  # noqa: PLC0415 - loaded already, by onnxruntime

        rows = [self._pieces.numbers(text)[: LONGEST - 2] for text in texts]
        found = np.zeros((len(texts), self.dim), np.float32)
        order = sorted((i for i in range(len(rows)) if rows[i]), key=lambda i: len(rows[i]))
        for start in range(0, len(order), _TOGETHER):
            part = order[start : start + _TOGETHER]
            found[part] = self._compute([[self._first, *rows[i], self._last] for i in part])
        return found

    def _compute(self, rows: Sequence[Sequence[int]]) -> "NDArray[np.float32]":
        import numpy as np  # noqa: PLC0415 - loaded already, by onnxruntime

        width = max(map(len, rows))
        ids = np.array([[*row, *[0] * (width - len(row))] for row in rows], np.int64)
        mask = np.array([[1] * len(row) + [0] * (width - len(row)) for row in rows], np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        fed = {name: value for name, value in given.items() if name in self._inputs}
        states = np.asarray(self._session.run(None, fed)[0], np.float32)
        if states.ndim == 3:  # noqa: PLR2004 - texts × pieces × dimension: not pooled yet
            held = mask[:, :, None].astype(np.float32)
            states = states[:, 0] if self._by_first else (states * held).sum(axis=1)
        states /= np.maximum(np.linalg.norm(states, axis=1, keepdims=True), np.float32(1e-9))
        return states


def onnx_file(folder: Path) -> Path:
    """Return where the model of a folder is, if there is one."""
    inner = folder / "onnx" / "model.onnx"
    return inner if inner.is_file() else folder / "model.onnx"


def _pooled_by_first(folder: Path) -> bool:
    try:
        data = (folder / "1_Pooling" / "config.json").read_bytes()
    except FileNotFoundError:
        return False
    config = msgspec.json.decode(data, type=dict[str, Any])
    return bool(config.get("pooling_mode_cls_token"))
