"""A driver in virtual time: every order is obeyed by a script, so tests have runs worth drawing.

Each part says what happens to one call: how long its validation takes and its verdict, how long
the person takes and what they say, how long each attempt of its tool takes and how it ends.
"""

from heapq import heappop, heappush

from attrs import field, frozen

from callgate import (
    Allow,
    ApprovalAnswered,
    Ask,
    BatchSubmitted,
    CallReviewed,
    CallValidated,
    CancelRequested,
    Config,
    Confirmation,
    DeliveryAcknowledged,
    ExecutionFinished,
    Failed,
    Failure,
    Ok,
    PolicyChanged,
    Request,
    Retry,
    TimePassed,
    initial,
    next_deadline,
    step,
)
from callgate.journal.record import Record
from callgate.kernel.effects import AskApproval, Deliver, Execute, ReviewWaiting, Validate
from callgate.kernel.events import OneCall
from callgate.kernel.values import Unknown
from tests.journal.histories import HOSTILE

ASK = Ask(Confirmation("exec"))
BUSY = Failed(Failure("busy", "try again", retryable=True))
BOOM = Failed(Failure("unhandled_exception", "no such host"))


@frozen
class Part:
    request: Request
    verdict: object = Allow()
    validated_ms: int = 20
    answered_ms: int | None = 1_000
    outcome: str = "proceed_once"
    runs: tuple = field(default=((500, Ok("done")),))


class Acting:
    """Obeys orders at once; what they set going happens later, in order of time."""

    def __init__(self, config=None):
        self.config = config or Config()
        self.state, self.events, self.parts = initial(config), [], {}
        self.agenda, self.now_ms, self.count = [], 0, 0

    def later(self, wait_ms, make):
        self.count += 1
        heappush(self.agenda, (self.now_ms + wait_ms, self.count, make))

    def submit(self, batch_id, parts, plan="classic", at_ms=0):
        self.parts.update({(batch_id, part.request.call_id): part for part in parts})
        requests = [part.request for part in parts]
        self.later(
            at_ms - self.now_ms,
            lambda at: BatchSubmitted(batch_id=batch_id, requests=requests, plan=plan, at_ms=at),
        )
        return self

    def run(self):
        while self.agenda:
            until_ms = next_deadline(self.state)
            if until_ms is not None and until_ms < self.agenda[0][0]:
                self.take(TimePassed(at_ms=until_ms))
                continue
            self.now_ms, _, make = heappop(self.agenda)
            self.take(make(self.now_ms))
        return Record(self.config, self.events, "run.jsonl")

    def take(self, event):
        self.now_ms = max(self.now_ms, event.at_ms)
        self.state, effects = step(self.state, event)
        self.events.append(event)
        for effect in effects:
            self.obey(effect)

    def part(self, serial):
        outline = self.state.batch.outline
        call = self.state.batch.calls[serial - outline.first]
        return self.parts[outline.batch_id, call.facts.request.call_id]

    def obey(self, effect):
        match effect:
            case Validate(call=call, revision=revision, epoch=epoch):
                part = self.part(call)
                self.later(
                    part.validated_ms,
                    lambda at: CallValidated(
                        call=call, revision=revision, epoch=epoch, verdict=part.verdict, at_ms=at
                    ),
                )
            case AskApproval(call=call, approval_id=number):
                part = self.part(call)
                if part.answered_ms is not None:
                    self.later(
                        part.answered_ms,
                        lambda at: ApprovalAnswered(
                            call=call, approval_id=number, outcome=part.outcome, at_ms=at
                        ),
                    )
            case ReviewWaiting(epoch=epoch):
                for call in self.state.batch.calls:
                    if call.status.value == "awaiting_approval":
                        self.later(
                            1,
                            lambda at, call=call: CallReviewed(
                                call=call.facts.serial,
                                approval_id=call.approval_id,
                                epoch=epoch,
                                verdict=Allow(),
                                at_ms=at,
                            ),
                        )
            case Execute(call=call, attempt=attempt):
                wait_ms, result = self.part(call).runs[attempt - 1]
                self.later(
                    wait_ms,
                    lambda at: ExecutionFinished(
                        call=call, attempt=attempt, result=result, at_ms=at
                    ),
                )
            case Deliver(batch_id=batch_id, calls=calls) if calls:
                self.later(5, lambda at: DeliveryAcknowledged(batch_id=batch_id, at_ms=at))


def five():
    """The run of the first page: a yes, a no, a retry, an unknown tool, and a barrier."""
    parts = [
        Part(
            Request("c1", "read_file", {"path": "a.txt"}), validated_ms=40, runs=((350, Ok("x")),)
        ),
        Part(
            Request("c2", "shell", {"command": "rm -r build/"}),
            ASK,
            validated_ms=50,
            answered_ms=2_210,
            runs=((1_800, Ok("")),),
        ),
        Part(
            Request("c3", "write_file", {"path": "notes.md"}),
            ASK,
            validated_ms=40,
            answered_ms=1_400,
            outcome="cancel",
        ),
        Part(
            Request("c4", "fetch_url", {"url": "https://example.org"}),
            validated_ms=30,
            runs=((600, BUSY), (500, BOOM)),
        ),
        Part(Request("c5", "no_such_tool", {}, Unknown("there is no tool 'no_such_tool'"))),
    ]
    return Acting(Config(retry=Retry(attempts_max=2, backoff_ms=300))).submit("b1", parts).run()


def one():
    """The shortest run: nobody is asked."""
    return Acting().submit("b1", [Part(Request("c1", "read_file", {"path": "a.txt"}))]).run()


def several():
    """Two batches, the second in waves and cut short; a mode that changes; a stop."""
    acting = Acting(Config(max_parallel=2, cancel_grace_ms=400))
    first = [
        Part(Request(f"c{n}", "grep", {"pattern": f"TODO {n}"}), runs=((300 + 90 * n, Ok(n)),))
        for n in range(4)
    ]
    second = [
        Part(Request("c1", "read_file", {"path": "a.txt"}), runs=((300, Ok("a")),)),
        Part(Request("c2", "read_file", {"path": "b.txt"}), runs=((400, Ok("b")),)),
        Part(Request("c3", "shell", {"command": "make"}, parallel=False), ASK, answered_ms=None),
        Part(Request("c4", "shell", {"command": "sleep 60"}), runs=((60_000, Ok("")),)),
        Part(Request("c5", "read_file", {"path": "c.txt"}), runs=((250, Ok("")),)),
    ]
    acting.submit("b1", first).submit("b2", second, plan="waves", at_ms=100)
    acting.later(2_600, lambda at: PolicyChanged(at_ms=at))
    acting.later(5_000, lambda at: CancelRequested(scope=OneCall(8), reason="enough", at_ms=at))
    return acting.run()


def many(size):
    """One batch of this size, a few calls of each sort, none alike."""
    parts = [
        Part(
            Request(f"c{n}", ("read_file", "shell", "fetch_url")[n % 3], {"item": f"number {n}"}),
            ASK if n % 10 == 1 else Allow(),
            validated_ms=3 + n % 5,
            answered_ms=120 + 7 * (n % 9),
            outcome="cancel" if n % 20 == 1 else "proceed_once",
            runs=((200 + 37 * (n % 17), BOOM if n % 13 == 5 else Ok(f"result {n}")),),
        )
        for n in range(size)
    ]
    return Acting(Config(max_parallel=12)).submit("big", parts).run()


def hostile():
    """Every text that could break a page, a picture or a diagram, wherever a text can stand."""
    parts = [
        Part(Request(f"c{n}{text}", text, {text: text}), ASK, runs=((9, Ok({text: text})),))
        for n, text in enumerate(HOSTILE)
    ]
    return Acting().submit(HOSTILE[0], parts).run()
