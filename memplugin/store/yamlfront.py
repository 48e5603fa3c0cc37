"""Front matter that is more than one `key: value` a line: read from PyYAML's event stream.

Events construct nothing, expand nothing and do not recurse; anchors, aliases and merge keys are
refused. Only strings and lists of strings count; deeper values are kept in the file, unread.
"""

from collections.abc import Iterator

import yaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    StreamStartEvent,
)

from memplugin.store.front import NULLS, Read, Unreadable, Value

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's where it was built in


def read(text: str) -> Read:
    """Return the values of a mapping, and the lines each key takes; raises Unreadable.

    A key without lines shares them with another: it cannot be replaced alone.
    """
    try:
        return _mapping(_checked(yaml.parse(text, Loader=_LOADER)))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" in line {mark.line + 2}" if mark else ""
        raise Unreadable(f"front matter is not valid YAML{place}") from None


def _checked(events: Iterator[Event]) -> Iterator[Event]:
    for event in events:
        if isinstance(event, AliasEvent) or (isinstance(event, NodeEvent) and event.anchor):
            raise Unreadable("front matter with anchors or aliases")
        if not isinstance(event, StreamStartEvent | DocumentStartEvent):
            yield event


def _mapping(events: Iterator[Event]) -> Read:
    values: dict[str, Value] = {}
    spans: dict[str, tuple[int, int]] = {}
    top = next(events)
    if not isinstance(top, MappingStartEvent):
        if isinstance(top, NodeEvent):
            raise Unreadable("front matter is no list of keys and values")
        return values, spans  # comments only
    free = 0  # the first line that no key has taken
    for event in events:
        if isinstance(event, MappingEndEvent):
            break
        if not isinstance(event, ScalarEvent):
            raise Unreadable("a key of the front matter is no plain word")
        if event.value in values:
            raise Unreadable("a key stands twice in the front matter")
        first = _start(event)
        values[event.value], end = _value(events)
        if first >= free and not top.flow_style:
            spans[event.value] = (first, max(end, first + 1))
        free = max(end, first + 1)
    return values, spans


def _value(events: Iterator[Event]) -> tuple[Value, int]:
    """Read one value; return it and one past its last line."""
    event = next(events)
    if isinstance(event, ScalarEvent):
        return _scalar(event), _end(event)
    flat = not isinstance(event, MappingStartEvent)
    texts: list[str] = []
    depth, end = 1, _end(event)
    while depth:
        event = next(events)
        if isinstance(event, CollectionEndEvent):
            depth -= 1
            continue
        end = max(end, _end(event))
        if isinstance(event, CollectionStartEvent):
            depth, flat = depth + 1, False
        elif isinstance(event, ScalarEvent) and (text := _scalar(event)) is not None:
            texts.append(text)
    return tuple(texts) if flat else None, end


def _scalar(event: ScalarEvent) -> str | None:
    plain = event.implicit[0]
    return None if plain and event.value in NULLS else str(event.value)


def _start(event: Event) -> int:
    assert event.start_mark is not None  # only events made by hand have none
    return int(event.start_mark.line)


def _end(event: Event) -> int:
    mark = event.end_mark
    assert mark is not None
    return int(mark.line) + (1 if mark.column else 0)
