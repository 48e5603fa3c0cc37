"""Records to be: what a request asks to record, checked before any file is touched."""

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from memplugin.config import Config, Ratification
from memplugin.protocol.errors import ErrorCategory, InvalidParams, ProviderError
from memplugin.protocol.records import (
    ContentBlock,
    MemoryScope,
    MemoryType,
    Provenance,
    RecordStatus,
    texts,
)
from memplugin.protocol.requests import GivenProvenance, RecordRequest
from memplugin.recall.links import links
from memplugin.service.sessions import Scene

MAX_TITLE = 200  # characters of a title made from content


class Draft(Struct, frozen=True):
    """A record to be, checked, without its id; `extra` goes into the front matter."""

    type: MemoryType
    scope: MemoryScope
    title: str
    content: tuple[str, ...]
    links: tuple[str, ...]
    provenance: Provenance
    suggested: str | None = None
    status: RecordStatus = RecordStatus.CANONICAL
    extra: Mapping[str, str] = field(default_factory=dict)
    is_titled: bool = True  # whether its title was given, and not taken from the content


def draft(
    request: RecordRequest, scene: Scene, config: Config, *, recorded_by: str = "memplugin"
) -> Draft:
    """Return what a request asks to record; raises for what cannot be (decision 29)."""
    supported(request.type, request.scope, config)
    if request.scope is MemoryScope.SESSION and scene.session_id is None:
        text = "a session record needs a session: send call_context with session_id"
        raise InvalidParams("/call_context", text)
    content = checked_content(request.content, config)
    given = request.links
    return Draft(
        type=request.type,
        scope=request.scope,
        title=title_of(request.title, content),
        content=content,
        links=tuple(given) if given is not None else links(content),
        provenance=provenance_of(request.provenance, scene, recorded_by),
        suggested=request.id,
        status=status_of_new(config, autonomous=False),
        is_titled=bool(request.title and request.title.strip()),
    )


def supported(type: MemoryType, scope: MemoryScope, config: Config) -> None:
    """Raise invalid_type or invalid_scope for what this provider is configured not to take."""
    if type not in config.types:
        text = f"type {type} is switched off: the setting `types` has {', '.join(config.types)}"
        raise ProviderError(ErrorCategory.INVALID_TYPE, text)
    if scope not in config.scopes:
        text = f"scope {scope} is switched off: the setting `scopes` has {', '.join(config.scopes)}"
        raise ProviderError(ErrorCategory.INVALID_SCOPE, text)


def checked_content(content: Sequence[ContentBlock], config: Config) -> tuple[str, ...]:
    """Return the texts of the blocks; refuses what is blank or too large."""
    found = texts(list(content))
    if not any(text.strip() for text in found):
        raise InvalidParams("/content", "the content is blank: send at least one word")
    size = sum(len(text.encode()) for text in found)
    if size > config.max_record_bytes:
        text = (
            f"the content has {size} bytes, over max_record_bytes ({config.max_record_bytes}):"
            " record its essence, with a reference to where the whole lies"
        )
        raise InvalidParams("/content", text)
    return found


def title_of(title: str | None, content: tuple[str, ...]) -> str:
    """Return the title given, else the content's first line (D2)."""
    if title is not None and title.strip():
        return title
    lines = (line.strip() for text in content for line in text.splitlines())
    first = next(line for line in lines if line)
    return first if len(first) <= MAX_TITLE else first[:MAX_TITLE].rstrip() + "…"


def provenance_of(given: GivenProvenance | None, scene: Scene, recorded_by: str) -> Provenance:
    """Return the kernel's provenance, filled in from the call's context (D6); blank is none."""
    given = given or GivenProvenance()
    named = given.source_session_id
    session = scene.session_id if named is None else named
    turn = _said(given.source_turn_id) or (scene.turn_id if named is None else None)
    return Provenance(
        source_session_id=_said(session) or "",
        recorded_by=_said(given.recorded_by) or recorded_by,
        source_turn_id=_said(turn),
    )


def _said(text: str | None) -> str | None:
    return text if text and text.strip() else None


def status_of_new(config: Config, *, autonomous: bool) -> RecordStatus:
    """Return whether a new record is a draft (P3)."""
    match config.ratification:
        case Ratification.ALL:
            return RecordStatus.PENDING
        case Ratification.CAPTURED if autonomous:
            return RecordStatus.PENDING
        case _:
            return RecordStatus.CANONICAL
