"""What became of a property: proved, not refuted so far, or refuted by one smallest call.

Rule 1: "proved" is said only of what was shown for every call; of a search that found nothing, how
far it went and with which seed.
Rule 2: a counterexample is written so that a person can believe it and a test can keep it.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Any, final

from attrs import field, frozen

from callgate.policy.decisions import Decision, Part, RuleRef

if TYPE_CHECKING:
    from callgate.policy.decisions import ToolCall
    from callgate.testing.situations import Probe, Raised


@final
class Verdict(StrEnum):
    """The three ends of a check."""

    PROVED = "proved"
    HELD = "no counterexample"
    FAILS = "FAILS"


@final
@frozen
class Counterexample:
    """One call for which a property does not hold."""

    probe: Probe
    said: Decision | Raised
    why: str
    must: str = ""
    "What the effect has to be, as the end of an assertion: `!= 'allow'`."

    @property
    def rule(self) -> RuleRef | None:
        """The rule that decided, if one did."""
        if not isinstance(self.said, Decision):
            return None
        return self.said.rule or next((part.rule for part in self.said.parts if part.rule), None)

    @property
    def parts(self) -> tuple[Part, ...]:
        """What was decided about each command of the line."""
        return self.said.parts if isinstance(self.said, Decision) else ()


@final
@frozen
class Result:
    """One property of one policy."""

    subject: str
    "The property, as it is printed."
    verdict: Verdict
    policy: str
    "The file, or the class."
    calls: int = 0
    "How many calls were tried."
    seed: int = 0
    counterexample: Counterexample | None = None
    note: str = ""
    "What was shown, if it was proved; what was odd, if anything."
    given: str = field(default="policy", repr=False)
    "The policy as a test would name it."

    @property
    def holds(self) -> bool:
        """Is there no counterexample?"""
        return self.verdict is not Verdict.FAILS

    def __str__(self) -> str:
        return "\n".join(explained(self))


class PropertyFailed(AssertionError):
    """A policy does not have a property that it was said to have.

    `results` holds all that failed, `result` the first of them.
    """

    def __init__(self, results: tuple[Result, ...]) -> None:
        self.results = results
        self.result = results[0]
        super().__init__("\n\n".join(map(str, results)))


def summary(result: Result) -> str:
    """The outcome in a few words.

    >>> summary(Result("never-runs shell", Verdict.HELD, "policy.toml", calls=10, seed=3))
    'no counterexample in 10 calls (seed 3)'
    """
    if result.verdict is Verdict.PROVED:
        return "proved"
    if result.verdict is Verdict.FAILS:
        return f"FAILS (found in {result.calls} calls, seed {result.seed})"
    return f"no counterexample in {result.calls} calls (seed {result.seed})"


def explained(result: Result) -> list[str]:
    """The outcome, and the counterexample if there is one."""
    lines = [f"{result.subject}: {summary(result)}"]
    found = result.counterexample
    if found is None:
        return lines + ([f"  {result.note}"] if result.note else [])
    lines.extend(f"  {name:9}{text}" for name, text in _facts(found, result))
    return lines


def _facts(found: Counterexample, result: Result) -> list[tuple[str, str]]:
    probe = found.probe
    facts = [("call", written(probe.call))]
    if probe.technique and probe.technique != "plain":
        facts.append(("how", probe.technique))
    facts.append(("mode", _mode(probe)))
    facts.extend(
        ("after", f"{answered.outcome.value} to {written(answered.call)}")
        for answered in probe.history
    )
    facts.append(("said", _said(found)))
    facts.extend(
        ("part", f"{json.dumps(part.command)}  {part.effect.value}, {place(part.rule)}")
        for part in found.parts
        if len(found.parts) > 1 and part.effect.value == "allow"
    )
    facts.append(("why", found.why))
    if result.note:
        facts.append(("note", result.note))
    facts.append(("keep", keep(found, result.given)))
    return facts


def _mode(probe: Probe) -> str:
    nobody = "" if probe.context.interactive else ", nobody can be asked"
    agent = f", sub-agent {probe.context.agent}" if probe.context.agent else ""
    return f"{probe.context.mode.value}{agent}{nobody}"


def _said(found: Counterexample) -> str:
    said = found.said
    if not isinstance(said, Decision):
        return f"nothing: it raised {said.error}"
    by = f" by {place(found.rule)}" if found.rule else ""
    reason = f": {said.reason}" if said.reason else ""
    return f"{said.effect.value}{by}{reason}"


def place(rule: RuleRef | None) -> str:
    """Where a rule stands.

    >>> place(RuleRef("policy.toml", 4, "reads"))
    'policy.toml:4 (reads)'
    """
    if rule is None:
        return "no rule"
    where = f"{rule.file}:{rule.line}" if rule.file else f"the {rule.tier or 'built-in'} rules"
    return f"{where} ({rule.name})" if rule.name else where


def written(call: ToolCall) -> str:
    """A call on one line, in ASCII.

    >>> from callgate.policy.decisions import ToolCall
    >>> written(ToolCall("shell", {"command": "ls"}))
    'shell {"command": "ls"}'
    """
    args = json.dumps(call.args, sort_keys=True)
    server = f" of server {call.server}" if call.server else ""
    marks = f" annotated {json.dumps(call.annotations)}" if call.annotations else ""
    return f"{call.name} {args}{server}{marks}"


def keep(found: Counterexample, given: str) -> str:
    """A line for a test: it fails as long as the counterexample is one."""
    probe = found.probe
    words = [given, repr(probe.call.name), _plain(probe.call.args)]
    if probe.context.mode.value != "default":
        words.append(f"mode={probe.context.mode.value!r}")
    if not probe.context.interactive:
        words.append("interactive=False")
    if probe.context.agent:
        words.append(f"agent={probe.context.agent!r}")
    if probe.call.server:
        words.append(f"server={probe.call.server!r}")
    if probe.call.annotations:
        words.append(f"annotations={_plain(probe.call.annotations)}")
    if probe.history:
        words.append(f"after=[{', '.join(_answer(answered) for answered in probe.history)}]")
    return f"assert decided({', '.join(words)}) {found.must}".rstrip()


def _answer(answered: Any) -> str:
    call = answered.call
    server = f", {call.server!r}" if call.server else ""
    return f"({call.name!r}, {_plain(call.args)}, {answered.outcome.value!r}{server})"


def _plain(args: Any) -> str:
    return repr(json.loads(json.dumps(args)))
