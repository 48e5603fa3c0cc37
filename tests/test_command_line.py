"""The command line: what cannot be done is told in one line, and help shows what is taken."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    home, project = folder / "home", folder / "project"
    for each in (home, project / ".git"):
        each.mkdir(parents=True, exist_ok=True)
    outside = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
    return subprocess.run(
        [sys.executable, "-m", "memplugin", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        cwd=project,
        env={**outside, "HOME": str(home), "PYTHONPATH": str(ROOT), "COLUMNS": "100"},
    )


@pytest.mark.parametrize(
    "arguments", ["manifest --install", "trust", "trust --remove", "list", "show x", "search tea"]
)
def test_a_home_that_cannot_be_used_is_told_in_one_line(tmp_path: Path, arguments: str) -> None:
    """W11, E1: the path and the system's reason, and no traceback."""
    blocked = tmp_path / "home" / ".local"
    blocked.parent.mkdir()
    blocked.write_text("no folder")
    (tmp_path / "project" / ".agent" / "memory").mkdir(parents=True)
    done = _run(tmp_path, *arguments.split())
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(f"Error: {blocked}")
    assert done.stderr.endswith(": Not a directory\n")


def test_where_nothing_came_with_a_project_there_is_nothing_to_trust(tmp_path: Path) -> None:
    """R8, decision 6: a project without memories is not made known."""
    done = _run(tmp_path, "trust")
    folder = tmp_path / "project" / ".agent" / "memory"
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"Error: nothing to trust: there is no folder {folder}\n"
    assert not list((tmp_path / "home").rglob("*.json"))
    assert _run(tmp_path, "trust", "--remove").returncode == 0
    folder.mkdir(parents=True)
    done = _run(tmp_path, "trust")
    assert (done.returncode, done.stdout) == (0, f"trusted: {folder}\n")
