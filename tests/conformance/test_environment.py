"""The process and what surrounds it: a terminal, an empty environment, odd locales (W10, W11)."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.harness import ROOT, Params, RefusedError, ScriptedKernel

RELAY = "The mail relay listens on port 2525."

# Serves as in a container whose user is in no user database.
UNKNOWN_USER = """
import pwd
def getpwuid(number):
    raise KeyError(number)
pwd.getpwuid = getpwuid
from memplugin.__main__ import main
main(["serve"])
"""


def test_on_a_terminal_it_says_what_it_is(tmp_path: Path) -> None:
    """W10, W2: on stderr, with how to try it, and leaves; stdout stays empty."""
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "memplugin"],
        stdin=theirs,
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    os.close(ours)
    os.close(theirs)
    assert done.stdout == ""
    assert "memory provider" in done.stderr
    assert "memplugin --local-kernel" in done.stderr
    assert "memplugin demo" in done.stderr


def test_what_it_says_on_a_terminal_works(tmp_path: Path) -> None:
    """W10, K5: the line it suggests, piped, is answered."""
    from memplugin.__main__ import GREETING  # noqa: PLC0415 - the text is what is tested

    (command,) = [line.strip() for line in GREETING.splitlines() if "| memplugin" in line]
    echoed = command.removeprefix("echo '").split("'")[0]
    done = subprocess.run(
        [sys.executable, "-m", "memplugin", "--local-kernel"],
        input=echoed + "\n",
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
    )
    assert json.loads(done.stdout)["result"]["producer"]["name"] == "memplugin"


def bare(**variables: str) -> Params:
    """Return an environment with nothing but where the code is."""
    return {"PYTHONPATH": str(ROOT), **variables}


def test_it_works_in_an_empty_environment(tmp_path: Path) -> None:
    """W11: without HOME the user database names the home; here a setting names the folder."""
    folder = tmp_path / "memories"
    with ScriptedKernel(tmp_path, "--directory", str(folder), environment=bare()) as kernel:
        id = kernel.record(RELAY, scope="global")
        assert [record["id"] for record in kernel.recall("mail relay")] == [id]
    assert (folder / "memory" / f"{id}.md").exists()
    assert not list((tmp_path / "home").iterdir())


def test_the_folders_of_xdg_are_enough(tmp_path: Path) -> None:
    """W11: data, state, cache and configuration each where its variable says."""
    kinds = ("DATA", "STATE", "CACHE", "CONFIG")
    named = {f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in kinds}
    with ScriptedKernel(tmp_path, environment=bare(**named)) as kernel:
        id = kernel.record(RELAY, scope="global")
        kernel.recall("mail relay")
    assert (tmp_path / "DATA/agent/memory" / f"{id}.md").exists()
    assert list((tmp_path / "CACHE/agent/memory").rglob("*.sqlite"))
    assert (tmp_path / "STATE/agent/memory/lock").exists()


def test_where_no_home_is_known_the_error_names_the_setting(tmp_path: Path) -> None:
    """W11, E1: it starts, describes itself, and says what to set; then it works."""
    calls: list[tuple[str, Params]] = [
        ("memory.describe", {}),
        ("memory.record", {"type": "user", "scope": "global", "content": [{"text": RELAY}]}),
        ("memory.configure", {"config": {"directory": "relative"}}),
        ("memory.list_records", {}),
    ]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": n, "method": method, "params": params})
        for n, (method, params) in enumerate(calls)
    ]
    done = subprocess.run(
        [sys.executable, "-c", UNKNOWN_USER],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env=bare(),
    )
    answers = {m["id"]: m for m in map(json.loads, done.stdout.splitlines()) if "method" not in m}
    assert answers[0]["result"]["producer"]["name"] == "memplugin"
    error = answers[1]["error"]
    assert error["data"]["category"] == "source_unavailable"
    assert "`directory`" in error["message"]
    assert "HOME" in error["message"]
    assert "absolute" in answers[3]["error"]["message"]


def test_raw_utf_8_is_stored_exactly_whatever_the_locale(tmp_path: Path) -> None:
    """W1, D5, case 10: LC_ALL=C, letters unescaped on the wire, the same bytes in the file."""
    text = "Grüße aus Köln: 部署 🎉 e\u0301"
    environment = {**os.environ, **bare(LC_ALL="C", LANG="C", HOME=str(tmp_path / "home"))}
    with ScriptedKernel(tmp_path, environment=environment) as kernel:
        params = {"type": "user", "scope": "global", "content": [{"text": text}]}
        request = {"jsonrpc": "2.0", "id": 1, "method": "memory.record", "params": params}
        assert kernel._process.stdin is not None
        kernel._process.stdin.write(json.dumps(request, ensure_ascii=False).encode() + b"\n")
        kernel._process.stdin.flush()
        id = kernel._read()["result"]["result"]["id"]
        got = kernel.call("memory.get_record", id=id)["record"]
    assert got["content"] == [{"text": {"text": text}}]
    (path,) = (tmp_path / "home").rglob(f"{id}.md")
    assert text.encode() in path.read_bytes()


def test_line_ends_of_other_hosts_leave_escaped_and_come_back_exact(tmp_path: Path) -> None:
    """W1, D5, case 9: U+2028, U+2029, U+0085; every line of output is one message."""
    text = "one\u2028two\u2029three\u0085four\rfive\x0bsix\x0cseven"
    with ScriptedKernel(tmp_path) as kernel:
        id = kernel.record(text, title="Line\u2028ends")
        params = {"id": id}
        kernel._write(
            {"jsonrpc": "2.0", "id": "x", "method": "memory.get_record", "params": params}
        )
        assert kernel._process.stdout is not None
        raw: list[bytes] = []
        while not raw or b'"method"' in raw[-1]:
            raw.append(kernel._process.stdout.readline())
            message: Any = json.loads(raw[-1])
            if "method" in message:
                kernel._callback(message)
    for line in raw:
        assert len(line.decode().splitlines()) == 1
    assert message["result"]["record"]["content"] == [{"text": {"text": text}}]
    assert message["result"]["record"]["title"] == "Line\u2028ends"


@pytest.mark.parametrize(
    "environment",
    [{"PYTHONVERBOSE": "1"}, {"PYTHONDEVMODE": "1"}, {"PYTHONPROFILEIMPORTTIME": "1"}],
)
def test_whatever_python_prints_stdout_is_json(tmp_path: Path, environment: Params) -> None:
    """W2, case 8: every line of stdout is one JSON message."""
    whole = {**os.environ, **bare(HOME=str(tmp_path), **environment)}
    line = {"jsonrpc": "2.0", "id": 1, "method": "memory.describe", "params": {}}
    done = subprocess.run(
        [sys.executable, "-m", "memplugin", "--local-kernel"],
        input=json.dumps(line) + "\n",
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env=whole,
    )
    (answer,) = done.stdout.splitlines()
    assert json.loads(answer)["id"] == 1


def test_a_lone_surrogate_anywhere_is_answered_with_its_id(tmp_path: Path) -> None:
    """W6, case 11: and the store stays readable."""
    record = '"type":"user","scope":"global"'
    with ScriptedKernel(tmp_path) as kernel:
        for number, params in enumerate(
            (
                f'{{{record},"content":[{{"text":"\\ud83d"}}]}}',
                f'{{{record},"content":[{{"text":"x"}}],"title":"a\\udc00"}}',
                f'{{{record},"content":[{{"text":"x"}}],"id":"\\ud83d"}}',
                f'{{{record},"content":[{{"text":"x"}}],"\\ud83d":1}}',
            )
        ):
            assert kernel._process.stdin is not None
            line = f'{{"jsonrpc":"2.0","id":{900 + number},"method":"memory.record","params":'
            kernel._process.stdin.write(f"{line}{params}}}\n".encode())
            kernel._process.stdin.flush()
            answer = kernel._read()
            assert answer["id"] == 900 + number
            assert answer["error"]["code"] == -32602
        with pytest.raises(RefusedError):
            kernel.call("memory.get_record", id="x")
        assert kernel.record(RELAY)
        assert len(kernel.call("memory.list_records")["records"]) == 1
