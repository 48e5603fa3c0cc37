"""The command line of `memplugin serve`: one option for each attribute of the configuration."""

import argparse
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

import msgspec

from memplugin.config import config_schema
from memplugin.options import BadOptionError, Options, checked
from memplugin.protocol.capabilities import AttributeType, ConfigAttribute

_PREFIX = "set_"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise BadOptionError(message)


def parse_options(arguments: Sequence[str]) -> Options:
    """Return the options of a command line; raises BadOptionError."""
    found = vars(_parser().parse_args(arguments))
    settings = {
        name.removeprefix(_PREFIX): value
        for name, value in found.items()
        if name.startswith(_PREFIX) and value is not None
    }
    checked(settings, "command line")
    return Options(
        settings=settings,
        config_file=found["config"],
        local_kernel=found["local_kernel"],
        clock=found["clock"],
        parent_pid=found["parent_pid"],
    )


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="memplugin serve",
        description="Serve a kernel on stdin and stdout: JSON-RPC 2.0, one message a line.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--config", type=Path, metavar="FILE", help="read this in place of the user's config.toml")
    add("--local-kernel", action="store_true", help="answer callbacks here, for piping by hand")
    add("--clock", type=_moment, metavar="TIME", help="fix the time, such as 2026-01-05T09:00:00Z")
    add("--parent-pid", type=int, metavar="PID", help="the kernel's process, if behind a wrapper")
    for attribute in config_schema().attributes:
        add(
            f"--{attribute.name.replace('_', '-')}",
            dest=_PREFIX + attribute.name,
            type=_reader(attribute),
            metavar=attribute.type.value.upper(),
            help=f"{attribute.description} [{attribute.default_json}]".replace("%", "%%"),
        )
    return parser


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _reader(attribute: ConfigAttribute) -> Callable[[str], object]:
    match attribute.type:
        case AttributeType.LIST_STRING:
            return lambda text: [word for word in text.split(",") if word]
        case AttributeType.NUMBER | AttributeType.BOOL:
            return msgspec.json.decode
        case _:
            return str
