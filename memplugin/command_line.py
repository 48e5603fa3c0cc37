"""The command line of `memplugin serve`: one option for each attribute of the configuration."""

import argparse
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

import msgspec
from msgspec import inspect

from memplugin.config import Config, config_schema
from memplugin.options import BadOptionError, Options, checked
from memplugin.protocol.capabilities import AttributeType, ConfigAttribute

_PREFIX = "set_"
_METAVARS = {
    AttributeType.BOOL: "true|false",
    AttributeType.NUMBER: "NUMBER",
    AttributeType.STRING: "TEXT",
    AttributeType.LIST_STRING: "WORD,WORD",
}


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
        epilog="A list is written as words with commas and without spaces: --types user,project",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--config", type=Path, metavar="FILE", help="read this in place of the user's config.toml")
    add("--local-kernel", action="store_true", help="answer callbacks here, for piping by hand")
    add("--clock", type=_moment, metavar="TIME", help="fix the time, such as 2026-01-05T09:00:00Z")
    add("--parent-pid", type=int, metavar="PID", help="the kernel's process, if behind a wrapper")
    words = _words()
    for attribute in config_schema().attributes:
        add(
            f"--{attribute.name.replace('_', '-')}",
            dest=_PREFIX + attribute.name,
            type=_reader(attribute),
            metavar=_metavar(attribute, words.get(attribute.name)),
            help=_help(attribute, words.get(attribute.name)).replace("%", "%%"),
        )
    return parser


def _words() -> dict[str, tuple[str, ...]]:
    """Return the words that attributes take, alone or in lists."""
    info = inspect.type_info(Config)
    assert isinstance(info, inspect.StructType)
    found = {}
    for field in info.fields:
        assert isinstance(field.type, inspect.Metadata)
        match field.type.type:
            case inspect.EnumType(cls=words) | inspect.VarTupleType(inspect.EnumType(cls=words)):
                found[field.name] = tuple(word.value for word in words)
    return found


def _metavar(attribute: ConfigAttribute, words: tuple[str, ...] | None) -> str:
    if words and attribute.type is AttributeType.STRING:
        return "|".join(words)
    return _METAVARS[attribute.type]


def _help(attribute: ConfigAttribute, words: tuple[str, ...] | None) -> str:
    """Return what an attribute means, in the words of this command line."""
    default = msgspec.json.decode(attribute.default_json or '""')
    if attribute.type is not AttributeType.LIST_STRING:
        return f"{attribute.description} [{default}]" if default != "" else attribute.description
    out_of = f" Any of {','.join(words)}." if words else ""
    return f"{attribute.description}{out_of} [{','.join(default)}]"


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError("expected a time as in 2026-01-05T09:00:00Z") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _reader(attribute: ConfigAttribute) -> Callable[[str], object]:
    match attribute.type:
        case AttributeType.LIST_STRING:
            return lambda text: [word for word in text.split(",") if word]
        case AttributeType.NUMBER | AttributeType.BOOL:
            return _literal
        case _:
            return str


def _literal(text: str) -> object:
    """Return a number or a truth value; anything else as text, which is refused by name."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
