"""What a killed process left behind is removed by a later one."""

import os
import subprocess
import sys
from pathlib import Path

from memplugin.store.disk import temporary_name
from tests.harness import ROOT, ScriptedKernel

_HALF = b"---\nformat: 1\ntitle: Ha"


def _name_of_a_dead_process() -> str:
    script = "from memplugin.store.disk import temporary_name; print(temporary_name())"
    command = [sys.executable, "-c", script]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def _leave(folders: list[Path], name: str) -> set[Path]:
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(_HALF)
    return {folder / name for folder in folders}


def _temporary(folder: Path) -> set[Path]:
    return set(folder.rglob("*.tmp"))


def test_a_later_start_removes_what_a_killed_process_left(tmp_path: Path) -> None:
    """W8, design decision 3: state, journal, sessions and global records at the start."""
    with ScriptedKernel(tmp_path) as kernel:
        context = {"session_id": "s", "working_directory": str(kernel.project)}
        kernel.record("The relay listens on 2525.", scope="global")
        kernel.record("The relay of this session.", scope="session", call_context=context)
        data = kernel.home / ".local" / "share" / "agent" / "memory"
        state = kernel.home / ".local" / "state" / "agent" / "memory"
    sessions = [path for path in (state / "sessions").iterdir() if path.is_dir()]
    folders = [state, state / "journal", data, data / "projects" / "p", *sessions]
    assert len(folders) > 4  # at least one session
    dead = _leave(folders, _name_of_a_dead_process())
    alive = _leave(folders, temporary_name())
    assert _temporary(tmp_path) == dead | alive
    with ScriptedKernel(tmp_path, "--capture", "off") as kernel:
        assert len(kernel.call("memory.list_records")["records"]) == 1
    assert _temporary(tmp_path) == alive


def test_the_first_write_to_a_project_removes_what_was_left_there(tmp_path: Path) -> None:
    """W8, design decision 3: the folder's own, and a memory folder that was never finished."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("The relay listens on 2525.", id="relay")
        agent = kernel.project / ".agent"
    for write in ("record", "update_record", "delete_record"):
        name = _name_of_a_dead_process()
        _leave([agent / "memory"], name)
        unfinished = agent / f"{name.removesuffix('.tmp')}0.tmp"
        unfinished.mkdir()
        (unfinished / ".gitignore").write_bytes(b"*\n")
        theirs = _leave([agent / "memory"], temporary_name())
        with ScriptedKernel(tmp_path) as kernel:
            if write == "record":
                kernel.record("The dashboard is grafana.example/d/mail.")
            else:
                content = {"content": [{"text": {"text": "It listens on 2526."}}]}
                more = content if write == "update_record" else {}
                kernel.call(f"memory.{write}", id="relay", **more)
        assert _temporary(tmp_path) == theirs
        for path in theirs:
            path.unlink()


def test_what_cannot_be_removed_fails_no_call(tmp_path: Path) -> None:
    """W11: a folder with somebody's files under such a name stays, and everything is answered."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("The relay listens on 2525.", id="relay")
        state = kernel.home / ".local" / "state" / "agent" / "memory"
        memory = kernel.project / ".agent" / "memory"
    name = _name_of_a_dead_process()
    kept = [folder / name / "mine.txt" for folder in (state, memory, memory.parent)]
    for path in kept:
        path.parent.mkdir()
        path.write_text("mine")
    last = f"{name.removesuffix('.tmp')}9.tmp"
    _leave([state, memory], last)
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("The dashboard is grafana.example/d/mail.")
    assert all(path.read_text() == "mine" for path in kept)
    assert not [path for path in tmp_path.rglob(last) if os.path.lexists(path)]
    assert not [text for text in kernel.asked if text[0] == "kernel.log"]


def test_a_file_cut_inside_its_front_matter_is_told_once_and_is_no_record(tmp_path: Path) -> None:
    """Case 3, X2, E2: it is not recalled as a standing memory, and the rest is there."""
    with ScriptedKernel(tmp_path) as kernel:
        kernel.record("The relay listens on 2525.", id="relay", scope="global", type="user")
        data = kernel.home / ".local" / "share" / "agent" / "memory"
    whole = (data / "relay.md").read_bytes()
    (data / "cut.md").write_bytes(whole[: whole.index(b"created_at")])
    (data / "ruled.md").write_bytes(b"---\nTea is at four.\n")
    with ScriptedKernel(tmp_path) as kernel:
        for _ in range(2):
            assert {record["id"] for record in kernel.recall()} == {"relay", "ruled"}
    logs = [params["entries"] for name, params, _ in kernel.asked if name == "kernel.log"]
    told = [entry["message"] for entries in logs for entry in entries]
    assert len(told) == 1
    assert "cut.md cannot be read and was left alone: cut short" in told[0]
    assert (data / "cut.md").exists()
