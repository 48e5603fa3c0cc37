"""Roots: the folders whose files are records, one for each scope that can be seen."""

import os
from hashlib import sha256
from pathlib import Path
from typing import Literal

from msgspec import Struct

from memplugin.protocol.records import MemoryScope
from memplugin.store.places import Places
from memplugin.store.project import find_project

ProjectStore = Literal["repo", "user"]


class Root(Struct, frozen=True):
    """One folder of record files.

    `key` names the root in state and index: 32 hex digits, safe as a file name. `base` is the
    folder below which folders may be made; it must exist where it is a project's, else it is made
    too. `private` roots lie in the user's own folders: they are 0700 and trusted, and may be
    links. `project` is the project's own folder, wherever its records live.
    """

    scope: MemoryScope
    path: Path
    key: str
    base: Path
    session_id: str | None = None
    project: Path | None = None
    private: bool = True


def global_root(places: Places) -> Root:
    """Return the root of the global records."""
    scope = MemoryScope.GLOBAL
    return Root(scope, places.data, _key(scope, str(places.data)), places.data)


def session_root(places: Places, session_id: str) -> Root:
    """Return the root of a session's own records; its folder name is a hash (decision 18)."""
    scope = MemoryScope.SESSION
    path = places.state / "sessions" / _digest(session_id)
    return Root(scope, path, _key(scope, session_id), places.state, session_id=session_id)


def project_root(places: Places, directory: str, store: ProjectStore = "repo") -> Root:
    """Return the root of the project that a working directory belongs to (design decision 2).

    Raises InvalidParams if `directory` is not absolute.
    """
    project = find_project(
        Path(directory),
        known=lambda folder: is_known(places, folder),
        home=places.home,
        temp=places.temp,
    )
    return root_of_project(places, project, store)


def root_of_project(places: Places, project: Path, store: ProjectStore = "repo") -> Root:
    """Return the root of a project whose folder is known."""
    scope, key = MemoryScope.PROJECT, _project_key(project, store)
    if store == "user":
        path = places.data / "projects" / f"{_plain(project.name)}-{key[:16]}"
        return Root(scope, path, key, places.data, project=project)
    path = project / ".agent" / "memory"
    return Root(scope, path, key, project, project=project, private=False)


def state_file(places: Places, root: Root) -> Path:
    """Return where the state keeps what is known of a root (see trust)."""
    return places.state / "roots" / f"{root.key}.json"


def is_known(places: Places, project: Path) -> bool:
    """Return whether the state knows this folder as a project, in whichever store."""
    stores: tuple[ProjectStore, ...] = ("repo", "user")
    # Asked for every folder above every working directory, so without making roots of them.
    keys = (_project_key(project, store) for store in stores)
    return any(os.access(f"{places.state}/roots/{key}.json", os.F_OK) for key in keys)


def _project_key(project: Path, store: ProjectStore) -> str:
    return _key(MemoryScope.PROJECT, f"{store}\0{project}")


def _key(scope: MemoryScope, name: str) -> str:
    return _digest(f"{scope}\0{name}")


def _digest(name: str) -> str:
    # A path may hold bytes that are no text (surrogates); a session id of JSON never does.
    return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _plain(name: str) -> str:
    """Return a folder's name reduced to what every file system takes, for people to recognise."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in name)
    return plain.strip(".-")[:40] or "project"
