"""Everything that works on one set of places: made when first needed, made anew when they change.

Finding the places can fail (W11), and the setting `directory` can move them; a call keeps the
desk it began with.
"""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from memplugin.config import Config
from memplugin.index.counts import Counts
from memplugin.kernel import Kernel
from memplugin.service.capturing import Capturer
from memplugin.service.counting import Counter
from memplugin.service.library import Library, Report
from memplugin.service.listing import Lister
from memplugin.service.recall import Recaller
from memplugin.service.recording import Recorder
from memplugin.service.remembering import Rememberer
from memplugin.service.searching import Searcher
from memplugin.service.workers import Workers
from memplugin.store.places import find_places


class Surroundings:
    """What the outside gives: time, ids, the folder we were started in, where reports go."""

    def __init__(
        self,
        *,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
        own_directory: Callable[[], Path],
        keep_counts: bool = True,
    ) -> None:
        """`clock` gives aware UTC in whole milliseconds; `keep_counts` False: decision 25."""
        self.clock = clock
        self.new_id = new_id
        self.own_directory = own_directory
        self.keep_counts = keep_counts


class Desk:
    """The library and those who work on it."""

    def __init__(
        self,
        config: Config,
        workers: Workers,
        kernel: Kernel,
        surroundings: Surroundings,
        report: Callable[[Report], None],
    ) -> None:
        """Raise source_unavailable where no place can be found (W11)."""
        places = find_places(Path(config.directory) if config.directory else None)
        self._workers = workers
        self.counts = Counts(places.cache) if surroundings.keep_counts else None
        self.library = Library(places, report=report)
        self.recorder = Recorder(self.library, surroundings.clock, surroundings.new_id)
        self.lister = Lister(self.library)
        self.searcher = Searcher(self.library, surroundings.clock, report)
        self.rememberer = Rememberer(self.library, self.recorder, self.searcher)
        self.capturer = Capturer(self.library, self.recorder, self.rememberer)
        self.counter = Counter(workers, kernel, self.counts)
        self.recaller = Recaller(workers, self.searcher, self.counter)

    def close(self) -> None:
        """Close what the worker threads have open."""
        self._workers.on_both(self.library.close_mine)
        self._workers.on_listener(self.library.journal.close)
        if self.counts is not None:
            self._workers.on_reader(self.counts.close)
