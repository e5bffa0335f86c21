"""Callgate: a deterministic scheduling kernel for the tool calls of language models.

General layout: `kernel/` decides and does nothing; every other room obeys, draws or checks it.
"""

from callgate.kernel import effects as effects
from callgate.kernel.config import Config as Config
from callgate.kernel.config import Retry as Retry
from callgate.kernel.errors import IllegalEvent as IllegalEvent
from callgate.kernel.errors import InvariantViolation as InvariantViolation
from callgate.kernel.errors import KernelError as KernelError
from callgate.kernel.errors import LimitExceeded as LimitExceeded
from callgate.kernel.errors import UnknownCall as UnknownCall
from callgate.kernel.events import AnswerTold as AnswerTold
from callgate.kernel.events import ApprovalAnswered as ApprovalAnswered
from callgate.kernel.events import BatchSubmitted as BatchSubmitted
from callgate.kernel.events import CallRebuilt as CallRebuilt
from callgate.kernel.events import CallReviewed as CallReviewed
from callgate.kernel.events import CallValidated as CallValidated
from callgate.kernel.events import CancelRequested as CancelRequested
from callgate.kernel.events import DeliveryAcknowledged as DeliveryAcknowledged
from callgate.kernel.events import EditorClosed as EditorClosed
from callgate.kernel.events import ExecutionFinished as ExecutionFinished
from callgate.kernel.events import ExecutionLost as ExecutionLost
from callgate.kernel.events import ExecutionProgressed as ExecutionProgressed
from callgate.kernel.events import PolicyChanged as PolicyChanged
from callgate.kernel.events import TimePassed as TimePassed
from callgate.kernel.lifecycle import ToolCallMachine as ToolCallMachine
from callgate.kernel.outstanding import outstanding as outstanding
from callgate.kernel.plans import Waves as Waves
from callgate.kernel.state import KernelState as KernelState
from callgate.kernel.state import begin as begin
from callgate.kernel.state import initial as initial
from callgate.kernel.state import next_deadline as next_deadline
from callgate.kernel.step import Step as Step
from callgate.kernel.step import step as step
from callgate.kernel.step import step_many as step_many
from callgate.kernel.values import Allow as Allow
from callgate.kernel.values import Ask as Ask
from callgate.kernel.values import Confirmation as Confirmation
from callgate.kernel.values import Deny as Deny
from callgate.kernel.values import Failed as Failed
from callgate.kernel.values import Failure as Failure
from callgate.kernel.values import Ok as Ok
from callgate.kernel.values import Request as Request

__all__ = [
    "Allow",
    "AnswerTold",
    "ApprovalAnswered",
    "Ask",
    "BatchSubmitted",
    "CallRebuilt",
    "CallReviewed",
    "CallValidated",
    "CancelRequested",
    "Config",
    "Confirmation",
    "DeliveryAcknowledged",
    "Deny",
    "EditorClosed",
    "ExecutionFinished",
    "ExecutionLost",
    "ExecutionProgressed",
    "Failed",
    "Failure",
    "IllegalEvent",
    "InvariantViolation",
    "KernelError",
    "KernelState",
    "LimitExceeded",
    "Ok",
    "PolicyChanged",
    "Request",
    "Retry",
    "Step",
    "TimePassed",
    "ToolCallMachine",
    "UnknownCall",
    "Waves",
    "begin",
    "effects",
    "initial",
    "next_deadline",
    "outstanding",
    "step",
    "step_many",
]


def __dir__() -> list[str]:
    return __all__
