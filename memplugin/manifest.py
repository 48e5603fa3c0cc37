"""plugin.toml: how a registry finds the plugin without running it (G1)."""

import sys
from pathlib import Path
from typing import Any

import msgspec

from memplugin import __version__
from memplugin.config import config_schema
from memplugin.protocol.capabilities import ProducerCategory
from memplugin.protocol.requests import HookMode
from memplugin.service.hooks import SUPPORTED_POINTS
from memplugin.service.provider import PROTOCOL_VERSION, SOURCE

CATEGORIES = (ProducerCategory.MEMORY, ProducerCategory.TOOL, ProducerCategory.SLASHCOMMAND)


def manifest(program: str, args: list[str], schemas: str) -> dict[str, Any]:
    """Return the manifest of a plugin that is started so; `schemas` is its folder of schemas."""
    return {
        "name": "memplugin",
        "version": __version__,
        "source": SOURCE,
        "description": "Memory for LLM agents: typed records in Markdown files, recalled within a"
        " token budget",
        "license": "Apache-2.0",
        "schemas": schemas,
        "categories": [
            {"name": category.value, "protocol_version": PROTOCOL_VERSION}
            for category in CATEGORIES
        ],
        "command": {"program": program, "args": args},
        "transport": {"kind": "stdio", "protocol": "jsonrpc-2.0", "framing": "lines"},
        "hooks": {
            "points": [point.value for point in SUPPORTED_POINTS],
            "modes": [mode.value for mode in HookMode],
        },
        "config_schema": msgspec.to_builtins(config_schema()),
    }


def to_toml(document: dict[str, Any]) -> str:
    """Return a manifest as TOML."""
    import tomli_w  # noqa: PLC0415 - only for people

    return tomli_w.dumps(document, multiline_strings=False)


def shipped() -> str:
    """Return the plugin.toml that is shipped: `memplugin` is looked up in PATH."""
    return to_toml(manifest("memplugin", ["serve"], "schemas"))


def of_this_installation() -> str:
    """Return a plugin.toml with the absolute command of this installation."""
    return to_toml(manifest(sys.executable, ["-m", "memplugin", "serve"], str(schemas_folder())))


def schemas_folder() -> Path:
    """Return where the schemas lie: in the package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent
    inside = package / "schemas"
    return inside if inside.is_dir() else package.parent / "schemas"
