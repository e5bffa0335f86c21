"""A run as a Chrome trace, which ui.perfetto.dev and chrome://tracing open.

Rule 1: a batch is a process, a call is a thread, a phase is a slice; what has no length (a barrier
opens, a call ends) is an instant. Times are microseconds.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from callgate.diagrams.runs.timeline import ending
from callgate.diagrams.runs.wording import one_line, summary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callgate.diagrams.runs.story import Life, Story


def perfetto(story: Story) -> str:
    """Write the trace of a run as JSON."""
    events = [event for part in (_batches(story), _calls(story)) for event in part]
    trace = {"displayTimeUnit": "ms", "traceEvents": events}
    return json.dumps(trace, indent=1) + "\n"


def _batches(story: Story) -> Iterator[dict[str, Any]]:
    for place, chapter in enumerate(story.chapters, 1):
        yield _meta("process_name", place, 0, name=f"batch {one_line(chapter.batch_id)}")
        yield _meta("process_sort_index", place, 0, sort_index=place)
        for opening in chapter.openings:
            name = f"the barrier of wave {opening.wave + 1} opens"
            yield _instant(name, "p", place, 0, _since(story, opening.at_ms), wave=opening.wave + 1)
        if chapter.rejected:
            at = _since(story, chapter.submitted_ms)
            yield _instant("rejected", "p", place, 0, at, reason=one_line(chapter.rejected))


def _calls(story: Story) -> Iterator[dict[str, Any]]:
    for life in story.lives:
        place = life.batch + 1
        label = f"{one_line(life.request.call_id, 24)} {summary(life.request)}"
        yield _meta("thread_name", place, life.serial, name=label)
        yield _meta("thread_sort_index", place, life.serial, sort_index=life.serial)
        yield from _slices(story, life, place)
        if life.ended and life.record is not None:
            at = _since(story, life.end_ms)
            why = {"why": ending(life)} if ending(life) else {}
            yield _instant(life.record.status.value, "t", place, life.serial, at, **why)


def _slices(story: Story, life: Life, place: int) -> Iterator[dict[str, Any]]:
    for span in life.spans:
        yield {
            "ph": "X",
            "name": span.phase.value,
            "cat": "callgate",
            "pid": place,
            "tid": life.serial,
            "ts": _since(story, span.start_ms),
            "dur": (span.end_ms - span.start_ms) * 1_000,
            "args": {"attempt": span.attempt} if span.attempt else {},
        }


def _since(story: Story, at_ms: int) -> int:
    return (at_ms - story.start_ms) * 1_000


def _meta(what: str, pid: int, tid: int, **args: Any) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "ts": 0, "args": args}


def _instant(name: str, scope: str, pid: int, tid: int, ts: int, **args: Any) -> dict[str, Any]:
    place = {"pid": pid, "tid": tid, "ts": ts}
    return {"ph": "i", "name": name, "cat": "callgate", "s": scope, **place, "args": args}
