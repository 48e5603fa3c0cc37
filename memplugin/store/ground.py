"""The memory folder of a root as a place: where it may lie, and how it comes to be.

Nothing above a project's `.agent` is ever made (decision 19), a project's folder may not lead out
of the project (decision 31), and a new one is ignored by git until its owner shares it.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from memplugin.protocol.errors import ErrorCategory, ProviderError
from memplugin.store import disk as on_disk
from memplugin.store.disk import Disk
from memplugin.store.gitfiles import is_folder
from memplugin.store.roots import Root

_IGNORE_ALL: Final = b"*\n"


class Ground:
    """The folder of one root."""

    def __init__(self, root: Root, disk: Disk) -> None:
        self._root = root
        self._disk = disk
        self._steps = (os.fspath(root.path.parent), os.fspath(root.path))

    def check(self) -> None:
        """Refuse a project's memory folder that a link leads out of the project."""
        path, project = self._root.path, self._root.project
        if self._root.private or project is None:
            return
        if not any(map(os.path.islink, self._steps)):  # asked before every file is read
            return
        if not Path(os.path.realpath(path)).is_relative_to(project):
            raise ProviderError(
                ErrorCategory.SOURCE_UNAVAILABLE,
                f"{path} leads out of the project {project}: make it a folder of the project, or "
                "set `project_store` to `user`",
                retryable=False,
            )

    def is_expected(self) -> bool:
        """Return whether something is where the folder should be, in a project that is there."""
        if not self._root.private and not is_folder(self._root.base):
            return False
        try:
            self._root.path.lstat()
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return True

    def make(self, before: Callable[[], None]) -> None:
        """Make the folder if it is missing; `before` is called just before it is there.

        Raises source_unavailable if the project's own folder is missing.
        """
        self.check()
        path = self._root.path
        if is_folder(path):
            return
        if self._root.private:
            before()
            on_disk.make_folders(self._disk, path)
            return
        if not is_folder(self._root.base):
            raise ProviderError(
                ErrorCategory.SOURCE_UNAVAILABLE,
                f"the project's folder {self._root.base} does not exist: no memory is kept where "
                "there is no project; make the folder, or send another working_directory",
            )
        on_disk.make_folders(self._disk, path.parent, on_disk.SHARED_FOLDER)
        self._make_ignored(before)

    def share(self) -> bool:
        """Remove the .gitignore if it is ours; return whether it was."""
        self.check()
        path = self._root.path / ".gitignore"
        try:
            ours = path.read_bytes() == _IGNORE_ALL and not path.is_symlink()
        except FileNotFoundError:
            return False
        return ours and on_disk.remove(self._disk, path)

    def _make_ignored(self, before: Callable[[], None]) -> None:
        """Make the folder with the .gitignore in it, at once."""
        path = self._root.path
        draft = path.parent / on_disk.temporary_name()
        self._disk.mkdir(os.fspath(draft), on_disk.SHARED_FOLDER)
        ignore = draft / ".gitignore"
        try:
            on_disk.put(self._disk, ignore, _IGNORE_ALL, mode=on_disk.SHARED_FILE)
            before()
            self._disk.replace(os.fspath(draft), os.fspath(path))
        except OSError:
            ignore.unlink(missing_ok=True)
            draft.rmdir()
            if not path.is_dir():  # else another process was faster
                raise
        on_disk.sync_folder(self._disk, os.fspath(path.parent))
