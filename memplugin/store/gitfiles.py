"""What a repository's own files say of its working trees; no git process is ever started."""

import os
import re
from pathlib import Path
from typing import Final

_MAX_FILE: Final = 64 * 1024  # bytes; these files hold a line or a page
_WORKTREE = re.compile(r"^\s*worktree\s*=\s*(.+?)\s*$", re.MULTILINE | re.IGNORECASE)


def is_repository(folder: Path) -> bool:
    """Return whether a folder is itself a bare repository (or the inside of any)."""
    parts = (folder / "objects", folder / "refs")
    return _text(folder / "HEAD") is not None and all(map(is_folder, parts))


def is_folder(path: Path) -> bool:
    """Return whether a folder is there that this user may look at."""
    try:
        return path.is_dir()
    except OSError:  # forbidden, or a name no disk takes
        return False


def main_tree(worktree: Path) -> Path | None:
    """Return the folder that stands for all working trees of a linked worktree's repository.

    That is its main working tree; of a bare repository, the folder that holds it if it is hidden
    (`.git`, `.bare`), else the repository itself. None if `worktree` is no linked worktree: a
    main tree, a submodule, or a `.git` file that claims a repository which does not name it back
    (a folder must not choose whose memories it gets).
    """
    own = worktree / ".git"
    pointer = _line(own, "gitdir:")
    if pointer is None:
        return None
    git_dir = _real(worktree, pointer)
    to_common = _line(git_dir / "commondir")
    back = _line(git_dir / "gitdir")
    if to_common is None or back is None:
        return None
    common = _real(git_dir, to_common)
    if git_dir.parent != common / "worktrees" or _real(git_dir, back) != _real(worktree, ".git"):
        return None
    return _tree_of(common)


def _tree_of(common: Path) -> Path:
    """Return the folder that a repository's common directory belongs to."""
    text = _text(common / "config") or ""
    setting = _WORKTREE.search(text)  # a submodule's repository says where its tree is
    if setting:
        tree = _real(common, setting[1].strip('"'))
        if is_folder(tree):
            return tree
    return common.parent if common.name.startswith(".") else common


def _real(base: Path, path: str) -> Path:
    return Path(os.path.realpath(base / path))


def _line(path: Path, prefix: str = "") -> str | None:
    """Return the one line a file holds, after its prefix; None if it is not such a file."""
    text = _text(path)
    if text is None or not text.startswith(prefix):
        return None
    return text[len(prefix) :].strip() or None


def _text(path: Path) -> str | None:
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            data = file.read(_MAX_FILE)
    except OSError:
        return None
    return None if b"\0" in data else os.fsdecode(data)
