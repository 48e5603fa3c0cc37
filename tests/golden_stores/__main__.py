"""Count which questions are answered, those of wanted.toml too, and show each that is not."""

import sys
import tempfile
from pathlib import Path

from tests.golden_stores.stores import STORES, WANTED, Query, answers, faults


def main() -> None:
    """Ask every store everything."""
    must = wanted = missed = open_ = 0
    for name, store in STORES.items():
        hoped = [query for query in WANTED if query.store == name]
        asks = [query.ask for query in (*store.queries, *hoped)]
        with tempfile.TemporaryDirectory() as folder:
            found = answers(store, asks, Path(folder))
        must, wanted = must + len(store.queries), wanted + len(hoped)
        missed += sum(_shown(name, query, found[query.ask]) for query in store.queries)
        open_ += sum(_shown(f"{name}, wanted", query, found[query.ask]) for query in hoped)
    sys.stdout.write(f"demanded: {must - missed} of {must}; wanted: {wanted - open_} of {wanted}\n")


def _shown(where: str, query: Query, found: list[str]) -> bool:
    wrong = faults(query, found)
    if wrong:
        sys.stdout.write(f"{where}: {query.ask!r}: {'; '.join(wrong)}; came: {found[:5]}\n")
    return bool(wrong)


if __name__ == "__main__":
    main()
