"""Whose project a working directory is (design decision 2, decision 19).

    working directory ── up to the nearest marker ──▶ folder ── in a linked worktree? ──▶ the same
                         .agent/, agent.hcl, a repository,       folder of the main working tree
                         or a folder the state knows

The search goes up to, and does not count, the home, shared temporary folders and the root of the
file system: each is a project only to work in itself. A marker that another user owns does not
count. Without a marker the working directory is the project.
"""

import os
import stat
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from memplugin.protocol.errors import InvalidParams
from memplugin.store import gitfiles
from memplugin.store.places import is_place

_MARKERS = (".agent", "agent.hcl", ".git", ".hg", ".jj")


def find_project(
    directory: Path,
    *,
    known: Callable[[Path], bool],
    home: Path | None,
    temp: Path | None,
) -> Path:
    """Return the project's folder: absolute, without links, in the disk's own case.

    A directory that does not exist is resolved as far as it does, and still has a project. Raises
    InvalidParams if it is not absolute.
    """
    start = _resolve(directory)
    bounds = {_bound(bound) for bound in (home, temp) if bound is not None}
    within = list(_up(start, bounds))
    hidden = False  # just left a .git or .bare: it belongs to the folder that holds it
    for folder in within:
        if known(folder):
            return folder
        if not hidden and folder.name.startswith(".") and _is_bare(folder):
            hidden = True
        elif hidden or _marked(folder):
            return _in_main_tree(folder, within, bounds)
    return start


def _resolve(directory: Path) -> Path:
    if not is_place(directory):
        raise InvalidParams("/working_directory", "must be an absolute path")
    return _real(directory)


def _real(path: Path) -> Path:
    return true_case(Path(os.path.realpath(path)))


@cache
def _bound(path: Path) -> Path:
    """Return a bound without links: they stay where they are as long as a process lives."""
    return _real(path)


def _up(start: Path, bounds: set[Path]) -> list[Path]:
    """Return the folders from `start` upwards, up to the first bound; bounds count only first."""
    within = [start]
    if _is_bound(start, bounds):
        return within
    for folder in start.parents:
        if _is_bound(folder, bounds):
            break
        within.append(folder)
    return within


def _is_bound(folder: Path, bounds: set[Path]) -> bool:
    return folder in bounds or folder.parent == folder or _is_shared(folder)


def _is_shared(folder: Path) -> bool:
    """Return whether anybody may put things here and keep them: /tmp, /var/tmp, /dev/shm."""
    try:
        mode = folder.stat().st_mode
    except OSError:
        return False
    return bool(mode & stat.S_ISVTX and mode & stat.S_IWOTH)


def _marked(folder: Path) -> bool:
    return any(_is_marker(folder, name) for name in _MARKERS) or _is_bare(folder)


def _is_bare(folder: Path) -> bool:
    return _own(folder, "HEAD") is not None and gitfiles.is_repository(folder)


def _is_marker(folder: Path, name: str) -> bool:
    """Return whether a marker is there, of the right kind, and this user's."""
    mode = _own(folder, name)
    if mode is None:
        return False
    if name == ".git":
        return True  # a file in worktrees and submodules
    path = folder / name
    return path.is_file() if name == "agent.hcl" else gitfiles.is_folder(path)


def _own(folder: Path, name: str) -> int | None:
    """Return the mode of what has this name in a folder; None for nothing or another user's."""
    try:
        status = os.lstat(f"{folder}/{name}")
    except OSError:
        return None
    ours = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    return status.st_mode if ours else None


def _in_main_tree(folder: Path, within: list[Path], bounds: set[Path]) -> Path:
    """Return the folder itself or, in a linked worktree, its counterpart in the main tree.

    A folder that only the worktree's branch has belongs to the nearest one the main tree has too.
    The worktree of a home that is a repository is not the home.
    """
    for tree in within[within.index(folder) :]:
        if not _is_marker(tree, ".git"):
            continue
        main = gitfiles.main_tree(tree)
        if main is None:
            return folder
        inside = main / folder.relative_to(tree)
        while not gitfiles.is_folder(inside) and inside != main:
            inside = inside.parent
        return folder if _is_bound(inside, bounds) else true_case(inside)
    return folder


def true_case(path: Path) -> Path:
    """Return a path as the disk spells it, where the disk ignores case.

    Windows' realpath has done so; macOS tells for an open file; elsewhere case counts.
    """
    if sys.platform != "darwin":
        return path
    import fcntl  # noqa: PLC0415 - not on Windows

    for existing in (path, *path.parents):
        try:
            fd = os.open(existing, os.O_RDONLY)
        except OSError:
            continue
        try:
            spelled = fcntl.fcntl(fd, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0")
        finally:
            os.close(fd)
        return Path(os.fsdecode(spelled)) / path.relative_to(existing)
    return path
