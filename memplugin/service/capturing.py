"""Captured memories, from what was heard to a record: the jobs of the worker threads (section 8).

listener thread   message ─▶ rules ─▶ candidates, redacted ─▶ journal (durable)
writer thread     entry ─▶ forgotten? known already? ─▶ record ─▶ journal entry dropped
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from memplugin.capture.fingerprint import fingerprint
from memplugin.capture.heard import Candidate, Heard, Suppress
from memplugin.capture.superseding import supersedes
from memplugin.config import Config, Ratification
from memplugin.protocol.records import MemoryScope, Provenance, Record, RecordStatus, blocks
from memplugin.protocol.requests import UpdateRecordRequest
from memplugin.recall.links import links
from memplugin.service.drafts import Draft, status_of_new
from memplugin.service.finding import locate
from memplugin.service.library import Library
from memplugin.service.recording import Recorder, Written
from memplugin.service.remembering import Match, Rememberer
from memplugin.service.sessions import Scene
from memplugin.service.workers import Stop

ORIGIN = "capture"  # begins the `origin` of what is captured, in front matter


class Entry(Struct, frozen=True):
    """A candidate on its way to a record, as the journal keeps it.

    `said` fingerprints the words it came from; `is_now` says that they were just said, and did not
    come with an older transcript. What `is_spare` waits: a rule's candidate that is written only
    where the model gives no answer.
    """

    candidate: Candidate
    session_id: str
    turn_id: str | None
    directories: tuple[str, ...]
    said: str
    is_now: bool
    is_spare: bool = False


class Taken(Struct, frozen=True):
    """What was written of an entry, and the record as it was before, if there was one."""

    written: Written
    before: Record | None


class Kept(Struct, eq=False):
    """An entry on its way. `path` is None where the journal could not be written.

    The writer thread sets `taken`; `is_void` says that it is not wanted any more.
    """

    entry: Entry
    path: Path | None
    taken: Taken | None = None
    is_void: bool = False


class Hearing(Struct, frozen=True):
    """What a message holds; `said` fingerprints it where it stands: after the one before it."""

    message: Heard
    found: list[Candidate] | Suppress
    said: str

    @property
    def candidates(self) -> list[Candidate]:
        """What may become memories."""
        return [] if isinstance(self.found, Suppress) else self.found


class Capturer:
    """The jobs of capture. The first ones run on the listener thread, the others on the writer."""

    def __init__(self, library: Library, recorder: Recorder, rememberer: Rememberer) -> None:
        self._library = library
        self._recorder = recorder
        self._rememberer = rememberer

    # On the listener thread.

    @staticmethod
    def prepare() -> None:
        """Load the rules: 150 ms that no start, and no answer, should wait for."""
        import memplugin.capture.proposals  # noqa: PLC0415
        import memplugin.capture.rules  # noqa: F401, PLC0415

    def hear(self, message: Heard, before: Sequence[Heard]) -> Hearing | None:
        """Return what a message holds; None for what is no part of a conversation."""
        from memplugin.capture.proposals import is_prompt  # noqa: PLC0415 - see prepare
        from memplugin.capture.rules import candidates  # noqa: PLC0415

        if not message.text.strip() or is_prompt(message.text):
            return None
        return Hearing(message, candidates(message, before), self.said(message, before))

    def said(self, message: Heard, before: Sequence[Heard]) -> str:
        """Return the fingerprint of a message where it stands."""
        previous = before[-1].text if before else ""
        return fingerprint(self._library.forgotten.salt(), f"{previous}\n{message.text}")

    def keep(self, entries: Sequence[Entry]) -> list[Kept]:
        """Put entries into the journal; where that fails they are only in memory."""
        return [Kept(entry, self._journaled(entry)) for entry in entries]

    def _journaled(self, entry: Entry) -> Path | None:
        try:
            return self._library.journal.put(msgspec.json.encode(entry))
        except OSError:
            return None

    # On the writer thread.

    def write(self, kept: Kept, scene: Scene, config: Config, stop: Stop) -> Taken | None:
        """Make a record of an entry, unless it is known or was forgotten; drop the entry.

        Raises what a write raises; then the entry stays.
        """
        if not kept.is_void:
            kept.taken = self._take(kept.entry, scene, config, stop)
        self.drop(kept)
        return kept.taken

    def drop(self, kept: Kept) -> None:
        """Remove an entry from the journal."""
        if kept.path is not None:
            self._library.journal.drop(kept.path)

    def left_over(self, config: Config, stop: Stop) -> list[Written]:
        """Finish what ended processes left in the journal."""
        done: list[Written] = []
        for path, data in self._library.journal.abandoned():
            kept = _read(path, data)
            if kept is None:
                path.unlink(missing_ok=True)
                continue
            entry = kept.entry
            scene = Scene(entry.session_id, entry.turn_id, (entry.session_id,), entry.directories)
            taken = self.write(kept, scene, config, stop)
            if taken is not None:
                done.append(taken.written)
        return done

    def undo(self, kept: Kept, scene: Scene, config: Config, stop: Stop) -> Written | None:
        """Take back what came of an entry: it is not to be remembered (decision 39)."""
        kept.is_void = True
        taken = kept.taken
        if taken is None:
            self.drop(kept)
            return None
        id = taken.written.record.id
        if taken.before is None:
            return self._recorder.delete(id, scene, config, stop)
        before = UpdateRecordRequest(id, blocks(taken.before.content), taken.before.title)
        return self._recorder.update(before, scene, config, stop)

    def _take(self, entry: Entry, scene: Scene, config: Config, stop: Stop) -> Taken | None:
        if not _is_wanted(entry, scene, config) or self._is_forgotten(entry, config, stop):
            return None
        with self._library.lock.acquire(config.lock_timeout_s, stop):
            return self._recorded(entry, scene, config, stop)

    def _recorded(self, entry: Entry, scene: Scene, config: Config, stop: Stop) -> Taken | None:
        draft = _draft(entry, config)
        near = self._rememberer.near(draft, scene, config)
        if any(one.same for one in near):
            return None
        for one in near:
            if supersedes(entry.candidate.content, one.record.text) and self._may_replace(
                one, scene, config
            ):
                request = UpdateRecordRequest(one.record.id, blocks(draft.content), draft.title)
                return Taken(self._recorder.update(request, scene, config, stop), one.record)
        return Taken(self._recorder.record(draft, scene, config, stop), None)

    def _is_forgotten(self, entry: Entry, config: Config, stop: Stop) -> bool:
        """Whether it was forgotten and this is the same transcript again (case 41)."""
        forgotten = self._library.forgotten
        content = fingerprint(forgotten.salt(), entry.candidate.content)
        if forgotten.is_said(entry.said):
            return True
        if not forgotten.is_content(content):
            return False
        if entry.is_now:
            with self._library.lock.acquire(config.lock_timeout_s, stop):
                forgotten.lift(content)
        return not entry.is_now

    def _may_replace(self, known: Match, scene: Scene, config: Config) -> bool:
        """Whether a record may be replaced: it was captured, and no person approved it."""
        if config.ratification is not Ratification.OFF and known.status is RecordStatus.CANONICAL:
            return False
        view = self._library.view(scene, config)
        located = locate(self._library, view, known.record.id, config)
        return located.extra.get("origin", "").startswith(ORIGIN)


def _is_wanted(entry: Entry, scene: Scene, config: Config) -> bool:
    candidate = entry.candidate
    is_placed = candidate.scope is not MemoryScope.PROJECT or len(scene.directories) == 1
    return is_placed and candidate.type in config.types and candidate.scope in config.scopes


def _draft(entry: Entry, config: Config) -> Draft:
    candidate = entry.candidate
    content = (candidate.content,)
    return Draft(
        type=candidate.type,
        scope=candidate.scope,
        title=candidate.title,
        content=content,
        links=links(content),
        provenance=Provenance(entry.session_id, "memplugin", entry.turn_id),
        status=status_of_new(config, autonomous=True),
        extra={"origin": f"{ORIGIN}: {candidate.rule}", "said": entry.said},
    )


def _read(path: Path, data: bytes) -> Kept | None:
    try:
        return Kept(msgspec.json.decode(data, type=Entry), path)
    except msgspec.DecodeError:
        return None
