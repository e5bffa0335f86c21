"""The small values that events, records and effects are made of.

Rule 1: only data that serialises; no callables, no exceptions, no clocks.
Rule 2: a value that makes no sense cannot be built; the constructor says what would.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, TypeAlias, final

from attrs import field, frozen

from callgate.kernel.checked import flag, text
from callgate.kernel.errors import shown
from callgate.kernel.frozenjson import EMPTY, Json, JsonObject, freeze, freeze_object


@final
class Status(StrEnum):
    """The seven states of a call.

    >>> [status.value for status in Status if status.is_final]
    ['success', 'error', 'cancelled']
    """

    VALIDATING = "validating"
    AWAITING_APPROVAL = "awaiting_approval"
    SCHEDULED = "scheduled"
    EXECUTING = "executing"
    SUCCESS = "success"
    ERROR = "error"
    CANCELLED = "cancelled"

    __hash__ = str.__hash__  # a member is its text: Enum's own hash costs a Python call

    @property
    def is_final(self) -> bool:
        """Nothing that arrives later changes a call in this state."""
        return self in (Status.SUCCESS, Status.ERROR, Status.CANCELLED)


@final
class Outcome(StrEnum):
    """What a person, or a rule in their place, said to a call.

    >>> Outcome("proceed_once").is_always
    False
    """

    PROCEED_ONCE = "proceed_once"
    PROCEED_ALWAYS = "proceed_always"
    PROCEED_ALWAYS_SERVER = "proceed_always_server"
    PROCEED_ALWAYS_TOOL = "proceed_always_tool"
    MODIFY_WITH_EDITOR = "modify_with_editor"
    CANCEL = "cancel"
    ANSWER_INSTEAD = "answer_instead"
    """The person's own result stands in the tool's place; the tool does not run."""

    __hash__ = str.__hash__

    @property
    def is_always(self) -> bool:
        """The answer speaks for later calls too."""
        return self in ALWAYS


ALWAYS: Final = (
    Outcome.PROCEED_ALWAYS,
    Outcome.PROCEED_ALWAYS_SERVER,
    Outcome.PROCEED_ALWAYS_TOOL,
)


@final
class Phase(StrEnum):
    """Where a wait for approval stands."""

    ASKING = "asking"
    TELLING = "telling"
    EDITING = "editing"
    RECHECKING = "rechecking"

    __hash__ = str.__hash__


@final
class Stop(StrEnum):
    """Why a running tool was told to stop."""

    BY_CANCEL = "by_cancel"
    BY_TIME = "by_time"

    __hash__ = str.__hash__


@final
class CancelCause(StrEnum):
    """Why a call ended cancelled; the words for it belong to who tells the model."""

    DECLINED = "declined"
    """A person said no."""
    EXPIRED = "expired"
    """Nobody answered before the approval's deadline: silence is a no."""
    CANCELLED = "cancelled"
    """Cancelled before it started."""
    STOPPED = "stopped"
    """Cancelled while its tool ran."""


@final
@frozen
class Unknown:
    """The tool of a request is not registered: the call is born an error."""

    message: str = field(converter=text)


@final
@frozen
class Invalid:
    """The arguments of a request could not be built: the call is born an error."""

    message: str = field(converter=text)


@final
@frozen
class Request:
    """One tool call, as the model asked for it.

    >>> Request("c1", "read_file", {"path": "a.txt"}).args["path"]
    'a.txt'
    """

    call_id: str
    "The model's own id: unique within a batch, and not beyond it."
    name: str
    args: JsonObject = field(default=EMPTY, converter=freeze_object)
    problem: Unknown | Invalid | None = None
    "Why it cannot even be asked about, if so."
    parallel: bool = field(default=True, converter=flag)
    "May run beside its neighbours (read by the plan `waves`)."
    timeout_ms: int | None = None
    "How long its tool may run; none: as the config says."


@final
@frozen
class Failure:
    """Why something did not work, as data.

    >>> Failure("timeout", "no answer in 5 s", retryable=True).type
    'timeout'
    """

    type: str = field(converter=text)
    message: str = field(converter=text)
    retryable: bool = field(default=False, converter=flag)


@final
@frozen
class Confirmation:
    """What a person is asked, and what the kernel must know about the asking.

    >>> Confirmation("exec", {"command": "ls"}).modifiable
    False
    """

    kind: str = field(converter=text)
    details: JsonObject = field(default=EMPTY, converter=freeze_object)
    modifiable: bool = field(default=False, converter=flag)
    "The proposed arguments can be edited."
    has_editor: bool = field(default=False, converter=flag)
    "The person has an editor to do it in."
    tells: bool = field(default=False, converter=flag)
    "The tool wants to be told the answer before it takes effect."


@final
@frozen
class Allow:
    """A verdict: may run, nobody need be asked.

    >>> Allow(rule="read-only tools").rule
    'read-only tools'
    """

    rule: str = ""


@final
@frozen
class Ask:
    """A verdict: a person must be asked.

    >>> Ask(Confirmation("info")).confirmation.kind
    'info'
    """

    confirmation: Confirmation
    rule: str = ""


@final
@frozen
class Deny:
    """A verdict: must not run, whatever a person would say.

    >>> Deny("no network here", rule="policy.toml:12").message
    'no network here'
    """

    message: str = field(converter=text)
    rule: str = ""


def _a_failure(value: object) -> Failure:
    if type(value) is Failure:
        return value
    raise TypeError(f"a failure is {shown(value)}; a Failure was expected")


def _a_confirmation(value: object) -> Confirmation:
    if type(value) is Confirmation:
        return value
    raise TypeError(f"a confirmation is {shown(value)}; a Confirmation was expected")


def failure_or_none(value: object) -> Failure | None:
    """A failure, or nothing."""
    return None if value is None else _a_failure(value)


@final
@frozen
class Failed:
    """The tool, or the asking of it, raised.

    >>> Failed(Failure("unhandled_exception", "boom")).failure.message
    'boom'
    """

    failure: Failure = field(converter=_a_failure)


@final
@frozen
class Ok:
    """The tool returned; its result is plain JSON data.

    >>> Ok(["a", "b"]).content
    ('a', 'b')
    """

    content: Json = field(default=None, converter=freeze)


@final
@frozen
class Rebuilt:
    """Edited arguments were built again: what will run, and how it is shown."""

    args: JsonObject = field(converter=freeze_object)
    confirmation: Confirmation = field(converter=_a_confirmation)


Verdict: TypeAlias = Allow | Ask | Deny | Failed


@final
@frozen
class Answer:
    """An answer that counted, kept while it is carried out."""

    outcome: Outcome
    edit: Json = None
    "Edited content; None: none was given. It means nothing for a call that is not modifiable."


@final
@frozen
class Live:
    """The last news of a running tool: bounded, replaced, never a log."""

    output: Json = None
    pid: int | None = None
    progress: float | None = None
