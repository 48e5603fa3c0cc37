"""A project's record files and their index, below a temporary folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memplugin.index.catalog import Catalog
from memplugin.index.lexical import search
from memplugin.protocol.records import Record
from memplugin.recall.text import terms
from tests.store.making import RECORD, Store, store_below

TRUST_NOTHING = 0.0  # seconds: compare with the files at every refresh


def index_of(folder: Path) -> Path:
    return folder / "cache" / "index.sqlite"


@contextmanager
def catalog_of(store: Store, path: Path | None) -> Iterator[Catalog]:
    """Open an index and bring it up to date."""
    catalog = Catalog(store.folder, path)
    try:
        catalog.refresh(TRUST_NOTHING)
        yield catalog
    finally:
        catalog.close()


def shelf(folder: Path, *texts: str) -> Store:
    """Return a store with the texts as records r0, r1 and so on."""
    store = store_below(folder)
    for number, text in enumerate(texts):
        add(store, f"r{number}", text)
    return store


def add(store: Store, id: str, text: str, *, title: str = "A title", **more: object) -> Record:
    record = RECORD.replaced(id=id, title=title, content=(text,), links=(), **more)
    assert store.folder.create(record)
    return record


def records_of(catalog: Catalog) -> dict[str, str]:
    """Return the contents by id, as the index has them."""
    return {row.record.id: row.record.text for row in catalog.page(None, 1000)}


def files_of(store: Store) -> dict[str, str]:
    """Return the contents by id, as the files have them."""
    records = [store.folder.read(name).document.record for name in store.folder.scan()]
    return {record.id: record.text for record in records}


def found(catalog: Catalog, query: str) -> list[str]:
    """Return the ids of what a query finds, best first."""
    matches = search(catalog, terms(query))
    rows = {row.number: row for row in catalog.by_numbers([m.record for m in matches])}
    return [rows[match.record].record.id for match in matches]
