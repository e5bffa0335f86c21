"""Faults to seed: each is one small change of the source that somebody could make by mistake.

Law: `find` stands exactly once in the file, and the change keeps the file importable.
"""

from typing import NamedTuple


class Mutant(NamedTuple):
    """A fault: where, what stands there, and what would stand there instead."""

    name: str
    file: str
    find: str
    put: str


LIFECYCLE, GUARDS, STEP = "kernel/lifecycle.py", "kernel/guards.py", "kernel/step.py"
GUARDS_RUNNING = "kernel/guards_running.py"
COORDINATOR, WORKSPACE, CANCEL = (
    "kernel/coordinator.py",
    "kernel/workspace.py",
    "kernel/cancellation.py",
)
DECIDING, RUNNING, SUBMISSION = "kernel/deciding.py", "kernel/running.py", "kernel/submission.py"

MUTANTS = [
    # the table
    Mutant(
        "a denied call is scheduled",
        LIFECYCLE,
        'validating.to(error, cond=["answers_validate", "verdict_denies"])',
        'validating.to(scheduled, cond=["answers_validate", "verdict_denies"])',
    ),
    Mutant(
        "a stale verdict is looked at last",
        LIFECYCLE,
        '| validating.to(validating, cond=["answers_validate", "verdict_is_stale"])\n        | validating.to(scheduled, cond=["answers_validate", "verdict_allows"])',
        '| validating.to(scheduled, cond=["answers_validate", "verdict_allows"])\n        | validating.to(validating, cond=["answers_validate", "verdict_is_stale"])',
    ),
    Mutant(
        "a retry ends the call",
        LIFECYCLE,
        'executing.to(scheduled, cond=["is_current_end", "may_retry"])',
        'executing.to(error, cond=["is_current_end", "may_retry"])',
    ),
    Mutant(
        "a cancelled tool that returns is a success",
        LIFECYCLE,
        'executing.to(cancelled, cond=["is_current_end", "is_cancelling"])\n        | executing.to(error, cond=["is_current_end", "is_timing_out"])\n        | executing.to(success, cond=["is_current_end", "succeeded"])',
        'executing.to(success, cond=["is_current_end", "succeeded"])\n        | executing.to(cancelled, cond=["is_current_end", "is_cancelling"])\n        | executing.to(error, cond=["is_current_end", "is_timing_out"])',
    ),
    Mutant(
        "news of a final call are rejected",
        LIFECYCLE,
        '(_REJECT if event == "start" else _ABSORB)',
        '(_REJECT if event in ("start", "finished") else _ABSORB)',
    ),
    Mutant(
        "an answer while validating is rejected",
        LIFECYCLE,
        '(Status.VALIDATING, "answered"): _ABSORB',
        '(Status.VALIDATING, "answered"): _REJECT',
    ),
    # the guards
    Mutant(
        "any approval id counts",
        GUARDS,
        "if call.phase is not ASKING or fact.approval_id != call.approval_id:",
        "if call.phase is not ASKING:",
    ),
    Mutant(
        "answers count in every phase",
        GUARDS,
        "if call.phase is not ASKING or fact.approval_id != call.approval_id:",
        "if fact.approval_id != call.approval_id:",
    ),
    Mutant(
        "unknown outcomes count",
        GUARDS,
        "    if outcome is None:\n        return False\n",
        "    if outcome is None:\n        return True\n",
    ),
    Mutant(
        "duplicate ids pass",
        SUBMISSION,
        "        if request.call_id in seen:",
        "        if False and request.call_id in seen:",
    ),
    Mutant(
        "stale verdicts count",
        GUARDS,
        "    return bool(fact.epoch < situation.epoch)\n",
        "    return False\n",
    ),
    Mutant(
        "any verdict answers",
        GUARDS,
        "    return asked and fact.revision == call.facts.revision",
        "    return fact.revision == call.facts.revision",
    ),
    Mutant(
        "any attempt is current",
        GUARDS_RUNNING,
        "    return fact.attempt == call.attempt and type(fact.result) in (Ok, Failed)",
        "    return type(fact.result) in (Ok, Failed)",
    ),
    Mutant(
        "any attempt progresses",
        GUARDS_RUNNING,
        "    return bool(fact.attempt == call.attempt)",
        "    return fact.attempt <= call.attempt",
    ),
    Mutant(
        "any loss is current",
        GUARDS_RUNNING,
        "    if fact.attempt != call.attempt:\n        return False\n",
        "",
    ),
    Mutant(
        "one retry more than allowed",
        GUARDS_RUNNING,
        "call.attempt < situation.config.retry.attempts_max",
        "call.attempt <= situation.config.retry.attempts_max",
    ),
    Mutant(
        "every failure is retried",
        GUARDS_RUNNING,
        "if type(fact.result) is not Failed or not fact.result.failure.retryable:",
        "if type(fact.result) is not Failed:",
    ),
    Mutant(
        "a backoff is not waited for",
        RUNNING,
        "until_ms = situation.now_ms + wait_ms if wait_ms else None",
        "until_ms = None",
    ),
    Mutant(
        "a deadline acts a moment late",
        GUARDS_RUNNING,
        "    return call.deadline_ms is not None and bool(call.deadline_ms <= situation.now_ms)",
        "    return call.deadline_ms is not None and bool(call.deadline_ms < situation.now_ms)",
    ),
    Mutant("any review counts", GUARDS, "        and fact.epoch == situation.epoch\n", ""),
    Mutant(
        "a review counts for another question",
        GUARDS,
        "        and fact.approval_id == call.approval_id\n        and fact.epoch == situation.epoch",
        "        and fact.epoch == situation.epoch",
    ),
    Mutant(
        "a rebuilding of an old policy counts", GUARDS, "        and fact.epoch == call.epoch\n", ""
    ),
    Mutant(
        "any call opens the editor",
        GUARDS,
        "return bool(call.confirmation.modifiable and call.confirmation.has_editor)",
        "return True",
    ),
    Mutant(
        "the empty edit is none",
        GUARDS,
        "return _answer_of(call, fact).edit is not None and call.confirmation.modifiable",
        "return bool(_answer_of(call, fact).edit) and call.confirmation.modifiable",
    ),
    # barrier and slots
    Mutant(
        "the barrier opens while one is undecided",
        COORDINATOR,
        "if not desk.is_open and desk.undecided == 0:",
        "if not desk.is_open and desk.undecided <= 1:",
    ),
    Mutant(
        "the barrier opens again and again",
        COORDINATOR,
        "if not desk.is_open and desk.undecided == 0:",
        "if desk.undecided == 0:",
    ),
    Mutant(
        "one more than max_parallel",
        COORDINATOR,
        "if limit is None else limit - desk.running",
        "if limit is None else limit + 1 - desk.running",
    ),
    Mutant(
        "the last of a batch starts first",
        COORDINATOR,
        "    for position in range(start, end):\n        if type",
        "    for position in reversed(range(start, end)):\n        if type",
    ),
    Mutant(
        "who waits longest starts last",
        COORDINATOR,
        "        position = desk.ready.left\n        desk.ready = desk.ready.popleft()",
        "        position = desk.ready.right\n        desk.ready = desk.ready.pop()",
    ),
    Mutant(
        "the next is asked when this one is decided",
        COORDINATOR,
        "            if not outline.together:  # type: ignore[union-attr]\n                return",
        "            pass",
    ),
    Mutant(
        "a wave is asked one by one",
        COORDINATOR,
        "if not outline.together:",
        "if outline.together or not outline.together:",
    ),
    Mutant(
        "the next wave begins beside this one",
        COORDINATOR,
        "        if desk.wave_unfinished:\n",
        "        if desk.wave_unfinished > 1:\n",
    ),
    # counters
    Mutant(
        "running is not counted down",
        WORKSPACE,
        "            self.running -= 1\n",
        "            pass\n",
    ),
    Mutant(
        "an undecided call that ends still holds",
        WORKSPACE,
        "before in _UNDECIDED and after not in _UNDECIDED:",
        "before in _UNDECIDED and after is Scheduled:",
    ),
    Mutant(
        "open questions are not counted",
        WORKSPACE,
        "self.asking += is_open_question(new) - is_open_question(old)",
        "self.asking += is_open_question(new)",
    ),
    Mutant(
        "a retry is not lined up",
        WORKSPACE,
        "                self.line_up(position)\n",
        "                pass\n",
    ),
    Mutant(
        "a change of status is not told",
        WORKSPACE,
        "            self.effects.append(new_moved(new))\n",
        "            if after is not Cancelled:\n                self.effects.append(new_moved(new))\n",
    ),
    Mutant(
        "a deadline has no alarm",
        WORKSPACE,
        "if until_ms is not None and until_ms != old.deadline_ms:",
        "if until_ms is not None and until_ms != old.deadline_ms and before is not after:",
    ),
    # queue and delivery
    Mutant(
        "last come, first served",
        COORDINATOR,
        "        batch_id, first = desk.order.left\n        desk.order = desk.order.popleft()",
        "        batch_id, first = desk.order.right\n        desk.order = desk.order.pop()",
    ),
    Mutant(
        "a delivery needs no acknowledgement",
        COORDINATOR,
        "        elif desk.is_delivering:\n            return",
        "        elif desk.is_delivering:\n            desk.clear()\n            continue",
    ),
    Mutant(
        "a failed delivery is not acknowledged",
        STEP,
        "    if at_work and desk.is_delivering:\n",
        "    if at_work and desk.is_delivering and event.ok:\n",
    ),
    Mutant(
        "a batch at work may be acknowledged",
        STEP,
        "    if at_work and desk.is_delivering:\n",
        "    if at_work:\n",
    ),
    Mutant(
        "a batch is delivered when one is left",
        COORDINATOR,
        "        if desk.unfinished:\n",
        "        if desk.unfinished > 1:\n",
    ),
    Mutant(
        "a delivery is in reverse",
        COORDINATOR,
        "Deliver(desk.outline.batch_id, desk.calls.persistent())",
        "Deliver(desk.outline.batch_id, pvector(reversed(desk.calls.persistent())))",
    ),
    Mutant(
        "an empty batch waits in the queue",
        SUBMISSION,
        "    if not event.requests:\n",
        "    if not event.requests and desk.outline is None:\n",
    ),
    Mutant(
        "an id in use is taken again",
        SUBMISSION,
        "    if at_work or event.batch_id in desk.queued:",
        "    if at_work:",
    ),
    Mutant(
        "serials begin anew",
        SUBMISSION,
        "    desk.next_serial = first + len(event.requests)\n",
        "    desk.next_serial = first + len(event.requests) - (desk.outline is not None)\n",
    ),
    Mutant(
        "the queue is one longer than its limit",
        SUBMISSION,
        "len(desk.queued) + 1, limits.queued_batches_max",
        "len(desk.queued), limits.queued_batches_max",
    ),
    # cancelling
    Mutant(
        "a queued batch cannot be cancelled",
        CANCEL,
        "            desk.queued = desk.queued.remove(batch_id)\n",
        "            pass\n",
    ),
    Mutant(
        "cancelling everything spares the queue",
        CANCEL,
        "_cancel_batches(desk, tuple(queued + active), event)",
        "_cancel_batches(desk, tuple(active), event)",
    ),
    Mutant(
        "cancelling a batch cancels them all",
        CANCEL,
        "outline is not None and outline.batch_id in batch_ids and not desk.is_delivering",
        "outline is not None and not desk.is_delivering",
    ),
    Mutant(
        "a running tool is not told to stop",
        RUNNING,
        "    return moved, (StopExecution(call.facts.serial, call.attempt),)",
        "    return moved, ()",
    ),
    Mutant(
        "a second cancel stops again",
        RUNNING,
        "    if call.stop is not None:  # it",
        "    if False:  # it",
    ),
    Mutant(
        "a cancelled call of the queue is forgotten",
        COORDINATOR,
        "    if queued.cancelled and serial in queued.cancelled:",
        "    if False:",
    ),
    Mutant(
        "a cancelled question stays open",
        DECIDING,
        "    return cancelled(call, fact, situation), _withdraw_approval(call)",
        "    return cancelled(call, fact, situation), ()",
    ),
    Mutant(
        "a cancelled asking goes on",
        DECIDING,
        "    if call.asked_epoch is None:\n        return ()",
        "    if call.asked_epoch is not None:\n        return ()",
    ),
    # answers and arguments
    Mutant(
        "an edit runs the old arguments",
        DECIDING,
        "facts.since_ms, fact.built.args, facts.revision + 1",
        "facts.since_ms, facts.args, facts.revision + 1",
    ),
    Mutant(
        "after the editor nobody is asked",
        DECIDING,
        "    return ask(_edited(call, fact), call.approval_id + 1, shown, now, call.attempt)",
        "    facts = _edited(call, fact)\n    return Scheduled(facts, call.answer.outcome, call.attempt, None, call.approval_id), ()",
    ),
    Mutant(
        "the question after the editor has the old number",
        DECIDING,
        "ask(_edited(call, fact), call.approval_id + 1, shown",
        "ask(_edited(call, fact), call.approval_id, shown",
    ),
    Mutant(
        "an always is not remembered",
        DECIDING,
        "if outcome.is_always else ()",
        "if outcome is Outcome.PROCEED_ALWAYS_TOOL else ()",
    ),
    Mutant(
        "an always releases nobody",
        WORKSPACE,
        "            if type(order) is RememberAnswer:\n                self.review()",
        "            if type(order) is RememberAnswer:\n                self.epoch += 1",
    ),
    Mutant(
        "a change of policy reviews nobody", STEP, "    desk.review()\n", "    desk.epoch += 1\n"
    ),
    Mutant(
        "a question under a newer policy is not reviewed",
        WORKSPACE,
        "moved.epoch < self.epoch:",
        "moved.epoch > self.epoch:",
    ),
    Mutant(
        "the attempt is forgotten over a question",
        RUNNING,
        "return ask(call.facts, call.approval_id + 1, fact.then, situation, call.attempt)",
        "return ask(call.facts, call.approval_id + 1, fact.then, situation)",
    ),
    # time
    Mutant(
        "time goes backwards",
        STEP,
        "    if at_ms > desk.now_ms if type",
        "    if at_ms != desk.now_ms if type",
    ),
    Mutant(
        "the event comes before its time",
        STEP,
        "desk.alarms.heap[0][0] <= at_ms:",
        "desk.alarms.heap[0][0] < at_ms:",
    ),
    Mutant(
        "a deadline runs while an answer is carried out",
        DECIDING,
        "        from_editor,\n        None,\n        call.attempt,",
        "        from_editor,\n        call.deadline_ms,\n        call.attempt,",
    ),
    Mutant(
        "a retry is lined up twice",
        STEP,
        "        while desk.alarms.first == first:  # TIME-4: who is lined up is lined up once\n            desk.alarms = pop(desk.alarms)",
        "        desk.alarms = pop(desk.alarms)",
    ),
]
