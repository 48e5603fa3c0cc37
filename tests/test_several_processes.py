"""Several plugin processes at once on the same roots, and what a restart finds."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROCESSES = 8
EACH = 200 if os.environ.get("HUNT") else 25


def _start(folder: Path) -> subprocess.Popen[str]:
    outside = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
    home = folder / "home"
    home.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "memplugin", "--local-kernel", "--lock-timeout-s", "300"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=folder,
        env={**outside, "HOME": str(home), "PYTHONPATH": str(ROOT)},
        text=True,
        encoding="utf-8",
    )


def _line(number: int, method: str, /, **params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"


def test_processes_that_record_at_once_lose_nothing(tmp_path: Path) -> None:
    """D3, W4, case 2: as many acknowledged, as many files, as many distinct ids."""
    lines = "".join(
        _line(
            number,
            "memory.record",
            type="project",
            scope="global",
            id="same",
            title="Same",
            content=[{"text": {"text": f"Number {number}"}}],
        )
        for number in range(EACH)
    )
    running = [_start(tmp_path) for _ in range(PROCESSES)]
    for process in running:
        assert process.stdin is not None
        process.stdin.write(lines)
        process.stdin.close()
    ids: list[str] = []
    for process in running:
        assert process.stdout is not None
        with process.stdout:
            ids += [json.loads(line)["result"]["result"]["id"] for line in process.stdout]
        assert process.wait() == 0
    files = {path.stem for path in (tmp_path / "home").rglob("*.md")}
    assert len(ids) == PROCESSES * EACH
    assert set(ids) == files
    assert len(files) == PROCESSES * EACH


def test_a_restart_finds_everything_again_without_the_index(tmp_path: Path) -> None:
    """D5, R1: content comes back exactly, also when the index was deleted in between."""
    text = "---\ntitle: no\n---\n\n# Überschrift \u2028 x  \n\n"
    content = [{"text": {"text": text}}, {"text": {"text": "second"}}]
    record = _line(1, "memory.record", type="user", scope="global", title="a: #b", content=content)
    first = _start(tmp_path)
    id = json.loads(first.communicate(record)[0])["result"]["result"]["id"]
    for path in (tmp_path / "home").rglob("*.sqlite*"):
        path.unlink()
    second = _start(tmp_path)
    asked = _line(1, "memory.get_record", id=id) + _line(2, "memory.list_records")
    got, listed = (json.loads(line) for line in second.communicate(asked)[0].splitlines())
    assert got["result"]["record"]["content"] == content
    assert got["result"]["record"]["title"] == "a: #b"
    assert [one["id"] for one in listed["result"]["records"]] == [id]
