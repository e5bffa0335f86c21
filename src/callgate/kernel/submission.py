"""A batch arrives: refused whole, delivered at once because it is empty, admitted, or queued.

Rule 1: what a model or a user can get wrong (ids that repeat, too much of something) ends in
`RejectBatch`, with nothing of the batch run; what only a broken driver can do is an error.
"""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING

from pyrsistent import pvector

from callgate.kernel.coordinator import admit
from callgate.kernel.effects import Deliver, RejectBatch
from callgate.kernel.errors import IllegalEvent, LimitExceeded, shown
from callgate.kernel.plans import PLANS, Waves
from callgate.kernel.state import QueuedBatch
from callgate.kernel.values import Invalid, Request, Unknown

if TYPE_CHECKING:
    from callgate.kernel.events import BatchSubmitted
    from callgate.kernel.workspace import Workspace


def submit(desk: Workspace, event: BatchSubmitted) -> None:
    """BATCH-1: decide what becomes of a batch the moment it arrives."""
    _refuse_broken(desk, event)
    problem = _too_much(desk, event) or _repeated_id(event)
    if problem:
        desk.effects.append(RejectBatch(event.batch_id, problem))
        return
    if not event.requests:
        # It blocks nobody and waits for nobody; there is nothing to acknowledge.
        desk.effects.append(Deliver(event.batch_id, pvector()))
        return
    plan = _plan_of(event)
    first = desk.next_serial
    desk.next_serial = first + len(event.requests)
    queued = QueuedBatch(event.batch_id, first, event.requests, plan.ends, plan.together)
    if desk.outline is None:
        admit(desk, queued)
    else:
        desk.queued = desk.queued.set(event.batch_id, queued)
        desk.order = desk.order.append((event.batch_id, first))


def _refuse_broken(desk: Workspace, event: BatchSubmitted) -> None:
    where = f"batch {shown(event.batch_id)}"
    if type(event.batch_id) is not str:
        raise IllegalEvent(
            what="BatchSubmitted", where=where, value="with this id", allowed="a string"
        )
    for position, request in enumerate(event.requests):
        if type(request) is not Request or not _is_whole(request):
            raise IllegalEvent(
                what="BatchSubmitted",
                where=where,
                value=f"with a {type(request).__name__} at position {position}",
                allowed="Requests, with texts as call_id and name, and a timeout_ms from 1 or None",
            )
    at_work = desk.outline is not None and desk.outline.batch_id == event.batch_id
    if at_work or event.batch_id in desk.queued:
        raise IllegalEvent(
            what="BatchSubmitted",
            where=where,
            value="while a batch of this id is " + ("at work" if at_work else "queued"),
            allowed="an id of its own, or this one after its delivery",
        )


def _is_whole(request: Request) -> bool:
    limit, problem = request.timeout_ms, request.problem
    return (
        type(request.call_id) is str
        and type(request.name) is str
        and (limit is None or (type(limit) is int and limit > 0))
        and type(problem) in (NoneType, Unknown, Invalid)
    )


def _plan_text(plan: object) -> str:
    return repr(plan) if type(plan) is Waves else shown(plan)


def _plan_of(event: BatchSubmitted) -> Waves:
    plan = event.plan
    if type(plan) is Waves:
        found: Waves | None = plan if sum(plan.sizes) == len(event.requests) else None
    else:
        function = PLANS.get(plan) if isinstance(plan, str) else None
        found = function(event.requests) if function else None
    if found is None:
        raise IllegalEvent(
            what="BatchSubmitted",
            where=f"batch {shown(event.batch_id)}",
            value=f"with {len(event.requests)} calls and the plan {_plan_text(plan)}",
            allowed=f"{', '.join(PLANS)}, or Waves whose sizes add up to the calls",
        )
    return found


def _too_much(desk: Workspace, event: BatchSubmitted) -> str:
    limits, where = desk.config, f"batch {shown(event.batch_id)}"
    checks = [
        ("characters of its id", len(event.batch_id), limits.id_chars_max),
        ("calls", len(event.requests), limits.calls_per_batch_max),
    ]
    if desk.outline is not None and event.requests:
        checks.append(("batches in the queue", len(desk.queued) + 1, limits.queued_batches_max))
    for what, value, limit in checks:
        if value > limit:
            return str(LimitExceeded(what=what, value=value, limit=limit, where=where))
    for position, request in enumerate(event.requests):
        if request.args.weight > limits.args_weight_max:
            what, value, limit = (
                "weight of the arguments",
                request.args.weight,
                limits.args_weight_max,
            )
        elif len(request.call_id) > limits.id_chars_max or len(request.name) > limits.id_chars_max:
            value, limit = max(len(request.call_id), len(request.name)), limits.id_chars_max
            what = "characters of an id or a name"
        else:
            continue
        place = f"{where}, position {position}"
        return str(LimitExceeded(what=what, value=value, limit=limit, where=place))
    return ""


def _repeated_id(event: BatchSubmitted) -> str:
    seen: dict[str, int] = {}
    for position, request in enumerate(event.requests):
        if request.call_id in seen:
            return (
                f"batch {event.batch_id!r}: the call id {request.call_id!r} stands at positions "
                f"{seen[request.call_id]} and {position} (allowed: each id once in a batch)"
            )
        seen[request.call_id] = position
    return ""
