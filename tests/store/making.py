"""Records, places and folders for the tests of the store, real ones below a temporary folder."""

from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from memplugin.protocol.records import (
    MemoryScope,
    MemoryType,
    Provenance,
    Record,
    RecordStatus,
)
from memplugin.store.disk import DISK, Disk
from memplugin.store.folder import Folder
from memplugin.store.places import Places
from memplugin.store.roots import Root, project_root
from memplugin.store.seal import Seal
from memplugin.store.trust import Trust

NOW = datetime(2026, 1, 5, 9, 0, 0, 123_000, tzinfo=UTC)

RECORD = Record(
    id="mail-relay",
    type=MemoryType.REFERENCE,
    scope=MemoryScope.PROJECT,
    title="Mail relay: port 2525",
    content=("The relay listens on 2525, see [[deploy-order]].",),
    status=RecordStatus.CANONICAL,
    links=("deploy-order",),
    created_at=NOW,
    updated_at=NOW,
    provenance=Provenance("s1", "memory.remember", "t1"),
)


class Store(Struct, frozen=True):
    """A user's places and one project of theirs."""

    places: Places
    root: Root
    folder: Folder
    trust: Trust
    seal: Seal

    @property
    def path(self) -> Path:
        """The project's memory folder."""
        return self.root.path

    def put(self, name: str, text: str | bytes) -> Path:
        """Drop a file into the memory folder, as a person would."""
        self.path.mkdir(parents=True, exist_ok=True)
        path = self.path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path


def places_below(path: Path) -> Places:
    """Return places below a folder, without bounds for the search of projects."""
    return Places(path / "memory", path / "state", path / "cache", path / "config")


def store_below(path: Path, disk: Disk = DISK, *, project: str = "project") -> Store:
    """Return a user's store and an (empty) project below a folder."""
    (path / project).mkdir(exist_ok=True)
    places = places_below(path / "user")
    return store_of(places, project_root(places, str(path / project)), disk)


def store_of(places: Places, root: Root, disk: Disk = DISK) -> Store:
    """Return the store of one root."""
    seal = Seal(places.state / "key", disk=disk)
    trust = Trust(places, disk=disk)
    return Store(places, root, Folder(root, seal, trust=trust, disk=disk), trust, seal)
