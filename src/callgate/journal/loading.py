"""Whatever tells a run, as a record: a record itself, or a conformance vector.

Rule 1: what a file is, it says itself: a record begins with its header, a vector is one JSON object
with `spec` and `steps`. Names of files mean nothing.
Rule 2: the steps of a vector that a kernel must refuse have not happened: they are left out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from callgate.journal.record import (
    FORMAT,
    Record,
    RecordError,
    loads,
    parse_line,
    read_config,
    read_event,
)

SPEC: Final = "0.1"


def load(path: str | Path) -> Record:
    """Read a run from a file, whichever of the two it is."""
    source = Path(path)
    return load_bytes(source.read_bytes(), str(path))


def load_bytes(raw: bytes, source: str) -> Record:
    """Read a run from the bytes of a file.

    >>> raw = b'{"spec": "0.1", "steps": [{"event": {"TimePassed": {"at_ms": 1}}, "effects": []}]}'
    >>> load_bytes(raw, "x.json").events
    (TimePassed(at_ms=1),)
    """
    if is_record(raw):
        return loads(raw, source)
    found = document(raw, source)
    if not isinstance(found, dict) or "spec" not in found or "steps" not in found:
        raise RecordError(
            f"{source}:1: this tells no run (allowed: a record, whose first line holds"
            f' "format": "{FORMAT}", or a vector, an object with "spec" and "steps")'
        )
    return _vector(found, source)


def is_record(raw: bytes) -> bool:
    """Does it begin with the header of a record?"""
    first, _, _ = raw.partition(b"\n")
    return first.lstrip().startswith(b"{") and b'"format"' in first and FORMAT.encode() in first


def document(raw: bytes, source: str) -> Any:
    """The one JSON value that a file holds."""
    return parse_line(raw, f"{source}:1")


def _vector(vector: dict[str, Any], source: str) -> Record:
    if vector["spec"] != SPEC:
        raise RecordError(f"{source}: spec is {vector['spec']!r:.40} (allowed: {SPEC!r})")
    steps = vector["steps"]
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise RecordError(f"{source}: steps is no list of objects")
    numbered = [(number, step) for number, step in enumerate(steps) if "error" not in step]
    events = [
        read_event(step.get("event"), f"{source}: steps[{number}]") for number, step in numbered
    ]
    config = read_config(vector.get("config", {}), source)
    return Record(config, events, source, tuple(number for number, _ in numbered))
