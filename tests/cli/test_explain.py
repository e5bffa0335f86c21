"""`callgate explain`: a stream that goes on whatever it is fed, and a tree that people can read."""

import io
import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.cli.explaining.stream import LINE_BYTES_MAX, answer
from callgate.cli.main import main
from callgate.policy.decisions import Context, Effect
from callgate.policy.loading import load_text

POLICY = """\
[[rule]]
name = "git reads"
toolName = "run_shell_command"
commandPrefix = ["git log", "git status"]
decision = "allow"
priority = 100

[[rule]]
toolName = "shell"
commandPrefix = "rm"
decision = "deny"
denyMessage = "no rm here"
priority = 200
"""
COMMAND = [sys.executable, "-c", "from callgate.cli.main import main; raise SystemExit(main())"]


@pytest.fixture
def policy(tmp_path):
    file = tmp_path / "policy.toml"
    file.write_text(POLICY)
    return file


@pytest.fixture
def explain(tmp_path, capsys):
    """Run it in this process: exit code, decisions or text, what is on standard error."""

    def run(*words, lines=None):
        if lines is not None:
            calls = tmp_path / "calls.jsonl"
            calls.write_bytes(b"".join(line + b"\n" for line in lines))
            words = (*words, "--jsonl", str(calls))
        try:
            code = main(["explain", "--dir", str(tmp_path), *map(str, words)])
        except SystemExit as left:
            code = left.code
        out, err = capsys.readouterr()
        return (
            code,
            [json.loads(line) for line in out.splitlines()] if lines is not None else out,
            err,
        )

    return run


def call(name, **args):
    return json.dumps({"name": name, "args": args}).encode()


def test_a_line_has_the_promised_keys(explain, policy):
    lines = [call("shell", command="git log && rm x"), call("shell", command="git status")]
    code, (denied, allowed), _ = explain("--policy", policy, lines=lines)
    assert code == 0
    rule = {"file": str(policy), "line": 8, "name": "", "tier": "user", "priority": 200}
    assert list(denied) == ["decision", "rule", "reason", "parts", "message"]
    assert (denied["decision"], denied["rule"], denied["message"]) == ("deny", rule, "no rm here")
    assert [part["command"] for part in denied["parts"]] == ["git log", "rm x"]
    assert [part["decision"] for part in denied["parts"]] == ["allow", "deny"]
    assert set(denied["parts"][0]) == {"command", "decision", "rule", "reason"}
    assert denied["parts"][0]["rule"]["name"] == "git reads"
    assert list(allowed) == ["decision", "rule", "reason", "parts"]


HOSTILE = [
    b"", b" ", b"null", b"[]", b"3", b'"x"', b"{}", b"nonsense", b"\xff\xfe", b"{",
    b'{"name":""}', b'{"name":3}', b'{"name":null}', b'{"name":"x","args":[]}',
    b'{"name":"x","args":null}', b'{"name":"x","args":{"a":NaN}}',
    b'{"name":"x","args":{"a":1e999}}',
    b'{"name":"x","args":{"a":1,"a":2}}', b'{"name":"read_file","name":"x"}',
    b'{"name":"x","server":3}',
    b'{"name":"x","server":""}', b'{"name":"x","annotations":[]}', b'{"name":"x","more":1}',
    b'{"name":"x","args":' + b'{"a":' * 3000 + b"1" + b"}" * 3001,
    b'{"name":"x","args":' + b'{"a":' * 70 + b"1" + b"}" * 71,
    b"[" * 100_000, b'{"name":"x","args":{"a":' + b"9" * 5000 + b"}}",
    b'{"name":"shell"}', b'{"name":"shell","args":{"command":["ls"]}}',
]  # fmt: skip


def test_hostile_lines_are_denied_and_the_next_is_answered(explain, policy):
    good = b'{"name":"read_file","args":{"file_path":"a"}}'
    lines = [each for hostile in HOSTILE for each in (hostile, good)]
    code, found, _ = explain("--policy", policy, "--mode", "yolo", lines=lines)
    assert code == 0
    for hostile, bad, fine in zip(HOSTILE, found[::2], found[1::2], strict=True):
        assert bad["decision"] == "deny", hostile[:80]
        assert bad["reason"], hostile[:80]
        assert fine["decision"] == "allow"


def test_a_line_that_is_too_long_is_passed_over():
    long = b'{"name":"' + b"x" * (2 * LINE_BYTES_MAX) + b'"}\n{"name":"x"}'
    out = io.StringIO()
    answer(io.BytesIO(long), out, load_text("").policy, Context())
    decisions = [json.loads(line)["decision"] for line in out.getvalue().splitlines()]
    assert decisions == ["deny", "ask"]


def test_a_policy_that_fails_denies():
    class Broken:
        def decide(self, call, context):
            raise RuntimeError("boom")

    out = io.StringIO()
    answer(io.BytesIO(b'{"name":"x"}\n'), out, Broken(), Context())
    found = json.loads(out.getvalue())
    assert (found["decision"], found["rule"]) == ("deny", None)
    assert "RuntimeError: boom" in found["reason"]


@given(st.lists(st.binary().map(lambda raw: raw.replace(b"\n", b"")), max_size=3))
def test_any_bytes_give_one_line_of_ascii_each(lines):
    out = io.StringIO()
    answer(io.BytesIO(b"".join(x + b"\n" for x in lines)), out, load_text("").policy, Context())
    found = out.getvalue().splitlines()
    assert len(found) == len(lines)
    for line in found:
        assert line.isascii()
        assert json.loads(line)["decision"] == Effect.DENY.value


names = st.sampled_from(["shell", "write_file", "read_file", "own"]) | st.text()
objects = st.dictionaries(
    st.sampled_from(["command", "file_path", "dir_path"]) | st.text(max_size=5),
    st.recursive(st.text() | st.integers() | st.none(), st.lists, max_leaves=4),
)


@given(names, objects, st.sampled_from(["default", "auto_edit", "yolo", "plan"]))
def test_nobody_to_ask_never_means_ask(name, args, mode):
    line = json.dumps({"name": name, "args": args}).encode() + b"\n"
    out = io.StringIO()
    answer(io.BytesIO(line), out, load_text(POLICY).policy, Context(mode, False, "/nowhere"))
    found = json.loads(out.getvalue())
    assert out.getvalue().isascii()
    assert {found["decision"], *(part["decision"] for part in found["parts"])} <= {"allow", "deny"}


def test_it_answers_at_once(policy, tmp_path):
    words = [*COMMAND, "explain", "--policy", str(policy), "--dir", str(tmp_path), "--jsonl", "-"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for command, decision in (("git log", "allow"), ("ls", "ask"), ("rm x", "deny")):
            process.stdin.write(call("shell", command=command) + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["decision"] == decision
        process.stdin.close()
        assert process.wait() == 0


def test_a_reader_that_leaves_is_no_error(policy, tmp_path):
    words = [*COMMAND, "explain", "--policy", str(policy), "--dir", str(tmp_path), "--jsonl", "-"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, **pipes) as process:
        process.stdout.close()
        process.stdin.write((call("own") + b"\n") * 10)
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_relative_to_the_workspace_from_anywhere(policy, tmp_path):
    (tmp_path / "ws").mkdir()
    words = [*COMMAND, "explain", "--policy", str(policy), "--dir", "ws", "--jsonl", "-"]
    lines = b"\n".join(call("read_file", file_path=path) for path in ("a", "../a"))
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        words, input=lines, capture_output=True, cwd=tmp_path, env=env, check=True
    )
    assert [json.loads(line)["decision"] for line in done.stdout.splitlines()] == ["allow", "ask"]


@pytest.mark.parametrize(
    "words",
    [
        ["--policy", "nowhere.toml", "x"],
        ["--no-defaults", "x"],
        ["--mode", "yollo", "x"],
        ["--policy", "usr=p.toml", "x"],
        [],
        ["x", "nonsense"],
        ["x", "[]"],
        ["--jsonl", "nowhere.jsonl"],
        ["x", "--jsonl", "-"],
        ["--jsonl", "-", "--unheard-of"],
    ],
)
def test_what_is_wrong_is_said_and_nothing_else(explain, words):
    code, out, err = explain(*words)
    assert (code, out) == (2, "")
    assert err


def test_a_workspace_that_is_none(explain, policy):
    assert explain("--policy", policy, "--dir", "/nowhere", "x")[0] == 2


def test_one_broken_file_beside_a_sound_one(explain, policy, tmp_path):
    broken = tmp_path / "broken.toml"
    broken.write_text("[[rule]]\nx = ")
    lines = [call("read_file", file_path="a"), call("shell", command="git log")]
    code, found, err = explain("--policy", f"workspace={broken}", f"admin={policy}", lines=lines)
    assert code == 0
    assert [each["decision"] for each in found] == ["deny", "allow"]
    assert err.startswith(f"{broken}:2: the file is no TOML")
    assert "; correct this line" in err
    assert explain("--policy", broken, lines=lines)[:2] == (2, [])


def test_without_the_built_in_rules(explain, policy):
    lines = [call("read_file", file_path="a"), call("shell", command="git log")]
    _, found, _ = explain("--policy", policy, "--no-defaults", lines=lines)
    assert [each["decision"] for each in found] == ["ask", "allow"]
    assert found[0]["rule"] is None


def test_the_spelling_autoedit(explain):
    _, found, _ = explain("--mode", "autoEdit", lines=[call("write_file", file_path="a")])
    assert found[0]["decision"] == "allow"


def test_a_tree_for_a_person(explain, policy):
    args = json.dumps({"command": "git log && rm -rf x"})
    code, out, _ = explain("--policy", policy, "--mode", "default", "shell", args)
    assert code == 0
    shown = "".join(out.replace("│", "").split())
    for text in (
        "DENY  shell  git log && rm -rf x",
        f"├─ allow git log {policy}:1 'git reads', user, priority 100",
        f"└─ deny rm -rf x {policy}:8, user, priority 200",
        "the model is told: no rm here",
        "mode default, somebody can be asked",
    ):
        assert "".join(text.split()) in shown


def test_a_call_does_not_act_on_the_terminal(explain, policy):
    args = json.dumps({"command": "ls \x1b[31m\u202e\r\nrm x"})
    _, out, _ = explain("--policy", policy, "shell", args)
    assert "\\x1b[31m\\u202e\\r\\nrm" in out
    assert "\x1b" not in out


def test_a_tree_fits_eighty_columns(explain, policy):
    args = json.dumps({"command": " && ".join(["git log " + "word " * 40] * 3 + ["x" * 300])})
    _, out, _ = explain("--policy", policy, "shell", args)
    assert max(map(len, out.splitlines())) <= 80


def test_the_name_may_follow_the_policies(explain, policy):
    code, out, _ = explain("--policy", policy, "shell", '{"command": "git log"}')
    assert (code, out.split()[0]) == (0, "ALLOW")
    code, out, _ = explain("--policy", policy, f"admin={policy}", "read_file")
    assert (code, out.split()[0]) == (0, "ALLOW")


def test_the_tree_is_plain_without_rich(explain, policy, monkeypatch):
    args = '{"command": "git log && rm x"}'
    _, coloured, _ = explain("--policy", policy, "shell", args)
    monkeypatch.setattr("callgate.cli.explaining.tree.find_spec", lambda name: None)
    _, plain, _ = explain("--policy", policy, "shell", args)
    assert plain == coloured


def test_the_same_bytes_for_every_hash_seed(policy, tmp_path):
    words = [*COMMAND, "explain", "--policy", str(policy), "--dir", str(tmp_path), "--jsonl", "-"]
    args = {"zeta": 1, "alpha": {"b": 2, "a": [3]}, "file_path": "../x"}
    lines = [call("own", **args), call("shell", command="git log | cat && rm $(ls) > x")]
    said = {
        subprocess.run(
            words,
            input=b"\n".join(lines),
            capture_output=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(said) == 1
