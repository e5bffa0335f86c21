"""Examples in a policy: `match` and `not_match` of a rule, and the `[[test]]` tables of a file.

Rule 1: an example is decided by its rule alone; a test by the whole policy that was loaded.
Rule 2: both are decided in a workspace that does not exist, so that no file changes what they say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from attrs import field, frozen

from callgate.kernel.errors import KernelError
from callgate.kernel.frozenjson import EMPTY, JsonObject, freeze_object
from callgate.policy.decisions import Context, Effect, Mode, ToolCall
from callgate.policy.engine import RulePolicy
from callgate.policy.errors import Kind, Problem
from callgate.policy.names import SHELL, WRITES
from callgate.policy.patterns import is_glob
from callgate.policy.toml.keys import EXAMPLES, Wrong, decision, mode, nearest, pairs, text, truth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from callgate.policy.rules import Rule
    from callgate.policy.toml.positions import Path
    from callgate.policy.toml.tables import Reader

WORKSPACE: Final = "/callgate-example-workspace"


@final
@frozen
class FileTest:
    """A `[[test]]` of a file.

    >>> FileTest(ToolCall("shell", {"command": "rm x"}), Effect.DENY).expect.value
    'deny'
    """

    call: ToolCall
    expect: Effect
    context: Context = field(factory=lambda: Context(workspace=WORKSPACE))
    name: str = ""
    file: str = ""
    line: int = 0

    def problem(self, policy: RulePolicy) -> Problem | None:
        """What is wrong, if the policy decides otherwise."""
        found = policy.decide(self.call, self.context)
        if found.effect is self.expect:
            return None
        title = f"test {self.name!a}" if self.name else "the test"
        what = f"{title} expects {self.expect.value}, the policy says {found.effect.value}"
        return Problem(self.file, self.line, what, f"because {found.reason}", Kind.TEST)


def arguments(value: object) -> JsonObject:
    """The arguments of a call."""
    if not isinstance(value, dict):
        raise Wrong("is no table", "write a table such as { command = 'git status' }")
    try:
        return freeze_object(value)
    except (TypeError, KernelError) as error:
        raise Wrong(f"cannot be arguments ({error})", "write what JSON can hold") from None


TEST: Final[dict[str, Callable[[object], Any]]] = {
    "tool": text,
    "args": arguments,
    "command": text,
    "server": text,
    "annotations": pairs,
    "mode": mode,
    "interactive": truth,
    "agent": text,
    "expect": decision,
    "name": text,
}
"""Each key of a `[[test]]`, and how it is read."""


def read_test(reader: Reader, table: Mapping[str, Any], at: Path) -> FileTest | None:
    """A test; none if it is wrong."""
    before, found = len(reader.problems), {}
    for key, value in table.items():
        if key not in TEST:
            near = nearest(key, TEST)
            fix = f"did you mean '{near}'?" if near else f"the keys are {', '.join(TEST)}"
            reader.report((*at, key), f"unknown key {key!a}", fix, Kind.TEST)
            continue
        try:
            found[key] = TEST[key](value)
        except Wrong as wrong:
            reader.report((*at, key), f"'{key}' {wrong.what}", wrong.fix, Kind.TEST)
    if ("command" in table) == ("tool" in table):
        reader.report(at, "the test names no one call", "write 'tool' or 'command'", Kind.TEST)
    if "expect" not in table:
        reader.report(at, "the test has no 'expect'", "write expect = 'deny'", Kind.TEST)
    if len(reader.problems) > before:
        return None
    return _test(reader, found, at)


def _test(reader: Reader, found: dict[str, Any], at: Path) -> FileTest:
    args = dict(found.get("args", EMPTY))
    if "command" in found:
        args["command"] = found["command"]
    call = ToolCall(
        found.get("tool", SHELL), args, found.get("server"), found.get("annotations", EMPTY)
    )
    context = Context(
        mode=found.get("mode", Mode.DEFAULT),
        interactive=found.get("interactive", True),
        workspace=WORKSPACE,
        agent=found.get("agent", ""),
    )
    line = reader.positions.line(*at)
    return FileTest(call, found["expect"], context, found.get("name", ""), reader.file, line)


def examples_hold(reader: Reader, rule: Rule, table: Mapping[str, Any], at: Path) -> bool:
    """Do the examples of a rule say what it means?"""
    before = len(reader.problems)
    policy: RulePolicy | None = None
    for key in EXAMPLES:
        if key not in table:
            continue
        policy = policy or RulePolicy([rule])
        for number, item in enumerate(_items(reader, table[key], (*at, key))):
            _check(reader, policy, item, (*at, key, number))
    return len(reader.problems) == before


def _items(reader: Reader, value: object, at: Path) -> Iterable[object]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list) or not value:
        what = f"'{at[-1]}' holds no example"
        reader.report(at, what, "list commands, paths or tables of arguments", Kind.EXAMPLE)
        return []
    return value


def _check(reader: Reader, policy: RulePolicy, item: object, at: Path) -> None:
    rule = policy.rules[0]
    try:
        args = _arguments(rule, item)
    except Wrong as wrong:
        reader.report(at, f"the example {wrong.what}", wrong.fix, Kind.EXAMPLE)
        return
    found = policy.decide(_call(rule, args), _context(rule))
    is_matched = found.rule == rule.ref and (
        rule.effect is not Effect.ALLOW or found.effect is Effect.ALLOW
    )
    if is_matched and at[-2] == "not_match":
        fix = "change the rule, or move the example to 'match'"
        reader.report(at, f"the rule matches {item!a}", fix, Kind.EXAMPLE)
    elif not is_matched and at[-2] == "match":
        what = f"the rule does not match {item!a} ({found.reason})"
        reader.report(at, what, "change the rule, or move it to 'not_match'", Kind.EXAMPLE)


def _arguments(rule: Rule, item: object) -> JsonObject:
    if isinstance(item, str):
        return JsonObject({"command" if rule.tools[0] == SHELL else "file_path": item})
    return arguments(item)


def _call(rule: Rule, args: JsonObject) -> ToolCall:
    """A call that the rule is about: wildcards stand for a letter."""
    server = "server" if rule.server == "*" else rule.server
    name = rule.tools[0]
    if name == "*":
        name = WRITES[0] if server is None else "tool"
    if is_glob(name):
        name = name.replace("*", "x").replace("?", "x")
    return ToolCall(name, args, server, rule.annotations)


def _context(rule: Rule) -> Context:
    return Context(
        mode=rule.modes[0] if rule.modes else Mode.DEFAULT,
        interactive=rule.interactive is not False,
        workspace=rule.workspace or WORKSPACE,
        agent=rule.agent or "",
    )
