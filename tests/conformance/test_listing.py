"""Listing in pages, and ratification, through the pipe (section 7)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.harness import Params, RefusedError, ScriptedKernel

STEPS = st.lists(st.sampled_from(["record", "delete", "update", "page", "page"]), max_size=14)


def pages(kernel: ScriptedKernel, size: int, **only: Any) -> Iterator[list[Params]]:
    """Pass on page after page."""
    token = ""
    while True:
        answer = kernel.call("memory.list_records", page_size=size, page_token=token, **only)
        yield answer["records"]
        token = answer["next_page_token"]
        if not token:
            return


def refusal(kernel: ScriptedKernel, method: str, **params: Any) -> tuple[int, str]:
    """Return the code and category a call is refused with."""
    with pytest.raises(RefusedError) as refused:
        kernel.call(method, **params)
    return refused.value.code, refused.value.data["category"]


def test_pages_give_every_record_once_in_a_stable_order(tmp_path: Path) -> None:
    """P1: by created_at, then id, whatever the size of a page; the last has no token."""
    with ScriptedKernel(tmp_path, "--clock", "2026-01-05T09:00:00Z") as kernel:
        for number in (3, 1, 2):
            kernel.record(f"same time {number}", id=f"n{number}", scope="global")
    with ScriptedKernel(tmp_path, "--clock", "2026-01-04T09:00:00Z") as kernel:
        kernel.record("earlier", id="z", call_context={"session_id": "s"}, scope="session")
        kernel.record("earlier", id="y")
        for size in (1, 2, 3, 5, 500):
            context = {"session_id": "s"}
            found = list(pages(kernel, size, call_context=context))
            assert [r["id"] for page in found for r in page] == ["y", "z", "n1", "n2", "n3"]
            assert all(len(page) == size for page in found[:-1])
            assert len(found[-1]) <= size


def test_a_page_has_50_records_unless_told_and_never_more_than_500(tmp_path: Path) -> None:
    """P1: page_size 0 or absent means 50; beyond 500 it is 500; filters narrow a page."""
    with ScriptedKernel(tmp_path) as kernel:
        for number in range(501):
            kernel.record(f"record {number}", type="user" if number % 2 else "feedback")
        for size, expected in ((None, 50), (0, 50), (7, 7), (500, 500), (9999, 500)):
            answer = kernel.call("memory.list_records", page_size=size)
            assert len(answer["records"]) == expected
            assert answer["next_page_token"]
        (only,) = pages(kernel, 400, type_filter=["user"], scope_filter=["project"])
        assert len(only) == 250


def test_writes_between_pages_show_nothing_twice_and_skip_nothing(tmp_path: Path) -> None:
    """P1: what existed throughout is listed once, whatever is written or deleted meanwhile."""
    with ScriptedKernel(tmp_path) as kernel:

        @settings(max_examples=20)
        @given(st.integers(1, 4), STEPS, st.randoms(use_true_random=False))
        def paged(size: int, steps: list[str], dice: Any) -> None:
            before = [kernel.record(f"start {number}") for number in range(6)]
            alive, gone = list(before), set[str]()
            seen: list[str] = []
            going = pages(kernel, size)
            for step in steps:
                if step == "record":
                    alive.append(kernel.record("between"))
                elif step == "page":
                    seen += [record["id"] for record in next(going, [])]
                elif alive:
                    id = dice.choice(alive)
                    if step == "update":
                        kernel.call("memory.update_record", id=id, content=[{"text": "new"}])
                    else:
                        kernel.call("memory.delete_record", id=id)
                        alive.remove(id)
                        gone.add(id)
            seen += [record["id"] for page in going for record in page]
            assert len(seen) == len(set(seen))
            assert set(before) - gone <= set(seen)
            for id in alive:
                kernel.call("memory.delete_record", id=id)

        paged()


@pytest.mark.parametrize("token", ["x", "!", "é", "W10=", "bnVsbA==", "a" * 5000])
def test_a_token_of_nobody_is_refused(tmp_path: Path, token: str) -> None:
    """P1, W5: -32602 at /page_token, without repeating it."""
    with ScriptedKernel(tmp_path) as kernel, pytest.raises(RefusedError) as refused:
        kernel.call("memory.list_records", page_token=token)
    assert refused.value.code == -32602
    (error,) = refused.value.data["errors"]
    assert error["path"] == "/page_token"
    assert len(token) < 9 or token not in str(refused.value.data)


def test_without_ratification_every_write_is_canonical(tmp_path: Path) -> None:
    """P2, E1: approve and reject are refused, existing id or not; nothing is ever pending."""
    with ScriptedKernel(tmp_path) as kernel:
        record = {"type": "user", "scope": "global", "content": [{"text": "x"}]}
        result = kernel.call("memory.record", **record)["result"]
        assert result["status"] == "canonical"
        for method in ("memory.approve_record", "memory.reject_record"):
            for id in (result["id"], "nothing"):
                expected = (-32004, "ratification_unsupported")
                assert refusal(kernel, method, id=id) == expected
        capabilities = kernel.call("memory.get_capabilities")["capabilities"]
        assert capabilities["ratification_supported"] is False
        assert kernel.call("memory.list_records", status_filter="pending")["records"] == []


def test_drafts_of_an_earlier_configuration_are_held_back(tmp_path: Path) -> None:
    """P2, case 7: not listed, got, recalled or linked; there again once they are ratified."""
    with ScriptedKernel(tmp_path, "--ratification", "all") as kernel:
        draft = kernel.record("a draft of the relay")
        other = kernel.record("another draft of the relay")
    with ScriptedKernel(tmp_path) as kernel:
        source = kernel.record(f"see [[{draft}]]", title="Source")
        (listed,) = kernel.call("memory.list_records")["records"]
        assert listed["id"] == source
        assert refusal(kernel, "memory.get_record", id=draft)[1] == "not_found"
        update = {"id": draft, "content": [{"text": "x"}]}
        assert refusal(kernel, "memory.update_record", **update)[1] == "not_found"
        recalled = kernel.recall("draft relay", include_pending=True)
        assert [record["id"] for record in recalled] == [source]
        (link,) = kernel.call("memory.list_links")["links"]
        assert link["exists"] is False
        assert kernel.call("memory.delete_record", id=other)["result"] == {"deleted": True}
    with ScriptedKernel(tmp_path, "--ratification", "captured") as kernel:
        found = kernel.call("memory.list_records", status_filter="pending")["records"]
        assert [record["id"] for record in found] == [draft]
        assert kernel.call("memory.delete_record", id=draft)["result"] == {"deleted": True}


def test_where_all_is_ratified_a_write_is_a_draft(tmp_path: Path) -> None:
    """P3, D4: approve makes it canonical, reject discards it; unknown ids are not_found."""
    with ScriptedKernel(tmp_path, "--ratification", "all") as kernel:
        capabilities = kernel.call("memory.get_capabilities")["capabilities"]
        assert capabilities["ratification_supported"] is True
        good, bad = kernel.record("good"), kernel.record("bad")
        listed = kernel.call("memory.list_records")["records"]
        assert {record["status"] for record in listed} == {"pending"}
        result = {"id": good, "status": "canonical"}
        assert kernel.call("memory.approve_record", id=good)["result"] == result
        before = kernel.call("memory.get_record", id=good)
        assert kernel.call("memory.approve_record", id=good)["result"] == result
        assert kernel.call("memory.get_record", id=good) == before
        assert refusal(kernel, "memory.reject_record", id=good) == (-32000, "unknown")
        assert kernel.call("memory.reject_record", id=bad)["result"] == {"deleted": True}
        for method in ("get_record", "approve_record", "reject_record"):
            assert refusal(kernel, f"memory.{method}", id=bad) == (-32001, "not_found")
        (left,) = kernel.call("memory.list_records")["records"]
        assert left == before["record"]
    assert not list(tmp_path.rglob("bad.md"))


def test_where_only_captures_are_ratified_the_kernels_own_writes_are_not(tmp_path: Path) -> None:
    """P3: `captured`: memory.record is canonical, get_capabilities says true, filters work."""
    with ScriptedKernel(tmp_path, "--ratification", "all") as kernel:
        draft = kernel.record("draft")
    with ScriptedKernel(tmp_path, "--ratification", "captured") as kernel:
        canonical = kernel.record("canonical")
        capabilities = kernel.call("memory.get_capabilities")["capabilities"]
        assert capabilities["ratification_supported"] is True
        for status, expected in (
            ("canonical", [canonical]),
            ("pending", [draft]),
            (None, [draft, canonical]),
        ):
            found = kernel.call("memory.list_records", status_filter=status)["records"]
            assert [record["id"] for record in found] == expected


def test_a_file_changed_by_hand_waits_for_approval(tmp_path: Path) -> None:
    """P4, P3: under ratification what this plugin did not write is a draft, whatever it says."""
    with ScriptedKernel(tmp_path, "--ratification", "captured") as kernel:
        id = kernel.record("The relay listens on 2525")
        (path,) = tmp_path.rglob(f"{id}.md")
        path.write_text(path.read_text().replace("2525", "2626"))
        assert kernel.recall("relay") == []
        assert kernel.call("memory.get_record", id=id)["record"]["status"] == "pending"
        kernel.call("memory.approve_record", id=id)
        (record,) = kernel.recall("relay")
    assert record["status"] == "canonical"
    assert "2626" in record["content"][0]["text"]["text"]
