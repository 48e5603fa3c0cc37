"""What writes that never ended left in this user's own folders is removed (design decision 3)."""

from itertools import chain

from memplugin.store.disk import sweep
from memplugin.store.places import Places


def sweep_places(places: Places) -> int:
    """Remove the leftovers in state, journal and private record folders; return how many.

    Not in a project's own folder, which may be anywhere: that is swept when it is written to.
    """
    state, data = places.state, places.data
    folders = chain(
        (state, state / "roots", state / "journal", data),
        (state / "sessions").glob("*"),
        (data / "projects").glob("*"),
    )
    return sum(map(sweep, folders))
