"""What a report knows of a run: plain data for the page's script, and nothing that it must guess.

Rule 1: one entry an event, with what followed and which calls changed; the page finds the state of
any call at any event by search, so the data grows with the run and never with its square.
Rule 2: what is too long is cut here, and says so where it was cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from callgate.diagrams.runs.story import Phase
from callgate.diagrams.runs.telling import tell
from callgate.diagrams.runs.timeline import ending
from callgate.diagrams.runs.wording import one_line, summary
from callgate.journal.codec import encode, render
from callgate.journal.record import replay
from callgate.kernel.calls import AwaitingApproval, Executing
from callgate.kernel.effects import BatchAdmitted, Moved, Order, RejectBatch
from callgate.kernel.events import BatchSubmitted
from callgate.kernel.values import Phase as Wait

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callgate.diagrams.runs.story import Chapter, Life, Story
    from callgate.journal.record import Moment, Record
    from callgate.kernel.calls import Call

TEXT_MAX: Final = 4_000
"Characters of one text that the page shows."
ITEMS_MAX: Final = 500
"Items of one list or object that the page shows."
_ORDERS: Final = tuple(kind.__name__ for kind in Order.__args__)


def report_data(record: Record, title: str) -> dict[str, Any]:
    """Everything that the page shows, as JSON data."""
    story = tell(record)
    changes = _Changes(story)
    return {
        "title": one_line(title),
        "torn": story.torn,
        "byEvent": story.by_event,
        "startMs": story.start_ms,
        "endMs": story.end_ms,
        "phases": [phase.value for phase in Phase],
        "orders": list(_ORDERS),
        "batches": [_batch(chapter) for chapter in story.chapters],
        "calls": [_call(life) for life in story.lives],
        "events": [
            _event(moment, position if story.by_event else _since(moment, story), changes)
            for position, moment in enumerate(replay(record))
        ],
    }


def _batch(chapter: Chapter) -> dict[str, Any]:
    openings = [[opening.at_ms, opening.wave] for opening in chapter.openings]
    return {
        "id": chapter.batch_id,
        "openings": openings,
        "rejected": chapter.rejected,
    }


def _call(life: Life) -> dict[str, Any]:
    phases = list(Phase)
    spans = [[phases.index(s.phase), s.start_ms, s.end_ms, s.attempt] for s in life.spans]
    return {
        "serial": life.serial,
        "id": life.request.call_id,
        "about": summary(life.request, 120),
        "batch": life.batch,
        "spans": spans,
        "end": life.record.status.value if life.ended and life.record else "",
        "endMs": life.end_ms,
        "why": ending(life),
    }


def _since(moment: Moment, story: Story) -> int:
    return moment.step.state.now_ms - story.start_ms


def _event(moment: Moment, at_ms: int, changes: _Changes) -> dict[str, Any]:
    ((name, fields),) = encode(moment.event).items()
    return {
        "type": name,
        "at": at_ms,
        "fields": cut(fields),
        "effects": [cut(render(effect)) for effect in moment.step.effects],
        "now": [[serial, state] for serial, state in changes.of(moment).items()],
    }


class _Changes:
    """The calls that an event concerned, each with the state that it left them in."""

    def __init__(self, story: Story) -> None:
        self.submitted = iter(story.chapters)
        self.chapters: dict[str, Chapter] = {}

    def of(self, moment: Moment) -> dict[int, str]:
        """Ask once for each moment, in order."""
        now: dict[int, str] = {}
        if isinstance(moment.event, BatchSubmitted):
            self.chapters[moment.event.batch_id] = chapter = next(self.submitted)
            now.update(dict.fromkeys(_serials(chapter), "queued"))
        for effect in moment.step.effects:
            if isinstance(effect, BatchAdmitted):
                now.update({call.facts.serial: _state(call) for call in effect.calls})
            elif isinstance(effect, Moved):
                now[effect.call] = _state(effect.record)
            elif isinstance(effect, RejectBatch):
                now.update(dict.fromkeys(_serials(self.chapters[effect.batch_id]), "rejected"))
        now.update(_touched(moment))
        return now


def _serials(chapter: Chapter) -> range:
    return range(chapter.first, chapter.first + chapter.size if chapter.first else 0)


def _touched(moment: Moment) -> Iterator[tuple[int, str]]:
    """A call may be in another state without a change of its status."""
    batch = moment.step.state.batch
    for each in (moment.event, *moment.step.effects) if batch is not None else ():
        serial = getattr(each, "call", None)
        position = serial - batch.outline.first if type(serial) is int else -1  # type: ignore[union-attr]
        if 0 <= position < len(batch.calls):  # type: ignore[union-attr]
            call = batch.calls[position]  # type: ignore[union-attr]
            yield call.facts.serial, _state(call)


def _state(call: Call) -> str:
    words = call.status.value.replace("_", " ")
    if isinstance(call, AwaitingApproval) and call.phase is not Wait.ASKING:
        return f"{words}, {call.phase.value}"
    if isinstance(call, Executing) and call.stop is not None:
        return f"{words}, stopping"
    return words


def cut(value: Any) -> Any:
    """The value, with what is too long cut short.

    >>> cut({"a": ["x" * 5_000]})["a"][0][-33:]
    'x… (cut: 4000 of 5000 characters)'
    """
    if isinstance(value, str):
        if len(value) <= TEXT_MAX:
            return value
        return f"{value[:TEXT_MAX]}… (cut: {TEXT_MAX} of {len(value)} characters)"
    if isinstance(value, list):
        rest = len(value) - ITEMS_MAX
        items = [cut(item) for item in value[:ITEMS_MAX]]
        return [*items, f"… (cut: {rest} more)"] if rest > 0 else items
    if isinstance(value, dict):
        rest = len(value) - ITEMS_MAX
        pairs = {cut(key): cut(item) for key, item in list(value.items())[:ITEMS_MAX]}
        return {**pairs, "…": f"(cut: {rest} more)"} if rest > 0 else pairs
    return value
