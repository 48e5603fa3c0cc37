"""The plugin against a JSON-RPC peer and a JSON Schema validator that nobody here wrote."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


@pytest.fixture(scope="session")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the peer and its packages; skip with a reason without Node."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("Node is not installed: the independent peer was not run")
    folder = tmp_path_factory.mktemp("peer")
    for name in ("package.json", "drive.mjs"):
        shutil.copy(HERE / name, folder)
    done = subprocess.run(
        [npm, "install", "--no-audit", "--no-fund", "--silent"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    if done.returncode:
        pytest.skip("npm could not install json-rpc-2.0 and ajv: the independent peer was not run")
    return folder


def test_an_independent_peer_is_served_and_every_answer_is_valid(
    peer: Path, tmp_path: Path
) -> None:
    """W3, W4, W5, K1, K4, D3: json-rpc-2.0 drives the plugin, ajv judges what it says."""
    outside = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
    done = subprocess.run(
        ["node", peer / "drive.mjs", ROOT / "schemas", sys.executable, "-m", "memplugin", "serve"],
        cwd=tmp_path,
        env={**outside, "HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout, done.stderr
    told = json.loads(done.stdout)
    assert told["faults"] == []
    assert sorted(told["ids"]) == sorted(["port", *(f"port-{n}" for n in range(2, 11))])
    assert told["first"] == "port"
    assert told["refused"] == -32001
    assert told["events"] == 12
    assert told["counted"] > 0
    assert told["code"] == 0
