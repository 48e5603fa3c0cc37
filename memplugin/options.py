"""How the process is started, and what file and command line configure.

defaults  <  config.toml  <  command line  <  configure (C4)
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from memplugin.config import Config, parse_config
from memplugin.protocol.errors import ProviderError


class Options(Struct, frozen=True):
    """How the process was started.

    `settings` lie above the configuration file. `clock` fixes the time, and with it the ids, for
    replays (decision 25); `parent_pid` is the kernel behind a wrapper (W8).
    """

    settings: Mapping[str, object] = {}
    config_file: Path | None = None
    local_kernel: bool = False
    clock: datetime | None = None
    parent_pid: int | None = None


class BadOptionError(Exception):
    """An option or a configuration file that cannot be used; the text says which and why."""


def base_config(options: Options, folder: Callable[[], Path]) -> Config:
    """Return what file and command line configure; raises BadOptionError.

    `folder` gives the user's configuration folder, and may raise ProviderError where there is none.
    """
    config = checked(_from_file(options, folder), "configuration file")
    return checked(options.settings, "command line", config)


def _from_file(options: Options, folder: Callable[[], Path]) -> Mapping[str, object]:
    path = options.config_file
    if path is None:
        try:
            path = folder() / "config.toml"
        except ProviderError:
            return {}
    try:
        if options.config_file is None and not path.exists():
            return {}
        import tomllib  # noqa: PLC0415 - most have no such file

        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadOptionError(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        raise BadOptionError(f"{path} is not TOML") from None


def checked(settings: Mapping[str, object], source: str, base: Config | None = None) -> Config:
    """Return the configuration with these settings; raises BadOptionError naming the source."""
    try:
        return parse_config(settings, base or Config())
    except ProviderError as error:
        raise BadOptionError(f"{source}: {error.message}") from None
