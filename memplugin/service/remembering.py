"""Remembering without doubles: what is known already, what is close, what is new (T1)."""

import unicodedata
from collections.abc import Iterator
from itertools import islice

from msgspec import Struct

from memplugin.config import Config, Ratification
from memplugin.protocol.callbacks import EmitKind
from memplugin.protocol.errors import ErrorCategory, ProviderError
from memplugin.protocol.records import Record, RecordStatus, blocks
from memplugin.protocol.requests import UpdateRecordRequest
from memplugin.recall.slugs import MAX_LENGTH, derive, is_slug, numbered, slug
from memplugin.service.drafts import Draft
from memplugin.service.finding import Located, locate, status_in_force
from memplugin.service.library import Library
from memplugin.service.recording import Recorder, Written
from memplugin.service.searching import Searcher, filters, question_of
from memplugin.service.sessions import Scene
from memplugin.service.workers import Stop

MAX_MATCHES = 5
COMPARED = 25  # records of the index that are read closely
QUERY_CHARACTERS = 20_000  # of a long content: its words are looked for, and these say enough
NUMBERED_IDS = 5  # forms of an id, with and without a number, that are looked at by name
REVISION = "-revision"


class Match(Struct, frozen=True):
    """A known record that a new one resembles; `same`: it says the same."""

    record: Record
    status: RecordStatus
    score: float
    same: bool


class Close(Struct, frozen=True):
    """What stands in the way of a new record: nothing was written."""

    matches: list[Match]


class Rememberer:
    """The jobs that compare what is new with what is known; on a worker thread."""

    def __init__(self, library: Library, recorder: Recorder, searcher: Searcher) -> None:
        self._library = library
        self._recorder = recorder
        self._searcher = searcher

    def near(self, new: Draft, scene: Scene, config: Config) -> list[Match]:
        """Return what resembles a draft, best first, at most five.

        Only records that the scene sees and a model may see, of the same type and scope; drafts
        too where there is ratification.
        """
        from memplugin.capture.near import compare  # noqa: PLC0415 - its tables load slowly

        text = "\n\n".join(new.content)
        matches: list[Match] = []
        for record, status in self._known(new, scene, config):
            near = compare(new.title, text, record.title, record.text)
            if near.verdict != "different":
                matches.append(Match(record, status, near.score, near.verdict == "same"))
        return sorted(matches, key=_order)[:MAX_MATCHES]

    def remember(
        self, new: Draft, *, confirm_new: bool, scene: Scene, config: Config, stop: Stop
    ) -> Written | Close:
        """Update, record, or tell what is close, in one job, so that two equal calls give one.

        The id of a record of the same type and scope: that record is updated. An id that is taken
        otherwise, or a close record: nothing is written, unless `confirm_new`. The very same title
        and content: nothing is written, and the answer is not `changed`.

        A record that a person ratified is not overwritten by a model: under ratification its
        update is a draft of its own, `<id>-revision`, beside it; a further update replaces that
        draft. The person approves it, and forgets the old one or not.
        """
        named = self._named(new, scene, config)
        if named is not None and _is_alike(named.record, new):
            return self._update(named.record, new, scene, config, stop)
        same = next((r for r, _ in self._known(new, scene, config) if _is_exactly(r, new)), None)
        if same is not None:
            return Written(EmitKind.MEMORY_UPDATE, same, changed=False)
        if not confirm_new:
            close = self.near(new, scene, config)
            if named is not None:
                status = status_in_force(named.record, config) or named.record.status
                close.insert(0, Match(named.record, status, 1.0, same=False))
            if close:
                return Close(close[:MAX_MATCHES])
        return self._recorder.record(new, scene, config, stop)

    def named(self, id: str, scene: Scene, config: Config) -> Located | None:
        """Return the record of an id that a model may see and change, None where there is none."""
        if not is_slug(id):
            return None
        view = self._library.view(scene, config)
        try:
            found = locate(self._library, view, id, config)
        except ProviderError as error:
            if error.category is ErrorCategory.NOT_FOUND:
                return None
            raise
        recallable = found.record.verified or self._library.is_recallable(found.root, config)
        is_seen = status_in_force(found.record, config) is not None
        return found if recallable and is_seen else None

    def revised(self, record: Record, scene: Scene, config: Config) -> Located | None:
        """Return the draft that an update of a ratified record goes to, if there is one (T1)."""
        found = self.named(revision_id(record.id), scene, config)
        is_draft = found is not None and is_ratified(found.record, config) is False
        return found if is_draft else None

    def _named(self, new: Draft, scene: Scene, config: Config) -> Located | None:
        return self.named(slug(new.suggested), scene, config) if new.suggested else None

    def _update(
        self, record: Record, new: Draft, scene: Scene, config: Config, stop: Stop
    ) -> Written:
        if _is_exactly(record, new):
            return Written(EmitKind.MEMORY_UPDATE, record, changed=False)
        if is_ratified(record, config):
            revision = self.revised(record, scene, config)
            if revision is None:
                beside = revision_of(new, record)
                return self._recorder.record(beside, scene, config, stop)
            record = revision.record
        request = UpdateRecordRequest(record.id, blocks(new.content), new.title, list(new.links))
        return self._recorder.update(request, scene, config, stop)

    def _known(
        self, new: Draft, scene: Scene, config: Config
    ) -> Iterator[tuple[Record, RecordStatus]]:
        """Pass on records of the same type and scope by name, then by words, each once."""
        seen: set[str] = set()
        for record in (*self._by_name(new, scene, config), *self._by_words(new, scene, config)):
            status = status_in_force(record, config)
            if record.id not in seen and status is not None and _is_alike(record, new):
                seen.add(record.id)
                yield record, status

    def _by_name(self, new: Draft, scene: Scene, config: Config) -> Iterator[Record]:
        bases = dict.fromkeys((slug(new.suggested or ""), derive(new.title, new.content)))
        for base in filter(None, bases):
            for number in range(1, NUMBERED_IDS + 1):
                id = base if number == 1 else numbered(base, number)
                found = self.named(id, scene, config)
                if found is None:
                    break
                yield found.record

    def _by_words(self, new: Draft, scene: Scene, config: Config) -> Iterator[Record]:
        text = "\n".join((new.title, (new.suggested or "").replace("-", " "), *new.content))
        wanted = filters((new.type,), (new.scope,), config, pending=True)
        found = self._searcher.matching(question_of(text[:QUERY_CHARACTERS]), scene, wanted, config)
        yield from (one.record for _, one in islice(found, COMPARED))


def is_ratified(record: Record, config: Config) -> bool:
    """Whether a person stands behind a record, so that a model may only propose (decision 9)."""
    if config.ratification is Ratification.OFF:
        return False
    return status_in_force(record, config) is RecordStatus.CANONICAL


def revision_id(id: str) -> str:
    """Return the id of the draft that revises a record."""
    return id[: MAX_LENGTH - len(REVISION)].rstrip("-") + REVISION


def revision_of(new: Draft, record: Record) -> Draft:
    """Return a draft that stands beside the record it would revise."""
    return Draft(
        type=new.type,
        scope=new.scope,
        title=new.title,
        content=new.content,
        links=new.links,
        provenance=new.provenance,
        suggested=revision_id(record.id),
        status=RecordStatus.PENDING,
        extra={**new.extra, "revises": record.id},
    )


def _is_alike(record: Record, new: Draft) -> bool:
    return record.type is new.type and record.scope is new.scope


def _is_exactly(record: Record, new: Draft) -> bool:
    """Whether title and content are the same but for white space and the form of accents."""
    return _normal(record.title) == _normal(new.title) and _normal(record.text) == _normal(
        "\n\n".join(new.content)
    )


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _order(match: Match) -> tuple[bool, float, float, str]:
    record = match.record
    return not match.same, -match.score, -record.updated_at.timestamp(), record.id
