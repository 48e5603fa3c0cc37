"""Where things of this user live: data, state, cache and configuration (design decision 1)."""

import os
from pathlib import Path

from msgspec import Struct

from memplugin.protocol.errors import ErrorCategory, ProviderError


class Places(Struct, frozen=True):
    """The four folders, all absolute; none need exist.

    `data` is the global root itself: the folder of the global records' files. `home` and `temp`
    are no places of ours, but bounds in the search for a project (None: not known).
    """

    data: Path
    state: Path
    cache: Path
    config: Path
    home: Path | None = None
    temp: Path | None = None


def find_places(directory: Path | None = None) -> Places:
    """Return the folders below `directory` (the setting), else those the system has for them.

    Raises source_unavailable where neither the environment nor the user database names a home
    (W11), `unknown` for a `directory` that is not absolute.
    """
    if directory is not None:
        return _below(directory)
    home = _home()
    try:
        places = _of_the_system(home)
    except (RuntimeError, KeyError):  # some versions raise, others answer "~/…"
        raise _homeless() from None
    if not all(p.is_absolute() for p in (places.data, places.state, places.cache, places.config)):
        raise _homeless()
    return places


def is_place(directory: str | Path) -> bool:
    """Whether it can name a folder: absolute, and something that a system call takes."""
    return Path(directory).is_absolute() and "\0" not in str(directory)


def _below(directory: Path) -> Places:
    if not is_place(directory):
        raise ProviderError(
            ErrorCategory.UNKNOWN, "the setting `directory` must be an absolute path"
        )
    return Places(
        data=directory / "memory",
        state=directory / "state",
        cache=directory / "cache",
        config=directory,
        home=_home(),
        temp=_temp(),
    )


def _of_the_system(home: Path | None) -> Places:
    import platformdirs  # noqa: PLC0415 - 16 ms, and not needed where `directory` is set

    dirs = platformdirs.PlatformDirs("agent", appauthor=False)
    return Places(
        data=dirs.user_data_path / "memory",
        state=dirs.user_state_path / "memory",
        cache=dirs.user_cache_path / "memory",
        config=dirs.user_config_path / "memory",
        home=home,
        temp=_temp(),
    )


def _home() -> Path | None:
    # Not Path.home(), which raises where nothing is known.
    home = os.path.expanduser("~")  # noqa: PTH111
    return Path(home) if os.path.isabs(home) else None  # noqa: PTH117


def _temp() -> Path | None:
    # Not tempfile.gettempdir(), which writes a file to find out.
    temp = os.environ.get("TMPDIR") or os.environ.get("TEMP") or "/tmp"  # noqa: S108
    return Path(temp) if os.path.isabs(temp) else None  # noqa: PTH117


def _homeless() -> ProviderError:
    return ProviderError(
        ErrorCategory.SOURCE_UNAVAILABLE,
        "no home folder is known: set HOME, or XDG_DATA_HOME, XDG_STATE_HOME, XDG_CACHE_HOME and "
        "XDG_CONFIG_HOME to absolute paths, or name a folder with the setting `directory`",
        retryable=False,
    )
