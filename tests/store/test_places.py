import os
from pathlib import Path

import pytest

from memplugin.protocol.errors import ErrorCategory, ProviderError
from memplugin.store.places import Places, find_places

VARIABLES = ["HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Make an environment that names nothing, and a user no database knows."""
    for name in [*VARIABLES, "TMPDIR", "TEMP"]:
        monkeypatch.delenv(name, raising=False)

    def nobody(uid: int) -> object:
        raise KeyError(uid)

    monkeypatch.setattr("pwd.getpwuid", nobody)
    return monkeypatch


@pytest.mark.usefixtures("bare")
def test_a_directory_holds_everything(tmp_path: Path) -> None:
    assert find_places(tmp_path) == Places(
        data=tmp_path / "memory",
        state=tmp_path / "state",
        cache=tmp_path / "cache",
        config=tmp_path,
        home=None,
        temp=Path("/tmp"),  # noqa: S108 - the system's
    )


def test_a_relative_directory_is_refused() -> None:
    with pytest.raises(ProviderError, match="`directory` must be an absolute path"):
        find_places(Path("here"))


@pytest.mark.skipif(os.name == "nt" or os.uname().sysname == "Darwin", reason="XDG's own places")
def test_without_a_directory_the_places_are_those_of_xdg(bare: pytest.MonkeyPatch) -> None:
    bare.setenv("HOME", "/h")
    bare.setenv("XDG_DATA_HOME", "/d")
    bare.setenv("XDG_STATE_HOME", "relative/is/ignored")
    bare.setenv("TMPDIR", "/t")
    assert find_places() == Places(
        data=Path("/d/agent/memory"),
        state=Path("/h/.local/state/agent/memory"),
        cache=Path("/h/.cache/agent/memory"),
        config=Path("/h/.config/agent/memory"),
        home=Path("/h"),
        temp=Path("/t"),
    )


def test_absolute_variables_do_without_a_home(bare: pytest.MonkeyPatch) -> None:
    for name in VARIABLES[1:]:
        bare.setenv(name, "/x")
    assert find_places().data == Path("/x/agent/memory")
    assert find_places().home is None


@pytest.mark.parametrize("home", [None, "", "relative"])
def test_with_an_empty_environment_the_error_says_what_to_set(
    bare: pytest.MonkeyPatch, home: str | None
) -> None:
    """W11."""
    if home is not None:
        bare.setenv("HOME", home)
    with pytest.raises(ProviderError) as caught:
        find_places()
    assert caught.value.category is ErrorCategory.SOURCE_UNAVAILABLE
    for name in [*VARIABLES, "`directory`"]:
        assert name in caught.value.message
