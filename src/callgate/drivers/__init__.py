"""Drivers obey the kernel: the only rooms that know event loops, threads and clocks.

General layout: `scheduler` is the ready one, `blocking` its front without asyncio. Below it: `loop`
steps facts and has their orders obeyed, by `asking` (tools and policy), `approvals` (people),
`editing` (edits), `running` (tools) and `delivery` (news and results), over what they share
(`shared`, `jobs`). `handles` and `finished` are what callers hold.
"""

from callgate.drivers.approvals import Reply as Reply
from callgate.drivers.blocking import execute_tool_call as execute_tool_call
from callgate.drivers.blocking import run_batch as run_batch
from callgate.drivers.cancelling import CancelToken as CancelToken
from callgate.drivers.editor import CommandEditor as CommandEditor
from callgate.drivers.errors import BatchRejected as BatchRejected
from callgate.drivers.errors import DriverError as DriverError
from callgate.drivers.errors import EditorFailed as EditorFailed
from callgate.drivers.errors import SchedulerClosed as SchedulerClosed
from callgate.drivers.errors import WouldWaitForItself as WouldWaitForItself
from callgate.drivers.errors import WrongThread as WrongThread
from callgate.drivers.finished import FinishedCall as FinishedCall
from callgate.drivers.finished import Response as Response
from callgate.drivers.handles import ScheduledBatch as ScheduledBatch
from callgate.drivers.handles import ScheduledCall as ScheduledCall
from callgate.drivers.hooks import AddContext as AddContext
from callgate.drivers.hooks import AskFirst as AskFirst
from callgate.drivers.hooks import Block as Block
from callgate.drivers.hooks import ChangeArguments as ChangeArguments
from callgate.drivers.hooks import Hook as Hook
from callgate.drivers.hooks import HookCall as HookCall
from callgate.drivers.hooks import StopAgent as StopAgent
from callgate.drivers.hooks import TailCall as TailCall
from callgate.drivers.observers import Snapshot as Snapshot
from callgate.drivers.policy_in_force import PolicyInForce as PolicyInForce
from callgate.drivers.scheduler import ToolScheduler as ToolScheduler
