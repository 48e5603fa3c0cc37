"""Any history of calls, edits by hand, lost indexes and restarts leaves what a dict would hold."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule

from tests.harness import Params, RefusedError, ScriptedKernel

TYPES = st.sampled_from(["user", "feedback", "project", "reference"])
SCOPES = st.sampled_from(["project", "global"])
IDS = st.sampled_from([None, "same", "Same!", "other", "🎉", "x" * 80])
TITLES = st.sampled_from([None, "Relay", "a: b", "# x", "yes"]) | st.text(min_size=1, max_size=12)
TEXTS = st.sampled_from(["the relay [[same]]", "---\na: b\n---\n", " \n x \r\n\n"]) | st.text(
    max_size=20
).filter(str.strip)
CONTENTS = st.lists(TEXTS, min_size=1, max_size=2)


def sent(texts: list[str]) -> list[Params]:
    return [{"text": {"text": text}} for text in texts]


class History(RuleBasedStateMachine):
    """The plugin beside a dict of what it acknowledged."""

    ids = Bundle("ids")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.told: dict[str, Params] = {}
        self.kernel = self.started()

    def started(self) -> ScriptedKernel:
        return ScriptedKernel(self.folder, "--freshness-s", "0")

    def teardown(self) -> None:
        assert self.kernel.close() == 0
        shutil.rmtree(self.folder)

    @rule(target=ids, id=IDS, title=TITLES, type=TYPES, scope=SCOPES, content=CONTENTS)
    def record(
        self, id: str | None, title: str | None, type: str, scope: str, content: list[str]
    ) -> str:
        """D2, D3: the id is new."""
        blocks = sent(content)
        params = {"id": id, "title": title, "type": type, "scope": scope, "content": blocks}
        given: str = self.kernel.call("memory.record", **params)["result"]["id"]
        assert given not in self.told
        self.told[given] = {"type": type, "scope": scope, "content": blocks}
        if title and title.strip():
            self.told[given]["title"] = title
        return given

    @rule(id=ids, title=TITLES, content=CONTENTS)
    def update(self, id: str, title: str | None, content: list[str]) -> None:
        """D4: content wholesale; an unknown id is not_found."""
        blocks = sent(content)
        if self.answer("memory.update_record", id=id, title=title, content=blocks) is None:
            return
        self.told[id]["content"] = blocks
        if title and title.strip():
            self.told[id]["title"] = title

    @rule(id=ids)
    def delete(self, id: str) -> None:
        """D9: it is gone at once."""
        if self.answer("memory.delete_record", id=id) is not None:
            del self.told[id]

    @rule(id=ids, text=st.sampled_from(["by hand", "by HAND", "by hand, longer"]))
    def edit_by_hand(self, id: str, text: str) -> None:
        """Take the owner's edit for the truth, also one of the same size an instant later."""
        for path in self.folder.rglob(f"{id}.md"):
            front = path.read_bytes().split(b"\n---\n")[0]
            path.write_bytes(front + b"\n---\n" + text.encode() + b"\n")
            self.told[id]["content"] = sent([text])

    @rule(id=ids)
    def remove_by_hand(self, id: str) -> None:
        """Delete without asking the plugin."""
        for path in self.folder.rglob(f"{id}.md"):
            path.unlink()
            del self.told[id]

    @rule()
    def lose_the_index(self) -> None:
        """Lose nothing with what is derived, though it is open."""
        for path in (self.folder / "home").rglob("*.sqlite*"):
            path.unlink()

    @rule(target=ids, killed=st.booleans())
    def restart(self, killed: bool) -> Any:  # noqa: FBT001 - drawn, not chosen by a reader
        """Find what was acknowledged, whatever ended the process."""
        if killed:
            self.kernel.kill()
        code = self.kernel.close()
        assert killed or code == 0
        self.kernel = self.started()
        return multiple()

    @rule(id=ids)
    def get(self, id: str) -> None:
        """Get a record as it was told, or not_found."""
        answer = self.answer("memory.get_record", id=id)
        if answer is not None:
            assert self.shown(answer["record"]) == self.told[id]

    @invariant()
    def the_list_is_what_was_told(self) -> None:
        """P1, D1: every record once, no other, as it was told."""
        records = self.kernel.call("memory.list_records", page_size=500)["records"]
        assert {record["id"]: self.shown(record) for record in records} == self.told
        assert len(records) == len(self.told)

    def answer(self, method: str, **params: Any) -> Any:
        """Return the answer of a call by id, None where it is rightly not_found."""
        if params["id"] in self.told:
            return self.kernel.call(method, **params)
        with pytest.raises(RefusedError) as refused:
            self.kernel.call(method, **params)
        assert refused.value.data["category"] == "not_found"
        return None

    def shown(self, record: Params) -> Params:
        """Return of a record what the dict knows of it."""
        known = self.told.get(record["id"], {})
        return {
            name: record[name] for name in ("type", "scope", "content", "title") if name in known
        }


History.TestCase.settings = settings(
    max_examples=8, stateful_step_count=20, suppress_health_check=[HealthCheck.too_slow]
)
TestAnyHistory = History.TestCase
