"""What a line is understood to be, what is refused, and that any text at all is answered."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callgate.policy.shell import Opaque, understand


def words(text):
    """The words of each command, expansions as written."""
    understanding = understand(text)
    assert understanding.is_understood, understanding.not_understood
    return [
        [word if isinstance(word, str) else word.text for word in command.words]
        for command in understanding.commands
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ls -l | wc -l; pwd", [["ls", "-l"], ["wc", "-l"], ["pwd"]]),
        ("echo 'a b' \"c d\" e\\ f", [["echo", "a b", "c d", "e f"]]),
        ("echo $(ls `pwd`)", [["pwd"], ["ls", "`pwd`"], ["echo", "$(ls `pwd`)"]]),
        ("if [ -f x ]; then ls; else pwd; fi", [["[", "-f", "x", "]"], ["ls"], ["pwd"]]),
        ("for f in a b; do echo $f; done", [["echo", "$f"]]),
        ("case $x in (a|b) ls ;; *) pwd ;; esac", [["ls"], ["pwd"]]),
        ("while read -r l; do echo; done", [["read", "-r", "l"], ["echo"]]),
        ("{ ls; (pwd); }", [["ls"], ["pwd"]]),
        ("[[ -f x && $y == z* ]] && ls", [["ls"]]),
        ("bash -c 'ls; pwd'", [["ls"], ["pwd"]]),
        ("eval ls \\; pwd", [["ls"], ["pwd"]]),
        ("timeout -k 1 5 nice -n 3 ls -l", [["ls", "-l"]]),
        ("env -u A LC_ALL=C ls", [["ls"]]),
        ("cat <<'EOF'\n$(rm x)\nEOF\nls", [["cat"], ["ls"]]),
        ("echo a # ; rm x", [["echo", "a"]]),
        ("x=$(pwd); echo $x", [["pwd"], ["echo", "$x"]]),
        ("ls \\\n  -l", [["ls", "-l"]]),
        ("cut -d$'\\t' -f1", [["cut", "-d\t", "-f1"]]),
        ("find . -exec rm {} +", [["find", ".", "-exec", "rm", "{}", "+"], ["rm", "{}"]]),
        ("watch -n 1 'ls; pwd'", [["ls"], ["pwd"]]),
    ],
)
def test_every_command_of_a_line_is_listed(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "eval $x",
        'bash -c "$x"',
        "ls | bash",
        "source x",
        ". x",
        "trap ls EXIT",
        "alias a=b",
        "f() { ls; }",
        "function f { ls; }",
        "coproc ls",
        "a=(1)",
        "a[0]=1",
        "((1))",
        "let x=1",
        "echo ${x@P}",
        "echo ${!x}",
        "echo ${x:=y}",
        "echo ${x/a/b}",
        "echo $[1]",
        "echo $((x))",
        "[[ x -eq y ]]",
        "test -v x",
        'echo $"x"',
        "echo $'\\x41'",
        "echo 'a",
        'echo "a',
        "ls (",
        "ls &&",
        "| ls",
        "ls ;; ls",
        "if ls; then",
        "cat <<E\n$x\nE",
        "cat <<E",
        "l\\\ns",
        "ls\r",
        "ls\u00a0",
        "ls \x0b",
        "ls\0",
        "ls \ud800",
        "echo `echo \\`ls\\``",
        "python3",
        "select x in a",
        "Remove-Item x",
        "zsh -c ls",
        "mapfile -C ls x",
        "declare -n x=y",
        "printf -v 'a[0]' x",
        "",
        "for PATH in a; do ls; done",
        "exec {fd}>x",
        "echo a<(ls)",
        "ls }",
        5,
        None,
        b"ls",
    ],
)
def test_what_is_not_understood_says_why(text):
    understanding = understand(text)
    assert understanding.not_understood
    assert not understanding.commands
    assert understanding.not_understood.isascii()


def test_a_word_is_a_string_only_if_it_is_literal():
    (command,) = understand("echo a'b' \"$x\" $x *.py ~ {a,b} a{b} $? $((1+2)) <(pwd)").commands[1:]
    literal = [word for word in command.words if isinstance(word, str)]
    assert literal == ["echo", "ab", "a{b}"]
    one = [word.text for word in command.words if isinstance(word, Opaque) and word.is_one]
    assert one == ['"$x"', "~", "$?", "$((1+2))", "<(pwd)"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ls > /dev/null 2>&1 <&-", [("/dev/null", True), ("1", True), ("-", True)]),
        ("ls > out", [("out", False)]),
        ("ls > '/dev/null'", [("/dev/null", True)]),
        ("ls > /dev/nullx", [("/dev/nullx", False)]),
        ("ls > $x", [(None, False)]),
        ("ls > /dev/tcp/h/1", [(None, False)]),
        ("ls >& out", [("out", False)]),
        ("cd x && ls > out", [(None, False)]),
        ("cd x && ls > /srv/out", [("/srv/out", False)]),
        ("cat <<'E'\nx\nE", [(None, False)]),
        ("{ ls; } &>> out", [("out", False)]),
        ("echo $(ls > out)", [("out", False)]),
    ],
)
def test_every_redirection_is_listed(text, found):
    redirections = understand(text).redirections
    assert [(one.target, one.is_harmless) for one in redirections] == found


@pytest.mark.parametrize(
    "text",
    [
        "echo " + "$(" * 200 + "ls" + ")" * 200,
        "(" * 5_000,
        "echo " + "a" * 3_000_000,
        "`" * 60_001,
        "ls;" * 20_000,
        "env " * 16_000,
        "if " * 9_000,
        "$" * 60_000,
        "eval " * 10_000,
        "{a," * 20_000,
        "cat <<A\n" * 5_000,
        "find " + "-exec " * 10_000,
        "bash -c " * 8_000,
        "case a in " * 5_000,
    ],
    ids=lambda text: text[:12],
)
def test_a_limit_is_met_quickly_and_never_by_an_exception(text):
    begun = time.process_time()
    assert understand(text).not_understood
    assert time.process_time() - begun < 5


def test_a_hundred_commands_are_handled():
    assert len(understand("; ".join(["ls -l"] * 300)).commands) == 300
    assert understand("ls;" * 600).not_understood == "more than 512 commands"


@given(
    st.text() | st.text(alphabet="ls$`'\"\\(){}[]<>|&;#\n \t=*?!~-a1") | st.integers() | st.none()
)
@settings(max_examples=300, deadline=None)
def test_any_object_is_answered_and_the_same_twice(text):
    first = understand(text)
    assert first == understand(text)
    assert first.is_understood or not first.commands


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("rm -r x; eval $y", "rm"),
        ("eval $(rm x)", "rm"),
        ("r\\\nm x", "rm"),
        ("a=1 rm $[1]", "rm"),
        ("rm 'x", "rm"),
        ("sudo --odd x rm y", "rm"),
        ("if true; then rm $[1]; fi", "rm"),
    ],
)
def test_what_is_not_understood_still_names_its_commands(text, name):
    understanding = understand(text)
    assert not understanding.is_understood
    firsts = {layer.words[0] for one in understanding.recognised for layer in one.layers}
    assert name in firsts


def test_a_limit_hides_no_command_from_a_deny():
    many = understand("ls;" * 3_000 + "rm x")
    assert ("rm", "x") in {one.words for one in many.recognised}
    assert not many.is_cut
    assert understand("ls " + "a " * 40_000 + "; rm x").is_cut
    assert understand("env " + "A=1 " * 600 + "rm $[1]").is_cut


@pytest.mark.parametrize("line", ["env -u $A ls", "nice -n $A ls", "timeout -k $A 5 ls"])
def test_a_value_before_the_inner_command_must_be_one_word(line):
    assert "an expansion before the command" in understand(line).not_understood
    quoted = understand(line.replace("$A", '"$A"'))
    assert quoted.commands[0].words == ("ls",)


@pytest.mark.parametrize(
    ("line", "inner"),
    [
        ("uv run pytest -q", ("pytest", "-q")),
        ("bundle exec -- rspec", ("rspec",)),
        ("npm exec tsc", ("tsc",)),
        ("uv run --with x pytest", ("uv", "run", "--with", "x", "pytest")),
    ],
)
def test_a_sub_command_that_runs_a_command_is_a_wrapper_that_an_allow_does_not_open(line, inner):
    command = understand(line).commands[0]
    assert command.words == inner
    assert not any(layer.closed for layer in command.layers[:1])
    assert all(layer.closed for layer in command.layers[1:])


def test_letters_of_every_plane_are_answered():
    """tree-sitter-bash 0.25.1 ends the process at some letters before and after a brace."""
    for _ in range(50):
        understand("1\u00f5\U00039e13\u00d5{\U000a85ab")
    for number in range(0x10000, 0x110000, 97):
        understanding = understand(f"ls a{chr(number)}{{{chr(number)}")
        assert understanding.is_understood or "U+" in understanding.not_understood
