"""From the provider's own values to those that travel."""

from memplugin.config import Config
from memplugin.protocol.records import MemoryRecord, Record, RecordStatus, blocks, timestamp
from memplugin.protocol.requests import RecordAnswer, RecordResult
from memplugin.service.finding import status_in_force
from memplugin.service.recording import Written


def answer(written: Written, config: Config) -> RecordAnswer:
    """Return what a write is answered with."""
    record = written.record
    return RecordAnswer(RecordResult(record.id, shown_status(record, config)))


def shown_status(record: Record, config: Config) -> RecordStatus:
    """Return the status a kernel is told."""
    return status_in_force(record, config) or record.status


def on_wire(
    record: Record,
    status: RecordStatus,
    *,
    tokens: int | None = None,
    score: float | None = None,
) -> MemoryRecord:
    """Return a record as it travels; `tokens` and `score` None: left out."""
    return MemoryRecord(
        id=record.id,
        type=record.type,
        scope=record.scope,
        title=record.title,
        content=blocks(record.content),
        status=status,
        links=list(record.links),
        created_at=timestamp(record.created_at),
        updated_at=timestamp(record.updated_at),
        provenance=record.provenance,
        tokens=tokens,
        relevance_score=score,
    )
