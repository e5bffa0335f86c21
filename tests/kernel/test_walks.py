"""Walks of a driver that follows the orders, and is late, repeats itself and guesses.

Law: whatever happens, kernel and naive model say the same effects in the same order, the
invariants hold (those of histories step by step in `callgate.proof.histories`), an old state is
never changed (INV-15), and the replay of the journal equals the run (INV-15).
"""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate import BatchSubmitted, CallValidated, Request
from callgate.kernel.step import trace
from callgate.kernel.table import EDGES
from callgate.proof.moves import VERDICTS
from tests.kernel.walking import CONFIGS, Difference, Walk

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("config", CONFIGS, ids=range(len(CONFIGS)))
@given(data=st.data())
def test_kernel_and_model_say_the_same(config, data):
    def choose(count):
        return data.draw(st.integers(0, count - 1))

    Walk(config, choose).run(data.draw(st.integers(1, 40)))


@pytest.mark.parametrize("seed", range(100))
def test_long_walks(seed):
    Walk(CONFIGS[seed % len(CONFIGS)], random.Random(seed).randrange).run(80)  # noqa: S311


def test_walks_take_every_transition():
    """What the walks never reach they cannot judge."""
    taken = set()
    for seed in range(200):
        walk = Walk(CONFIGS[seed % len(CONFIGS)], random.Random(seed).randrange)  # noqa: S311
        start = walk.state
        walk.run(80)
        for event in walk.events:
            (start, _), edges = trace(start, event)
            taken |= {edge.name for edge in edges}
    assert {edge.name for edge in EDGES} - taken == set()


def test_a_difference_is_found():
    """The walk itself is no rubber stamp: a model that forgets is told apart."""
    walk = Walk(CONFIGS[0], random.Random(0).randrange)  # noqa: S311
    walk.feed(BatchSubmitted(batch_id="b1", requests=[Request("c1", "tool")], at_ms=0))
    walk.model.state["epoch"] = 1
    with pytest.raises(Difference):
        walk.feed(CallValidated(call=1, revision=1, epoch=0, verdict=VERDICTS[0], at_ms=1))


LIFE = """
import json
from callgate import *
state, told = initial(), []
def send(event):
    global state
    state, effects = step(state, event)
    told.extend(map(repr, effects))
names = ["c%d" % n for n in range(20)]
requests = [Request(n, n, {"a": n, "b": n}) for n in names]
send(BatchSubmitted(batch_id="b", requests=requests, at_ms=0))
for n in range(1, 21):
    send(CallValidated(call=n, revision=1, epoch=0, verdict=Ask(Confirmation("exec")), at_ms=n))
for n in range(20, 0, -1):
    send(ApprovalAnswered(call=n, approval_id=1, outcome="proceed_once", at_ms=30))
for n in range(1, 21):
    send(ExecutionFinished(call=n, attempt=1, result=Ok(names), at_ms=40))
print(json.dumps(told))
"""


WALKS = """
import random
from tests.kernel.walking import CONFIGS, Walk
for seed in range(10):
    walk = Walk(CONFIGS[seed % len(CONFIGS)], random.Random(seed).randrange)
    walk.run(60)
    print(walk.effects)
"""


def run_script(script, seed):
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": path}
    command = [sys.executable, "-c", script]
    return subprocess.run(command, env=environment, capture_output=True, check=True).stdout


def test_equal_bytes_under_every_hash_seed():
    told = [run_script(LIFE, seed) for seed in (0, 1, 2)]
    assert told[0] == told[1] == told[2]
    kinds = ["Validate", "Moved", "AskApproval", *["Moved"] * 3, "Execute"]
    assert len(json.loads(told[0])) == 1 + 20 * len(kinds) + 1


def test_equal_walks_under_every_hash_seed():
    told = [run_script(WALKS, seed) for seed in (0, 1, 2)]
    assert len(told[0]) > 10_000
    assert told[0] == told[1] == told[2]
