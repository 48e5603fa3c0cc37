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


def test_help_shows_the_words_and_how_to_write_a_list(tmp_path: Path) -> None:
    """W10, C3: every word of the schema, and options that can be copied from it work."""
    shown = " ".join(_run(tmp_path, "serve", "--help").stdout.split())
    assert "--ratification off|captured|all " in shown
    assert "--project-store repo|user " in shown
    assert "--trust-project ask|always|never " in shown
    assert "--capture off|rules|model " in shown
    assert "--types WORD,WORD " in shown
    assert "Any of user,feedback,project,reference. [user,feedback,project,reference]" in shown
    assert "Any of session,project,global. " in shown
    assert "STRING" not in shown
    example = shown.rpartition(": ")[2]
    assert example == "--types user,project"
    assert _run(tmp_path, "serve", *example.split()).returncode == 0


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--token-budget", "hunter2", "token_budget: expected a whole number from 1"),
        ("--types", "user,hunter2", "types: expected a list of words out of user, feedback"),
        ("--clock", "hunter2", "--clock: expected a time as in 2026-01-05T09:00:00Z"),
    ],
)
def test_a_bad_value_is_refused_by_name(tmp_path: Path, option: str, value: str, told: str) -> None:
    """C2, E2: what is expected is said, and the value is not."""
    done = _run(tmp_path, "serve", option, value)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert told in done.stderr
    assert "hunter2" not in done.stderr
