"""What tests of policies share: policies from texts, a workspace, one word for a decision."""

import pytest

from callgate.policy.decisions import Context, Mode, ToolCall
from callgate.policy.loading import load_policy, load_text
from callgate.policy.rules import Tier


@pytest.fixture
def workspace(tmp_path):
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


@pytest.fixture
def says(workspace):
    """What a policy (a text, or one that is made) says of a call, in one word."""

    def decide(policy, name, args=None, *, mode="default", interactive=True, **call):
        made = load_text(policy).policy if isinstance(policy, str) else policy
        context = Context(Mode(mode), interactive, str(workspace))
        return made.decide(ToolCall(name, args or {}, **call), context).effect.value

    return decide


@pytest.fixture
def load_files(tmp_path):
    """Files of tiers from their texts, as one policy."""

    def load(*texts, defaults=True):
        sources = []
        for number, (tier, text) in enumerate(texts):
            file = tmp_path / f"{number}.toml"
            file.write_text(text, encoding="utf-8")
            sources.append((Tier(tier), file))
        return load_policy(*sources, defaults=defaults)

    return load
