import re
from pathlib import Path

import pytest

from memplugin.protocol.errors import InvalidParams
from memplugin.protocol.records import MemoryScope
from memplugin.store.roots import Root, global_root, project_root, session_root

from .making import places_below


def test_the_global_root_is_the_data_folder(tmp_path: Path) -> None:
    places = places_below(tmp_path)
    root = global_root(places)
    assert root == Root(MemoryScope.GLOBAL, places.data, root.key, places.data)


@pytest.mark.parametrize("session_id", ["s1", "", "../x", "a/b", "A" * 300, "é\0", "."])
def test_a_session_is_a_folder_named_by_a_hash(tmp_path: Path, session_id: str) -> None:
    """Decision 18: session ids are opaque and never become file names."""
    root = session_root(places_below(tmp_path), session_id)
    assert root.path.parent == tmp_path / "state" / "sessions"
    assert re.fullmatch("[0-9a-f]{32}", root.path.name)
    assert root.session_id == session_id


def test_session_ids_that_differ_in_case_are_two_folders(tmp_path: Path) -> None:
    places = places_below(tmp_path)
    assert session_root(places, "A").path != session_root(places, "a").path


def test_project_records_live_in_the_project(tmp_path: Path) -> None:
    project = tmp_path / "p"
    root = project_root(places_below(tmp_path / "user"), str(project), "repo")
    assert root.path == project / ".agent" / "memory"
    assert (root.base, root.project, root.private) == (project, project, False)


def test_project_records_live_with_the_user_where_the_setting_says_so(tmp_path: Path) -> None:
    """Decision 20: project_store."""
    places = places_below(tmp_path / "user")
    roots = [project_root(places, str(tmp_path / name), "user") for name in ("ä b", "x/ä b", "...")]
    assert {root.path.parent for root in roots} == {places.data / "projects"}
    assert [root.path.name[:-17] for root in roots] == ["--b".strip("-"), "b", "project"]
    assert len({root.path for root in roots}) == 3
    assert all(root.private and root.base == places.data for root in roots)


def test_keys_are_file_names_and_differ_by_root(tmp_path: Path) -> None:
    places = places_below(tmp_path)
    roots = [
        global_root(places),
        session_root(places, "s"),
        session_root(places, str(places.data)),
        project_root(places, str(tmp_path / "a"), "repo"),
        project_root(places, str(tmp_path / "a"), "user"),
        project_root(places, str(tmp_path / "b"), "repo"),
    ]
    assert all(re.fullmatch("[0-9a-f]{32}", root.key) for root in roots)
    assert len({root.key for root in roots}) == len(roots)


@pytest.mark.parametrize("directory", ["", ".", "a/b", "~", "~/x", "/a\0b"])
def test_a_working_directory_that_is_not_absolute_is_refused(
    tmp_path: Path, directory: str
) -> None:
    """Decision 19."""
    with pytest.raises(InvalidParams) as caught:
        project_root(places_below(tmp_path), directory, "repo")
    assert caught.value.errors[0]["path"] == "/working_directory"
