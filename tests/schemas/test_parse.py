"""parse(): every fault told with its place, nothing of the params repeated."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from msgspec import Raw

from memplugin.parsing import ALIASES, parse
from memplugin.protocol.errors import InvalidParams
from memplugin.protocol.methods import KERNEL_TO_PLUGIN
from memplugin.protocol.requests import DispatchHookRequest, ListRecordsRequest, RecallRequest
from tests.schemas.referee import ROOT, side
from tests.schemas.values import WORDS, changed, fitting

SECRET = "hunter2-marker"  # noqa: S105 - a marker
RECALL = {"token_budget": 1500, "model_target": {"id": "example-large"}}
RECORD = {"type": "user", "scope": "global", "content": [{"text": "Ada writes Go."}]}


def refusal(params: Any, method: str) -> InvalidParams:
    with pytest.raises(InvalidParams) as caught:
        parse(Raw(params if isinstance(params, bytes) else json.dumps(params).encode()), method)
    return caught.value


def faults(params: Any, method: str) -> dict[str, str]:
    """Return the faults told, message by path; for params with one fault a path."""
    errors = refusal(params, method).errors
    assert all(error.keys() == {"path", "message"} for error in errors)
    told = {error["path"]: error["message"] for error in errors}
    assert len(told) == len(errors)
    return told


def test_all_faults_are_told_at_once() -> None:
    """W5: each fault has the pointer of the value, a missing field that of its own place."""
    params = {
        "type": "friend",
        "content": [
            {"text": "fine"},
            {"text": 5},
            {"text": {}},
            {"text": "fine", "style": "bold"},
            "no block",
        ],
        "title": ["no title"],
        "provenance": 7,
        "links": ["fine", None],
        "call_context": {"session_id": 1, "turn_id": False},
    }
    assert faults(params, "memory.record") == {
        "/type": "expected one of user, feedback, project, reference",
        "/scope": "required field `scope` is missing",
        "/content/1/text": "expected object or string",
        "/content/2/text/text": "required field `text` is missing",
        "/content/3": "expected only these fields: text",
        "/content/4": "expected object",
        "/title": "expected string or null",
        "/provenance": "expected object or null",
        "/links/1": "expected string",
        "/call_context/session_id": "expected string or null",
        "/call_context/turn_id": "expected string or null",
    }


@pytest.mark.parametrize(
    ("method", "params", "told"),
    [
        ("memory.recall", {**RECALL, "token_budget": -1}, "/token_budget"),
        ("memory.recall", {**RECALL, "token_budget": 1.5}, "/token_budget"),
        ("memory.recall", {**RECALL, "token_budget": True}, "/token_budget"),
        ("memory.recall", {"token_budget": 1}, "/model_target"),
        ("memory.recall", {**RECALL, "type_filter": ["user", "users"]}, "/type_filter/1"),
        ("memory.recall", {**RECALL, "scope_filter": "global"}, "/scope_filter"),
        ("memory.record", {**RECORD, "content": []}, "/content"),
        ("memory.record", {**RECORD, "content": [{"image": {}, "text": ""}]}, "/content/0"),
        ("memory.list_records", {"status_filter": "draft"}, "/status_filter"),
        ("memory.list_records", {"page_size": -1}, "/page_size"),
        ("memory.get_record", {}, "/id"),
        ("tool.invoke", {}, "/call"),
        ("tool.invoke", {"call": {"id": "1", "tool_name": "memory.forget"}}, "/call/call_context"),
        ("hook.dispatch_hook", {"payload": {"session_end": {}}, "mode": "watch"}, "/mode"),
        ("hook.dispatch_hook", {"payload": {"session_began": {}}, "mode": "veto"}, "/payload"),
        ("hook.dispatch_hook", {"payload": {}, "mode": "veto"}, "/payload"),
        ("hook.dispatch_hook", {"payload": [], "mode": "veto"}, "/payload"),
        ("hook.dispatch_hook", {"mode": "veto"}, "/payload"),
        ("memory.configure", {"config": []}, "/config"),
    ],
)
def test_unknown_words_and_wrong_values_are_refused(method: str, params: Any, told: str) -> None:
    """W5, X3, H2, T6: the fault is told at its place, and there is no other."""
    assert list(faults(params, method)) == [told]


BREAKS: dict[str, Any] = {
    "/token_budget": -5,
    "/model_target/id": 5,
    "/session_id": 5,
    "/files_touched/1": None,
    "/type_filter/1": "friend",
    "/include_pending": "yes",
    "/query": [],
}
WHOLE = {
    **RECALL,
    "session_id": "s",
    "files_touched": ["a", "b", "c"],
    "type_filter": ["user", "project"],
    "include_pending": False,
    "query": "deploy",
}


@given(st.sets(st.sampled_from(sorted(BREAKS)), min_size=1))
def test_no_fault_hides_another(broken: set[str]) -> None:
    """W5: whichever values are wrong, exactly these are told."""
    params = json.loads(json.dumps(WHOLE))
    for pointer in broken:
        *steps, last = (int(s) if s.isdecimal() else s for s in pointer[1:].split("/"))
        at: Any = params
        for step in steps:
            at = at[step]
        at[last] = BREAKS[pointer]
    assert faults(params, "memory.recall").keys() == broken


@pytest.mark.parametrize("method", KERNEL_TO_PLUGIN)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_faults_quote_nothing(method: str, data: DataObject) -> None:
    """E2, W5: a secret anywhere in bad params, as a value or as a name, is never repeated."""
    secrets = st.sampled_from([SECRET, {SECRET: SECRET}, [SECRET], {"text": {SECRET: [SECRET]}}])
    names = WORDS | st.just(SECRET)
    params = data.draw(changed(fitting(method, "params"), secrets, names))
    error = outcome(params, method)
    if error:
        assert SECRET not in json.dumps(error.errors) + str(error)
        assert error.errors
        assert all(leads_into(params, fault["path"]) for fault in error.errors)
        assert error.__suppress_context__  # a traceback does not show what msgspec quotes


def outcome(params: Any, method: str) -> InvalidParams | None:
    try:
        parse(Raw(json.dumps(params).encode()), method)
    except InvalidParams as error:
        return error
    return None


def leads_into(value: Any, pointer: str) -> bool:
    """Say whether a pointer leads to a value, or to where one is missing in an object."""
    steps = pointer.split("/")[1:]
    for at, step in enumerate(steps):
        match value:
            case list():
                value = value[int(step)]
            case dict() if step in value:
                value = value[step]
            case _:
                return isinstance(value, dict) and at == len(steps) - 1
    return True


@pytest.mark.parametrize("spelling", ["2000.0", "2e3", "2E+3", "20000e-1", "2000"])
def test_integers_may_be_spelled_as_floats(spelling: str) -> None:
    """W5: 2000.0 and 2e3 are integers in JSON Schema, and so they are here."""
    raw = Raw(b'{"token_budget": %s, "model_target": {"id": "m"}}' % spelling.encode())
    params = parse(raw, "memory.recall")
    assert isinstance(params, RecallRequest)
    assert params.token_budget == 2000
    assert type(params.token_budget) is int


@pytest.mark.parametrize("method", KERNEL_TO_PLUGIN)
def test_optional_fields_may_be_null(method: str) -> None:
    """W5: null is as good as absent, in every method, for every optional field at once."""
    schema = side(method, "params")
    for example in schema["examples"]:
        optional = schema.get("properties", {}).keys() - set(schema.get("required", ()))
        nulls = example | dict.fromkeys(optional)
        absent = {name: part for name, part in example.items() if name not in optional}
        got, wanted = (parse(Raw(json.dumps(p).encode()), method) for p in (nulls, absent))
        if method != "memory.dispatch_hook":  # its payload is bytes
            assert got == wanted


def test_unknown_fields_are_ignored() -> None:
    """W5: a newer kernel may say more."""
    params = {"page_size": 5, "page_colour": {"deep": [1]}, "call_context": {"device": "x"}}
    got = parse(Raw(json.dumps(params).encode()), "memory.list_records")
    assert isinstance(got, ListRecordsRequest)
    assert got.page_size == 5


def test_a_hook_payload_stays_as_it_is_spelled() -> None:
    """H1, H6: the payload is kept byte by byte, numbers, order and doubles included."""
    payload = b'{"session_end" : {"z":1.0e2, "a": 12345678901234567890.10, "a":"\\u0041"}}'
    raw = Raw(b'{"mode":"transform","payload":%s}' % payload)
    for method in ("memory.dispatch_hook", "hook.dispatch_hook"):
        params = parse(raw, method)
        assert isinstance(params, DispatchHookRequest)
        assert bytes(params.payload) == payload
    assert set(ALIASES.values()) <= KERNEL_TO_PLUGIN.keys()


def test_a_flood_of_faults_is_counted() -> None:
    """W5, W6: a hundred faults are listed, the others only counted."""
    errors = refusal({**RECORD, "content": [{}] * 1000}, "memory.record").errors
    assert len(errors) == 101
    assert errors[99]["path"] == "/content/99/text"
    assert errors[100] == {"path": "", "message": "faults beyond these, not listed: 900"}


def test_what_only_the_decoder_refuses_is_told_too() -> None:
    """W5, W6: a number out of range is no fault of the schema; its place is told all the same."""
    params = b'{"token_budget": 1, "model_target": {"id": "m", "context_window": 1e999}}'
    assert faults(params, "memory.recall") == {
        "/model_target/context_window": "not accepted by this method's schema"
    }
    assert faults(b'{"id": "\xff"}', "memory.get_record") == {"": "not JSON that can be read"}
    assert faults(b"null", "memory.get_record") == {"": "expected object"}


def test_params_of_no_method() -> None:
    """W5: the caller answers -32601 before it comes here."""
    with pytest.raises(KeyError):
        parse(Raw(b"{}"), "memory.recollect")


LOOK = """
import json, sys
from msgspec import Raw
from memplugin.parsing import parse
from memplugin.protocol.errors import InvalidParams
lazy = lambda: "jsonschema_rs" in sys.modules
parse(Raw(b'{"id": "x"}'), "memory.get_record")
before = lazy()
try:
    parse(Raw(b'{"token_budget": -1, "model_target": {"id": 5}}'), "memory.recall")
except InvalidParams as error:
    print(json.dumps([before, lazy(), error.errors]))
"""


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Give a copy of the package without the files of its checkout."""
    shutil.copytree(
        ROOT / "memplugin",
        tmp_path / "memplugin",
        ignore=shutil.ignore_patterns("__pycache__", "schemas"),
    )
    return tmp_path


def look(root: Path) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", LOOK], cwd=root, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_schemas_are_found_in_an_installed_package_and_loaded_only_for_faults(copied: Path) -> None:
    """W5: as in the wheel, schemas/ is in the package; a good call never loads the validator."""
    shutil.copytree(ROOT / "schemas", copied / "memplugin" / "schemas")
    before, after, errors = look(copied)
    assert (before, after) == (False, True)
    assert [error["path"] for error in errors] == ["/token_budget", "/model_target/id"]


def test_without_schema_files_the_first_fault_is_told(copied: Path) -> None:
    """W5: a broken installation still says what is wrong, and where."""
    *_, errors = look(copied)
    assert errors == [{"path": "/token_budget", "message": "expected `int` >= 0"}]


def test_an_error_holds_one_fault_or_several() -> None:
    """W5: as a use case raises it, and as parse() does."""
    assert InvalidParams("/id", "is bad").errors == [{"path": "/id", "message": "is bad"}]
    errors = [{"path": "/a", "message": "one"}, {"path": "/b", "message": "two"}]
    several = InvalidParams.listing(errors)
    assert (several.errors, str(several)) == (errors, "one")
