"""Failures as they may be told: kind and place, never what a record says (E2, decision 30)."""

import traceback
from pathlib import Path

from memplugin.protocol.errors import ErrorCategory, ProviderError


def unavailable(error: OSError) -> ProviderError:
    """Return a failure of the file system as source_unavailable: its own text, and which file."""
    name = error.filename
    shown = f" ({name})" if isinstance(name, str) else ""
    text = f"the memory's files cannot be reached: {error.strerror or type(error).__name__}{shown}"
    return ProviderError(ErrorCategory.SOURCE_UNAVAILABLE, text)


def place(error: Exception) -> str:
    """Return an unforeseen error's type and place: its text may quote contents (decision 30)."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"


def trace(error: Exception) -> str:
    """Return where an unforeseen error passed through, without any values."""
    frames = traceback.extract_tb(error.__traceback__)
    return " < ".join(f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in reversed(frames))
