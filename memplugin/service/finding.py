"""Finding a record by its id, and what of a record's state is in force (X2, P2, P4)."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from memplugin.config import Config, Ratification
from memplugin.protocol.errors import ErrorCategory, ProviderError
from memplugin.protocol.records import Record, RecordStatus
from memplugin.recall.slugs import is_slug
from memplugin.service.library import Library, View
from memplugin.store.front import Unreadable
from memplugin.store.roots import Root


class Located(Struct, frozen=True):
    """A record, its file, the root it lies in, and what else its front matter says."""

    root: Root
    name: str
    record: Record
    extra: Mapping[str, str]


def status_in_force(record: Record, config: Config) -> RecordStatus | None:
    """Return the status a kernel is told, None for a draft that is held back.

    With ratification off drafts are held back (P2); with it on, a file that this user's memplugin
    did not write as it is waits for approval like a draft (P4).
    """
    if config.ratification is Ratification.OFF:
        return None if record.status is RecordStatus.PENDING else RecordStatus.CANONICAL
    return record.status if record.verified else RecordStatus.PENDING


def locate(library: Library, view: View, id: str, config: Config) -> Located:
    """Return the record that an id means: of several the nearest (X2), read from its file.

    Raises `not_found`; `unknown` where several open projects hold the id and none was named (D8).
    """
    if is_slug(id):
        for root in view.sessions:
            found = _in_root(library, root, id, config)
            if found is not None:
                return found
        held = list(_held(library, view, id, config))
        if len(held) > 1 and len(view.projects) > 1:
            raise ambiguous()
        if held:
            return held[0]
    raise not_found(id)


def ambiguous() -> ProviderError:
    """Return the refusal to guess between open projects."""
    return ProviderError(
        ErrorCategory.UNKNOWN,
        "ambiguous: several projects are open; send call_context with session_id or"
        " working_directory",
    )


def not_found(id: str) -> ProviderError:
    """Return the error for an id that nothing visible has."""
    shown = id if is_slug(id) else "(not a slug)"
    return ProviderError(
        ErrorCategory.NOT_FOUND,
        f"no record {shown} can be seen from this session and project: list_records shows those"
        " that can",
    )


def _held(library: Library, view: View, id: str, config: Config) -> Iterator[Located]:
    for root in (*view.projects, view.everyone):
        found = _in_root(library, root, id, config)
        if found is not None:
            yield found
            if len(view.projects) == 1:
                return


def _in_root(library: Library, root: Root, id: str, config: Config) -> Located | None:
    """Look in the index, then for a file of that name, then in an index made current."""
    catalog = library.catalog(root)
    row = catalog.by_id(id)
    for name in dict.fromkeys((row.name if row else "", f"{id}.md")):
        found = _read(library, root, name, id) if name else None
        if found is not None:
            return found
    library.fresh(root, config)
    row = catalog.by_id(id)
    return _read(library, root, row.name, id) if row else None


def _read(library: Library, root: Root, name: str, id: str) -> Located | None:
    try:
        found = library.catalog(root).folder.read(name)
    except (FileNotFoundError, Unreadable):
        return None
    record = found.document.record
    return Located(root, name, record, found.document.extra) if record.id == id else None
