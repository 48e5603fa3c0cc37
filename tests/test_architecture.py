"""The shape of the house: who imports whom, and how large files and functions may be."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "memplugin"
FILES = sorted(PACKAGE.rglob("*.py"))
OWN = sorted(
    p for part in ("memplugin", "tests", "tools", "benchmarks") for p in (ROOT / part).rglob("*.py")
)

ALLOWED = {
    "wire": {"wire"},
    "protocol": {"protocol"},
    "recall": {"recall", "protocol"},
    "capture": {"capture", "recall", "protocol"},
    "store": {"store", "recall", "protocol"},
    "index": {"index", "store", "recall", "protocol"},
    "config": {"protocol"},
    "kernel": {"protocol", "wire.messages"},
    "local_kernel": {"protocol", "wire.messages"},
    "service": {"service", "store", "index", "recall", "capture", "kernel", "config", "protocol"},
    "parsing": {"protocol", "wire.schemas"},
    "router": {"wire.messages", "protocol", "service", "kernel", "parsing"},
}


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.startswith("memplugin.")
        ):
            yield node.module.removeprefix("memplugin.")
        elif isinstance(node, ast.Import):
            yield from (
                name.name.removeprefix("memplugin.")
                for name in node.names
                if name.name.startswith("memplugin.")
            )


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path) -> None:
    part = path.relative_to(PACKAGE).with_suffix("").parts[0]
    allowed = ALLOWED.get(part)
    if allowed is None:  # the composition root and the doors
        return
    found = {name for name in _imports(path) if name.split(".")[0] not in allowed}
    assert not {name for name in found if not any(name == a for a in allowed)}


def test_pure_parts_know_no_files_clock_or_database() -> None:
    forbidden = {"sqlite3", "logging", "time", "os", "pathlib", "asyncio"}
    for part in ("recall", "capture"):
        for path in (PACKAGE / part).rglob("*.py"):
            names = {
                name.name.split(".")[0]
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                if isinstance(node, ast.Import)
                for name in node.names
            }
            assert not names & forbidden, path


@pytest.mark.parametrize("path", OWN, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < 60, node.name


def test_serving_imports_nothing_it_does_not_need() -> None:
    """W8: what costs start-up time is loaded where it is used."""
    script = (
        "import sys; import memplugin.app; "
        "heavy = {'click', 'tiktoken', 'numpy', 'yaml', 'ulid', 'jsonschema_rs', 'rapidfuzz',"
        " 'argparse', 'tomli_w', 'jsonschema', 'anyascii'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"
