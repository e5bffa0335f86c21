"""Properties that every policy should have, whatever it allows: asked for when nothing else is.

Rule 1: each is true of a sound policy of any kind, so that a failure is always worth a look.
"""

from __future__ import annotations

import shlex
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, Final, final

from attrs import evolve, frozen
from hypothesis import strategies as st

from callgate.kernel.values import Outcome
from callgate.policy.decisions import Decision, Effect, Mode, RememberingPolicy, ToolCall
from callgate.testing import calls
from callgate.testing.pattern import ALIASES, names_of
from callgate.testing.results import Counterexample
from callgate.testing.situations import Answered, Probe, Raised, answer, ask
from callgate.testing.techniques import CHAINS, GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypothesis.strategies import SearchStrategy

    from callgate.policy.decisions import Policy
    from callgate.testing.properties import Property, Scene

STRICTEST_FIRST: Final = tuple(Mode)
_EDITS: Final = ("write_file", "replace", "edit_file")
_ANSWERS_MAX: Final = 20
_TARGETS_MAX: Final = 60


@final
@frozen
class AlwaysDecides:
    """It never raises, says the same twice, and asks nobody where nobody can be asked."""

    name: ClassVar[str] = "always-decides"
    modes: ClassVar[tuple[Mode, ...]] = STRICTEST_FIRST

    def deliberate(self, scene: Scene) -> Iterator[Probe]:
        """Calls of every tool, usual and hostile."""
        return calls.any_probes(scene.modes, scene.words)

    def search(self, scene: Scene) -> SearchStrategy[Probe]:
        """Any calls."""
        return calls.any_search(scene.modes, scene.words)

    def broken(self, policy: Policy, probe: Probe) -> Counterexample | None:
        """Raising, changing its mind, or asking nobody breaks it."""
        said = ask(policy, probe.call, probe.context)
        if isinstance(said, Raised):
            return Counterexample(probe, said, "it raised", "in ('allow', 'ask', 'deny')")
        if said != ask(policy, probe.call, probe.context):
            return Counterexample(probe, said, "it said something else the second time")
        if said.effect is Effect.ASK and not probe.context.interactive:
            return Counterexample(probe, said, "it asks where nobody can be asked", "!= 'ask'")
        return None


@final
@frozen
class DenyIsFinal:
    """What is denied stays denied: in a chain, and after any answer to another call."""

    name: ClassVar[str] = "deny-is-final"
    modes: ClassVar[tuple[Mode, ...]] = STRICTEST_FIRST

    def deliberate(self, scene: Scene) -> Iterator[Probe]:
        """What is denied, disguised and after an always."""
        answers = list(islice(_answers(scene), _ANSWERS_MAX))
        for probe in _denied(scene):
            command = probe.call.args.get("command")
            if probe.call.name in ALIASES[0] and isinstance(command, str):
                yield from _disguised(probe, command)
            for answered in answers:
                if answered.call.name not in names_of(probe.call.name):
                    yield evolve(probe, history=(answered,))

    def search(self, scene: Scene) -> SearchStrategy[Probe]:
        """Any calls, each in a chain with itself."""
        return calls.any_search(scene.modes, scene.words).map(_doubled)

    def broken(self, policy: Policy, probe: Probe) -> Counterexample | None:
        """An allow of what is denied when it stands alone breaks it."""
        said = answer(policy, probe)
        if not isinstance(said, Decision) or said.effect is Effect.DENY:
            return None
        if probe.history:
            alone = ask(policy, probe.call, probe.context)
            if isinstance(alone, Decision) and alone.effect is Effect.DENY:
                # An always may take the whole session to another mode; that is not this answer.
                return self._in_the_same_mode(policy, probe, said)
            return None
        inner = probe.technique.partition(": ")[2]
        plain = ask(policy, evolve(probe.call, args={"command": inner}), probe.context)
        denied = isinstance(plain, Decision) and plain.effect is Effect.DENY
        if inner and denied and said.effect is Effect.ALLOW:
            return Counterexample(probe, said, f"{inner!r} alone is denied", "!= 'allow'")
        return None

    def _in_the_same_mode(
        self, policy: Policy, probe: Probe, said: Decision
    ) -> Counterexample | None:
        answered = probe.history[0]
        if not isinstance(policy, RememberingPolicy):
            return None
        wider, mode = policy.remember(answered.call, answered.outcome, probe.context)
        again = ask(wider, probe.call, probe.context)
        if isinstance(again, Decision) and again.effect is Effect.DENY:
            return None
        why = f"it was denied before; now the mode is {mode.value}"
        return Counterexample(probe, said, why, "== 'deny'")


def _denied(scene: Scene) -> Iterator[Probe]:
    for probe in calls.any_probes(scene.modes, scene.words):
        said = ask(scene.policy, probe.call, probe.context)
        if isinstance(said, Decision) and said.effect is Effect.DENY and probe.context.interactive:
            yield probe


def _disguised(probe: Probe, command: str) -> Iterator[Probe]:
    for technique in (*CHAINS, *GROUPS):
        if not technique.applies_to(command) or not command.strip():
            continue
        text = technique.write(command, "ls")
        how = f"{technique.name}: {command}"
        yield Probe(ToolCall("shell", {"command": text}), probe.context, (), how, exact=False)


def _doubled(probe: Probe) -> Probe:
    command = probe.call.args.get("command")
    if not isinstance(command, str) or probe.call.name not in ALIASES[0] or not command.strip():
        return probe
    call = ToolCall("shell", {"command": f"ls && {command}"})
    return Probe(call, probe.context, (), f"after &&: {command}", exact=False)


@final
@frozen
class AlwaysIsNarrow:
    """An always-answer widens nothing but what it names: its tool, its program, its server."""

    name: ClassVar[str] = "always-is-narrow"
    modes: ClassVar[tuple[Mode, ...]] = (Mode.DEFAULT,)

    def deliberate(self, scene: Scene) -> Iterator[Probe]:
        """Each answer, and then each call that it does not name."""
        targets = list(islice(_targets(scene), _TARGETS_MAX))
        for answered in islice(_answers(scene), _ANSWERS_MAX):
            for target in targets:
                if not _names(answered, target):
                    yield Probe(target, calls.contexts(scene.modes)[0], (answered,))

    def search(self, scene: Scene) -> SearchStrategy[Probe]:
        """Any answer, and then any call that it does not name."""
        context = calls.contexts(scene.modes)[0]
        answers = st.sampled_from([*_answers(scene)] or [Answered(ToolCall("x"), Outcome.CANCEL)])
        pairs = st.tuples(answers, calls.tool_calls(scene.words))
        return pairs.filter(lambda pair: not _names(*pair)).map(
            lambda pair: Probe(pair[1], context, (pair[0],))
        )

    def broken(self, policy: Policy, probe: Probe) -> Counterexample | None:
        """Allowed after the answer, and not before, breaks it."""
        said = answer(policy, probe)
        if not isinstance(said, Decision) or said.effect is not Effect.ALLOW:
            return None
        before = ask(policy, probe.call, probe.context)
        if isinstance(before, Decision) and before.effect is Effect.ALLOW:
            return None
        was = before.effect.value if isinstance(before, Decision) else before.error
        why = f"the person was never shown this; before their answer: {was}"
        return Counterexample(probe, said, why, "!= 'allow'")


def _answers(scene: Scene) -> Iterator[Answered]:
    if not isinstance(scene.policy, RememberingPolicy):
        return
    shown = [
        *(ToolCall("shell", {"command": text}) for text in ("ls", "git status", "ls && git log")),
        ToolCall("some_other_tool", {"x": 1}),
        ToolCall("some_other_tool", {"x": 1}, server="srv"),
        ToolCall("write_file", {"file_path": "a.txt"}),
        *calls.any_calls(scene.words),
    ]
    for call in shown:
        yield Answered(call, Outcome.PROCEED_ALWAYS)
        yield Answered(call, Outcome.PROCEED_ALWAYS_TOOL)
        if call.server:
            yield Answered(call, Outcome.PROCEED_ALWAYS_SERVER)


def _targets(scene: Scene) -> Iterator[ToolCall]:
    for text in ("rm x", "ls && rm x", "ls $(rm x)", "ls > ../x", "lsx", "git push && rm x"):
        yield ToolCall("shell", {"command": text})
    yield ToolCall("another_tool", {"x": 1})
    yield ToolCall("some_other_tool", {"x": 1}, server="another")
    yield ToolCall("write_file", {"file_path": "../a.txt"})
    yield ToolCall("write_file", {"file_path": "/etc/passwd"})
    yield from calls.any_calls(scene.words)


def _names(answered: Answered, target: ToolCall) -> bool:
    """Was the person shown that this would be allowed? In doubt yes: this is held against it."""
    shown = answered.call
    if answered.outcome is Outcome.PROCEED_ALWAYS_SERVER and target.server == shown.server:
        return True
    if shown.name in _EDITS and target.name in _EDITS:
        path = str(target.args.get("file_path", ""))
        return target.args == shown.args or not path.startswith(("/", "~", ".."))
    if target.name not in names_of(shown.name) or target.server != shown.server:
        return False
    if target.name in ALIASES[0] and answered.outcome is Outcome.PROCEED_ALWAYS:
        return _programs(target) <= _programs(shown)
    return True


def _programs(call: ToolCall) -> frozenset[str]:
    """The programs that a command line names; a line that is not plain names one of its own."""
    command = call.args.get("command")
    if not isinstance(command, str):
        return frozenset({repr(command)})
    try:
        words = list(shlex.shlex(command, posix=True, punctuation_chars="();<>|&"))
    except ValueError:
        return frozenset({command})
    if any(letter in command for letter in "$`<>\n\\'\"{}=#*?!~\r\0"):
        return frozenset({command})
    starts = [words[at] for at in range(len(words)) if at == 0 or words[at - 1][0] in "();|&"]
    return frozenset(start for start in starts if start[0] not in "();|&")


@final
@frozen
class ModesAreMonotone:
    """What a mode allows, every laxer mode allows: plan < default < auto_edit < yolo."""

    name: ClassVar[str] = "modes-are-monotone"
    modes: ClassVar[tuple[Mode, ...]] = STRICTEST_FIRST[:-1]

    def deliberate(self, scene: Scene) -> Iterator[Probe]:
        """Calls of every tool."""
        return calls.any_probes(scene.modes, scene.words)

    def search(self, scene: Scene) -> SearchStrategy[Probe]:
        """Any calls."""
        return calls.any_search(scene.modes, scene.words)

    def broken(self, policy: Policy, probe: Probe) -> Counterexample | None:
        """A laxer mode that does not allow it breaks it."""
        said = ask(policy, probe.call, probe.context)
        if not isinstance(said, Decision) or said.effect is not Effect.ALLOW:
            return None
        for mode in STRICTEST_FIRST[STRICTEST_FIRST.index(probe.context.mode) + 1 :]:
            laxer = ask(policy, probe.call, evolve(probe.context, mode=mode))
            if isinstance(laxer, Decision) and laxer.effect is not Effect.ALLOW:
                why = f"{mode.value}, which is laxer, says {laxer.effect.value}"
                return Counterexample(probe, said, why, "!= 'allow'")
        return None


always_decides: Final[Property] = AlwaysDecides()
deny_is_final: Final[Property] = DenyIsFinal()
always_is_narrow: Final[Property] = AlwaysIsNarrow()
modes_are_monotone: Final[Property] = ModesAreMonotone()
STANDING: Final = (always_decides, deny_is_final, always_is_narrow)
