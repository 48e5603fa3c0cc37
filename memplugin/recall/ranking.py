"""How relevant a record is: one pure function of named features, one table of weights.

    met       = lexical, semantic or files, whichever speaks for it
    relevance = (met, and of what is left a share for what stands around it) × kept(recency)

What the question asks for must be met by words, by meaning or by a file that is touched. What
stands around a record can only add to that, and age only take away (R4), so that nothing is
recalled for its company or for being new alone (R9).
"""

from collections.abc import Collection, Iterable
from datetime import datetime

from msgspec import Struct

from memplugin.protocol.records import MemoryType, Record

FLOOR = 0.2
"""Records below it are not relevant (R9)."""

MET_FLOOR = 0.1
"""Records that meet less of the question are not relevant, whatever stands around them (R9)."""

STAYS_BELOW_FLOOR = 0.1
"""How far below the floors a record may sink that the session already has (R8)."""

SESSION_WEIGHT = 0.4  # the best of a session, beside the nearest ones
COMPANY_AT_MOST = 0.95  # what stands around a record never makes it certain

HALF_LIFE_DAYS = {
    MemoryType.PROJECT: 30.0,  # ongoing work: the protocol has it decay fastest
    MemoryType.REFERENCE: 365.0,
    MemoryType.FEEDBACK: 730.0,
    MemoryType.USER: 730.0,
}
RECENCY_SHARE = 0.3  # of the relevance, what the oldest record loses
FILES_WEIGHT = 0.7  # a record that names a touched file is relevant by that alone


class Features(Struct, frozen=True):
    """What speaks for a record, each in [0, 1]."""

    lexical: float = 0.0
    semantic: float = 0.0
    files: float = 0.0
    recency: float = 1.0
    neighbours: float = 0.0
    session: float = 0.0


class Evidence(Struct, frozen=True):
    """A record, what speaks for it, and the words it shares with the question."""

    record: Record
    features: Features
    words: tuple[str, ...] = ()


def met(features: Features) -> float:
    """Return how much of the question a record meets by itself, in [0, 1]."""
    return 1 - (
        (1 - features.lexical) * (1 - features.semantic) * (1 - FILES_WEIGHT * features.files)
    )


def relevance(features: Features) -> float:
    """Return the relevance in [0, 1]; never less when a feature is more."""
    own = met(features)
    if not own:
        return 0.0
    company = min(COMPANY_AT_MOST, features.neighbours + SESSION_WEIGHT * features.session)
    whole = own + (1 - own) * company
    return whole * (1 - RECENCY_SHARE * (1 - features.recency))


def recency(record: Record, today: datetime) -> float:
    """Return how fresh a record is in (0, 1]; whole days, which keeps a day steady (R8)."""
    age_days = max(0, (today - record.updated_at).days)
    return float(0.5 ** (age_days / HALF_LIFE_DAYS[record.type]))


def mentions(record: Record, files: tuple[str, ...]) -> float:
    """Return how surely a record speaks of one of these files: its path 1, its name 0.7."""
    if not files:
        return 0.0
    text = f"{record.title}\n{record.text}".casefold()
    best = 0.0
    for file in files:
        path = file.replace("\\", "/").casefold().strip("/")
        name = path.rsplit("/", 1)[-1]
        if path and "/" in path and path in text:
            return 1.0
        if name and name in text:
            best = 1.0 if path == name else 0.7
    return best


def rank(
    evidence: Iterable[Evidence], staying: Collection[str] = ()
) -> list[tuple[float, Evidence]]:
    """Return the relevant ones with their relevance, best first (R7: newest first, then id).

    Those `staying`, named by id, may sink a little below the floors before they go (R8).
    """
    scored = [(round(relevance(one.features), 4), one) for one in evidence]
    return sorted((pair for pair in scored if _is_relevant(*pair, staying)), key=_order)


def _is_relevant(score: float, one: Evidence, staying: Collection[str]) -> bool:
    allowed = STAYS_BELOW_FLOOR if one.record.id in staying else 0.0
    return score >= FLOOR - allowed and met(one.features) >= MET_FLOOR - allowed


def _order(pair: tuple[float, Evidence]) -> tuple[float, float, str]:
    score, one = pair
    return -score, -one.record.updated_at.timestamp(), one.record.id
