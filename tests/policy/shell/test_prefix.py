"""Matching prefixes: whole words and very words to allow, every disguise to deny."""

import pytest

from callgate.policy.shell import (
    allow_matches,
    allow_reason,
    deny_could_match,
    deny_matches,
    split_prefix,
    understand,
)


def commands(text):
    """Whatever a rule may look at."""
    understanding = understand(text)
    return understanding.commands + understanding.recognised


@pytest.mark.parametrize("text", ["", "  ", "''", "'a", 'a "'])
def test_a_prefix_without_a_word_is_an_error(text):
    with pytest.raises(ValueError, match="prefix"):
        split_prefix(text)


@pytest.mark.parametrize(
    ("prefix", "text", "expected"),
    [
        ("git log", "git log -1", True),
        ("git log", "git logout", False),
        ("git log", "git --no-pager log -1", True),
        ("git log", "git -C x log", False),
        ("git log", "g'i't \"log\"", True),
        ("rm", "/bin/rm x", False),
        ("/bin/rm", "rm x", False),
        ("ls", "timeout 5 ls", True),
        ("timeout", "timeout 5 ls", False),
        ("timeout 5 ls", "timeout 5 ls -l", True),
        ("ls", "sudo ls", False),
        ("sudo", "sudo ls", False),
        ("sudo ls", "sudo ls -l", True),
        ("ls", "PATH=x ls", False),
        ("ls", "LC_ALL=C ls", True),
        ("ls", "env PATH=x ls", False),
        ("ls", "/usr/bin/timeout 5 ls", False),
        ("ls", "bash -c ls", True),
        ("bash", "bash -c ls", False),
        ("bash -c 'make x'", "bash -c 'make x'", True),
        ("ssh host uptime", "ssh host uptime", True),
        ("ssh host", "ssh host uptime", False),
        ("ls", "ls$x", False),
        ("./run", "./run", True),
        ("./run", "cd x && ./run", False),
    ],
)
def test_an_allow_matches_the_very_words(prefix, text, expected):
    assert allow_matches(split_prefix(prefix), commands(text)[-1]) is expected


@pytest.mark.parametrize(
    "text",
    [
        "rm x",
        "/bin/rm x",
        "'rm' x",
        "\\rm x",
        "A=1 rm x",
        "sudo rm x",
        "sudo -u bob rm x",
        "env A=1 rm",
        "timeout 5 nice rm",
        "xargs rm",
        "find . -exec rm {} ;",
        "bash -c 'ls; rm x'",
        "echo $(rm x)",
        "echo `rm x`",
        "cat <(rm x)",
        "(rm x)",
        "if rm x; then ls; fi",
        "watch 'rm x'",
        "ssh host rm x",
        "eval rm x",
        "busybox rm x",
        "ls; rm x; eval $y",
        "r\\\nm x",
        "time rm x",
        "su -c 'rm x' bob",
        "command rm x",
        "exec rm x",
        "! rm x",
        "rm x &",
        "git bisect run rm x",
    ],
)
def test_a_deny_looks_through_every_disguise(text):
    assert any(deny_matches(("rm",), command) for command in commands(text))


@pytest.mark.parametrize(
    "text", ["echo rm", "ls 'rm x'", "rmdir x", "timeout 5 grep rm x", "ls -rm"]
)
def test_a_deny_is_no_search_for_a_word(text):
    assert not any(deny_could_match(("rm",), command) for command in commands(text))


def test_git_is_denied_by_sub_command_whatever_stands_before_it():
    for text in ("git push", "git -C x push", "git --no-pager -c a=b push x", "/usr/bin/git push"):
        assert any(deny_matches(("git", "push"), command) for command in commands(text)), text
    assert not any(deny_matches(("git", "push"), command) for command in commands("git log push"))


def test_what_only_bash_knows_could_match_a_deny():
    (command,) = understand("git $x").commands
    assert not deny_matches(("git", "push"), command)
    assert deny_could_match(("git", "push"), command)
    assert not deny_could_match(("hg", "push"), command)


@pytest.mark.parametrize(
    ("prefix", "text", "harmless"),
    [
        ("sort", "sort -rnk2 x", True),
        ("sort", "sort -o y x", False),
        ("sort -o y", "sort -o y x", True),
        ("sort", "sort --rev x", True),
        ("sort", "sort --outp=y x", False),
        ("sort", "sort *.txt", False),
        ("ls", "ls *.txt $x", True),
        ("git", "git log -1", True),
        ("git", "git frobnicate", False),
        ("git frobnicate", "git frobnicate x", True),
        ("git frobnicate", "git frobnicate -x", False),
        ("git", "git config a.b c", False),
        ("python3", "python3 x.py", False),
        ("python3 x.py", "python3 x.py --any $x"[:-3], True),
        ("find", "find . -name x -delete", False),
        ("find . -delete", "find . -delete", True),
        ("tar", "tar -xvf x.tar", False),
        ("tar", "tar tvf x.tar", True),
        ("awk", "awk '$1 > 2' x", True),
        ("awk", "awk '{print > \"x\"}'", False),
        ("sed", "sed -n 's/[^/]*$//p' x", True),
        ("sed", "sed -n 's/a/b/w x' y", False),
        ("export", "export PATH=x", False),
        ("export", "export LC_ALL=C", True),
        ("printf", "printf '%s' -v", True),
        ("printf", 'printf "$x"', False),
        ("diff", "diff <(ls a) <(ls b)", True),
        ("xargs sort", "ls | xargs sort", False),
    ],
)
def test_what_follows_the_granted_words_is_judged(prefix, text, harmless):
    reason = allow_reason(split_prefix(prefix), commands(text)[-1])
    assert reason is not None
    assert (reason == "") is harmless, reason
