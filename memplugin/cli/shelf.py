"""What the commands work on: the memories of one project and the global ones, drafts included."""

from pathlib import Path

from msgspec.structs import replace

from memplugin.app import now
from memplugin.config import Config, Ratification, TrustProject
from memplugin.options import BadOptionError, Options, base_config
from memplugin.protocol.errors import ErrorCategory, ProviderError
from memplugin.protocol.records import Record
from memplugin.service.finding import locate
from memplugin.service.library import Library
from memplugin.service.listing import MAX_PAGE_SIZE, Lister, Wanted
from memplugin.service.searching import Searcher, filters, question_of
from memplugin.service.sessions import Scene
from memplugin.store.gitfiles import is_folder
from memplugin.store.places import find_places


class Shelf:
    """The memories that a person in a folder sees."""

    def __init__(self, library: Library, config: Config, project: Path) -> None:
        # With ratification on nothing is held back: people see drafts too (P2).
        self._config = replace(
            config, ratification=Ratification.ALL, trust_project=TrustProject.ALWAYS
        )
        self._library = library
        self._scene = Scene(None, None, (), (str(project),))

    def records(self) -> list[Record]:
        """Return everything, oldest first."""
        lister = Lister(self._library)
        wanted = Wanted(self._config.types, self._config.scopes)
        found: list[Record] = []
        token = ""
        while True:
            page = lister.page(wanted, self._scene, self._config, MAX_PAGE_SIZE, token)
            found += [listed.record for listed in page.records]
            token = page.next
            if not token:
                return found

    def one(self, id: str) -> tuple[Record, Path]:
        """Return a record and its file; raises not_found."""
        view = self._library.view(self._scene, self._config)
        located = locate(self._library, view, id, self._config)
        return located.record, located.root.path / located.name

    def search(self, words: str) -> list[tuple[float, Record]]:
        """Return the relevant records, best first."""
        searcher = Searcher(self._library, now, lambda _: None)
        wanted = filters(None, None, self._config, pending=True)
        found = searcher.matching(question_of(words), self._scene, wanted, self._config)
        return [(score, one.record) for score, one in found]

    def trust(self, *, remove: bool) -> Path:
        """Let the project's memories be recalled, or hold them back; return their folder.

        Raises not_found where there are none to trust; what may come later can be held back.
        """
        root = self._library.project_root(self._scene.directories[0], self._config)
        if remove:
            self._library.trust.distrust(root)
        elif not is_folder(root.path):
            text = f"nothing to trust: there is no folder {root.path}"
            raise ProviderError(ErrorCategory.NOT_FOUND, text)
        else:
            self._library.trust.trust(root)
        return root.path


def open_shelf(project: Path) -> Shelf:
    """Open the memories that can be seen in a folder; raises ProviderError."""
    try:
        config = base_config(Options(), lambda: find_places().config)
    except BadOptionError as error:
        raise ProviderError(ErrorCategory.UNKNOWN, str(error)) from None
    places = find_places(Path(config.directory) if config.directory else None)
    return Shelf(Library(places, report=lambda _: None), config, project)
