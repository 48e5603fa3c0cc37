from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memplugin.index.catalog import Catalog
from memplugin.index.vectors import FEW, Passage, Vectors
from tests.index.shelf import add, catalog_of, index_of, shelf

DIM = 16
VECTOR_TABLES = ("passage_vector", "vector")


class Hashed:
    """An embedder whose vector depends on the text alone, and nothing else."""

    dim = DIM

    def __init__(self, name: str = "hashed") -> None:
        self.name = name
        self.read: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.read += texts
        rows = [np.random.default_rng([*text.encode()]).normal(size=DIM) for text in texts]
        found = np.array(rows, np.float32).reshape(len(texts), DIM)
        found /= np.linalg.norm(found, axis=1, keepdims=True)
        return found


def _fill(vectors: Vectors) -> int:
    embedded = 0
    while batch := vectors.missing(100):
        embedded += vectors.put(batch)
    return embedded


def _count(catalog: Catalog, table: str) -> int:
    ((count,),) = catalog.query(f"SELECT count(*) FROM {table}")  # noqa: S608 - our own names
    assert isinstance(count, int)
    return count


def test_each_passage_is_embedded_once(tmp_path: Path) -> None:
    """Design 9: what has a vector is not asked for again; equal texts share one."""
    store = shelf(tmp_path, "one", "two", "two")
    with catalog_of(store, index_of(tmp_path)) as catalog:
        embedder = Hashed()
        assert _fill(Vectors(catalog, embedder)) == 2
        assert not Vectors(catalog, embedder).missing(10)
        assert _count(catalog, "passage_vector") == 3
        add(store, "more", "three")
        catalog.refresh(0.0)
        assert _fill(Vectors(catalog, embedder)) == 1
        assert embedder.read[-1] == "A title\nthree"


def test_search_finds_the_nearest_first(tmp_path: Path) -> None:
    """Design 9: the text itself comes first, its cosine is one within the rounding."""
    store = shelf(tmp_path, *(f"text {number}" for number in range(600)))
    with catalog_of(store, index_of(tmp_path)) as catalog:
        vectors = Vectors(catalog, Hashed())
        _fill(vectors)
        wanted = Hashed().embed(["A title\ntext 577"])[0]
        hits = vectors.search(wanted, 5)
        assert len(hits) == 5
        assert hits[0].cosine == pytest.approx(1, abs=0.01)
        assert [row.record.id for row in catalog.by_numbers([hits[0].record])] == ["r577"]
        assert [hit.cosine for hit in hits] == sorted((h.cosine for h in hits), reverse=True)


@given(
    texts=st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=30),
    asked=st.text("abc", min_size=1, max_size=3),
    limit=st.integers(1, 40),
    data=st.data(),
)
def test_search_is_what_comparing_with_all_gives(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[str],
    asked: str,
    limit: int,
    data: st.DataObject,
) -> None:
    """Design 9: the same passages as exact cosines give, within the rounding to eight bits."""
    folder = tmp_path_factory.mktemp("shelf")
    with catalog_of(shelf(folder, *texts), None) as catalog:
        vectors = Vectors(catalog, Hashed())
        _fill(vectors)
        wanted = Hashed().embed([asked])[0]
        ids = [number for (number,) in catalog.query("SELECT number FROM record")]
        some = data.draw(st.none() | st.sets(st.sampled_from(ids)))
        hits = vectors.search(wanted, limit, some)  # type: ignore[arg-type]  # a column of numbers
        rows = catalog.by_numbers([n for n in ids if some is None or n in some])  # type: ignore[misc]
        exact = Hashed().embed([f"A title\n{row.record.text}" for row in rows]) @ wanted
        best = sorted(exact.tolist(), reverse=True)[:limit]
        assert [hit.cosine for hit in hits] == pytest.approx(best, abs=0.02)
        assert len({hit.passage for hit in hits}) == len(hits)


def test_a_large_choice_of_records_is_kept_to(tmp_path: Path) -> None:
    """K1: with more records allowed than are read one by one, the others still stay out."""
    store = shelf(tmp_path, "alone")
    with catalog_of(store, None) as catalog:
        vectors = Vectors(catalog, Hashed())
        _fill(vectors)
        wanted = Hashed().embed(["A title\nalone"])[0]
        ((number,),) = catalog.query("SELECT number FROM record")
        assert isinstance(number, int)
        others = set(range(number + 1, number + FEW + 10))
        assert vectors.search(wanted, 5, others) == []
        assert len(vectors.search(wanted, 5, others | {number})) == 1


def test_what_is_deleted_leaves_no_vector(tmp_path: Path) -> None:
    """D9: deleting a record empties the slots that its vectors lay in."""
    store = shelf(tmp_path, "kept", "secret")
    with catalog_of(store, index_of(tmp_path)) as catalog:
        vectors = Vectors(catalog, Hashed())
        _fill(vectors)
        store.folder.remove("r1.md")
        catalog.drop("r1.md")
        assert [_count(catalog, table) for table in VECTOR_TABLES] == [1, 1]
        ((value, free),) = catalog.query("SELECT value, free FROM vector_block")
        assert isinstance(value, bytes)
        table = np.frombuffer(value, np.int8).reshape(-1, DIM)
        assert np.count_nonzero(np.abs(table).max(axis=1)) == 1
        assert free == len(table) - 1
        assert len(vectors.search(Hashed().embed(["secret"])[0], 9)) == 1


def test_a_text_that_comes_back_is_not_embedded_again(tmp_path: Path) -> None:
    """Design 9: a file written anew with the same text keeps the vector of its text."""
    store = shelf(tmp_path, "the text")
    with catalog_of(store, None) as catalog:
        vectors = Vectors(catalog, Hashed())
        _fill(vectors)
        catalog.put(store.folder.read("r0.md"))
        assert len(vectors.missing(9)) == 1
        assert _fill(vectors) == 0
        assert len(vectors.search(Hashed().embed(["x"])[0], 9)) == 1


def test_slots_are_used_again(tmp_path: Path) -> None:
    """Design 9: an index does not grow by texts that come and go."""
    store = shelf(tmp_path, *(f"text {number}" for number in range(300)))
    with catalog_of(store, None) as catalog:
        vectors = Vectors(catalog, Hashed())
        _fill(vectors)
        for number in range(100):
            store.folder.remove(f"r{number}.md")
            add(store, f"n{number}", f"new {number}")
        catalog.refresh(0.0)
        _fill(vectors)
        assert [_count(catalog, table) for table in VECTOR_TABLES] == [300, 300]
        assert _count(catalog, "vector_block") == 2
        wanted = Hashed().embed(["A title\nnew 7"])[0]
        assert vectors.search(wanted, 1)[0].cosine == pytest.approx(1, abs=0.01)


def test_models_do_not_mix(tmp_path: Path) -> None:
    """Design 9: another model's vectors are neither found nor kept."""
    with catalog_of(shelf(tmp_path, "one", "two"), None) as catalog:
        old, new = Vectors(catalog, Hashed("old")), Vectors(catalog, Hashed("new"))
        _fill(old)
        assert new.search(Hashed().embed(["one"])[0], 9) == []
        assert len(new.missing(9)) == 2
        _fill(new)
        new.forget_others()
        assert old.search(Hashed().embed(["one"])[0], 9) == []
        assert len(new.search(Hashed().embed(["one"])[0], 9)) == 2
        assert _count(catalog, "vector_block") == 1


def test_a_passage_that_is_gone_gets_no_vector(tmp_path: Path) -> None:
    """D9: a record deleted while it was embedded does not come back."""
    store = shelf(tmp_path, "one")
    with catalog_of(store, None) as catalog:
        vectors = Vectors(catalog, Hashed())
        batch = vectors.missing(9)
        store.folder.remove("r0.md")
        catalog.drop("r0.md")
        vectors.put(batch)
        vectors.put([Passage(1, 1, "never there")])
        assert [_count(catalog, table) for table in VECTOR_TABLES] == [0, 0]


def test_a_damaged_block_is_made_anew(tmp_path: Path) -> None:
    """Design 1: vectors cut short are no fault of the call; the index is remade."""
    with catalog_of(shelf(tmp_path, "one"), index_of(tmp_path)) as catalog:
        vectors = Vectors(catalog, Hashed())
        _fill(vectors)
        catalog.query("UPDATE vector_block SET value = x'00'")
        assert vectors.search(Hashed().embed(["one"])[0], 9) == []
        assert _fill(vectors) == 1
