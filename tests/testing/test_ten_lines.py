"""What a user writes: under ten lines for a policy class, and the kit is light until it is used."""

import os
import subprocess
import sys

import pytest
from hypothesis import settings
from hypothesis.stateful import invariant

from callgate.policy.decisions import Decision, Effect, Mode
from callgate.policy.loading import load_policy
from callgate.testing import (
    PolicyMachine,
    PropertyFailed,
    Result,
    check_policy,
    decided,
    examine,
    holds,
    modes_are_monotone,
    never_runs,
)
from callgate.testing.results import Verdict


class Readers:
    def decide(self, call, context):
        reads = call.name == "shell" and call.args.get("command") in ("ls", "git status")
        return Decision(Effect.ALLOW if reads else Effect.ASK)


def test_no_rm():
    check_policy(Readers(), never_runs("shell:rm *"))


class NoRm(PolicyMachine):
    policy = Readers()
    speaks_of = ("shell:rm *",)

    @invariant()
    def no_rm_without_a_yes(self):
        assert not self.ran_unasked("shell:rm *")


TestNoRm = NoRm.TestCase
TestNoRm.settings = settings(max_examples=15, deadline=None, database=None)


def test_a_machine_takes_the_path_of_a_file_and_reads_it_once(tmp_path):
    path = tmp_path / "policy.toml"
    path.write_text('[[rule]]\ntoolName = "shell"\ndecision = "deny"\npriority = 1\n')

    class OfAFile(PolicyMachine):
        policy = path

    one, two = OfAFile(), OfAFile()
    assert one.desk.policy is two.desk.policy
    path.write_text('[[rule]]\ntoolName = "shell"\ndecision = "allow"\npriority = 1\n')
    os.utime(path, ns=(1, 1))
    assert OfAFile().desk.policy is not one.desk.policy


def test_the_built_in_rules_are_monotone_in_the_modes():
    check_policy(load_policy().policy, modes_are_monotone, examples=300)


def test_a_property_of_ones_own():
    says_why = holds("says why", lambda call, context, decision: bool(decision.reason))
    with pytest.raises(PropertyFailed, match="says why does not hold"):
        check_policy(Readers(), says_why, examples=10)
    check_policy(load_policy().policy, says_why, examples=100)


def test_a_policy_that_raises_on_everything_does_not_pass_silently():
    class Broken:
        def decide(self, call, context):
            raise KeyError("mode")

    (result,) = examine(Broken(), never_runs("shell:rm *"), examples=10)
    assert result.verdict is Verdict.HELD
    assert "decide raised on the simplest call (KeyError: 'mode')" in str(result)
    assert isinstance(result, Result)


def test_what_is_no_policy_is_said_to_be_none():
    with pytest.raises(TypeError, match="has no method decide"):
        check_policy(object(), never_runs("shell"))


def test_modes_have_the_names_that_people_write():
    assert decided(Readers(), "shell", {"command": "ls"}, mode="auto_edit") == "allow"
    assert decided(Readers(), "shell", {"command": "rm x"}, mode=Mode.YOLO) == "ask"


def test_the_kit_is_light_until_it_is_used():
    code = "import sys, callgate.testing as kit; print('hypothesis' in sys.modules, len(dir(kit)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.split()[0] == b"False"


def test_without_the_extra_the_error_names_it():
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "import callgate.testing\n"
        "try: callgate.testing.check_policy\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("needs hypothesis: pip install 'callgate[testing]'")


def test_the_same_report_for_every_hash_seed(tmp_path):
    code = (
        "from tests.testing.bad_policies import BAD\n"
        "from callgate.testing import examine\n"
        "for policy, one in BAD[::3]: print(examine(policy, one, examples=30)[0])"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PATH": "/usr/bin:/bin", "PYTHONPATH": "."},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(said) == 1
