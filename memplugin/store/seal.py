"""Seals: how a file shows that this user's memplugin wrote it as it is (P4, decision 7).

A seal has two parts, `<16 hex>-<32 hex>`. The first is a checksum anybody can make: where it does
not fit, the file was edited after it was written. The second is keyed (HMAC-SHA-256 under a
random key of this user): where it fits, this user's memplugin wrote the file. Both cover the id
and the file's bytes without the seal's own line.
"""

import hmac
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final

from msgspec import Struct

from memplugin.store.disk import DISK, PRIVATE_FILE, Disk, make_folders, put, put_new

_KEY_BYTES: Final = 32
_CHECK_HEX: Final = 16  # enough against accidents, which is all an unkeyed sum is for
_MAC_HEX: Final = 32


class Standing(Struct, frozen=True):
    """What a seal says of a file: as somebody's memplugin wrote it; as this user's did."""

    intact: bool
    ours: bool


class Seal:
    """The sealing key of one user, kept in a private file that the first write makes.

    Without the file nothing is ours, and nothing fails. A file that is no key counts as none and
    is replaced at the next write.
    """

    def __init__(
        self, path: Path, *, disk: Disk = DISK, random: Callable[[int], bytes] = os.urandom
    ) -> None:
        self.path = path
        self._disk = disk
        self._random = random
        self._key: bytes | None = None

    def of(self, record_id: str, data: bytes) -> str:
        """Return the seal of a file that is about to be written; makes the key if need be."""
        # Asked for at each write: another process may have made it, or `forget --all` removed it.
        self._key = self._load() or self._make()
        summary = _summary(record_id, data)
        return f"{summary.hex()[:_CHECK_HEX]}-{_mac(self._key, summary)}"

    def judge(self, record_id: str, data: bytes, seal: str) -> Standing:
        """Return what a seal found in a file says of it."""
        summary = _summary(record_id, data)
        check, _, mac = seal.partition("-")
        if check != summary.hex()[:_CHECK_HEX]:
            return Standing(intact=False, ours=False)
        if self._fits(summary, mac):
            return Standing(intact=True, ours=True)
        self._key = self._load()  # a key made since by another process
        return Standing(intact=True, ours=self._fits(summary, mac))

    def matches(self, record_id: str, data: bytes, seal: str) -> bool:
        """Return whether this user's memplugin wrote exactly these bytes under this id."""
        return self.judge(record_id, data, seal).ours

    def _fits(self, summary: bytes, mac: str) -> bool:
        return self._key is not None and hmac.compare_digest(
            _mac(self._key, summary).encode(), mac.encode()
        )

    def _load(self) -> bytes | None:
        try:
            key = self.path.read_bytes()
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return None
        return key if len(key) == _KEY_BYTES else None

    def _make(self) -> bytes:
        make_folders(self._disk, self.path.parent)
        key = self._random(_KEY_BYTES)
        if put_new(self._disk, self.path, key, mode=PRIVATE_FILE):
            return key
        theirs = self._load()
        if theirs is None:  # something that is no key
            put(self._disk, self.path, key, mode=PRIVATE_FILE)
        return theirs or key


def _summary(record_id: str, data: bytes) -> bytes:
    return sha256(record_id.encode() + b"\0" + data).digest()


def _mac(key: bytes, summary: bytes) -> str:
    return hmac.digest(key, summary, "sha256").hex()[:_MAC_HEX]
