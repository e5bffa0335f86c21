"""A walk: a driver that follows the orders, and now and then is late, repeats itself or guesses.

Law: kernel and naive model take the same events; they must say the same effects in the same order,
refuse the same events, and the kernel must keep every invariant. Who chooses is the caller: a
number below `n` for each question, so that Hypothesis can shrink and a seed can repeat.
"""

from attrs import evolve

from callgate import (
    AnswerTold,
    ApprovalAnswered,
    BatchSubmitted,
    CallRebuilt,
    CallReviewed,
    CallValidated,
    CancelRequested,
    Config,
    DeliveryAcknowledged,
    EditorClosed,
    ExecutionFinished,
    ExecutionLost,
    ExecutionProgressed,
    KernelError,
    PolicyChanged,
    Request,
    Retry,
    TimePassed,
    initial,
    next_deadline,
    step,
    step_many,
)
from callgate.journal.codec import encode, render
from callgate.kernel.effects import Deliver, RejectBatch
from callgate.kernel.events import Batches, Everything, OneCall
from callgate.kernel.invariants import check
from callgate.kernel.plans import Waves
from callgate.kernel.values import ALWAYS, Invalid, Unknown
from callgate.proof.histories import broken_by, is_ignored
from callgate.proof.moves import (
    BOOM,
    BUILT,
    DONE,
    PLAIN,
    RESULTS,
    REVIEWS,
    VERDICTS,
    Bounds,
    enabled,
)
from tests.kernel.naive_call import Refused
from tests.kernel.naive_model import NaiveKernel, same

FAR = Bounds(epochs=9, approvals=9, revisions=9, attempts=9)
CONFIGS = [
    Config(),
    Config(max_parallel=1, retry=Retry(attempts_max=3)),
    Config(
        max_parallel=2, timeout_ms=5, cancel_grace_ms=3, retry=Retry(attempts_max=3, backoff_ms=3)
    ),
    Config(validation_timeout_ms=4, approval_timeout_ms=5, timeout_ms=6, cancel_grace_ms=2),
    Config(max_parallel=1, timeout_ms=3, retry=Retry(attempts_max=4, backoff_ms=1, factor=3)),
]
OUTCOMES = ["proceed_once", "modify_with_editor", "cancel", "answer_instead", "maybe", "", *ALWAYS]


class Difference(AssertionError):
    """Kernel and model do not agree, or a law is broken."""


class Walk:
    """Both kernels, side by side, and what was said."""

    def __init__(self, config, choose):
        self.config, self.choose = config, choose
        self.state = initial(config)
        self.model = NaiveKernel(next(iter(encode(config).values())))
        self.events, self.effects = [], []
        self.submitted = 0

    def step(self):
        """Choose an event, and feed it to both."""
        events = self._enabled()
        kind = self.choose(8)
        if kind == 0 or not events:
            event = self._submission()
        elif kind == 1:
            event = self._guess()
        else:
            event = events[self.choose(len(events))]
        if self.choose(6) == 0:
            event = evolve(event, at_ms=max(0, self.state.now_ms + self.choose(9) - 2))
        self.feed(event)

    def _enabled(self):
        calls = list(self.state.batch.calls) if self.state.batch else []
        events = list(enabled(self.state, FAR, 0, calls))
        # A cancellation ends all the rest, so it is made rare.
        return [e for e in events if type(e) is not CancelRequested or self.choose(9) == 0]

    def _submission(self):
        size, plan = self.choose(5), ("classic", "classic", "waves", "sequential")[self.choose(4)]
        requests = [self._request(n) for n in range(size)]
        if size > 1 and self.choose(9) == 0:
            plan = Waves((1, size - 1), together=bool(self.choose(2)))
        self.submitted += 1
        number = self.choose(self.submitted) if self.choose(9) == 0 else self.submitted
        return BatchSubmitted(
            batch_id=f"b{number}", requests=requests, plan=plan, at_ms=self.state.now_ms
        )

    def _request(self, n):
        problem = (Unknown("?"), Invalid("!"))[self.choose(2)] if self.choose(9) == 0 else None
        name = "c0" if self.choose(30) == 0 else f"c{n}"
        timeout_ms = (None, None, 2)[self.choose(3)]
        parallel = bool(self.choose(2))
        return Request(name, "tool", {"n": n}, problem, parallel=parallel, timeout_ms=timeout_ms)

    def _guess(self):  # noqa: C901, PLR0912 - one case for each event
        """Any event with any numbers, near those that were given out."""
        first = self.state.batch.outline.first if self.state.batch else self.state.next_serial
        call, number = max(0, first - 1 + self.choose(6)), self.choose(4)
        epoch = max(0, self.state.epoch - 1 + self.choose(3))
        one = {"call": call, "at_ms": self.state.now_ms}
        pick = self._pick
        match self.choose(13):
            case 0:
                verdict = pick([*VERDICTS, DONE])
                return CallValidated(revision=number, epoch=epoch, verdict=verdict, **one)
            case 1:
                verdict = pick([*REVIEWS, BOOM, DONE])
                return CallReviewed(approval_id=number, epoch=epoch, verdict=verdict, **one)
            case 2:
                edit, result = pick([None, "", "new"]), pick([None, DONE])
                outcome = pick(OUTCOMES)
                return ApprovalAnswered(
                    approval_id=number, outcome=outcome, edit=edit, result=result, **one
                )
            case 3:
                return AnswerTold(approval_id=number, failure=pick([None, BOOM.failure]), **one)
            case 4:
                return EditorClosed(approval_id=number, failed=bool(self.choose(2)), **one)
            case 5:
                built = pick([*BUILT, DONE])
                return CallRebuilt(revision=number, epoch=epoch, built=built, **one)
            case 6:
                return ExecutionProgressed(attempt=number, output=pick([None, "x"]), **one)
            case 7:
                return ExecutionFinished(attempt=number, result=pick([*RESULTS, PLAIN]), **one)
            case 8:
                then = pick(["fail", "rerun", "again", PLAIN])
                return ExecutionLost(attempt=number, then=then, **one)
            case 9:
                ids = tuple(f"b{self.choose(self.submitted + 1)}" for _ in range(number))
                scope = pick([OneCall(call), Batches(ids), Everything()])
                return CancelRequested(scope=scope, at_ms=self.state.now_ms)
            case 10:
                batch_id, ok = f"b{self.choose(self.submitted + 1)}", bool(self.choose(2))
                return DeliveryAcknowledged(batch_id=batch_id, ok=ok, at_ms=self.state.now_ms)
            case 11:
                return PolicyChanged(at_ms=self.state.now_ms)
            case _:
                return TimePassed(at_ms=max(0, self.state.now_ms - 2 + self.choose(12)))

    def _pick(self, values):
        return values[self.choose(len(values))]

    def feed(self, event):
        """Both take it, or both refuse it; the state before is as it was."""
        before, shape = self.state, repr(self.state)
        wanted = self._of_model(encode(event))
        try:
            after, effects = step(before, event)
            found = [render(effect) for effect in effects]
        except KernelError as refusal:
            after, effects, found = before, (), type(refusal).__name__
            if "(allowed: " not in str(refusal):
                raise Difference(f"{refusal} does not say what is allowed") from None
        if repr(before) != shape:
            raise Difference(f"INV-15: {event} changed the state that it was given")
        if type(wanted) is not type(found) or not (
            wanted == found if isinstance(wanted, str) else same(wanted, found)
        ):
            raise Difference(f"{event}\nmodel:  {wanted}\nkernel: {found}")
        check(after)
        if not isinstance(found, str):
            self._follow(before, event, after, effects)
            self.state = after
            self.events.append(event)
            self.effects += effects

    def _of_model(self, event):
        try:
            return self.model.feed(event)
        except Refused as refusal:
            return str(refusal)

    def _follow(self, before, event, after, effects):
        if not is_ignored(effects) and after.now_ms == before.now_ms:
            for broken in broken_by(before, event, after, effects):
                raise Difference(f"{broken}: {event} led to {effects}")
        until_ms = next_deadline(after)
        if until_ms != self.model.next_deadline:
            wanted = self.model.next_deadline
            raise Difference(f"{event}\nnext deadline: model {wanted}, kernel {until_ms}")

    def run(self, length):
        """So many steps; then everything is cancelled and ended: nothing hangs, nothing is lost."""
        for _ in range(length):
            self.step()
        self.feed(CancelRequested(scope=Everything(), at_ms=self.state.now_ms))
        while (batch := self.state.batch) is not None:
            running = [c for c in batch.calls if c.status.value == "executing"]
            at_ms = self.state.now_ms
            for call in running:
                end = ExecutionFinished(
                    call=call.facts.serial, attempt=call.attempt, result=DONE, at_ms=at_ms
                )
                self.feed(end)
            if not running and not batch.is_delivering:
                raise Difference("everything is cancelled, nothing runs, and a batch is at work")
            if self.state.batch is not None and self.state.batch.is_delivering:
                ack = DeliveryAcknowledged(batch_id=batch.outline.batch_id, at_ms=at_ms)
                self.feed(ack)
        self._judge()

    def _judge(self):
        """INV-15: replay equals live; INV-14: each batch ended once."""
        again, effects = step_many(initial(self.config), self.events)
        if again != self.state or list(effects) != self.effects:
            raise Difference("INV-15: the replay is not the run")
        ends = [e.batch_id for e in effects if type(e) in (Deliver, RejectBatch)]
        taken = [e.batch_id for e in self.events if type(e) is BatchSubmitted]
        if sorted(ends) != sorted(taken):
            raise Difference(f"INV-14: submitted {taken}, ended {ends}")
