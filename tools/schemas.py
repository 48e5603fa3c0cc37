"""Writes schemas/: the contract for those who are not Python, from the Structs of the protocol.

`python tools/schemas.py` writes the files; with `--check` it writes nothing, names those that are
stale and exits 1 if there are any. Examples, and a line about each method, are in tools/contract/.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))  # this checkout's Structs, whatever else is installed

from definitions import Definitions, Schema, referred  # noqa: E402
from manifest import manifest  # noqa: E402

from memplugin.protocol.methods import KERNEL_TO_PLUGIN, PLUGIN_TO_KERNEL  # noqa: E402

VERSION = "1.0.0"
"""Of the schemas: the first number is the protocol version, the second counts additions."""

BASE = "https://memplugin.example/schemas/1/"
"""What every `$id` begins with: names, not addresses."""

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_WORDS = re.compile(r'\[\n((?: *"[^"\\ ]*",?\n)+) *\]')
_WIDTH = 80

TARGET = ROOT / "schemas"
CONTRACT = Path(__file__).parent / "contract"


def main(arguments: list[str]) -> int:
    """Write, or with `--check` compare; return the exit code."""
    if arguments not in ([], ["--check"]):
        print("usage: python tools/schemas.py [--check]", file=sys.stderr)
        return 2
    files = dict(generate())
    stale = [name for name, text in files.items() if _text_of(TARGET / name) != text]
    extra = sorted(path for path in TARGET.rglob("*.json") if _name_of(path) not in files)
    if arguments:
        for name in [*stale, *map(_name_of, extra)]:
            print(f"schemas/{name} is stale: run python tools/schemas.py")
        return 1 if stale or extra else 0
    for name in stale:
        path = TARGET / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[name], "utf-8")
    for path in extra:
        path.unlink()
    return 0


def generate() -> Iterator[tuple[str, str]]:
    """Yield the path below schemas/ and the text of every file."""
    definitions = Definitions()
    yield "VERSION", f"{VERSION}\n"
    sides = dict(_sides(definitions))
    shared = definitions.reachable(side for both in sides.values() for side in both)
    title = "Types of the memory provider protocol"
    yield "types.json", _text(_head("types.json", title, "What methods share.") | {"$defs": shared})
    for method, (params, result) in sides.items():
        path = f"{method.replace('.', '/')}.json"
        yield path, _text(_method(method, path, params, result))
    path = "plugin.schema.json"
    head = _head(path, "plugin.toml", "A plugin's manifest, decoded to JSON (G1).")
    yield path, _text(head | manifest(definitions) | {"examples": _contract("plugin")})


def _sides(definitions: Definitions) -> Iterator[tuple[str, tuple[Schema, Schema]]]:
    """Yield every method with the schemas of its params and result."""
    taken, sent = definitions.taken, definitions.sent
    for method, (params, result) in KERNEL_TO_PLUGIN.items():
        yield method, (taken[params.__name__], sent[result.__name__])
    for method, (params, result) in PLUGIN_TO_KERNEL.items():
        yield method, (sent[params.__name__], taken[result.__name__])


def _method(method: str, path: str, params: Schema, result: Schema) -> Schema:
    about = _contract(method.partition(".")[0])[method]
    definitions = {
        name: referred(side, "../types.json#/$defs/") | {"examples": about[name]}
        for name, side in (("params", params), ("result", result))
    }
    return {
        **_head(path, method, about["description"]),
        "type": "object",
        "properties": {name: {"$ref": f"#/$defs/{name}"} for name in definitions},
        "$defs": definitions,
    }


def _head(path: str, title: str, description: str) -> Schema:
    return {"$schema": DRAFT, "$id": BASE + path, "title": title, "description": description}


def _contract(name: str) -> Any:  # noqa: ANN401 - any JSON value
    return json.loads((CONTRACT / f"{name}.json").read_text("utf-8"))


def _text(document: Schema) -> str:
    """Return a document with short lists of words on one line, as people write them."""
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    return _WORDS.sub(_on_one_line, text)


def _on_one_line(words: re.Match[str]) -> str:
    line = f"[{' '.join(words[1].split())}]"
    return line if len(line) <= _WIDTH else words[0]


def _text_of(path: Path) -> str | None:
    return path.read_text("utf-8") if path.exists() else None


def _name_of(path: Path) -> str:
    return path.relative_to(TARGET).as_posix()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
