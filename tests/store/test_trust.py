from pathlib import Path

import pytest

from memplugin.store.roots import global_root, project_root, session_root
from memplugin.store.trust import KnownRoot, Trust

from .making import places_below


def test_private_roots_are_trusted_and_a_projects_is_not_until_somebody_says_so(
    tmp_path: Path,
) -> None:
    """Decision 6."""
    places = places_below(tmp_path)
    trust = Trust(places)
    assert trust.is_trusted(global_root(places))
    assert trust.is_trusted(session_root(places, "s"))
    assert trust.is_trusted(project_root(places, str(tmp_path / "p"), "user"))
    root = project_root(places, str(tmp_path / "p"))
    assert not trust.is_trusted(root)
    trust.trust(root)
    assert Trust(places).is_trusted(root)
    trust.distrust(root)
    assert not Trust(places).is_trusted(root)


def test_a_root_this_plugin_made_is_trusted_and_known(tmp_path: Path) -> None:
    """Decision 6; decision 19: a project the state knows stays one."""
    places = places_below(tmp_path / "user")
    trust = Trust(places)
    folder = tmp_path / "p" / "sub"
    root = project_root(places, str(folder))
    assert not trust.knows(folder)
    trust.created(root)
    assert trust.is_trusted(root)
    assert trust.knows(folder)
    assert not trust.knows(folder.parent)
    (tmp_path / "p" / ".git").mkdir(parents=True)
    assert project_root(places, str(folder)) == root
    assert project_root(places, str(folder / "x"), "user").project == folder


def test_projects_are_listed_with_what_is_known_of_them(tmp_path: Path) -> None:
    places = places_below(tmp_path)
    trust = Trust(places)
    assert trust.projects() == []
    roots = [project_root(places, str(tmp_path / name)) for name in ("b", "a")]
    trust.created(roots[0])
    trust.distrust(roots[0])
    trust.trust(roots[1])
    trust.trust(global_root(places))
    assert trust.projects() == [
        KnownRoot(
            key=root.key,
            path=str(root.path),
            project=str(root.project),
            trusted=trusted,
            created=created,
        )
        for root, trusted, created in [(roots[1], True, False), (roots[0], False, True)]
    ]


@pytest.mark.parametrize("junk", [b"", b"{}", b"[1]", b"\xff", b'{"key": 1}'])
def test_a_file_that_cannot_be_read_says_nothing(tmp_path: Path, junk: bytes) -> None:
    places = places_below(tmp_path)
    trust = Trust(places)
    root = project_root(places, str(tmp_path / "p"))
    trust.created(root)
    (file,) = (places.state / "roots").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_bytes(junk)
    assert not trust.is_trusted(root)
    assert trust.projects() == []


def test_a_folder_whose_name_is_no_text_can_be_trusted(tmp_path: Path) -> None:
    places = places_below(tmp_path)
    trust = Trust(places)
    root = project_root(places, f"{tmp_path}/\udcff")
    trust.trust(root)
    assert trust.is_trusted(root)
    assert trust.projects()[0].project == f"{tmp_path}/\ufffd"
