"""Writes the tables of README.md that the code knows; `--check` fails where they are stale."""

import sys
from pathlib import Path

from memplugin.config import config_schema
from memplugin.protocol.methods import KERNEL_TO_PLUGIN

README = Path(__file__).resolve().parent.parent / "README.md"


def configuration() -> str:
    """Return the table of everything `configure` accepts."""
    rows = ["| attribute | type | default | what it does |", "|---|---|---|---|"]
    rows += [
        f"| `{a.name}` | {a.type.value} | `{a.default_json}` | {a.description} |"
        for a in config_schema().attributes
    ]
    return "\n".join(rows)


def methods() -> str:
    """Return the table of methods with what their structs say of themselves."""
    rows = ["| method | asks | answers |", "|---|---|---|"]
    for name, (params, result) in KERNEL_TO_PLUGIN.items():
        rows.append(f"| `{name}` | {_first_line(params)} | {_first_line(result)} |")
    return "\n".join(rows)


def _first_line(kind: type) -> str:
    return (kind.__doc__ or "").splitlines()[0]


def with_tables(text: str) -> str:
    """Return the README with its generated tables as they should be."""
    for name, table in (("configuration", configuration()), ("methods", methods())):
        begin, end = f"<!-- {name} -->\n", f"\n<!-- /{name} -->"
        before, rest = text.split(begin)
        _, after = rest.split(end)
        text = before + begin + table + end + after
    return text


def main() -> None:
    """Write, or with --check compare."""
    old = README.read_text(encoding="utf-8")
    new = with_tables(old)
    if "--check" in sys.argv:
        sys.exit(0 if old == new else "README.md is stale: run python tools/readme.py")
    README.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
