"""Reads the tensors of a safetensors file by numpy alone.

The form (huggingface/safetensors, README): eight bytes with the length of the header, little
endian; the header in JSON, name → dtype, shape and the span of its bytes; the bytes.
"""

from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LONGEST_HEADER = 100_000_000  # bytes; the form's own bound
_NUMPY_NAMES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I8": "i1"}


class _Tensor(Struct):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


class NotSafetensors(ValueError):  # noqa: N818 - it says what the file is
    """The file is not what its name says; the message tells why."""


def read_tensors(path: Path) -> "dict[str, NDArray[np.generic[Any]]]":
    """Return the tensors by name, read-only views of the file's bytes.

    Tensors of kinds that numpy lacks are left out. Raises OSError, or NotSafetensors where the
    file is cut short or not of this form.
    """
    import numpy as np  # noqa: PLC0415 - a tenth of a second that only those who embed pay

    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    body = memoryview(data)[8 + length :]
    if len(data) < 8 or not 0 < length <= min(_LONGEST_HEADER, len(data) - 8):  # noqa: PLR2004
        raise NotSafetensors("its header is cut short")
    try:
        header = msgspec.json.decode(data[8 : 8 + length], type=dict[str, msgspec.Raw])
        header.pop("__metadata__", None)
        tensors = {name: msgspec.json.decode(raw, type=_Tensor) for name, raw in header.items()}
    except (msgspec.DecodeError, RecursionError) as error:
        raise NotSafetensors("its header is not readable") from error
    found = {}
    for name, tensor in tensors.items():
        kind = _NUMPY_NAMES.get(tensor.dtype)
        start, end = tensor.data_offsets
        if kind is None:
            continue
        size = prod(tensor.shape) * np.dtype(kind).itemsize
        if min(tensor.shape, default=0) < 0 or not 0 <= start <= end <= len(body):
            raise NotSafetensors(f"tensor {name!r} lies outside of the file")
        if end - start != size:
            raise NotSafetensors(f"tensor {name!r} has not the bytes of its shape")
        found[name] = np.frombuffer(body[start:end], kind).reshape(tensor.shape)
    return found
