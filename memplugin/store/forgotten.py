"""What was forgotten, known by salted fingerprints alone, so that it stays forgotten (D9).

One text file in the state: the salt, then a line for each forgotten record, `<content> <said>`,
where `said` fingerprints the words it was captured from (`-` where it was not captured).
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from memplugin.store.disk import DISK, PRIVATE_FILE, Disk, make_folders, put

_SALT_BYTES: Final = 16
_NEVER_SAID: Final = "-"
MAX_ENTRIES: Final = 100_000  # about 7 MB; then the oldest may be captured again


class Forgotten:
    """The fingerprints of forgotten records. A file that cannot be read says nothing."""

    def __init__(
        self, path: Path, *, disk: Disk = DISK, random: Callable[[int], bytes] = os.urandom
    ) -> None:
        self.path = path
        self._disk = disk
        self._random = random
        self._read_at: tuple[int, int] | None = None
        self._salt = b""
        self._said: dict[str, str] = {}

    def salt(self) -> bytes:
        """Return what fingerprints are salted with; stays the same once the file is there."""
        self._load()
        if not self._salt:
            self._salt = self._random(_SALT_BYTES)
        return self._salt

    def is_content(self, content: str) -> bool:
        """Return whether a record of this content (its fingerprint) was forgotten."""
        self._load()
        return content in self._said

    def is_said(self, said: str) -> bool:
        """Return whether what was captured from these words was forgotten."""
        self._load()
        return said in self._said.values()

    def add(self, content: str, said: str | None) -> None:
        """Note that a record was forgotten; the write lock is the caller's."""
        self.salt()
        self._said.pop(content, None)
        self._said[content] = said or _NEVER_SAID
        while len(self._said) > MAX_ENTRIES:
            del self._said[next(iter(self._said))]
        self._store()

    def lift(self, content: str) -> None:
        """Note that it was said anew; the write lock is the caller's."""
        self._load()
        if self._said.pop(content, None) is not None:
            self._store()

    def _load(self) -> None:
        try:
            status = self.path.stat()
        except OSError:
            return
        at = (status.st_mtime_ns, status.st_ino)
        if at == self._read_at:
            return
        try:
            salt, *lines = self.path.read_text("ascii").splitlines()
            self._said = dict(pair for line in lines if len(pair := line.split()) == 2)  # noqa: PLR2004 - pairs
            self._salt = bytes.fromhex(salt)
        except (OSError, ValueError):
            return
        self._read_at = at

    def _store(self) -> None:
        make_folders(self._disk, self.path.parent)
        lines = [self._salt.hex(), *(f"{content} {said}" for content, said in self._said.items())]
        text = "\n".join(lines) + "\n"
        status = put(self._disk, self.path, text.encode("ascii"), mode=PRIVATE_FILE)
        self._read_at = (status.st_mtime_ns, status.st_ino)
