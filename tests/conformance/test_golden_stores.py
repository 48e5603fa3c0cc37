"""Small stores, questions, and the answers a reader agrees with: see tests/golden_stores."""

from collections.abc import Callable

import pytest

from tests.golden_stores.stores import STORES, WANTED, Query, answers, faults

Answered = Callable[[str, str], list[str]]
DEMANDED = [(name, query) for name, store in STORES.items() for query in store.queries]


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Answered:
    """Give the answer to a question; a store is recorded, and asked all, at its first one."""
    known: dict[str, dict[str, list[str]]] = {}

    def answer(name: str, ask: str) -> list[str]:
        if name not in known:
            asks = [query.ask for query in STORES[name].queries]
            known[name] = answers(STORES[name], asks, tmp_path_factory.mktemp(name))
        return known[name][ask]

    return answer


@pytest.mark.parametrize(
    ("name", "query"), DEMANDED, ids=[f"{name}: {query.ask}" for name, query in DEMANDED]
)
def test_the_answer_is_the_one_a_reader_gives(answered: Answered, name: str, query: Query) -> None:
    """R1, R3, R9, cases 23, 24, 25, 26, 28: what must come first or near it, what must not come."""
    found = answered(name, query.ask)
    assert faults(query, found) == [], f"came: {found}"


def test_the_questions_speak_of_records_that_exist() -> None:
    """R9, case 28: each asks for something or for nothing, once, and names records of its store."""
    for name, store in STORES.items():
        ids = [item.id for item in store.records]
        queries = [*store.queries, *(query for query in WANTED if query.store == name)]
        asks = [query.ask for query in queries]
        assert len(ids) == len(set(ids))
        assert len(asks) == len(set(asks))
        assert all(bool(query.named) is not query.nothing for query in queries)
        assert all(bool(query.among) is (query.within >= len(query.among) > 0) for query in queries)
        assert set().union(*(query.named for query in queries)) <= set(ids)
    assert {query.store for query in WANTED} <= STORES.keys()
