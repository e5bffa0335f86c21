"""A plan is a pure function whose waves add up; what is none is shown by a small batch."""

import itertools

import pytest

from callgate import Waves
from callgate.kernel.plans import classic, sequential, waves
from callgate.testing import PlanFailed, check_plan


@pytest.mark.parametrize("plan", [classic, waves, sequential])
def test_the_plans_of_the_kernel_are_plans(plan):
    check_plan(plan)


def test_a_plan_of_ones_own_passes():
    def readers_first(requests):
        groups = itertools.groupby(requests, key=lambda request: request.name == "read_file")
        return Waves([len(list(group)) for _, group in groups])

    check_plan(readers_first)


def forgets_the_last(requests):
    return Waves((1,) * (len(requests) - 1))


def raises_on_writers(requests):
    if any(request.name == "write_file" for request in requests):
        raise LookupError("who writes?")
    return classic(requests)


def gives_numbers(requests):
    return [len(requests)]


class Moody:
    calls = 0

    def __call__(self, requests):
        self.calls += 1
        return classic(requests) if self.calls % 3 else sequential(requests)


def counts_only_readers(requests):
    return Waves((1,) * sum(request.parallel for request in requests))


@pytest.mark.parametrize(
    ("plan", "says", "calls"),
    [
        (forgets_the_last, "its waves hold 0 calls, the batch has 1", 1),
        (raises_on_writers, "it raised LookupError: who writes?", 1),
        (gives_numbers, "it gave a list; Waves was expected", 0),
        (Moody(), "a plan is a pure function", 6),
        (counts_only_readers, "the batch has 1", 1),
    ],
)
def test_what_is_no_plan_is_shown_by_its_smallest_batch(plan, says, calls):
    with pytest.raises(PlanFailed) as failed:
        check_plan(plan)
    assert says in str(failed.value)
    assert len(failed.value.requests) <= calls
