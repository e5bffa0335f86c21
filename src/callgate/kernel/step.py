"""The kernel is one function: a state and a fact go in, a state and orders come out.

Rule 1: pure. No clock, no random numbers, no logging, no I/O, no globals that change.
Rule 2: time first. Every event acts as `TimePassed(at_ms)` before it is itself, so what arrives at
or after a deadline is late; time that goes backwards counts as the latest time seen.
Rule 3: all or nothing. A rejected event raises and leaves no trace.

Theory of operation. `step` takes the state apart (`workspace.py`), lets the deadlines that have
come act, hands the event to whom it concerns (a batch arriving: `submission.py`; a cancellation:
`cancellation.py`; news of a call: that call's machine, by the table), and then lets the coordinator
draw the consequences (`coordinator.py`): ask the next, open the barrier, start, deliver, admit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from callgate.kernel.alarms import pop
from callgate.kernel.calls import Scheduled
from callgate.kernel.cancellation import cancel, refuse_early_news
from callgate.kernel.coordinator import settle
from callgate.kernel.errors import IllegalEvent, UnknownCall, shown
from callgate.kernel.events import (
    AnswerTold,
    ApprovalAnswered,
    BatchSubmitted,
    CallRebuilt,
    CallReviewed,
    CallValidated,
    CancelRequested,
    DeliveryAcknowledged,
    EditorClosed,
    Event,
    ExecutionFinished,
    ExecutionLost,
    ExecutionProgressed,
    PolicyChanged,
    TimePassed,
)
from callgate.kernel.submission import submit
from callgate.kernel.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from callgate.kernel.effects import Effect
    from callgate.kernel.state import KernelState
    from callgate.kernel.table import Edge


class Step(NamedTuple):
    """What one event led to.

    >>> from callgate import BatchSubmitted, Request, initial, step
    >>> state, effects = step(initial(),
    ...     BatchSubmitted(batch_id="b1", requests=[Request("c1", "ls")], at_ms=0))
    >>> [type(effect).__name__ for effect in effects]
    ['BatchAdmitted', 'Validate']
    """

    state: KernelState
    effects: tuple[Effect, ...]


def step(state: KernelState, event: Event) -> Step:
    """Decide what follows from one fact.

    Args:
        state: where things stand; it is not changed.
        event: what happened, and when.

    Returns:
        The new state, and the effects in the order in which they are to be obeyed.

    Raises:
        IllegalEvent: the driver reported what cannot have happened.
        UnknownCall: the event names a call that was never submitted.

    >>> from callgate import TimePassed, initial
    >>> step(initial(), TimePassed(at_ms=7)).state.now_ms
    7
    """
    desk = Workspace(state)
    _apply(desk, event)
    return Step(desk.frozen(), tuple(desk.effects))


def step_many(state: KernelState, events: Iterable[Event]) -> Step:
    """The same as one `step` after another, all or nothing, and faster.

    >>> from callgate import TimePassed, initial
    >>> step_many(initial(), [TimePassed(at_ms=3), TimePassed(at_ms=7)]).state.now_ms
    7
    """
    desk = Workspace(state)
    for event in events:
        _apply(desk, event)
    return Step(desk.frozen(), tuple(desk.effects))


def trace(state: KernelState, event: Event) -> tuple[Step, tuple[Edge, ...]]:
    """The same as `step`, with the transitions that were taken: for coverage and for proof."""
    desk = Workspace(state)
    _apply(desk, event)
    return Step(desk.frozen(), tuple(desk.effects)), tuple(desk.taken)


def _apply(desk: Workspace, event: Event) -> None:
    handler = _HANDLERS.get(type(event))
    if handler is None:
        known = ", ".join(kind.__name__ for kind in _HANDLERS)
        raise IllegalEvent(
            what=type(event).__name__, where="kernel", value="as an event", allowed=known
        )
    at_ms = event.at_ms
    if at_ms > desk.now_ms if type(at_ms) is int else _refuse_time(event):
        desk.now_ms = at_ms
        if desk.alarms.size and desk.alarms.heap[0][0] <= at_ms:
            _let_time_pass(desk)
    handler(desk, event)
    settle(desk)
    if desk.alarms.size:
        desk.drop_stale_alarms()


def _refuse_number(event: Any, name: str, allowed: str) -> NoReturn:
    raise IllegalEvent(
        what=type(event).__name__,
        where="kernel",
        value=f"with {name} {shown(getattr(event, name))}",
        allowed=allowed,
    )


def _refuse_time(event: Event) -> bool:
    raise IllegalEvent(
        what=type(event).__name__,
        where="kernel",
        value=f"at_ms {shown(event.at_ms)}",
        allowed="a whole number of milliseconds",
    )


def _let_time_pass(desk: Workspace) -> None:
    """TIME-1: every deadline that has come acts, earliest first, and then its consequences."""
    while (first := desk.alarms.first) is not None and first[0] <= desk.now_ms:
        while desk.alarms.first == first:  # TIME-4: who is lined up is lined up once
            desk.alarms = pop(desk.alarms)
        position = first[1]
        call = desk.calls[position]
        if type(call) is Scheduled:
            if call.deadline_ms == first[0]:
                desk.line_up(position)
        else:
            desk.send(position, "time_out", None)
    settle(desk)


def _on_answer(desk: Workspace, event: ApprovalAnswered) -> None:
    """CALL-1: a person is no broken driver: what does not count is ignored, and said to be."""
    position = _position(desk, event.call)
    is_number = type(event.approval_id) is int
    if position is None or not is_number or not desk.send(position, "answered", event):
        why = "the answer does not count: no such open question, or no such answer"
        desk.ignore(why, event.call if type(event.call) is int else None)


def _position(desk: Workspace, serial: int) -> int | None:
    outline = desk.outline
    if outline is None or type(serial) is not int:
        return None
    position = serial - outline.first
    return position if 0 <= position < len(desk.calls) else None


def _news(name: str, *numbers: str) -> Callable[[Workspace, Any], None]:
    """A handler that gives the event to the machine of the call it names."""

    def handle(desk: Workspace, event: Any) -> None:
        for number in numbers:  # CALL-8: True is no 1, and 1.0 is none either
            if type(getattr(event, number)) is not int:
                _refuse_number(event, number, "a whole number")
        position = _position(desk, event.call)
        if position is None:
            _refuse_unknown(desk, event)
            desk.ignore("the call is gone", event.call)
        elif not desk.send(position, name, event):
            desk.ignore(f"{name} is late, repeated or stale", event.call)

    return handle


def _refuse_unknown(desk: Workspace, event: Any) -> None:
    name, serial = type(event).__name__, event.call
    if type(serial) is not int or not 0 < serial < desk.next_serial:
        raise UnknownCall(what=name, call=serial, known=desk.next_serial)
    refuse_early_news(desk, name, serial)


def _on_policy(desk: Workspace, _event: PolicyChanged) -> None:
    desk.review()


def _on_delivered(desk: Workspace, event: DeliveryAcknowledged) -> None:
    """BATCH-8: a failed delivery is acknowledged too, and the kernel goes on."""
    outline, batch_id = desk.outline, event.batch_id
    if not isinstance(batch_id, str):
        _refuse_number(event, "batch_id", "a string")
    at_work = outline is not None and outline.batch_id == batch_id
    if at_work and desk.is_delivering:
        desk.clear()
    elif at_work or batch_id in desk.queued:
        # CALL-8: what was never ordered was not done.
        raise IllegalEvent(
            what="DeliveryAcknowledged",
            where=f"batch {shown(batch_id)}",
            value="while it is " + ("at work" if at_work else "queued"),
            allowed="after Deliver",
        )
    else:
        desk.ignore("no delivery of this batch is under way")


def _on_time(_desk: Workspace, _event: TimePassed) -> None:
    """The time has passed already."""


_HANDLERS: Final[dict[type, Callable[[Workspace, Any], None]]] = {
    BatchSubmitted: submit,
    CallValidated: _news("validated", "revision", "epoch"),
    CallReviewed: _news("reviewed", "approval_id", "epoch"),
    ApprovalAnswered: _on_answer,
    AnswerTold: _news("told", "approval_id"),
    EditorClosed: _news("editor_closed", "approval_id"),
    CallRebuilt: _news("rebuilt", "revision", "epoch"),
    ExecutionProgressed: _news("progressed", "attempt"),
    ExecutionFinished: _news("finished", "attempt"),
    ExecutionLost: _news("lost", "attempt"),
    CancelRequested: cancel,
    PolicyChanged: _on_policy,
    DeliveryAcknowledged: _on_delivered,
    TimePassed: _on_time,
}
