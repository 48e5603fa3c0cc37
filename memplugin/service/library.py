"""All roots as the worker threads use them: what a call can see, and its files and indexes.

Each thread has catalogs (SQLite connections) of its own; the rest is shared and immutable or
guarded by the write lock.
"""

import threading
from collections.abc import Callable

from msgspec import Struct

from memplugin.config import Config, TrustProject
from memplugin.index.catalog import Catalog
from memplugin.index.database import VERSION
from memplugin.index.rows import Fault
from memplugin.service.sessions import MAX_ANCESTORS, Scene
from memplugin.store.folder import Folder
from memplugin.store.forgotten import Forgotten
from memplugin.store.journal import Journal
from memplugin.store.lock import WriteLock
from memplugin.store.places import Places
from memplugin.store.roots import Root, global_root, project_root, session_root
from memplugin.store.seal import Seal
from memplugin.store.sessions import SessionFiles
from memplugin.store.trust import Trust

MAX_CATALOGS = 64  # open databases a thread: more than one call can see; the stalest is closed


class Report(Struct, frozen=True):
    """Something the log should say: a text, and what tells it apart from others."""

    text: str
    key: tuple[str, ...]


class View(Struct, frozen=True):
    """The roots that a call can see, nearest first (X2).

    `projects` are several where the call named none and several are open.
    """

    sessions: tuple[Root, ...]
    projects: tuple[Root, ...]
    everyone: Root

    @property
    def roots(self) -> tuple[Root, ...]:
        """All of them, nearest first."""
        return (*self.sessions, *self.projects, self.everyone)

    @property
    def unambiguous(self) -> tuple[Root, ...]:
        """All but the projects where several are open and none was named (D8)."""
        projects = self.projects if len(self.projects) == 1 else ()
        return (*self.sessions, *projects, self.everyone)


class Library:
    """The roots, their files, their indexes, and the small state beside them."""

    def __init__(self, places: Places, *, report: Callable[[Report], None]) -> None:
        """`report` is called on worker threads."""
        self.places = places
        self.seal = Seal(places.state / "key")
        self.trust = Trust(places)
        self.sessions = SessionFiles(places)
        self.lock = WriteLock(places.state / "lock")
        self.forgotten = Forgotten(places.state / "forgotten")
        self.journal = Journal(places.state)
        self._report = report
        self._mine = threading.local()

    # What a call can see.

    def view(self, scene: Scene, config: Config) -> View:
        """Return the roots that a call can see."""
        lineage = self._whole_lineage(scene.lineage)
        sessions = [session_root(self.places, id) for id in lineage]
        directories = scene.directories if scene.is_told else self._directories(scene, lineage)
        found = [self.project_root(directory, config) for directory in directories]
        projects = {root.key: root for root in found}
        return View(tuple(sessions), tuple(projects.values()), global_root(self.places))

    def project_root(self, directory: str, config: Config) -> Root:
        """Return the root of the project that a directory belongs to."""
        return project_root(self.places, directory, config.project_store.value)

    def _whole_lineage(self, lineage: tuple[str, ...]) -> list[str]:
        ids = list(lineage)
        while ids and len(ids) <= MAX_ANCESTORS:
            state = self.sessions.read(ids[-1])
            if state is None or not state.parent or state.parent in ids:
                break
            ids.append(state.parent)
        return ids

    def _directories(self, scene: Scene, lineage: list[str]) -> tuple[str, ...]:
        """Return where a session or its nearest ancestor worked in earlier processes (X1)."""
        states = (self.sessions.read(id) for id in lineage)
        known = (state.working_directory for state in states if state is not None)
        directory = next((directory for directory in known if directory), None)
        return (directory,) if directory else scene.directories

    def is_recallable(self, root: Root, config: Config) -> bool:
        """Whether a root's records may go into a model, whoever wrote them (decision 6)."""
        match config.trust_project:
            case TrustProject.ALWAYS:
                return True
            case TrustProject.NEVER:
                return root.private
            case TrustProject.ASK:
                return self.trust.is_trusted(root)

    # Files and indexes.

    def catalog(self, root: Root) -> Catalog:
        """Return this thread's catalog of a root."""
        catalogs: dict[str, Catalog] = self._mine.__dict__.setdefault("catalogs", {})
        catalog = catalogs.pop(root.key, None)
        if catalog is not None and catalog.path is None and catalog.folder.exists():
            catalog.close()
            catalog = None
        if catalog is None:
            folder = Folder(root, self.seal, trust=self.trust)
            path = self.places.cache / f"index-{VERSION}" / f"{root.key}.sqlite"
            # A project without memories leaves no trace: its empty index lives in memory.
            catalog = Catalog(folder, path if folder.exists() else None)
        catalogs[root.key] = catalog
        while len(catalogs) > MAX_CATALOGS:
            catalogs.pop(next(iter(catalogs))).close()
        return catalog

    def fresh(self, root: Root, config: Config) -> Catalog:
        """Return a catalog that has been compared with the files."""
        catalog = self.catalog(root)
        for fault in catalog.refresh(config.freshness_s):
            self._tell(root, fault)
        return catalog

    def _tell(self, root: Root, fault: Fault) -> None:
        text = f"{root.path / fault.name} cannot be read and was left alone: {fault.reason}"
        self._report(Report(text, ("unreadable", str(root.path), fault.name, fault.reason)))

    def close_mine(self) -> None:
        """Close what this thread has open."""
        catalogs: dict[str, Catalog] = self._mine.__dict__.pop("catalogs", {})
        for catalog in catalogs.values():
            catalog.close()
