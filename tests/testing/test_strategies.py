"""What is drawn could have happened: the kernel takes every history to its end."""

from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st

from callgate import Step, initial, step
from callgate.kernel.events import ApprovalAnswered, BatchSubmitted, ExecutionFinished
from callgate.kernel.invariants import check
from callgate.policy.decisions import ToolCall
from callgate.testing import (
    batches,
    confirmations,
    histories,
    hostile_arguments,
    requests,
    tool_calls,
)
from callgate.testing.strategies import played

QUICK = settings(
    max_examples=50, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


@QUICK
@given(histories())
def test_the_kernel_takes_every_history(events):
    state = initial()
    for event in events:
        state, _ = step(state, event)
        check(state)
    assert isinstance(Step(state, ()), tuple)


@QUICK
@given(st.lists(batches(4), min_size=1, max_size=3), st.lists(st.integers(0, 999), max_size=40))
def test_every_played_desk_comes_to_its_end(submitted, numbers):
    desk = played(submitted, "classic", numbers)
    desk.drain()
    assert desk.state.is_idle
    assert desk.delivered == desk.submitted


@QUICK
@given(batches())
def test_a_batch_has_each_id_once(batch):
    assert len({request.call_id for request in batch}) == len(batch)


@QUICK
@given(requests(), confirmations(), tool_calls(), hostile_arguments())
def test_values_are_built_of_all_that_is_drawn(request_, confirmation, call, args):
    assert request_.call_id == "c1"
    assert confirmation.kind
    assert ToolCall(call.name, args).args == ToolCall("x", args).args


def reaches(kind):
    chosen = settings(QUICK, max_examples=400)
    return find(
        histories(), lambda events: any(type(event) is kind for event in events), settings=chosen
    )


def test_histories_reach_answers_and_ends():
    """They are no mere submissions: what lies deep in a life is drawn too."""
    for kind in (ApprovalAnswered, ExecutionFinished):
        events = reaches(kind)
        assert type(events[0]) is BatchSubmitted
        assert len(events) <= 8
