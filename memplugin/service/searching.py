"""Looking for records: the evidence from each root, and the shortlist of a recall (section 6)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from memplugin.config import Config
from memplugin.index.catalog import Catalog
from memplugin.index.lexical import search
from memplugin.index.surroundings import Surrounding, surroundings
from memplugin.protocol.records import MemoryScope, MemoryType, Record, RecordStatus
from memplugin.recall.ranking import Evidence, Features, mentions, met, rank, recency
from memplugin.recall.selection import STANDING_SHARE, Candidate, Kept, Lane
from memplugin.recall.text import says_nothing, terms
from memplugin.service.finding import status_in_force
from memplugin.service.library import Library, Report, View
from memplugin.service.sessions import Scene
from memplugin.store.roots import Root

STANDING_TYPES = (MemoryType.USER, MemoryType.FEEDBACK)
RECENT_TYPES = (MemoryType.PROJECT, MemoryType.REFERENCE)
RECENT_DAYS = 14
EPOCH = datetime.fromtimestamp(0, UTC)


class Question(Struct, frozen=True):
    """What a recall is about.

    `words` are query terms with weights; `files` paths that are touched. `stated` says that the
    kernel or the model sent a query: then standing memory stays out. Ages count from `as_of`, in a
    session from its first recall, so that none changes while it lasts (R8); None is now.
    """

    words: Mapping[str, float]
    files: tuple[str, ...] = ()
    stated: bool = False
    as_of: datetime | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to go on."""
        return not self.words and not self.files and not self.stated


def question_of(query: str, files: Sequence[str] = ()) -> Question:
    """Return what a query and touched files ask for; a query that says nothing asks nothing."""
    words = {} if says_nothing(query) else terms(query)
    return Question(words, tuple(files), stated=bool(query.strip()))


class Filters(Struct, frozen=True):
    """Which records are wanted at all (R2)."""

    types: tuple[MemoryType, ...]
    scopes: tuple[MemoryScope, ...]
    pending: bool = False
    untrusted: bool = False  # for people's eyes: what came with a project too (decision 6)

    def admit(self, record: Record, status: RecordStatus) -> bool:
        """Whether a record of this status passes."""
        return (
            record.type in self.types
            and record.scope in self.scopes
            and (self.pending or status is RecordStatus.CANONICAL)
        )


class Found(Struct, frozen=True):
    """What one root has."""

    root: Root
    evidence: list[Evidence]


class Shortlist(Struct, frozen=True):
    """The candidates of a recall, best first within each lane, and the evidence for them."""

    candidates: list[Candidate]
    evidence: dict[str, Evidence]


def filters(
    types: Sequence[MemoryType] | None,
    scopes: Sequence[MemoryScope] | None,
    config: Config,
    *,
    pending: bool = False,
) -> Filters:
    """Return the filters in force: an empty one means all that is supported."""
    return Filters(
        tuple(t for t in config.types if not types or t in types),
        tuple(s for s in config.scopes if not scopes or s in scopes),
        pending,
    )


class Searcher:
    """The jobs that look for records, as the reader thread runs them."""

    def __init__(
        self, library: Library, clock: Callable[[], datetime], report: Callable[[Report], None]
    ) -> None:
        self._library = library
        self._clock = clock
        self._report = report

    def shortlist(
        self,
        question: Question,
        scene: Scene,
        wanted: Filters,
        config: Config,
        before: Sequence[Kept] = (),
    ) -> Shortlist:
        """Return what a recall may choose from, at most `recall_candidates` records."""
        view = self._library.view(scene, config)
        ranked = self.find(question, view, wanted, config, [kept.id for kept in before])
        candidates = [Candidate(one.record, Lane.TOPICAL, score) for score, one in ranked]
        if not question.stated:
            candidates += self._unasked(question, view, wanted, config)
        evidence = {one.record.id: one for _, one in ranked}
        return Shortlist(_at_most(candidates, config.recall_candidates), evidence)

    def matching(
        self, question: Question, scene: Scene, wanted: Filters, config: Config
    ) -> list[tuple[float, Evidence]]:
        """Return the relevant records that a call can see, best first (P1)."""
        return self.find(question, self._library.view(scene, config), wanted, config)

    def find(
        self,
        question: Question,
        view: View,
        wanted: Filters,
        config: Config,
        staying: Sequence[str] = (),
    ) -> list[tuple[float, Evidence]]:
        """Return the relevant records of all roots with their relevance, best first."""
        evidence: list[Evidence] = []
        for found in self._by_root(view, config, lambda c: self._evidence(c, question)):
            evidence += self._admitted(found, wanted, config)
        return rank(evidence, staying)

    def _by_root(
        self, view: View, config: Config, look: Callable[[Catalog], list[Evidence]]
    ) -> Iterator[Found]:
        """Pass on what each root has, without what a nearer root has under the same id (X2)."""
        nearer: list[Catalog] = []
        for root in view.unambiguous:
            catalog = self._library.fresh(root, config)
            found = look(catalog)
            ids = [one.record.id for one in found]
            hidden = {id for other in nearer for id in other.known(ids)}
            nearer.append(catalog)
            yield Found(root, [one for one in found if one.record.id not in hidden])

    def _evidence(self, catalog: Catalog, question: Question) -> list[Evidence]:
        by_words = {match.record: match for match in search(catalog, question.words)}
        names = terms(" ".join(question.files)) if question.files else {}
        by_files = {match.record for match in search(catalog, names)}
        today = question.as_of or self._clock()
        by_number: dict[int, Evidence] = {}
        for row in catalog.by_numbers([*by_words, *(by_files - by_words.keys())]):
            match = by_words.get(row.number)
            features = Features(
                lexical=match.score if match else 0.0,
                files=mentions(row.record, question.files),
                recency=recency(row.record, today),
            )
            words = match.words if match else ()
            by_number[row.number] = Evidence(row.record, features, words)
        return _in_company(catalog, by_number)

    def _admitted(self, found: Found, wanted: Filters, config: Config) -> Iterator[Evidence]:
        trusted = self._library.is_recallable(found.root, config)
        held = 0
        for one in found.evidence:
            status = status_in_force(one.record, config)
            if status is None or not wanted.admit(one.record, status):
                continue
            if trusted or wanted.untrusted or one.record.verified:
                yield one
            else:
                held += 1
        if held:
            self._report(held_back(found.root))

    def _unasked(
        self, question: Question, view: View, wanted: Filters, config: Config
    ) -> Iterator[Candidate]:
        """Pass on standing memory, and where there is nothing to go on what is recent (R3)."""
        limit = config.recall_candidates
        since = self._clock() - timedelta(days=RECENT_DAYS)
        lanes = [(Lane.STANDING, STANDING_TYPES, EPOCH)]
        if question.is_empty:
            lanes.append((Lane.RECENT, RECENT_TYPES, since))
        for lane, types, start in lanes:
            evidence: list[Evidence] = []

            def look(
                catalog: Catalog,
                types: tuple[MemoryType, ...] = types,
                start: datetime = start,
            ) -> list[Evidence]:
                rows = catalog.newest(types, limit, round(start.timestamp() * 1000))
                return [Evidence(row.record, Features()) for row in rows]

            for found in self._by_root(view, config, look):
                evidence += self._admitted(found, wanted, config)
            evidence.sort(key=lambda e: (-e.record.updated_at.timestamp(), e.record.id))
            for one in evidence:
                yield Candidate(one.record, lane)


def _in_company(catalog: Catalog, by_number: Mapping[int, Evidence]) -> list[Evidence]:
    """Add what stands around each record."""
    around = surroundings(catalog, {n: met(one.features) for n, one in by_number.items()})
    alone = Surrounding()
    found: list[Evidence] = []
    for number, one in by_number.items():
        by = around.get(number, alone)
        features = replace(one.features, neighbours=by.neighbours, session=by.session)
        found.append(replace(one, features=features))
    return found


def held_back(root: Root) -> Report:
    """Return what the log says of records that came with a project (trust)."""
    text = (
        f"records in {root.path} came with the project and are not recalled:"
        f" look at them, then allow it with `memplugin trust --project {root.project}`"
    )
    return Report(text, ("held back", root.key))


def _at_most(candidates: Sequence[Candidate], limit: int) -> list[Candidate]:
    """Keep the best of each lane, each record once; standing memory keeps its share."""
    unique: dict[str, Candidate] = {}
    for candidate in candidates:
        unique.setdefault(candidate.record.id, candidate)
    topical = [c for c in unique.values() if c.lane is Lane.TOPICAL]
    others = [c for c in unique.values() if c.lane is not Lane.TOPICAL]
    room = max(limit - len(others), int(limit * (1 - STANDING_SHARE)))
    topical = topical[:room]
    return [*topical, *others[: limit - len(topical)]]
