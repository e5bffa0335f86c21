"""What is said in a sequence diagram: the words for each event and each effect, as Mermaid.

Rule 1: texts of strangers are words and nothing else: whatever Mermaid could read as syntax is
written as a character code.
Rule 2: an event or an effect that stands in neither table is not said.
"""

# ruff: noqa: ARG005 - the entries of a table take the same arguments, needed or not

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from callgate.diagrams.runs.wording import one_line, summary
from callgate.kernel import effects as fx
from callgate.kernel import events as ev
from callgate.kernel.values import Allow, Ask, Deny, Failed, Ok, Status

if TYPE_CHECKING:
    from collections.abc import Callable

OWNER, GATE, POLICY, PERSON, TOOL = "owner", "gate", "policy", "person", "tool"
PARTICIPANTS: Final = (
    (OWNER, "model's owner"),
    (GATE, "callgate"),
    (POLICY, "policy"),
    (PERSON, "person"),
    (TOOL, "tools"),
)
BREAK: Final = "<br/>"
"The one piece of markup that stands in a message; it comes from here and never from a text."
_LISTED: Final = 8
_PLAIN: Final = frozenset(" .,:!?()/*+=_'-")


class Names(Protocol):
    """Who knows what the calls are called."""

    def name_of(self, serial: Any) -> str:
        """How a call is called in the diagram."""
        ...


def words(text: str, chars_max: int = 60) -> str:
    """A stranger's text as Mermaid takes it for words.

    >>> words("a;b #1")
    'a#59;b #35;1'
    """
    shown = one_line(text, chars_max)
    safe = "".join(c if c.isalnum() or c in _PLAIN else f"#{ord(c)};" for c in shown)
    # Mermaid takes this word for the end of a block, wherever it stands alone.
    return " ".join("#101;nd" if word.lower() == "end" else word for word in safe.split(" "))


def _verdict(verdict: Any) -> str:
    match verdict:
        case Allow():
            return "may run"
        case Ask():
            return "ask a person"
        case Deny(message=message):
            return f"must not run, {words(message)}"
        case Failed(failure=failure):
            return f"failed, {words(failure.message)}"
        case _:
            return "was built again"


def _result(result: Any) -> str:
    if isinstance(result, Ok):
        return "returned"
    return f"failed, {words(result.failure.message)}"


def said_of_end(names: Names, effect: fx.Moved) -> str:
    """How a call ended."""
    said = {Status.SUCCESS: "succeeded", Status.ERROR: "failed"}
    return f"{names.name_of(effect.call)} {said.get(effect.status, 'is cancelled')}"


def _submitted(_names: Names, event: ev.BatchSubmitted) -> tuple[str, str]:
    asked = [words(f"{r.call_id} {summary(r, 40)}") for r in event.requests[:_LISTED]]
    left_out = len(event.requests) - _LISTED
    more = [f"and {left_out} more"] if left_out > 0 else []
    return OWNER, BREAK.join([f"batch {words(event.batch_id)}", *(asked or ["no calls"]), *more])


def _cancelled(names: Names, event: ev.CancelRequested) -> tuple[str, str]:
    match event.scope:
        case ev.OneCall(call=call):
            what = names.name_of(call)
        case ev.Batches(batch_ids=batch_ids):
            what = words(", ".join(f"batch {batch_id}" for batch_id in batch_ids))
        case _:
            what = "everything"
    return OWNER, f"cancel {what}" + (f", {words(event.reason)}" if event.reason else "")


HEARD: Final[dict[type, Callable[[Names, Any], tuple[str, str]]]] = {
    ev.BatchSubmitted: _submitted,
    ev.CallValidated: lambda s, e: (POLICY, f"{s.name_of(e.call)} {_verdict(e.verdict)}"),
    ev.CallReviewed: lambda s, e: (POLICY, f"{s.name_of(e.call)} {_verdict(e.verdict)}"),
    ev.CallRebuilt: lambda s, e: (POLICY, f"{s.name_of(e.call)} {_verdict(e.built)}"),
    ev.ApprovalAnswered: lambda s, e: (
        PERSON,
        f"{s.name_of(e.call)}: {words(str(e.outcome)).replace('_', ' ')}",
    ),
    ev.EditorClosed: lambda s, e: (PERSON, f"{s.name_of(e.call)}: the editor is closed"),
    ev.AnswerTold: lambda s, e: (TOOL, f"{s.name_of(e.call)} was told"),
    ev.ExecutionProgressed: lambda s, e: (TOOL, f"{s.name_of(e.call)} shows output"),
    ev.ExecutionFinished: lambda s, e: (TOOL, f"{s.name_of(e.call)} {_result(e.result)}"),
    ev.ExecutionLost: lambda s, e: (TOOL, f"{s.name_of(e.call)} was lost"),
    ev.CancelRequested: _cancelled,
    ev.PolicyChanged: lambda s, e: (OWNER, "another policy"),
    ev.DeliveryAcknowledged: lambda s, e: (
        OWNER,
        f"batch {words(e.batch_id)} " + ("arrived" if e.ok else "could not be taken"),
    ),
}
SAID: Final[dict[type, Callable[[Names, Any], tuple[str, str]]]] = {
    fx.Validate: lambda s, e: (POLICY, f"may {s.name_of(e.call)} run?"),
    fx.AskApproval: lambda s, e: (
        PERSON,
        f"may {s.name_of(e.call)} run? ({words(e.confirmation.kind)})",
    ),
    fx.WithdrawApproval: lambda s, e: (PERSON, f"{s.name_of(e.call)} need not be answered"),
    fx.WithdrawValidation: lambda s, e: (POLICY, f"{s.name_of(e.call)} need not be judged"),
    fx.TellTool: lambda s, e: (TOOL, f"{s.name_of(e.call)} is told the answer"),
    fx.OpenEditor: lambda s, e: (PERSON, f"edit {s.name_of(e.call)}"),
    fx.Rebuild: lambda s, e: (POLICY, f"build {s.name_of(e.call)} again"),
    fx.RememberAnswer: lambda s, e: (POLICY, f"remember the answer to {s.name_of(e.call)}"),
    fx.ReviewWaiting: lambda s, e: (POLICY, "look again at whoever waits"),
    fx.Execute: lambda s, e: (
        TOOL,
        f"run {s.name_of(e.call)}" + (f", attempt {e.attempt}" if e.attempt > 1 else ""),
    ),
    fx.StopExecution: lambda s, e: (TOOL, f"stop {s.name_of(e.call)}"),
    fx.Deliver: lambda s, e: (OWNER, f"batch {words(e.batch_id)} is done"),
    fx.RejectBatch: lambda s, e: (
        OWNER,
        f"batch {words(e.batch_id)} is refused, {words(e.reason)}",
    ),
}
