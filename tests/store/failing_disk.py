"""A disk whose system calls can be counted, and made to fail from any of them on."""

import errno
import os
from collections.abc import Iterator

from memplugin.store.disk import Disk


class FailingDisk(Disk):
    """Fails the call number `fail_at` (from 0); with `dead`, every later one too: a power cut."""

    def __init__(
        self, fail_at: int | None = None, *, dead: bool = True, code: int = errno.EIO
    ) -> None:
        self.fail_at = fail_at
        self.dead = dead
        self.code = code
        self.calls: list[str] = []

    @property
    def failed(self) -> bool:
        return self.fail_at is not None and len(self.calls) > self.fail_at

    def open(self, path: str, flags: int, mode: int) -> int:
        self._step("open")
        return super().open(path, flags, mode)

    def write(self, fd: int, data: memoryview) -> int:
        # In two halves, so that a failure finds a part written.
        self._step("write")
        return super().write(fd, data[: (len(data) + 1) // 2])

    def chmod(self, fd: int, mode: int) -> None:
        self._step("chmod")
        super().chmod(fd, mode)

    def fsync(self, fd: int) -> None:
        self._step("fsync")
        super().fsync(fd)

    def link(self, source: str, target: str) -> None:
        self._step("link")
        super().link(source, target)

    def replace(self, source: str, target: str) -> None:
        self._step("replace")
        super().replace(source, target)

    def unlink(self, path: str) -> None:
        self._step("unlink")
        super().unlink(path)

    def mkdir(self, path: str, mode: int) -> None:
        self._step("mkdir")
        super().mkdir(path, mode)

    def _step(self, name: str) -> None:
        self.calls.append(name)
        number = len(self.calls) - 1
        if (
            self.fail_at is None
            or number < self.fail_at
            or (number > self.fail_at and not self.dead)
        ):
            return
        raise OSError(self.code, os.strerror(self.code))


class LinklessDisk(FailingDisk):
    """A disk of a file system without hard links."""

    def link(self, source: str, target: str) -> None:
        self._step("link")
        raise OSError(errno.EPERM, os.strerror(errno.EPERM), source, None, target)


def power_cuts(
    kind: type[FailingDisk] = FailingDisk, *, dead: bool = True
) -> Iterator[FailingDisk]:
    """Yield disks that fail at call 0, 1, 2, …, until one is not asked often enough to fail."""
    number = 0
    while True:
        disk = kind(number, dead=dead)
        yield disk
        if not disk.failed:
            return
        number += 1
