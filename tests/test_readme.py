"""The README is true: its conversation, its tables, its manifest."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema

from memplugin.config import config_schema
from memplugin.manifest import manifest, schemas_folder, shipped
from memplugin.protocol.methods import KERNEL_TO_PLUGIN
from memplugin.wire.messages import Limits

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _run(arguments: list[str], folder: Path, text: str = "") -> subprocess.CompletedProcess[str]:
    home = folder / "home"
    project = folder / "project"
    for each in (home, project):
        each.mkdir(exist_ok=True)
    outside = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "HOME"))}
    environment = {**outside, "HOME": str(home), "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "memplugin", *arguments],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        cwd=project,
        env=environment,
    )


def test_the_conversation_is_answered_as_printed(tmp_path: Path) -> None:
    """K5, W4: piped lines are answered in order, exactly as the README shows."""
    asked, answered = re.findall(r"```jsonl\n(.*?)```", README, re.DOTALL)
    assert asked == (ROOT / "examples" / "conversation.jsonl").read_text(encoding="utf-8")
    done = _run(["--local-kernel", "--clock", "2026-01-05T09:00:00Z"], tmp_path, asked)
    assert done.returncode == 0
    assert done.stdout == answered


def test_the_example_stays_in_an_empty_place(tmp_path: Path) -> None:
    """K5, D3: the command as printed answers as printed, and leaves home and project alone."""
    (command,) = re.findall(r"```sh\n(memplugin --local-kernel .*)\n```", README)
    place, project = tmp_path / "temporary", tmp_path / "project"
    (project / "examples").mkdir(parents=True)
    asked, answered = re.findall(r"```jsonl\n(.*?)```", README, re.DOTALL)
    (project / "examples" / "conversation.jsonl").write_text(asked, encoding="utf-8")
    place.mkdir()
    script = 'memplugin() { "$PYTHON" -m memplugin "$@"; }\nmktemp() { echo "$PLACE"; }\n' + command
    outside = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "HOME"))}
    told = {"HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
    environment = {**outside, **told, "PYTHON": sys.executable, "PLACE": str(place)}
    runs = [
        subprocess.run(
            ["sh", "-c", script],
            capture_output=True,
            text=True,
            check=True,
            cwd=project,
            env=environment,
        ).stdout
        for _ in range(2)
    ]
    assert runs == [answered, answered.replace('"short-answers"', '"short-answers-2"')]
    assert sorted(path.name for path in place.rglob("*.md")) == [
        "short-answers-2.md",
        "short-answers.md",
    ]
    assert not (tmp_path / "home").exists()
    assert not (project / ".agent").exists()


def test_the_limits_are_current() -> None:
    """W6: what is told of the wire is what it does."""
    told = " ".join(README.split())
    assert f"a batch has at most {Limits().max_batch} elements" in told
    assert f"{Limits().max_running} requests run at a time" in told


def test_the_tables_are_current() -> None:
    for attribute in config_schema().attributes:
        assert (
            f"| `{attribute.name}` | {attribute.type.value} | `{attribute.default_json}` |"
            in README
        )
    for method in KERNEL_TO_PLUGIN:
        if method.startswith("memory.") and method != "memory.render":
            assert f"| `{method}` |" in README


def test_the_shipped_manifest_is_what_the_plugin_says(tmp_path: Path) -> None:
    """G1, C4: plugin.toml is valid and equal to what the running plugin says."""
    text = (ROOT / "plugin.toml").read_text(encoding="utf-8")
    assert text == shipped()
    document = tomllib.loads(text)
    schema = json.loads((schemas_folder() / "plugin.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(document)
    lines = "".join(
        json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": {}}) + "\n"
        for method in ("memory.describe", "memory.get_capabilities")
    )
    done = _run(["--local-kernel"], tmp_path, lines)
    described, capable = (json.loads(line)["result"] for line in done.stdout.splitlines())
    producer, capabilities = described["producer"], capable["capabilities"]
    assert {k: document[k] for k in ("name", "version", "source")} == {
        k: producer[k] for k in ("name", "version", "source")
    }
    assert document["config_schema"] == capabilities["config_schema"]
    assert document["hooks"]["points"] == capabilities["supported_hook_points"]
    assert {"name": producer["category"], "protocol_version": producer["protocol_version"]} in (
        document["categories"]
    )


def test_the_installed_manifest_starts_this_installation(tmp_path: Path) -> None:
    """G1: `manifest --install` writes where a registry looks; its command works."""
    done = _run(["manifest", "--install"], tmp_path)
    path = Path(done.stdout.strip())
    assert path.parts[-4:] == ("agent", "plugins", "memplugin", "plugin.toml")
    command = tomllib.loads(path.read_text(encoding="utf-8"))["command"]
    assert command == manifest(sys.executable, ["-m", "memplugin", "serve"], "")["command"]
    assert Path(command["program"]).is_absolute()


def test_the_demo_plays_a_session_with_a_restart(tmp_path: Path) -> None:
    done = _run(["demo"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 recalled, 17 of 200 tokens used" in done.stdout
    assert "exit code 0" in done.stdout
    assert "project/.agent/memory/mail-relay.md" in done.stdout
    assert "← the-dashboard-for-slow-staging-queries" in done.stdout


def test_people_list_show_and_search(tmp_path: Path) -> None:
    record = {
        "type": "user",
        "scope": "global",
        "title": "Tabs \x1b[31m",
        "content": [{"text": {"text": "Prefers tabs, see [[editor]]."}}],
    }
    line = {"jsonrpc": "2.0", "id": 1, "method": "memory.record", "params": record}
    _run(["--local-kernel"], tmp_path, json.dumps(line) + "\n")
    listed = _run(["list"], tmp_path)
    assert "tabs" in listed.stdout
    assert "\x1b" not in listed.stdout
    id = listed.stdout.split()[0]
    shown = _run(["show", id], tmp_path)
    assert "Prefers tabs, see [[editor]]." in shown.stdout
    assert str(tmp_path / "home") in shown.stdout
    assert id in _run(["search", "tabs"], tmp_path).stdout
    assert _run(["show", "nothing"], tmp_path).returncode == 1


def test_a_bad_option_is_named(tmp_path: Path) -> None:
    """C2: a bad setting is refused at start, naming it and not its value."""
    done = _run(["serve", "--ratification", "hunter2"], tmp_path)
    assert done.returncode == 2
    assert "ratification" in done.stderr
    assert "hunter2" not in done.stderr
