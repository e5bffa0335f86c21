"""The record of a run: its config and every event, one line each, as JSON Lines.

Rule 1: events are the whole truth. States, effects and pictures are found by replay, never stored,
so a record cannot contradict itself.
Rule 2: reading is strict: damage is an error that says FILE:LINE. One kind is none: a last line
that a kill cut short is left out, and `Record.torn` says so.
Rule 3: ASCII only, one line per event, whatever the texts hold: the same run gives the same bytes.

    {"format": "callgate.record", "version": 1, "config": {"max_parallel": 2}}
    {"BatchSubmitted": {"batch_id": "b1", "requests": [...], "at_ms": 0}}
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from attrs import field, frozen

from callgate.journal.checking import EVENT_NAMES, check_fields
from callgate.journal.codec import decode_config, decode_event, encode
from callgate.kernel.config import Config
from callgate.kernel.errors import KernelError
from callgate.kernel.events import Event
from callgate.kernel.state import initial
from callgate.kernel.step import Step, trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from callgate.kernel.table import Edge

FORMAT: Final = "callgate.record"
VERSION: Final = 1
_HEADER_KEYS: Final = {"format", "version", "config"}


class RecordError(ValueError):
    """A record that cannot be read, or that no kernel can have written: where, what, and why."""


def _events(events: Iterable[Event]) -> tuple[Event, ...]:
    return tuple(events)


@final
@frozen
class Record:
    """What happened in one run: enough to replay it, draw it and tell it.

    >>> Record().events
    ()
    """

    config: Config = field(factory=Config)
    events: tuple[Event, ...] = field(default=(), converter=_events)
    source: str = field(default="record", eq=False)
    "Where it came from, for error texts and titles."
    lines: tuple[int, ...] = field(default=(), eq=False)
    "The line (or step) of each event in its source."
    torn: str = field(default="", eq=False)
    "What is left of a last line that was cut short; empty: nothing was."

    def place(self, position: int) -> str:
        """Where an event stands, as FILE:LINE."""
        line = self.lines[position] if position < len(self.lines) else position + 1
        return f"{self.source}:{line}"


class Moment(NamedTuple):
    """One event of a run, and what it led to."""

    event: Event
    step: Step
    edges: tuple[Edge, ...]
    "The transitions that calls took, in order."


def replay(record: Record) -> Iterator[Moment]:
    """Take every step of a run again, one at a time.

    Raises:
        RecordError: the kernel refuses an event, so no kernel has ever taken it.

    >>> from callgate import TimePassed
    >>> [moment.step.state.now_ms for moment in replay(Record(events=[TimePassed(at_ms=7)]))]
    [7]
    """
    state = initial(record.config)
    for position, event in enumerate(record.events):
        try:
            taken, edges = trace(state, event)
        except KernelError as refused:
            raise RecordError(
                f"{record.place(position)}: the kernel refuses this event: {refused}"
            ) from refused
        state = taken.state
        yield Moment(event, taken, edges)


# --- out ------------------------------------------------------------------------------------------


def header_line(config: Config) -> str:
    """The first line of a record.

    >>> header_line(Config(max_parallel=2)).rstrip()
    '{"format":"callgate.record","version":1,"config":{"max_parallel":2}}'
    """
    return _line({"format": FORMAT, "version": VERSION, "config": encode(config)["Config"]})


def event_line(event: Event) -> str:
    """The line of one event.

    >>> from callgate import TimePassed
    >>> event_line(TimePassed(at_ms=7)).rstrip()
    '{"TimePassed":{"at_ms":7}}'
    """
    return _line(encode(event))


def dumps(record: Record) -> str:
    """A whole record as text."""
    return header_line(record.config) + "".join(map(event_line, record.events))


def _line(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False) + "\n"


# --- in -------------------------------------------------------------------------------------------


def read(path: str | Path) -> Record:
    """Read the record in a file."""
    return loads(Path(path).read_bytes(), source=str(path))


def loads(text: str | bytes, source: str = "record") -> Record:
    """Read a record from its text.

    Raises:
        RecordError: it is damaged, and not only cut short in its last line.

    >>> record = loads(header_line(Config()) + '{"TimePassed": {"at_ms": 7}}' + chr(10) + '{"Time')
    >>> record.events, record.torn
    ((TimePassed(at_ms=7),), '{"Time')
    """
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    *whole, rest = raw.split(b"\n")
    lines = [*whole, rest] if rest else whole
    if not lines:
        raise RecordError(f"{source}:1: nothing stands here (allowed: a record, begun by a header)")
    config = _config(parse_line(lines[0], f"{source}:1"), f"{source}:1")
    events: list[Event] = []
    torn = ""
    for number, line in enumerate(lines[1:], 2):
        try:
            where = f"{source}:{number}"
            events.append(read_event(parse_line(line, where), where))
        except RecordError:
            # Only what a kill left may be forgiven: the last line, and never ended.
            if number < len(lines) or not rest or _is_json(rest):
                raise
            torn = rest.decode("utf-8", "replace")
    numbers = range(2, 2 + len(events))
    return Record(config, events, source, tuple(numbers), torn)


def parse_line(line: bytes, where: str) -> Any:
    """One line of JSON, and nothing but JSON."""
    try:
        return json.loads(line, parse_constant=_refuse, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as wrong:
        shown = line[:60].decode("utf-8", "replace")
        raise RecordError(f"{where}: {shown!r} is no line of JSON: {wrong}") from wrong


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands there twice")
    return found


def _config(header: Any, where: str) -> Config:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise RecordError(
            f'{where}: no header of a record (allowed: {{"format": "{FORMAT}", ...}})'
        )
    if header.get("version") != VERSION:
        version = header.get("version")
        raise RecordError(f"{where}: the version is {version!r:.40} (allowed: {VERSION})")
    if header.keys() != _HEADER_KEYS or not isinstance(header["config"], dict):
        keys = ", ".join(map(repr, header))
        raise RecordError(f"{where}: the header holds {keys} (allowed: format, version, config)")
    return read_config(header["config"], where)


def read_config(fields: dict[str, Any], where: str) -> Config:
    """A config from its fields, or an error that says where they stand."""
    try:
        return decode_config(fields)
    except (TypeError, ValueError, KeyError, AttributeError) as wrong:
        raise RecordError(f"{where}: the config cannot be built: {wrong}") from wrong


def read_event(tagged: Any, where: str) -> Event:
    """An event from its JSON, or an error that says where it stands."""
    if not isinstance(tagged, dict) or len(tagged) != 1 or next(iter(tagged)) not in EVENT_NAMES:
        raise RecordError(
            f"{where}: {tagged!r:.60} is no event (allowed: one key, of {', '.join(EVENT_NAMES)})"
        )
    try:
        event = decode_event(tagged)
        check_fields(event)
    except (TypeError, ValueError, KeyError, AttributeError, KernelError) as wrong:
        raise RecordError(f"{where}: the event cannot be built: {wrong}") from wrong
    return event
