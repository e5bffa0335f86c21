"""The ways in which a shell command line runs a command: one table, as data.

Rule 1: each line is true by construction, with bash as the judge: the command in `{cmd}` runs. So
whoever checks a policy needs no parser, and none of its mistakes.
Rule 2: simple ways stand before odd ones: the first that gets through is what a person is shown.
"""

from __future__ import annotations

from typing import Final, final

from attrs import frozen

_NOT_AFTER_A_PIPE: Final = ("!", "time ")
_MORE_THAN_PLAIN: Final = frozenset("\n\"'\\`$#;&|<>(){}[]!*")
_PROGRAMS: Final = ("env", "timeout", "nohup", "nice", "stdbuf", "setsid")


@final
@frozen
class Technique:
    """One way to run a command. Placeholders: `{cmd}` the command as it stands, `{benign}` a
    harmless one, `{quoted}` the command as one shell word, `{double}` it inside single quotes.
    """

    name: str
    template: str
    forbids: str = ""
    "Characters that a command must not contain for this to be true."
    takes_any: bool = True
    "May `{cmd}` be any command line? Else it must be a simple command."
    ends: bool = False
    "Nothing may follow it, and nothing may enclose it."
    by_sh: bool = False
    "Does sh read the command, which knows less than bash? Then it must be a plain one."

    def applies_to(self, command: str) -> bool:
        """Is it true for this command?"""
        if self.by_sh and (command.startswith("time ") or set(command) & _MORE_THAN_PLAIN):
            return False
        if self.template.startswith("trap") and "trap" in command:
            return False  # a trap that is set by a trap at the exit is never sprung
        if "({cmd}" in self.template and command.startswith("("):
            return False  # two brackets are arithmetic
        if "|" in self.template and command.startswith(_NOT_AFTER_A_PIPE):
            return False
        return not any(letter in command for letter in self.forbids)

    @property
    def is_program(self) -> bool:
        """Is it a program, so that another wrapper can take it?"""
        starts = self.template.partition(" ")[0]
        return starts in _PROGRAMS and self.template.endswith("{cmd}")

    def write(self, command: str, benign: str) -> str:
        """The command line."""
        return (
            self.template.replace("{benign}", benign)
            .replace("{quoted}", quote(command))
            .replace("{double}", command.replace("'", "'\\''"))
            .replace("{cmd}", command)
        )


def quote(command: str) -> str:
    """One shell word, in the plainest quotes that hold it."""
    if "'" not in command:
        return f"'{command}'"
    if not any(letter in command for letter in '"$`\\!'):
        return f'"{command}"'
    return "'" + command.replace("'", "'\"'\"'") + "'"


def _simple(name: str, template: str) -> Technique:
    return Technique(name, template, takes_any=False)


CHAINS: Final = (
    Technique("after &&", "{benign} && {cmd}"),
    Technique("after ;", "{benign}; {cmd}"),
    Technique("before ;", "{cmd}; {benign}"),
    Technique("after ||", "false || {cmd}"),
    Technique("after a pipe", "{benign} | {cmd}"),
    Technique("before a pipe", "{cmd} | {benign}"),
    Technique("after &", "{benign} & {cmd}"),
    Technique("on its own line", "{benign}\n{cmd}"),
    Technique("after a comment", "# {benign}\n{cmd}"),
    Technique("negated", "! {cmd}", forbids="&|;\n"),
    Technique("after |&", "{benign} |& {cmd}"),
)
COMMENTS: Final = (
    Technique("before a comment", "{cmd} # {benign}", ends=True),
    Technique("with the words of another", "{cmd} {benign}", takes_any=False, ends=True),
)
"""For policies that look for a harmless word anywhere."""
GROUPS: Final = (
    Technique("in a subshell", "({cmd})"),
    Technique("in braces", "{ {cmd}; }"),
    Technique("in if", "if true; then {cmd}; fi"),
    Technique("as a condition", "if {cmd}; then {benign}; fi"),
    Technique("in for", "for i in 1; do {cmd}; done"),
    Technique("in while", "while {cmd}; do break; done"),
    Technique("in case", "case a in a) {cmd};; esac"),
    Technique("in a function", "f() { {cmd}; }; f"),
    Technique("in coproc", "coproc { {cmd}; }; wait"),
)
SUBSTITUTIONS: Final = (
    Technique("in $( )", "{benign} $({cmd})"),
    Technique("in quoted $( )", '{benign} "$({cmd})"'),
    Technique("in backticks", "{benign} `{cmd}`", forbids="`\\$"),
    Technique("in <( )", "{benign} <({cmd}); wait"),
    Technique("in ${ :- }", "{benign} ${unset_name:-$({cmd})}", forbids="}'\""),
    Technique("in ${ :-` }", "{benign} ${unset_name:-`{cmd}`}", forbids="`\\$}'\""),
    Technique("in ${ # }", "{benign} ${HOME#$({cmd})}", forbids="}'\""),
    Technique("in an assignment", "x=$({cmd})"),
    Technique("in arithmetic", "{benign} $((1 + 0$({cmd})))", forbids="}'\"#"),
    Technique("in a here-string", "{benign} <<< $({cmd})"),
    Technique("in [[ ]]", "[[ -n $({cmd}) ]]"),
    Technique("in an index", "x=(1); {benign} ${x[0$({cmd})]}", forbids="}'\"#]"),
    Technique("in a heredoc", "{benign} <<END\n$({cmd})\nEND", ends=True),
    Technique("in backticks in a heredoc", "{benign} <<END\n`{cmd}`\nEND", "`\\$", ends=True),
    Technique("in <<-", "{benign} <<-END\n\t$({cmd})\n\tEND", ends=True),
    Technique("in two depths of $( )", "{benign} $(echo $({cmd}))"),
    Technique("in escaped backticks", "{benign} `echo \\`{cmd}\\``", forbids="`\\$"),
    Technique("as an index in [[ -eq ]]", "[[ 'a[$({double})]' -eq 1 ]]", forbids="]'\""),
    Technique("as an index in test -v", "test -v 'a[$({double})]'", forbids="]'\""),
    Technique("as an index in printf -v", "printf -v 'a[$({double})]' x", forbids="]'\""),
    Technique("in the target of >", "{benign} > $({cmd}; echo /dev/null)", forbids="#"),
)
WRAPPERS: Final = (
    _simple("env", "env {cmd}"),
    _simple("timeout", "timeout 5 {cmd}"),
    _simple("nohup", "nohup {cmd}"),
    _simple("nice", "nice {cmd}"),
    _simple("nice -n", "nice -n 5 {cmd}"),
    _simple("command", "command {cmd}"),
    _simple("exec", "exec {cmd}"),
    _simple("time", "time {cmd}"),
    _simple("env with a name", "env A=1 {cmd}"),
    _simple("env -i", "env -i {cmd}"),
    _simple("stdbuf", "stdbuf -o0 {cmd}"),
    _simple("setsid", "setsid -w {cmd}"),
    _simple("xargs", "echo | xargs {cmd}"),
    _simple("find -exec", "find . -maxdepth 0 -exec {cmd} ';'"),
    _simple("two wrappers", "nice env {cmd}"),
    _simple("an assignment", "A=1 {cmd}"),
    _simple("a redirection", "{cmd} > /dev/null"),
    _simple("a redirection before it", "</dev/null {cmd}"),
)
PRIVILEGED: Final = (_simple("sudo", "sudo {cmd}"), _simple("doas", "doas {cmd}"))
"""Wrappers that few machines have: each is tried alone, and never combined."""
TEXTS: Final = (
    Technique("bash -c", "bash -c {quoted}"),
    Technique("sh -c", "sh -c {quoted}", by_sh=True),
    Technique("bash -lc", "bash -lc {quoted}"),
    Technique("env bash -c", "env bash -c {quoted}"),
    Technique("eval", "eval {quoted}"),
    Technique("a here-string to bash", "bash <<< {quoted}"),
    Technique("a pipe to bash", "echo {quoted} | bash"),
    Technique("trap", "trap {quoted} EXIT"),
    Technique("source", "source /dev/stdin <<< {quoted}"),
    Technique("xargs bash -c", "echo | xargs bash -c {quoted}"),
    Technique("git alias", "git -c alias.x='!{cmd}' x", by_sh=True),
    Technique("awk", "awk 'BEGIN { system(\"{cmd}\") }'", by_sh=True),
    Technique("sed e", "echo | sed '1e {cmd}'", by_sh=True),
    Technique("python -c", "python3 -c 'import os; os.system(\"{cmd}\")'", by_sh=True),
    Technique(
        "tar --checkpoint-action",
        "tar cf /dev/null --checkpoint=1 --checkpoint-action=exec='{cmd}' .",
        by_sh=True,
    ),
)
LINES: Final = (*CHAINS, *GROUPS, *SUBSTITUTIONS, *TEXTS)
"""What takes any command line."""

BETWEEN: Final = {
    "git": ("-C .", "--no-pager", "-c core.abbrev=7", "--git-dir=.git"),
    "docker": ("--debug",),
    "kubectl": ("--namespace=default",),
}
"""Options of a program that may stand before its sub-command, and change nothing of it."""
