"""A policy under whole batches: holes are found in what was started, and a sound policy holds."""

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import invariant, run_state_machine_as_test

from callgate.kernel import effects
from callgate.kernel.values import Outcome
from callgate.policy.decisions import Decision, Effect, ToolCall
from callgate.testing import PolicyMachine
from callgate.testing.desk import Broken, Desk
from callgate.testing.strategies import ByName
from tests.testing import bad_policies as bad

NO_RM = "shell:rm *"
CHOSEN = settings(
    max_examples=400,
    report_multiple_bugs=False,
    stateful_step_count=30,
    deadline=None,
    database=None,
    derandomize=True,
    phases=(Phase.generate,),  # that it is found is asserted here; shrinking is hypothesis' own
    suppress_health_check=list(HealthCheck),
)


def machine(given, pattern=NO_RM):
    class Machine(PolicyMachine):
        policy = given
        speaks_of = (pattern,)

        @invariant()
        def nothing_forbidden_runs_unasked(self):
            assert not self.ran_unasked(pattern)

    return Machine


class RemembersTheCall(bad.Remembering):
    """Sound: an always is kept for this very call."""

    def made_of(self, call):
        return (call.name, call.server, str(dict(call.args)))

    def covers(self, call):
        return self.made_of(call) in self.kept


@pytest.mark.parametrize("policy", [ByName(), RemembersTheCall()], ids=lambda it: type(it).__name__)
def test_a_sound_policy_holds(policy):
    few = settings(CHOSEN, max_examples=40)
    run_state_machine_as_test(machine(policy), settings=few)


@pytest.mark.parametrize(
    "policy",
    [
        bad.DeniesTheFirstWord(),
        bad.AllowsByStartOfText(),
        bad.SplitsChainsOnly(),
        bad.RemembersTheToolOnly(),
        bad.TrustsAutoEdit(),
    ],
    ids=lambda it: type(it).__name__,
)
def test_a_hole_is_found_in_what_was_started(policy):
    with pytest.raises(AssertionError):
        run_state_machine_as_test(machine(policy), settings=CHOSEN)


def rm(text="rm x"):
    return ToolCall("shell", {"command": text})


def test_a_yes_excuses_its_own_call_alone():
    desk_of = machine(bad.RemembersTheToolOnly())()
    desk = desk_of.desk
    desk.submit([rm("ls"), rm()])
    while desk.owed:
        desk.carry_out()
    desk.answer(1, Outcome.PROCEED_ALWAYS)
    while desk.owed:
        desk.carry_out()
    assert [one.call.args["command"] for one in desk_of.ran] == ["ls", "rm x"]
    assert [call.args["command"] for call in desk_of.ran_unasked(NO_RM)] == ["rm x"]


def test_an_always_to_rm_itself_excuses_later_ones():
    desk_of = machine(bad.RemembersTheToolOnly())()
    desk = desk_of.desk
    desk.submit([rm("rm a"), rm()])
    while desk.owed:
        desk.carry_out()
    desk.answer(1, Outcome.PROCEED_ALWAYS)
    while desk.owed:
        desk.carry_out()
    assert len(desk_of.ran) == 2
    assert not desk_of.ran_unasked(NO_RM)


def test_the_desk_says_what_must_never_happen():
    """The checks of the desk can fail: a kernel's order that comes twice is caught."""

    class AllowAll:
        def decide(self, call, context):
            return Decision(Effect.ALLOW)

    desk = Desk(AllowAll())
    desk.submit([rm()])
    desk.carry_out()
    (started,) = [effect for effect in [desk.ran[0]] if effect.serial == 1]
    assert started.call == rm()
    order = effects.Execute(1, 1, "shell", rm().args, 1)

    with pytest.raises(Broken, match="started while it runs"):
        desk._take(order)
