"""The policy that is made of rules.

Rule 1: the first rule that matches decides; of a command line, every command is decided so, and the
strictest counts. Where no rule matches, a person is asked; where nobody can be, the answer is no.
Rule 2: an "always" turns an ask into an allow. It never touches a deny, nor an ask of an admin.
Rule 3: what is not understood is allowed only by a mode that allows everything, and not even there
where some commands are forbidden; a deny applies to whatever of it can be recognised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, final

from attrs import evolve, field, frozen

from callgate.policy.answers import answer_rule
from callgate.policy.decisions import Context, Decision, Effect, Mode, Part, ToolCall
from callgate.policy.facts import Facts
from callgate.policy.index import Index
from callgate.policy.matching import DOUBT, MATCH, Matcher, unsure
from callgate.policy.rules import Rule, Tier, in_order

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callgate.kernel.values import Outcome
    from callgate.policy.index import Candidates
    from callgate.policy.shell import Command

_STRICTNESS = {Effect.ALLOW: 0, Effect.ASK: 1, Effect.DENY: 2}
_VERBS = {Effect.ALLOW: "allows", Effect.ASK: "asks for", Effect.DENY: "denies"}
NO_RULE = "no rule matches"
NOBODY = "It needs a person's yes, and nobody can be asked here."


@frozen
class _Ruling:
    """What was decided of one command, or of the whole call."""

    effect: Effect
    rule: Rule | None
    reason: str


@final
@frozen(init=False)
class RulePolicy:
    """A policy of rules.

    >>> policy = RulePolicy([Rule(tools=["read_file"], effect=Effect.ALLOW)])
    >>> policy.decide(ToolCall("read_file", {}), Context()).effect.value
    'allow'
    >>> policy.decide(ToolCall("write_file", {}), Context(interactive=False)).effect.value
    'deny'
    """

    rules: tuple[Rule, ...]
    "In the order in which they are heard."
    answers: tuple[Rule, ...]
    'What "always" has allowed: heard where a rule of a tier below admin, or none, asks.'
    _index: Index = field(eq=False, repr=False)
    _answer_index: Index = field(eq=False, repr=False)

    def __init__(self, rules: Iterable[Rule] = (), answers: Iterable[Rule] = ()) -> None:
        ordered, given = in_order(rules), tuple(answers)
        self.__attrs_init__(ordered, given, Index(ordered), Index(given))

    def decide(self, call: ToolCall, context: Context) -> Decision:
        """Allow, ask or deny this call."""
        facts = Facts(call, context)
        if facts.is_shell:
            return self._decide_shell(facts)
        ruling = self._ruling(facts, self._index.candidates(call, context).all)
        return _decision(facts, self._answered(facts, ruling), ())

    def prepare(self) -> Self:
        """Find the rules of the known tools now instead of when they are first called."""
        self._index.prepare()
        return self

    def remember(self, call: ToolCall, outcome: Outcome, context: Context) -> tuple[Self, Mode]:
        """The policy after this answer: an "always" of what was shown is added, nothing else."""
        answer = answer_rule(call, outcome, context)
        if answer is None or any(answer == evolve(one, file="", line=0) for one in self.answers):
            return self, context.mode
        return self.with_answers([answer]), context.mode

    def with_answers(self, answers: Iterable[Rule]) -> Self:
        """The policy with these added to its answers."""
        together = (*self.answers, *answers)
        wider = object.__new__(type(self))
        wider.__attrs_init__(self.rules, together, self._index, Index(together))
        return wider

    def _decide_shell(self, facts: Facts) -> Decision:
        if facts.command is None:
            ruling = _Ruling(Effect.DENY, None, "the argument 'command' is no text")
            return _decision(facts, ruling, ())
        candidates = self._index.candidates(facts.call, facts.context)
        seen = facts.understanding
        rulings: list[tuple[str, _Ruling]] = []
        if not seen.is_understood:
            rulings.append((facts.command, self._unclear(facts, candidates)))
            commands = seen.recognised
            if seen.is_cut:
                rulings += self._hidden(facts, candidates)
        else:
            commands = seen.commands
            if not commands:
                rulings.append((facts.command, self._ruling(facts, candidates.all)))
        for command in commands:
            ruling = self._command(facts, candidates, command)
            if seen.is_understood or ruling.effect is not Effect.ALLOW:
                rulings.append((command.text, self._answered(facts, ruling, command)))
        parts = tuple(_part(facts, text, ruling) for text, ruling in rulings)
        worst = max((ruling for _, ruling in rulings), key=lambda each: _STRICTNESS[each.effect])
        return _decision(facts, worst, parts)

    def _command(self, facts: Facts, candidates: Candidates, command: Command) -> _Ruling:
        matchers = candidates.of(command)
        careful = unsure(command) if candidates.guards_commands else ""
        return self._ruling(facts, matchers, command, careful)

    def _unclear(self, facts: Facts, candidates: Candidates) -> _Ruling:
        """The whole of a text that is not understood."""
        reason = f"not understood: {facts.understanding.not_understood}"
        for matcher in candidates.all:
            if not matcher.is_allow:
                if matcher.match(facts) == MATCH:
                    rule = matcher.rule
                    said = f"{reason}; then {_where(rule)} {_VERBS[rule.effect]} it"
                    return _Ruling(rule.effect, rule, rule.message or said)
            elif facts.is_free and matcher.rule.is_unconditional:
                if candidates.guards_commands or candidates.guards_paths:
                    break
                return _Ruling(Effect.ALLOW, matcher.rule, f"{reason}; the mode allows everything")
        return _Ruling(Effect.ASK, None, reason)

    def _hidden(self, facts: Facts, candidates: Candidates) -> list[tuple[str, _Ruling]]:
        """What a limit has kept from sight: the first deny of some command is taken to match."""
        text = facts.command or ""
        return [
            (
                text,
                _Ruling(each.rule.effect, each.rule, each.rule.message or "a limit hides a part"),
            )
            for each in candidates.all
            if each.rule.effect is Effect.DENY and each.match(facts) == MATCH
        ][:1]

    def _ruling(
        self,
        facts: Facts,
        matchers: Iterable[Matcher],
        command: Command | None = None,
        careful: str = "",
    ) -> _Ruling:
        """The first rule that matches. What hinders an allow, or puts it in doubt, is kept."""
        hindered = ""
        doubted: Rule | None = None
        for matcher in matchers:
            found = matcher.match(facts, command)
            rule = matcher.rule
            if found is None:
                continue
            if found == DOUBT:
                doubted = doubted or rule
            elif found:
                hindered = hindered or f"{_where(rule)} would allow it, but {found}"
            elif not matcher.is_allow:
                verb = f"; then {_where(rule)} {_VERBS[rule.effect]} it"
                return _Ruling(rule.effect, rule, hindered + verb if hindered else rule.message)
            elif careful and not rule.is_about_commands:
                hindered = hindered or f"{_where(rule)} would allow it, but {careful}"
            elif doubted is not None:
                break
            else:
                return _Ruling(Effect.ALLOW, rule, rule.message)
        if doubted is not None:
            return _Ruling(Effect.ASK, doubted, f"it {DOUBT} by {_where(doubted)}")
        return _Ruling(Effect.ASK, None, hindered or NO_RULE)

    def _answered(self, facts: Facts, ruling: _Ruling, command: Command | None = None) -> _Ruling:
        """An "always" in the place of an ask."""
        asks = ruling.effect is Effect.ASK and self.answers
        if not asks or (ruling.rule is not None and ruling.rule.tier is Tier.ADMIN):
            return ruling
        for matcher in self._answer_index.candidates(facts.call, facts.context).all:
            if matcher.match(facts, command) == MATCH:
                return _Ruling(Effect.ALLOW, matcher.rule, "a person said always")
        return ruling


def _where(rule: Rule) -> str:
    if rule.tier is Tier.DEFAULT and rule.name:
        return f"the built-in rule '{rule.name}'"
    place = f"{rule.file}:{rule.line}" if rule.file and rule.line else rule.file
    return place or rule.name or f"a rule of tier {rule.tier.value}"


def _lowered(facts: Facts, ruling: _Ruling) -> _Ruling:
    """Where nobody can be asked, an ask is a no."""
    if ruling.effect is not Effect.ASK or facts.context.interactive:
        return ruling
    return evolve(ruling, effect=Effect.DENY, reason=f"{_reason(ruling)}; nobody can be asked here")


def _reason(ruling: _Ruling) -> str:
    if ruling.reason or ruling.rule is None:
        return ruling.reason or NO_RULE
    return f"{_where(ruling.rule)} {_VERBS[ruling.effect]} it"


def _part(facts: Facts, text: str, ruling: _Ruling) -> Part:
    shown = _lowered(facts, ruling)
    ref = None if shown.rule is None else shown.rule.ref
    return Part(text, shown.effect, ref, _reason(shown))


def _decision(facts: Facts, ruling: _Ruling, parts: tuple[Part, ...]) -> Decision:
    shown = _lowered(facts, ruling)
    rule = shown.rule
    message = rule.message if rule is not None and shown.effect is Effect.DENY else ""
    if shown is not ruling:
        message = message or NOBODY
    ref = None if rule is None else rule.ref
    return Decision(shown.effect, ref, _reason(shown), message, parts)
