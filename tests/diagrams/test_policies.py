"""The chart of a policy says what the engine decides."""

import json
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

from callgate.cli.main import main
from callgate.diagrams import policytext
from callgate.diagrams.errors import DiagramError
from callgate.diagrams.policies import OTHER, chart, policy_chart
from callgate.diagrams.policydraw import FORMATS, draw
from callgate.diagrams.policysvg import svg
from callgate.diagrams.terminal import cells, plain
from callgate.policy.decisions import Context, Effect, Mode, ToolCall
from callgate.policy.loading import load_policy

from .picture import Picture, box, overlap

POLICY = """
[[rule]]
toolName = "run_shell_command"
commandPrefix = ["git status", "git diff"]
decision = "allow"
priority = 100

[[rule]]
toolName = "run_shell_command"
commandPrefix = "rm"
decision = "deny"
priority = 200

[[rule]]
toolName = ["fetch", "search_*"]
decision = "allow"
priority = 50
modes = ["default", "auto_edit"]

[[rule]]
toolName = "*"
mcpName = "github"
decision = "ask_user"
priority = 999
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "policy.toml"
    path.write_text(POLICY, encoding="utf-8")
    return path


@pytest.fixture
def drawn(file):
    return policy_chart([file])[0]


def cell(drawn, tool, mode):
    row = next(row for row in drawn.rows if tool in row.tools)
    return row.cells[drawn.modes.index(mode)]


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(
    ("label", "call"),
    [
        ("read_file", ToolCall("read_file", {"file_path": "a"})),
        ("write_file", ToolCall("write_file", {})),
        ("fetch", ToolCall("fetch", {"url": "x"})),
        ("search_*", ToolCall("search_web", {})),
        ("* of github", ToolCall("issues", {}, server="github")),
        ("shell", ToolCall("shell", {"command": "ls"})),
        (OTHER, ToolCall("whatever", {"a": 1})),
    ],
)
def test_the_last_line_of_a_cell_is_what_the_engine_decides(file, drawn, label, call, mode):
    decision = load_policy(str(file)).policy.decide(call, Context(mode=mode))
    last = cell(drawn, label, mode)[-1]
    if label == "shell" and mode is Mode.YOLO:
        # Under a rule that denies some commands, a whole mode's allow still stands for `ls`.
        assert decision.effect.value == "allow"
    assert last.effect is decision.effect
    assert decision.rule is None or str(decision.rule.line) in last.where or last.where


@pytest.mark.parametrize("mode", Mode)
def test_the_lines_above_are_heard_first(file, drawn, mode):
    policy = load_policy(str(file)).policy
    rm, git, _ = cell(drawn, "shell", mode)
    assert rm.when == "command rm"
    assert git.when == "command git status or git diff"
    for heard, command in ((rm, "rm x"), (git, "git status")):
        decision = policy.decide(ToolCall("shell", {"command": command}), Context(mode=mode))
        assert decision.effect is heard.effect
        assert decision.rule is not None
        assert heard.where == f"policy.toml:{decision.rule.line}"


def test_what_is_never_heard_is_not_drawn(drawn):
    for row in drawn.rows:
        for heard in row.cells:
            assert all(one.when for one in heard[:-1])
    assert drawn.rows[-1].tools == (OTHER,)
    assert ("read_file", "list_directory") in [row.tools for row in drawn.rows]


def test_nothing_lies_over_anything(drawn):
    picture = Picture(svg(drawn))
    _, _, wide, high = picture.view
    boxes = [area for area, _ in picture.texts]
    for at, area in enumerate(boxes):
        assert 0 < area[0] < area[2] < wide
        assert 0 < area[1] < area[3] < high
        assert not any(overlap(area, other) for other in boxes[at + 1 :])
    space = "{http://www.w3.org/2000/svg}"
    for group in picture.root.iter(f"{space}g"):
        rect = group.find(f"{space}rect")
        left, top, w, h = (float(rect.get(key)) for key in ("x", "y", "width", "height"))
        for text in group.iter(f"{space}text"):
            area = box(text)
            assert left < area[0] < area[2] < left + w
            assert top < area[1] < area[3] < top + h


def test_hostile_rules_are_text():
    loaded = load_policy()
    hostile = "]</text><script>x</script>|`\n"
    rules = [type(loaded.policy.rules[0])(tools=[hostile], effect=Effect.DENY, prefixes=[hostile])]
    found = chart(rules)
    ET.fromstring(svg(found))  # noqa: S314 - drawn by the line itself
    for text in (policytext.markdown(found), policytext.mermaid(found), svg(found)):
        assert "<script>" not in text


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_the_terminal_is_wide_enough(drawn, width):
    for line in plain(policytext.view(drawn, width)).splitlines():
        assert cells(line) <= width


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_drawn(file, form, capfdbinary):
    assert main(["diagram", "policy", str(file), "--format", form]) == 0
    shown = capfdbinary.readouterr().out
    assert shown.startswith(b"\x89PNG") or b"policy.toml:" in shown
    if form == "json":
        assert json.loads(shown)["title"] == "policy.toml"


def test_what_cannot_be_drawn_is_explained(file, drawn, tmp_path, capsys):
    with pytest.raises(DiagramError, match=r"cannot be drawn as dot \(it can: markdown"):
        draw(drawn, "dot")
    assert main(["diagram", "policy"]) == 2
    assert "which policy?" in capsys.readouterr().err
    assert main(["diagram", "policy", str(tmp_path / "none.toml")]) == 2
    assert "no policy can be read" in capsys.readouterr().err
    assert main(["diagram", "call", str(file)]) == 2
    assert "only policy is followed by files" in capsys.readouterr().err
    assert main(["diagram", "policy", str(file)]) == 0
    assert "command rm" in capsys.readouterr().out


def test_without_the_extra_the_error_names_it(file):
    script = (
        "import sys\n"
        "sys.modules['re2'] = sys.modules['tree_sitter'] = None\n"
        "from callgate.cli.main import main\n"
        f"sys.exit(main(['diagram', 'policy', {str(file)!r}]))\n"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'callgate[policy]'" in done.stderr
    assert "Traceback" not in done.stderr
