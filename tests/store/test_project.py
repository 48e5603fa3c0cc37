import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from memplugin.store.project import find_project, true_case

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """Return a temporary folder in the disk's own spelling."""
    return Path(os.path.realpath(tmp_path))


def project(
    directory: Path,
    *,
    home: Path | None = None,
    temp: Path | None = None,
    known: Callable[[Path], bool] = lambda _: False,
) -> Path:
    return find_project(directory, known=known, home=home, temp=temp)


def git(folder: Path, *arguments: str) -> None:
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"}
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    command = ["git", *identity, "-c", "protocol.file.allow=always", *arguments]
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "start")
    return folder


@pytest.mark.parametrize("marker", [".agent/", "agent.hcl", ".git/", ".git", ".hg/", ".jj/"])
def test_the_nearest_marker_is_the_project(top: Path, marker: str) -> None:
    """Design decision 2."""
    below = top / "p" / "a" / "b"
    below.mkdir(parents=True)
    path = top / "p" / marker
    if marker.endswith("/"):
        path.mkdir()
    else:
        path.touch()
    assert project(below) == top / "p"
    (top / "p" / "a" / ".agent").mkdir()
    assert project(below) == top / "p" / "a"


def test_a_marker_of_the_wrong_kind_is_none(top: Path) -> None:
    below = top / "p" / "a"
    below.mkdir(parents=True)
    (top / "p" / ".agent").touch()
    (top / "p" / "agent.hcl").mkdir()
    assert project(below) == below


def test_without_a_marker_the_working_directory_is_the_project(top: Path) -> None:
    """Field case 19: the parent of two repositories is its own project."""
    for name in ("one", "two"):
        (top / "w" / name / ".git").mkdir(parents=True)
    assert project(top / "w") == top / "w"


def test_folders_of_like_names_are_different_projects(top: Path) -> None:
    """Field case 17."""
    folders = [top / "a_b", top / "a-b", top / "a" / "b"]
    assert [project(folder) for folder in folders] == folders


def test_links_slashes_and_dots_lead_to_the_same_project(top: Path) -> None:
    """Field case 17."""
    (top / "p" / ".git").mkdir(parents=True)
    (top / "p" / "sub").mkdir()
    (top / "link").symlink_to("p/sub")
    for spelling in (f"{top}/link", f"{top}/p/sub/", f"{top}//p/./sub/../", f"{top}/link/../sub"):
        assert project(Path(spelling)) == top / "p"


def test_a_link_that_leads_to_itself_is_a_project_of_its_own(top: Path) -> None:
    (top / "loop").symlink_to("loop")
    assert project(top / "loop") == top / "loop"


def test_a_missing_directory_still_has_a_project(top: Path) -> None:
    """Decision 19."""
    (top / "p" / ".git").mkdir(parents=True)
    assert project(top / "p" / "gone" / "x") == top / "p"
    assert project(top / "gone" / "x") == top / "gone" / "x"


def test_a_name_no_disk_takes_is_a_project_of_its_own(top: Path) -> None:
    assert project(top / ("x" * 300)) == top / ("x" * 300)


@pytest.mark.parametrize("marker", [".git", ".agent"])
@pytest.mark.parametrize("bound", ["home", "temp"])
def test_home_and_temp_count_for_themselves_only(top: Path, marker: str, bound: str) -> None:
    """Field case 18, decision 19."""
    (top / "up" / "h" / marker).mkdir(parents=True)
    (top / "up" / ".git").mkdir()
    home = top / "up" / "h"
    bounds = {bound: home}
    assert project(home / "x", **bounds) == home / "x"  # type: ignore[arg-type] # home or temp
    assert project(home, **bounds) == home  # type: ignore[arg-type] # home or temp


def test_a_project_below_home_counts(top: Path) -> None:
    (top / "p" / ".git").mkdir(parents=True)
    assert project(top / "p" / "x", home=top) == top / "p"


def test_a_home_behind_a_link_is_known_as_one(top: Path) -> None:
    (top / "real" / ".git").mkdir(parents=True)
    (top / "home").symlink_to("real")
    assert project(top / "home" / "x", home=top / "home") == top / "real" / "x"


def test_a_folder_where_anybody_may_plant_a_marker_counts_for_itself_only(top: Path) -> None:
    shared = top / "shared"
    (shared / ".agent").mkdir(parents=True)
    shared.chmod(0o1777)
    assert project(shared / "x") == shared / "x"
    assert project(shared) == shared


def test_the_root_of_the_file_system_is_no_project_of_what_lies_below() -> None:
    assert project(Path("/nonexistent/x")) == Path("/nonexistent/x")
    assert project(Path("/")) == Path("/")


def test_a_marker_of_another_user_does_not_count(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Decision 19."""
    (top / "p" / ".agent").mkdir(parents=True)
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert project(top / "p" / "x") == top / "p" / "x"


def test_a_project_the_state_knows_stays_one(top: Path) -> None:
    """Decision 19: a folder made above later does not change a project already known."""
    (top / "p" / ".agent").mkdir(parents=True)
    below = top / "p" / "sub"
    assert project(below / "x", known=lambda folder: folder == below) == below


# Repositories


@needs_git
def test_worktrees_belong_to_their_main_working_tree(top: Path) -> None:
    """Field case 16."""
    main = repository(top / "main")
    (main / "sub").mkdir()
    for path in (main / "inside", top / "beside"):
        git(main, "worktree", "add", "-q", str(path))
        (path / "sub").mkdir()
        assert project(path) == main
        assert project(path / "sub") == main
    shutil.rmtree(top / "beside")
    assert project(main) == main


@needs_git
def test_a_marker_inside_a_worktree_is_mapped_into_the_main_tree(top: Path) -> None:
    """Decision 19b: a shared .agent/ is checked out in each worktree."""
    main = repository(top / "main")
    git(main, "worktree", "add", "-q", str(top / "wt"))
    (main / "pkg").mkdir()
    for package in ("pkg", "new/pkg"):
        (top / "wt" / package / ".agent").mkdir(parents=True)
    (top / "wt" / ".agent").mkdir()
    assert project(top / "wt" / "pkg") == main / "pkg"
    assert project(top / "wt" / "new" / "pkg" / "x") == main
    assert project(top / "wt") == main


@needs_git
def test_a_worktree_of_a_home_that_is_a_repository_is_not_the_home(top: Path) -> None:
    """Field case 18."""
    home = repository(top / "home")
    git(home, "worktree", "add", "-q", str(home / "wt"))
    assert project(home / "wt" / "x", home=home) == home / "wt"


@needs_git
@pytest.mark.parametrize("name", [".bare", ".git", "repo.git"])
def test_worktrees_of_a_bare_repository_share_one_project(top: Path, name: str) -> None:
    """Decision 19c: the folder that holds the repository if it is hidden, else itself."""
    source = repository(top / "source")
    (top / "w").mkdir()
    git(top, "clone", "-q", "--bare", str(source), str(top / "w" / name))
    bare = top / "w" / name
    expected = top / "w" if name.startswith(".") else bare
    for tree in ("one", "two"):
        git(bare, "worktree", "add", "-q", str(top / "w" / tree), "-b", tree)
        assert project(top / "w" / tree) == expected
    assert project(bare) == expected
    assert project(bare / "refs" / "heads") == expected


@needs_git
def test_a_submodule_is_a_project_and_so_are_its_worktrees(top: Path) -> None:
    """Decision 19."""
    inner = repository(top / "inner")
    outer = repository(top / "outer")
    git(outer, "submodule", "add", "-q", str(inner), "mod")
    assert project(outer / "mod" / "x") == outer / "mod"
    git(outer / "mod", "worktree", "add", "-q", str(top / "wt"))
    assert project(top / "wt") == outer / "mod"


@needs_git
def test_a_git_folder_elsewhere_does_not_move_the_project(top: Path) -> None:
    git(top, "init", "-q", "--separate-git-dir", str(top / "elsewhere"), str(top / "p"))
    assert project(top / "p" / "x") == top / "p"


@needs_git
def test_inside_the_git_folder_is_inside_the_project(top: Path) -> None:
    main = repository(top / "main")
    assert project(main / ".git" / "refs") == main


@needs_git
def test_a_folder_cannot_claim_to_be_the_worktree_of_another_repository(top: Path) -> None:
    """A hostile archive must not choose whose memories it gets."""
    victim = repository(top / "victim")
    git(victim, "worktree", "add", "-q", str(top / "wt"))
    hostile = top / "hostile"
    (hostile / "fake").mkdir(parents=True)
    (hostile / "fake" / "commondir").write_text(f"{victim}/.git\n")
    (hostile / "fake" / "gitdir").write_text(f"{hostile}/.git\n")
    for pointer in ("fake", f"{victim}/.git/worktrees/wt", f"{victim}/.git"):
        (hostile / ".git").write_text(f"gitdir: {pointer}\n")
        assert project(hostile / "x") == hostile
    assert project(top / "wt") == victim


@pytest.mark.parametrize("text", [b"", b"gitdir:", b"gitdir: /\0", b"\xff\xfe", b"gitdir: ../..\n"])
def test_a_git_file_of_junk_is_a_marker_and_no_more(top: Path, text: bytes) -> None:
    (top / "p").mkdir()
    (top / "p" / ".git").write_bytes(text)
    assert project(top / "p" / "x") == top / "p"


def test_the_disks_own_spelling_is_found_where_it_ignores_case(top: Path) -> None:
    """Field case 17."""
    (top / "Case").mkdir()
    if not (top / "cASE").exists():
        assert true_case(top / "cASE" / "x") == top / "cASE" / "x"
    else:
        assert project(top / "cASE") == top / "Case"
