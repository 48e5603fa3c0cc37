"""Records of every kind, and reading back what was written."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from memplugin.protocol.records import (
    MemoryScope,
    MemoryType,
    Provenance,
    Record,
    RecordStatus,
)
from memplugin.store.front import Unreadable
from memplugin.store.markdown import Document, parse
from memplugin.store.seal import Seal

from .making import NOW

a_property = settings(deadline=None, max_examples=60)
LATER = NOW + timedelta(hours=1)
KEY = bytes(range(32))

# Text that takes a file apart where the format is careless.
_PIECES = st.sampled_from(
    ["---", "\n", "\n\n", "\r\n", "\r", "<!-- block -->", "\\", "# Head", "format: 1", "[[a]]", " "]
)
_TEXTS = st.text(max_size=30) | st.lists(_PIECES | st.text(max_size=3), max_size=8).map("".join)
_TITLES = _TEXTS.filter(str.strip)
_TIMES = st.datetimes(
    min_value=datetime(1971, 1, 1),  # noqa: DTZ001 - the strategy adds the zone
    max_value=datetime(2200, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
).map(lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000))
_RECORDS = st.builds(
    Record,
    id=st.just("x"),
    type=st.sampled_from(MemoryType),
    scope=st.just(MemoryScope.PROJECT),
    title=_TITLES,
    content=st.lists(_TEXTS, min_size=1, max_size=4).map(tuple),
    status=st.sampled_from(RecordStatus),
    links=st.lists(_TEXTS, max_size=3).map(tuple),
    created_at=_TIMES,
    updated_at=_TIMES,
    provenance=st.builds(
        Provenance,
        source_session_id=_TITLES | st.just(""),
        recorded_by=_TITLES,
        source_turn_id=_TITLES | st.none(),
    ),
)


class KeyedSeal(Seal):
    """A seal whose key is in memory."""

    def __init__(self, key: bytes = KEY) -> None:
        super().__init__(Path("/nonexistent/key"))
        self.key = key

    def _load(self) -> bytes:
        return self.key


SEAL = KeyedSeal()


def read_back(data: bytes | str, *, id: str = "x", stem: str | None = None) -> Document:
    return parse(
        data.encode() if isinstance(data, str) else data,
        id=id,
        scope=MemoryScope.PROJECT,
        default_type=MemoryType.PROJECT,
        modified=LATER,
        seal=SEAL,
        stem=stem,
    )


def unreadable(data: bytes | str) -> str:
    with pytest.raises(Unreadable) as caught:
        read_back(data)
    assert caught.value.reason == str(caught.value)
    return caught.value.reason
