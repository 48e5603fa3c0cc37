"""What becomes of records on disk, through the pipe: order, time, projects, restarts."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.harness import ROOT, Params, ScriptedKernel

RELAY = "The mail relay listens on port 2525."


def ids(kernel: ScriptedKernel, directory: Path) -> set[str]:
    """Return the ids that can be listed from a directory."""
    context = {"working_directory": str(directory)}
    records = kernel.call("memory.list_records", call_context=context)["records"]
    return {record["id"] for record in records}


def git(folder: Path, *arguments: str) -> str:
    """Run git as nobody in particular and return what it says."""
    names = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com"}
    also = {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com"}
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={**os.environ, **names, **also, "GIT_CONFIG_GLOBAL": os.devnull},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def test_ten_records_sent_in_one_go_are_ten_records(tmp_path: Path) -> None:
    """W4, D3, case 1: none awaited, all of one id; a read right after them sees them all."""
    with ScriptedKernel(tmp_path) as kernel:
        for number in range(10):
            params = {"type": "user", "scope": "global", "id": "same", "title": str(number)}
            content = [{"text": {"text": f"Number {number}"}}]
            kernel._write(
                {
                    "jsonrpc": "2.0",
                    "id": f"r{number}",
                    "method": "memory.record",
                    "params": {**params, "content": content},
                }
            )
        kernel._write({"jsonrpc": "2.0", "id": "list", "method": "memory.list_records"})
        answers: dict[str, Any] = {}
        while len(answers) < 11:
            message = kernel._read()
            if "method" in message:
                kernel._callback(message)
            else:
                answers[message["id"]] = message["result"]
    given = [answers[f"r{number}"]["result"]["id"] for number in range(10)]
    assert given == ["same", *(f"same-{number}" for number in range(2, 11))]
    titles = {record["id"]: record["title"] for record in answers["list"]["records"]}
    assert titles == {id: str(number) for number, id in enumerate(given)}


def test_updates_of_one_record_leave_all_others_as_they_are(tmp_path: Path) -> None:
    """D4, case 5: a hundred times; the others byte for byte, with their times."""
    with ScriptedKernel(tmp_path) as kernel:
        for number in range(8):
            kernel.record(f"Record {number}", scope="global" if number % 2 else "project")
        mine = kernel.record(RELAY, id="mine")
        others = [path for path in tmp_path.rglob("*.md") if path.stem != mine]
        before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in others}
        times = []
        for number in range(100):
            content = [{"text": {"text": f"Version {number}"}}]
            kernel.call("memory.update_record", id=mine, content=content)
            times.append(kernel.call("memory.get_record", id=mine)["record"]["updated_at"])
    assert len(before) == 8
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in others} == before
    assert times == sorted(set(times))


def test_dates_are_right_on_either_side_of_midnight_in_any_zone(tmp_path: Path) -> None:
    """D5, case 6: instants are UTC, whatever the zone of the process that wrote them."""
    moments = {"Asia/Tokyo": "2026-01-05T23:59:59Z", "America/Los_Angeles": "2026-01-06T00:00:01Z"}
    for zone, moment in moments.items():
        environment = {**os.environ, "TZ": zone, "HOME": str(tmp_path / "home")}
        environment["PYTHONPATH"] = str(ROOT)
        with ScriptedKernel(tmp_path, "--clock", moment, environment=environment) as kernel:
            kernel.record(f"Written in {zone}", scope="global")
            kernel.record("Two hours ahead", scope="global")
    with ScriptedKernel(tmp_path) as kernel:
        listed = kernel.call("memory.list_records")["records"]
    by_title: dict[str, str] = {record["title"]: record["created_at"] for record in listed}
    assert len(listed) == 4
    assert by_title["Written in Asia/Tokyo"] == "2026-01-05T23:59:59.000Z"
    assert by_title["Written in America/Los_Angeles"] == "2026-01-06T00:00:01.000Z"
    assert [record["created_at"] for record in listed] == sorted(
        record["created_at"] for record in listed
    )


def test_files_of_an_older_format_open_and_newer_ones_are_left_alone(tmp_path: Path) -> None:
    """D5, P3, case 7: three records without `format`, one a draft; one of a format to come."""
    folder = tmp_path / "home/.local/share/agent/memory"
    folder.mkdir(parents=True)
    for name, front in {
        "one": "type: user\ntitle: One\n",
        "two": "type: feedback\ntitle: Two\ncreated_at: 2025-01-01T00:00:00Z\n",
        "three": "type: user\ntitle: Three\nstatus: pending\n",
        "later": "format: 99\ntype: user\ntitle: Later\nstatus: pending\n",
    }.items():
        (folder / f"{name}.md").write_text(f"---\n{front}---\n{name} of the relay\n")
    newer = (folder / "later.md").read_bytes()
    with ScriptedKernel(tmp_path, "--ratification", "all") as kernel:
        listed = {r["id"]: r["status"] for r in kernel.call("memory.list_records")["records"]}
        assert set(listed) == {"one", "two", "three"}
        assert listed["three"] == "pending"
        assert kernel.recall("three relay") == []
        assert kernel.call("memory.delete_record", id="three")["result"] == {"deleted": True}
        told = [e["message"] for m, p, _ in kernel.asked if m == "kernel.log" for e in p["entries"]]
        assert len([text for text in told if "later.md" in text]) == 1
    assert (folder / "later.md").read_bytes() == newer
    assert not (folder / "three.md").exists()


def test_worktrees_are_one_project_and_outlive_each_other(tmp_path: Path) -> None:
    """X1, case 16: inside and beside the repository; what a deleted one wrote is still found."""
    main = tmp_path / "repository"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    trees = [main / "inside", tmp_path / "beside"]
    for tree in trees:
        git(main, "worktree", "add", "-q", "-b", tree.name, str(tree))
    with ScriptedKernel(tmp_path) as kernel:
        written = {
            kernel.record(f"From {tree.name}", call_context={"working_directory": str(tree)})
            for tree in (main, *trees)
        }
        for tree in (main, *trees):
            assert ids(kernel, tree) == written
        for tree in trees:
            git(main, "worktree", "remove", "--force", str(tree))
        assert ids(kernel, main) == written


def test_folders_are_projects_by_where_they_are(tmp_path: Path) -> None:
    """X1, X2, case 17, case 19: like names differ, a link and a slash do not, parents are own."""
    work = tmp_path / "work"
    folders = [work / "a_b", work / "a-b", work / "a" / "b"]
    for folder in folders:
        (folder / ".git").mkdir(parents=True)
    (tmp_path / "link").symlink_to(folders[0])
    with ScriptedKernel(tmp_path) as kernel:
        for place in (*folders, work):
            kernel.record(RELAY, call_context={"working_directory": str(place)})
        for place in (*folders, work):
            assert len(ids(kernel, place)) == 1
        kernel.record("By the link", id="x", call_context={"working_directory": f"{work}/a_b/"})
        assert ids(kernel, tmp_path / "link") == ids(kernel, folders[0]) > {"x"}
        assert "x" not in ids(kernel, work) | ids(kernel, folders[1]) | ids(kernel, folders[2])


def test_a_home_that_is_a_repository_is_not_everyones_project(tmp_path: Path) -> None:
    """X2, case 18: `$HOME/x` is its own project, and nothing of ours is made in `$HOME`."""
    home = tmp_path / "home"
    (home / ".git").mkdir(parents=True)
    (home / "x").mkdir()
    with ScriptedKernel(tmp_path) as kernel:
        of_home = kernel.record("dotfiles", call_context={"working_directory": str(home)})
        of_x = kernel.record("of x", call_context={"working_directory": str(home / "x")})
        assert ids(kernel, home) == {of_home}
        assert ids(kernel, home / "x") == {of_x}
    assert (home / "x/.agent/memory" / f"{of_x}.md").exists()


def test_what_is_recorded_in_a_working_tree_is_not_pushed_by_accident(tmp_path: Path) -> None:
    """X2, case 22: git does not see it, until its owner removes the file that says so."""
    project = tmp_path / "project"
    project.mkdir()
    git(project, "init", "-q")
    with ScriptedKernel(tmp_path) as kernel:
        id = kernel.record(RELAY)
        assert git(project, "status", "--porcelain") == ""
        (project / ".agent/memory/.gitignore").unlink()
        kernel.record("another")
    seen = git(project, "status", "--porcelain", "--untracked-files=all")
    assert f"?? .agent/memory/{id}.md" in seen


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.99])
def test_a_record_or_an_index_cut_short_costs_that_record_alone(
    tmp_path: Path, share: float
) -> None:
    """W9, E2, case 3: the start succeeds, damage is told once, everything else is there."""
    with ScriptedKernel(tmp_path) as kernel:
        whole = {kernel.record(f"Relay {number}", scope="global") for number in range(5)}
        kernel.recall("relay")
    paths = [next(tmp_path.rglob("relay-3.md")), *(tmp_path / "home").rglob("*.sqlite")]
    for path in paths:
        content = path.read_bytes()
        path.write_bytes(content[: int(len(content) * share)])
    with ScriptedKernel(tmp_path) as kernel:
        answers: list[list[Params]] = [kernel.recall("relay") for _ in range(2)]
        listed = {r["id"] for r in kernel.call("memory.list_records")["records"]}
        told = [e["message"] for m, p, _ in kernel.asked if m == "kernel.log" for e in p["entries"]]
    assert whole - {"relay-3"} <= listed
    assert answers[0] == answers[1]
    assert whole - {"relay-3"} <= {record["id"] for record in answers[0]}
    assert len([text for text in told if "relay-3.md" in text]) == (0 if "relay-3" in listed else 1)


def test_a_session_may_end_where_nothing_can_be_written(tmp_path: Path) -> None:
    """H4, W9, case 14: answered at once; what was recorded before is still there."""
    with ScriptedKernel(tmp_path) as kernel:
        (kernel.project / ".agent").write_text("a file where the folder should be")
        kernel.record("global", scope="global")
        text = "Remember that the staging database lives at db.staging.example.com."
        message = {"role": "user", "content": [{"text": {"text": text}}]}
        start = {"session_id": "s", "working_directory": str(kernel.project)}
        shown = {"messages": [message], "model": {"provider": "p", "id": "m"}}
        points: list[tuple[str, Any]] = [
            ("session_start", start),
            ("pre_model_call", shown),
            ("session_end", {"session_id": "s", "status": "completed"}),
        ]
        for point, payload in points:
            answer = kernel.call("memory.dispatch_hook", payload={point: payload}, mode="observe")
            assert answer == {"observe": {}}
        assert ids(kernel, kernel.home) == {"global"}
        kernel.close()
        told = [e["level"] for m, p, _ in kernel.asked if m == "kernel.log" for e in p["entries"]]
    assert "warn" in told
