"""The whole state of the kernel, as one persistent value.

Rule 1: order lives in vectors and deques; maps are for looking things up and are never iterated.
Rule 2: counters are kept, so that the barrier and the delivery never scan the calls.
Rule 3: an old state is never changed by a step: keep it, compare it, go back to it.
"""

from __future__ import annotations

from typing import Final, final

from attrs import evolve, field, frozen
from pyrsistent import PDeque, PMap, PVector, pdeque, pmap

from callgate.kernel.alarms import NO_ALARMS, Alarms
from callgate.kernel.calls import Call, Facts, Validating
from callgate.kernel.config import Config
from callgate.kernel.moulds import mould
from callgate.kernel.values import Request

NOBODY: Final[PDeque[int]] = pdeque()
FIRST_SERIAL: Final = 1


@final
@frozen(weakref_slot=False)
class QueuedBatch:
    """A batch that waits for its turn. Its calls have serials, and no records yet."""

    batch_id: str
    first: int
    "The serial of its first call; the others follow."
    requests: tuple[Request, ...]
    ends: tuple[int, ...]
    together: bool
    cancelled: PMap[int, str] = field(factory=pmap)
    "Calls that will be born cancelled: serial -> reason."


@final
@frozen(weakref_slot=False)
class Outline:
    """What does not change while a batch is at work."""

    batch_id: str
    first: int
    ends: tuple[int, ...]
    "Where each wave ends."
    together: bool
    "Are the calls of a wave asked at once?"
    index: PMap[str, int]
    "The model's ids -> serials."


@final
@frozen(weakref_slot=False)
class Batch:
    """The batch at work, or being delivered."""

    outline: Outline
    calls: PVector[Call]
    "In request order; a call's position is its serial less the first."
    wave: int
    is_open: bool
    "Has the barrier of this wave opened?"
    cursor: int
    "The first position that may still have to be asked."
    undecided: int
    "Calls of this wave that hold its barrier: validating or awaiting approval."
    wave_unfinished: int
    unfinished: int
    running: int
    asking: int
    "Open questions."
    ready: PDeque[int]
    "Positions that wait for a slot, behind an open barrier."
    alarms: Alarms = NO_ALARMS
    is_delivering: bool = False


@final
@frozen(weakref_slot=False)
class KernelState:
    """Everything the kernel knows. Get one from `initial()`, the next from `step`.

    >>> from callgate import initial
    >>> initial().is_idle
    True
    """

    config: Config
    now_ms: int = 0
    "The latest time seen: time never goes backwards."
    epoch: int = 0
    "Counts the policies: one more after each change, and after each always."
    next_serial: int = FIRST_SERIAL
    queued: PMap[str, QueuedBatch] = field(factory=pmap)
    order: PDeque[tuple[str, int]] = field(factory=pdeque)
    "Who is next: id and first serial; one that is not in `queued` any more is passed over."
    batch: Batch | None = None

    @property
    def is_idle(self) -> bool:
        """Nothing is at work, being delivered, or queued."""
        return self.batch is None


new_batch: Final = mould(Batch)
new_state: Final = mould(KernelState)


def initial(config: Config | None = None) -> KernelState:
    """A kernel that has seen nothing yet.

    >>> initial(Config(max_parallel=2)).config.max_parallel
    2
    """
    return KernelState(config or Config())


def begin(request: Request, *, serial: int = FIRST_SERIAL, at_ms: int = 0) -> Validating:
    """The record of a call that has just been asked about: where each call's machine starts.

    >>> begin(Request("c1", "ls")).status.value
    'validating'
    """
    return Validating(Facts(serial, request, at_ms, request.args), 0)


def find_call(state: KernelState, call_id: str) -> Call | None:
    """The call of the batch at work that the model gave this id.

    >>> find_call(initial(), "c1") is None
    True
    """
    batch = state.batch
    if batch is None:
        return None
    serial = batch.outline.index.get(call_id)
    return None if serial is None else batch.calls[serial - batch.outline.first]


def next_deadline(state: KernelState) -> int | None:
    """When the driver must report `TimePassed` at the latest; none: nothing is timed.

    >>> next_deadline(initial()) is None
    True
    """
    if state.batch is None or state.batch.alarms.first is None:
        return None
    return state.batch.alarms.first[0]


def at_time(state: KernelState, now_ms: int, epoch: int = 0) -> KernelState:
    """The same state, later: a situation for a live machine."""
    return evolve(state, now_ms=now_ms, epoch=epoch)
