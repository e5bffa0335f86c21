"""Reading a story off a replay.

Rule 1: each event costs what it touches: calls are found by the effects that name them, and never
scanned, except once where a barrier opens.
Rule 2: time is the kernel's (`now_ms`), which never goes backwards; a run that took no time at all
(a scenario, a vector) is told by the positions of its events, so that its order can be seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from attrs import evolve

from callgate.diagrams.runs.story import Chapter, Life, Opening, Phase, Span, Story
from callgate.journal.record import Moment, Record, replay
from callgate.kernel.calls import AwaitingApproval, Call, Executing, Scheduled, Validating
from callgate.kernel.effects import BatchAdmitted, Deliver, Moved, RejectBatch
from callgate.kernel.events import BatchSubmitted
from callgate.kernel.state import initial
from callgate.kernel.values import Phase as Wait

if TYPE_CHECKING:
    from callgate.kernel.state import Batch, KernelState
    from callgate.kernel.values import Request

_BY_WAIT: Final = {
    Wait.ASKING: Phase.PERSON,
    Wait.EDITING: Phase.PERSON,
    Wait.TELLING: Phase.VALIDATING,
    Wait.RECHECKING: Phase.VALIDATING,
}
_KEPT: Final = (Phase.EXECUTING,)
"What leaves a trace even if it took no time: a tool ran."


class _Open:
    """A life that is still being told."""

    def __init__(self, serial: int, request: Request, batch: int) -> None:
        self.serial, self.request, self.batch = serial, request, batch
        self.spans: list[Span] = []
        self.record: Call | None = None
        self.now: Span | None = None
        self.end_ms = 0
        self.ended = False

    def enter(self, phase: Phase, at_ms: int, event: int, attempt: int) -> None:
        """From now on it does this; what took no time and was no attempt leaves no trace."""
        now = self.now
        if self.ended or (now is not None and now.phase is phase and now.attempt == attempt):
            return
        self.close(at_ms)
        self.now = Span(phase=phase, start_ms=at_ms, end_ms=at_ms, event=event, attempt=attempt)

    def close(self, at_ms: int) -> None:
        """What it was doing is over."""
        if self.now is not None and (at_ms > self.now.start_ms or self.now.phase in _KEPT):
            self.spans.append(evolve(self.now, end_ms=at_ms))
        self.now, self.end_ms = None, at_ms

    def end(self, at_ms: int) -> None:
        """It is over."""
        if not self.ended:
            self.close(at_ms)
            self.ended = True

    def told(self, now_ms: int) -> Life:
        """The finished value; what still goes on goes on until now."""
        if not self.ended:
            self.close(now_ms)
        return Life(
            serial=self.serial,
            request=self.request,
            batch=self.batch,
            spans=tuple(self.spans),
            record=self.record,
            end_ms=self.end_ms,
            ended=self.ended,
        )


class _Teller:
    """Listens to a replay, one moment after the other."""

    def __init__(self, before: KernelState, *, by_event: bool) -> None:
        self.state = before
        self.by_event = by_event
        self.lives: dict[int, _Open] = {}
        self.chapters: list[Chapter] = []
        self.places: dict[str, int] = {}
        self.edges: dict[str, int] = {}
        self.visits: dict[str, int] = {}
        self.position = -1

    @property
    def now(self) -> int:
        """The kernel's time, or, where the run took none, the position of the event."""
        return self.position if self.by_event else self.state.now_ms

    def hear(self, moment: Moment) -> None:
        """Take in one event and what it led to."""
        before, self.state = self.state, moment.step.state
        self.position += 1
        for edge in moment.edges:
            self.edges[edge.name] = self.edges.get(edge.name, 0) + 1
        if isinstance(moment.event, BatchSubmitted):
            self._submitted(moment.event, before)
        touched = [getattr(moment.event, "call", None)]
        for effect in moment.step.effects:
            self._said(effect)
            touched.append(getattr(effect, "call", None))
        batch = self.state.batch
        if batch is not None:
            self._opened(batch, before.batch)
            for serial in touched:
                self._look(serial, batch)

    def story(self, record: Record) -> Story:
        """What was heard, as a value."""
        now_ms = self.now
        lives = tuple(life.told(now_ms) for life in self.lives.values())
        # Late news that changed nothing does not stretch the picture.
        ends = [chapter.delivered_ms or chapter.submitted_ms for chapter in self.chapters]
        ends += [life.end_ms for life in lives]
        return Story(
            title=record.source,
            lives=lives,
            chapters=tuple(self.chapters),
            start_ms=self.chapters[0].submitted_ms if self.chapters else now_ms,
            end_ms=max(ends, default=now_ms),
            edges=tuple(self.edges.items()),
            visits=tuple(self.visits.items()),
            by_event=self.by_event,
            torn=bool(record.torn),
        )

    # --- batches ----------------------------------------------------------------------------------

    def _submitted(self, event: BatchSubmitted, before: KernelState) -> None:
        now_ms, got_serials = self.now, self.state.next_serial > before.next_serial
        first = before.next_serial if got_serials else 0
        self.places[event.batch_id] = place = len(self.chapters)
        self.chapters.append(
            Chapter(
                batch_id=event.batch_id,
                first=first,
                size=len(event.requests),
                submitted_ms=now_ms,
            )
        )
        for serial, request in enumerate(event.requests if first else (), first):
            self.lives[serial] = life = _Open(serial, request, place)
            life.enter(Phase.TURN, now_ms, self.position, 0)

    def _said(self, effect: Any) -> None:
        now_ms = self.now
        if isinstance(effect, Moved):
            self._entered(effect.record)
        elif isinstance(effect, BatchAdmitted):
            self._change(effect.batch_id, admitted_ms=now_ms)
            for record in effect.calls:
                self._entered(record)
        elif isinstance(effect, Deliver):
            self._change(effect.batch_id, delivered_ms=now_ms)
        elif isinstance(effect, RejectBatch):
            self._rejected(effect)

    def _rejected(self, effect: RejectBatch) -> None:
        chapter = self._change(effect.batch_id, rejected=effect.reason)
        for serial in range(chapter.first, chapter.first + chapter.size if chapter.first else 0):
            self.lives[serial].end(self.now)

    def _change(self, batch_id: str, **fields: Any) -> Chapter:
        place = self.places[batch_id]
        self.chapters[place] = chapter = evolve(self.chapters[place], **fields)
        return chapter

    def _opened(self, batch: Batch, before: Batch | None) -> None:
        same = (
            before is not None
            and before.outline.first == batch.outline.first
            and before.wave == batch.wave
            and before.is_open
        )
        if same or not batch.is_open:
            return
        now_ms, outline = self.now, batch.outline
        openings = self.chapters[self.places[outline.batch_id]].openings
        opening = Opening(at_ms=now_ms, wave=batch.wave, event=self.position)
        self._change(outline.batch_id, openings=(*openings, opening))
        start = outline.ends[batch.wave - 1] if batch.wave else 0
        for at in range(start, outline.ends[batch.wave]):
            if type(batch.calls[at]) is Scheduled:
                self.lives[outline.first + at].enter(Phase.TURN, now_ms, self.position, 0)

    def _entered(self, record: Call) -> None:
        """A call came into another state."""
        state = record.status.value
        self.visits[state] = self.visits.get(state, 0) + 1
        self._moved(record)

    # --- calls ------------------------------------------------------------------------------------

    def _moved(self, record: Call) -> None:
        life = self.lives[record.facts.serial]
        life.record = record
        if record.status.is_final:
            life.end(self.now)
        else:
            attempt = record.attempt if type(record) is Executing else 0
            life.enter(self._phase(record), self.now, self.position, attempt)

    def _look(self, serial: Any, batch: Batch) -> None:
        """A call may do something else without a change of its status."""
        position = serial - batch.outline.first if type(serial) is int else -1
        if 0 <= position < len(batch.calls):
            self._moved(batch.calls[position])

    def _phase(self, record: Call) -> Phase:
        match record:
            case Validating(asked_epoch=asked):
                return Phase.TURN if asked is None else Phase.VALIDATING
            case AwaitingApproval(phase=wait):
                return _BY_WAIT[wait]
            case Executing(stop=stop):
                return Phase.EXECUTING if stop is None else Phase.STOPPING
            case Scheduled(attempt=attempt, facts=facts):
                return Phase.TURN if attempt or self._is_open(facts.serial) else Phase.BARRIER
            case _:
                return Phase.TURN

    def _is_open(self, serial: int) -> bool:
        batch = self.state.batch
        return batch is not None and batch.is_open and serial >= batch.outline.first


def tell(record: Record) -> Story:
    """Replay a run and tell it.

    >>> from callgate import BatchSubmitted, Request
    >>> story = tell(Record(events=[
    ...     BatchSubmitted(batch_id="b1", requests=[Request("c1", "ls")], at_ms=5)]))
    >>> story.start_ms, [life.request.call_id for life in story.lives]
    (5, ['c1'])
    """
    story = _told(record, by_event=False)
    if story.end_ms > story.start_ms or len(record.events) < 2:
        return story
    return _told(record, by_event=True)


def _told(record: Record, *, by_event: bool) -> Story:
    teller = _Teller(initial(record.config), by_event=by_event)
    for moment in replay(record):
        teller.hear(moment)
    return teller.story(record)
