"""An adversary at the door: each event is refused, ignored or decided; no state is broken."""

from itertools import product

import attrs
import pytest

from callgate import (
    AnswerTold,
    ApprovalAnswered,
    Ask,
    BatchSubmitted,
    CallValidated,
    CancelRequested,
    Config,
    Confirmation,
    EditorClosed,
    KernelError,
    Ok,
    Request,
    TimePassed,
    initial,
    step,
    step_many,
)
from callgate.journal.codec import encode
from callgate.kernel import events as events_module
from callgate.kernel.events import Everything, OneCall
from callgate.kernel.invariants import check
from callgate.proof.moves import BOOM, BUILT, DONE, VERDICTS


class Text(str):
    """A string that is none of ours."""

    __slots__ = ()


class Liar:
    """Equal to everything, larger and smaller than everything."""

    __hash__ = None

    def __eq__(self, other):
        return True

    def __lt__(self, other):
        return True

    __gt__ = __le__ = __ge__ = __lt__


def deep(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


CYCLE = []
CYCLE.append(CYCLE)
HOSTILE = [
    *(None, True, False, -1, 0, 1, 2, 10**30, 1.0, 1.5, float("nan"), float("inf")),
    *("", "1", "x" * 2_000, "\ud800", Text("proceed_once"), b"proceed_once", object(), Liar()),
    *([], {}, {"a": 1}, {1: 2}, (), (1,), set(), deep(80), deep(2_000), CYCLE, lambda: 1, int),
    *(Ok("x"), Everything(), OneCall(1), OneCall(True), OneCall("1"), OneCall(None), *VERDICTS),
    *(BOOM, BUILT[0], Confirmation("x"), Ask(None), Request("c", "t")),
]
WAITING = [
    BatchSubmitted(batch_id="b1", requests=[Request("c1", "t"), Request("c2", "t")], at_ms=1),
    CallValidated(call=1, revision=1, epoch=0, verdict=VERDICTS[3], at_ms=1),
]
TELLING = ApprovalAnswered(call=1, approval_id=1, outcome="modify_with_editor", at_ms=1)
STATES = {
    "idle": [],
    "validating": WAITING[:1],
    "waiting": WAITING,
    "telling": [*WAITING, TELLING],
    "editing": [*WAITING, TELLING, AnswerTold(call=1, approval_id=1, at_ms=1)],
    "rechecking": [
        *WAITING,
        TELLING,
        AnswerTold(call=1, approval_id=1, at_ms=1),
        EditorClosed(call=1, approval_id=1, content="x", at_ms=1),
    ],
    "executing": [
        WAITING[0],
        *(
            evolved
            for n in (1, 2)
            for evolved in [
                CallValidated(call=n, revision=1, epoch=0, verdict=VERDICTS[0], at_ms=1)
            ]
        ),
    ],
    "delivering": [*WAITING, CancelRequested(scope=Everything(), at_ms=1)],
}
TIMED = Config(approval_timeout_ms=50, timeout_ms=50, validation_timeout_ms=50)
GOOD = {
    "batch_id": "b1", "requests": [Request("c9", "t")], "plan": "classic", "at_ms": 2, "call": 1,
    "revision": 1, "epoch": 0, "verdict": VERDICTS[0], "approval_id": 1, "outcome": "proceed_once",
    "reason": "", "edit": None, "result": DONE, "failure": None, "content": None, "failed": False,
    "built": BUILT[0], "attempt": 1, "output": None, "pid": None, "progress": None, "then": "fail",
    "scope": Everything(), "ok": True,
}  # fmt: skip
KINDS = [
    kind
    for kind in vars(events_module).values()
    if isinstance(kind, type) and attrs.has(kind) and "at_ms" in attrs.fields_dict(kind)
]
FIELDS = [(kind, field.name) for kind in KINDS for field in attrs.fields(kind)]


@pytest.mark.parametrize(("kind", "name"), FIELDS, ids=lambda v: getattr(v, "__name__", v))
def test_one_hostile_field(kind, name):
    fields = {field.name: GOOD[field.name] for field in attrs.fields(kind)}
    for (where, way), value in product(STATES.items(), HOSTILE):
        before = step_many(initial(TIMED), way).state
        shape = repr(before)
        try:
            after, _ = step(before, kind(**{**fields, name: value}))
        except (KernelError, TypeError, ValueError):
            after = before
        assert repr(before) == shape, f"{where}: {kind.__name__}.{name} = {value!r:.40}"
        check(after)
        hash(after.now_ms)
        alive(after)


def alive(state):
    """The kernel still works: it takes the time, and everything can be cancelled."""
    later, _ = step(state, TimePassed(at_ms=state.now_ms + 1))
    ended, _ = step(later, CancelRequested(scope=Everything(), at_ms=later.now_ms))
    check(ended)


@pytest.mark.parametrize("event", [None, 1, "TimePassed", object(), {}, TimePassed, Ok("x")])
def test_what_is_no_event_is_refused(event):
    with pytest.raises(KernelError):
        step(initial(), event)


def test_what_was_taken_can_be_written():
    """Whatever a state holds, a journal can hold: surrogates too, which JSON escapes."""
    event = BatchSubmitted(batch_id="\ud800", requests=[Request("\udfff", "t")], at_ms=1)
    assert encode(event)["BatchSubmitted"]["batch_id"] == "\ud800"
    assert step(initial(), event).state.batch is not None
