"""Remembering without doubles: what is known already, what is close, what is new (T1)."""

import unicodedata
from collections.abc import Iterator
from enum import Enum, auto
from itertools import islice

from msgspec import Struct, field
from msgspec.structs import replace

from memplugin.config import Config, Ratification
from memplugin.protocol.callbacks import EmitKind
from memplugin.protocol.errors import ErrorCategory, ProviderError
from memplugin.protocol.records import Provenance, Record, RecordStatus, blocks
from memplugin.protocol.requests import UpdateRecordRequest
from memplugin.recall.slugs import MAX_LENGTH, derive, is_slug, numbered, slug
from memplugin.service.drafts import Draft
from memplugin.service.finding import Located, locate, not_found, status_in_force
from memplugin.service.library import Library
from memplugin.service.recording import REMOVES, REVISES, Recorder, Written
from memplugin.service.searching import Searcher, filters, question_of
from memplugin.service.sessions import Scene
from memplugin.service.workers import Stop

MAX_MATCHES = 5
COMPARED = 25  # records of the index that are read closely
QUERY_CHARACTERS = 20_000  # of a long content: its words are looked for, and these say enough
NUMBERED_IDS = 5  # forms of an id, with and without a number, that are looked at by name
REVISION = "-revision"
REMOVAL = "-removal"


class Match(Struct, frozen=True):
    """A known record that a new one resembles; `same`: it says the same."""

    record: Record
    status: RecordStatus
    score: float
    same: bool


class Does(Enum):
    """What remembering comes to."""

    RECORD = auto()
    UPDATE = auto()
    PROPOSE = auto()
    NOTHING = auto()
    ASK = auto()


class Plan(Struct, frozen=True):
    """What remembering does, to which record, or which ones the asker must choose from."""

    does: Does
    record: Record | None = None
    matches: list[Match] = field(default_factory=list)


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

    def near_to(self, record: Record, scene: Scene, config: Config) -> list[Match]:
        """Return what resembles a record that there is, best first, itself left out."""
        content, given = record.content, record.links
        new = Draft(record.type, record.scope, record.title, content, given, record.provenance)
        return [match for match in self.near(new, scene, config) if match.record.id != record.id]

    def plan(
        self, new: Draft, scene: Scene, config: Config, *, confirm_new: bool, by_model: bool
    ) -> Plan:
        """Return what remembering would do; writes nothing.

        The id of a record of the same type and scope: that record is updated. An id that is taken
        otherwise, or a close record: the asker must say which, unless `confirm_new`. The very same
        title and content: nothing.

        A record that a person ratified is not overwritten by a model: under ratification its
        update is a draft of its own, `<id>-revision`, beside it; a further update replaces that
        draft. When a person approves it, it takes the record's place.
        """
        named = self._named(new, scene, config)
        if named is not None and _may_become(named, new):
            return self._update_of(named.record, new, scene, config, by_model=by_model)
        same = next((r for r, _ in self._known(new, scene, config) if _is_exactly(r, new)), None)
        if same is not None:
            return Plan(Does.NOTHING, same)
        if not confirm_new:
            close = self.near(new, scene, config)
            if named is not None:
                status = status_in_force(named.record, config) or named.record.status
                close.insert(0, Match(named.record, status, 1.0, same=False))
            if close:
                return Plan(Does.ASK, matches=close[:MAX_MATCHES])
        return Plan(Does.RECORD)

    def remember(
        self,
        new: Draft,
        scene: Scene,
        config: Config,
        stop: Stop,
        *,
        confirm_new: bool,
        by_model: bool,
    ) -> Written | Plan:
        """Do what `plan` says in the same job, so that two equal calls give one record.

        Returns the plan where nothing is written because the asker must say how to go on.
        """
        # Nobody else may write between the look and the deed, in other processes neither.
        with self._library.lock.acquire(config.lock_timeout_s, stop):
            new = self.titled(new, scene, config)
            plan = self.plan(new, scene, config, confirm_new=confirm_new, by_model=by_model)
            return self._done(plan, new, scene, config, stop)

    def titled(self, new: Draft, scene: Scene, config: Config) -> Draft:
        """Return a draft with the title of the record that it updates, where it has none (D4)."""
        named = None if new.is_titled else self._named(new, scene, config)
        return replace(new, title=named.record.title) if named and _may_become(named, new) else new

    def _done(
        self, plan: Plan, new: Draft, scene: Scene, config: Config, stop: Stop
    ) -> Written | Plan:
        match plan:
            case Plan(does=Does.NOTHING, record=Record() as record):
                return Written(EmitKind.MEMORY_UPDATE, record, changed=False)
            case Plan(does=Does.UPDATE, record=Record() as record):
                request = UpdateRecordRequest(
                    record.id, blocks(new.content), new.title, list(new.links)
                )
                return self._recorder.update(request, scene, config, stop)
            case Plan(does=Does.PROPOSE, record=Record() as record):
                return self._recorder.record(_revision(new, record), scene, config, stop)
            case Plan(does=Does.RECORD):
                return self._recorder.record(new, scene, config, stop)
        return plan

    def forget(
        self, id: str, provenance: Provenance, scene: Scene, config: Config, stop: Stop
    ) -> Written:
        """Remove a record for a model; of one that a person ratified, ask for it in a draft.

        The draft is `<id>-removal`; when a person approves it, both are gone (decision 36).
        Raises not_found for what a model cannot see.
        """
        found = self.named(id, scene, config)
        if found is None:
            raise not_found(id)
        record = found.record
        if not is_ratified(record, config):
            return self._recorder.delete(id, scene, config, stop)
        asked = self.named(beside(id, REMOVAL), scene, config)
        if asked is not None and not is_ratified(asked.record, config):
            return Written(EmitKind.MEMORY_UPDATE, asked.record, changed=False)
        draft = Draft(
            type=record.type,
            scope=record.scope,
            title=f"Forget {record.title}?",
            content=(f"Asked for by {provenance.recorded_by}: forget [[{id}]].",),
            links=(id,),
            provenance=provenance,
            suggested=beside(id, REMOVAL),
            status=RecordStatus.PENDING,
            extra={REMOVES: id},
        )
        return self._recorder.record(draft, scene, config, stop)

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

    def _named(self, new: Draft, scene: Scene, config: Config) -> Located | None:
        return self.named(slug(new.suggested), scene, config) if new.suggested else None

    def _update_of(
        self, record: Record, new: Draft, scene: Scene, config: Config, *, by_model: bool
    ) -> Plan:
        if _is_exactly(record, new):
            return Plan(Does.NOTHING, record)
        if not by_model or not is_ratified(record, config):
            return Plan(Does.UPDATE, record)
        draft = self.named(beside(record.id, REVISION), scene, config)
        if draft is None or is_ratified(draft.record, config):
            return Plan(Does.PROPOSE, record)
        is_said = _is_exactly(draft.record, new)
        return Plan(Does.NOTHING if is_said else Does.UPDATE, draft.record)

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


def beside(id: str, end: str) -> str:
    """Return the id of a draft about a record."""
    return id[: MAX_LENGTH - len(end)].rstrip("-") + end


def _revision(new: Draft, record: Record) -> Draft:
    return replace(
        new,
        suggested=beside(record.id, REVISION),
        status=RecordStatus.PENDING,
        extra={**new.extra, REVISES: record.id},
    )


def _may_become(known: Located, new: Draft) -> bool:
    """Whether a record may be updated to say what is new; a wish to remove another may not."""
    return _is_alike(known.record, new) and REMOVES not in known.extra


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
