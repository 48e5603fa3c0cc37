"""Which roots may be recalled into a model (decision 6), one small file a root in the state.

A project's memory folder that this plugin made is trusted, whatever is put there later; one that
came with the project is not, until a person says so. Private roots are trusted unless distrusted.
"""

import os
from pathlib import Path

import msgspec
from msgspec import Struct

from memplugin.store.disk import DISK, PRIVATE_FILE, Disk, make_folders, put
from memplugin.store.places import Places
from memplugin.store.roots import Root, is_known, state_file


class KnownRoot(Struct, frozen=True):
    """What the state holds of a root. `created`: this plugin made its folder."""

    key: str
    path: str
    project: str | None
    trusted: bool
    created: bool


class Trust:
    """The state's knowledge of roots. A file that can't be read says nothing."""

    def __init__(self, places: Places, *, disk: Disk = DISK) -> None:
        self._places = places
        self._disk = disk

    def created(self, root: Root) -> None:
        """Note that this plugin made the root's folder: it is trusted."""
        self._write(root, trusted=True, created=True)

    def trust(self, root: Root) -> None:
        """Let a root's records be recalled, those that come later too."""
        self._write(root, trusted=True, created=self._was_created(root))

    def distrust(self, root: Root) -> None:
        """Hold a root's records back, but for those this user's memplugin wrote."""
        self._write(root, trusted=False, created=self._was_created(root))

    def is_trusted(self, root: Root) -> bool:
        """Return whether a root's records may be recalled."""
        known = _read(state_file(self._places, root))
        return root.private if known is None else known.trusted

    def knows(self, project: Path) -> bool:
        """Return whether the state knows this folder as a project."""
        return is_known(self._places, project)

    def projects(self) -> list[KnownRoot]:
        """Return the known roots of projects, by path."""
        folder = self._places.state / "roots"
        known = [_read(path) for path in folder.glob("*.json")]
        return sorted((root for root in known if root and root.project), key=lambda root: root.path)

    def _was_created(self, root: Root) -> bool:
        known = _read(state_file(self._places, root))
        return known is not None and known.created

    def _write(self, root: Root, *, trusted: bool, created: bool) -> None:
        project = None if root.project is None else _shown(root.project)
        known = KnownRoot(root.key, _shown(root.path), project, trusted, created)
        path = state_file(self._places, root)
        make_folders(self._disk, path.parent)
        put(self._disk, path, msgspec.json.encode(known), mode=PRIVATE_FILE)


def _shown(path: Path) -> str:
    """Return a path as text; bytes that are none become question marks (the key identifies)."""
    return os.fsencode(path).decode("utf-8", "replace")


def _read(path: Path) -> KnownRoot | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=KnownRoot)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
