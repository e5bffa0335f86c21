"""The naive model satisfies every vector: what the kernel is held to, its second opinion is too."""

import json
from pathlib import Path

import pytest

from tests.kernel.naive_call import Refused
from tests.kernel.naive_model import NaiveKernel, same

VECTORS = sorted((Path(__file__).parents[2] / "statemachine_spec" / "vectors").glob("*.json"))


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_the_model_satisfies_the_vector(path):
    vector = json.loads(path.read_text(encoding="utf-8"))
    model = NaiveKernel(vector["config"])
    for number, step in enumerate(vector["steps"]):
        before = json.dumps(model.state)
        if "error" in step:
            with pytest.raises(Refused, match=f"^{step['error']}$"):
                model.feed(step["event"])
            assert json.dumps(model.state) == before, f"step {number}: a refusal changed the model"
        else:
            found = model.feed(step["event"])
            assert same(step["effects"], found), f"step {number}: {found}"


def test_there_are_vectors():
    assert len(VECTORS) > 100
