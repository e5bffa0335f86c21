"""A mould makes the frozen value itself: equal to the constructor's, and just as frozen."""

import gc

import pytest
from attrs import fields
from attrs.exceptions import FrozenInstanceError

from callgate import Allow, KernelState, Ok
from callgate.kernel import calls, effects, state
from callgate.kernel.moulds import mould

MOULDS = {
    calls.Facts: calls.new_facts,
    calls.Validating: calls.new_validating,
    calls.AwaitingApproval: calls.new_awaiting_approval,
    calls.Scheduled: calls.new_scheduled,
    calls.Executing: calls.new_executing,
    calls.Success: calls.new_success,
    effects.Validate: effects.new_validate,
    effects.AskApproval: effects.new_ask_approval,
    effects.Execute: effects.new_execute,
    effects.Moved: effects.new_moved,
    state.Batch: state.new_batch,
    state.KernelState: state.new_state,
}


def test_every_mould_of_the_kernel_is_tried():
    found = {
        value
        for module in (calls, effects, state)
        for name, value in vars(module).items()
        if name.startswith("new_")
    }
    assert found == set(MOULDS.values())


@pytest.mark.parametrize("kind", MOULDS, ids=lambda kind: kind.__name__)
def test_what_comes_out_is_the_constructor_s(kind):
    values = [f"value of {one.name}" for one in fields(kind)]
    made, wanted = MOULDS[kind](*values), kind(*values)
    assert type(made) is kind
    assert made == wanted
    assert hash(made) == hash(wanted)
    assert repr(made) == repr(wanted)
    assert gc.is_tracked(made)


@pytest.mark.parametrize("kind", MOULDS, ids=lambda kind: kind.__name__)
def test_what_comes_out_is_hard(kind):
    made = MOULDS[kind](*range(len(fields(kind))))
    for name in (fields(kind)[0].name, "another", "__class__"):
        with pytest.raises((FrozenInstanceError, AttributeError)):
            setattr(made, name, None)
    with pytest.raises(FrozenInstanceError):
        delattr(made, fields(kind)[0].name)
    assert made == kind(*range(len(fields(kind))))


def test_defaults_are_the_constructor_s():
    assert state.new_state(None) == KernelState(None)
    assert calls.new_scheduled(1, outcome=2) == calls.Scheduled(1, outcome=2)


def test_a_class_that_checks_its_fields_is_refused():
    with pytest.raises(TypeError, match=r"Ok\.content is checked"):
        mould(Ok)


def test_a_class_with_another_layout_cannot_harden():
    with pytest.raises(TypeError, match="layout"):
        mould(Allow)("a rule")
