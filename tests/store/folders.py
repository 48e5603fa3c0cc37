"""What the tests of folders share."""

from pathlib import Path

from .making import RECORD, Store

NEW = RECORD.replaced(title="New", content=("New text\n", "---\n"), links=())


def contents(path: Path) -> dict[str, bytes]:
    return {str(f.relative_to(path)): f.read_bytes() for f in path.rglob("*") if f.is_file()}


def complete_records(store: Store) -> list[object]:
    """Return the records that can be read; the only other files are empty."""
    found: list[object] = []
    for name, entry in store.folder.scan().items():
        if entry.size:
            found.append(store.folder.read(name).document.record)
    return found
