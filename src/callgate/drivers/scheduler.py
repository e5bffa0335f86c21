"""The ready driver for asyncio: tools, approvals and watchers around the kernel.

Rule 1: the driver decides nothing. It reports facts when it is called, and obeys.
Rule 2: whatever it started has ended when `aclose()` returns.

    async with ToolScheduler(tools=[read_file, shell], ask=in_the_terminal) as scheduler:
        finished = await scheduler.schedule(requests)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, final

from callgate.drivers.approvals import Approvals, Reply
from callgate.drivers.asking import Asking
from callgate.drivers.chosen import (
    check_batch,
    check_choices,
    check_functions,
    running_loop,
)
from callgate.drivers.clock import LoopClock
from callgate.drivers.delivery import Delivery
from callgate.drivers.editing import Editing
from callgate.drivers.errors import SchedulerClosed
from callgate.drivers.handles import ScheduledBatch
from callgate.drivers.jobs import Work
from callgate.drivers.loop import KernelLoop
from callgate.drivers.observers import Observers, Snapshot, Watchers
from callgate.drivers.policy_in_force import PolicyInForce
from callgate.drivers.preparing import prepare
from callgate.drivers.running import Running
from callgate.drivers.saving import TemporaryOutputs
from callgate.drivers.shared import Choices, Shared
from callgate.drivers.switches import Switches
from callgate.kernel import effects
from callgate.kernel.calls import AwaitingApproval
from callgate.kernel.errors import KernelError
from callgate.kernel.events import (
    BatchSubmitted,
    CancelRequested,
    Everything,
    OneCall,
    PolicyChanged,
)
from callgate.kernel.state import find_call
from callgate.policy.decisions import Mode, Policy
from callgate.responses.truncation import Truncation
from callgate.tools.registry import Registry, registry_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence
    from os import PathLike

    from callgate.drivers.approvals import Ask
    from callgate.drivers.cancelling import CancelToken
    from callgate.drivers.clock import Clock
    from callgate.drivers.editor import Editor
    from callgate.drivers.finished import FinishedCall
    from callgate.drivers.hooks import Hook
    from callgate.kernel.config import Config
    from callgate.kernel.effects import Ignored
    from callgate.kernel.events import Event
    from callgate.kernel.plans import PlanName, Waves
    from callgate.kernel.state import KernelState
    from callgate.kernel.values import Outcome, Request
    from callgate.tools.protocols import Tool


@final
class ToolScheduler:
    """Schedules batches of tool calls. Build it inside a running event loop.

    `schedule` runs a batch, `approve` answers for a person (or give `ask`), `cancel`, `cancel_all`
    and a `CancelToken` stop, `updates` and the watchers observe, `aclose` ends (or `async with`).

    >>> import asyncio
    >>> from callgate import Request
    >>> from callgate.tools.decorator import tool
    >>> @tool(confirm="exec")
    ... async def deploy(target: str) -> str:
    ...     return f"deployed to {target}"
    >>> def requests(*targets):
    ...     return [Request(name, "deploy", {"target": name}) for name in targets]
    >>> async def main():
    ...     async with ToolScheduler([deploy]) as scheduler:
    ...         batch = scheduler.schedule(requests("staging", "production", "moon"))
    ...         scheduler.approve("staging", "proceed_once")
    ...         scheduler.approve("production", "cancel", reason="not today")
    ...         scheduler.cancel("moon")
    ...         for call in await batch:
    ...             print(call.call_id, call.status.value, call.value)
    >>> asyncio.run(main())
    staging success deployed to staging
    production cancelled None
    moon cancelled None

    Args:
        tools: what may be called; `schedule(tools=...)` may bring others for one batch.
        policy: a policy, a TOML file of rules, or a `PolicyInForce` that several schedulers share.
        mode: the approval mode, where `policy` is no `PolicyInForce`.
        ask: asks a person: gets the waiting call, gives a `Reply` or an outcome, sync or async.
            None: somebody calls `approve`.
        interactive: False: what would ask is refused at once.
        editor: where a person edits, as `CommandEditor.from_environment()`; none: they cannot.
        hooks: functions before and after every tool.
        config: parallelism, timeouts, retries, limits.
        plan: how batches are divided into waves.
        on_update, on_output, on_complete, on_ignored, on_error: watchers, sync or async.
        record: gets every fact as it was stepped, before its orders are obeyed.
        truncation, save: when output is too large, and what writes it to a file.
        retryable: which exceptions of tools may be tried again.
        clock: what time it is; none: the event loop's.
        workspace: the folder that policies judge paths by.
        run_id: stands before the idempotency keys of tools that want one.
        around: called first in the task of each execution, with the call's serial number: what it
            sets in the context is the tool's (`Telemetry.around`).
        close_grace_s: how long `aclose` waits for tools that were told to stop before it cancels
            them, and for those that ignore that before it leaves them behind.
    """

    def __init__(  # noqa: PLR0913 - one keyword for each choice of an embedder
        self,
        tools: Registry | Iterable[Tool] = (),
        *,
        policy: Policy | PolicyInForce | str | PathLike[str] | None = None,
        mode: Mode | str = Mode.DEFAULT,
        ask: Ask | None = None,
        interactive: bool = True,
        editor: Editor | None = None,
        hooks: Sequence[Hook] = (),
        config: Config | None = None,
        plan: PlanName | Waves = "classic",
        on_update: Callable[[Snapshot], Any] | None = None,
        on_output: Callable[[str, Any], Any] | None = None,
        on_complete: Callable[[list[FinishedCall]], Any] | None = None,
        on_ignored: Callable[[Ignored, Event], Any] | None = None,
        on_error: Callable[[str, BaseException], Any] | None = None,
        record: Callable[[Event], object] | None = None,
        truncation: Truncation | None = None,
        save: Callable[[str, str], str] | None = None,
        retryable: Callable[[BaseException], bool] | None = None,
        clock: Clock | None = None,
        around: Callable[[int], object] | None = None,
        workspace: str = ".",
        run_id: str = "",
        close_grace_s: float = 5.0,
    ) -> None:
        loop = running_loop()
        check_functions(ask=ask, record=record, save=save, retryable=retryable, around=around)
        checked_hooks = check_choices(hooks, config, editor, plan)
        self.registry = registry_of(tools)
        if not isinstance(policy, PolicyInForce):
            policy = PolicyInForce(policy, mode, interactive=interactive, workspace=workspace)
        self.policy = policy
        self._plan = plan
        self._close_grace_s = close_grace_s
        self._batches = 0
        self._is_closed = False
        self._kernel = KernelLoop(config, clock or LoopClock(loop), loop, record)
        self._switches = Switches(self._kernel)
        watchers = Watchers(on_update, on_output, on_complete, on_ignored, on_error)
        limits, saves = truncation or Truncation(), save or TemporaryOutputs()
        choices = Choices(
            ask, interactive, editor, checked_hooks, limits, saves, retryable, run_id, around
        )
        self._shared = Shared(self._kernel, loop, choices, policy, Observers(watchers))
        self._assemble()
        policy.listen(self._policy_changed)

    def _assemble(self) -> None:
        shared = self._shared
        shared.observers.spawn = shared.spawn
        asking = Asking(shared)
        running = Running(shared, asking)
        editing = Editing(shared, asking)
        approvals = self._approvals = Approvals(shared, self._policy_changed)
        delivery = self._delivery = Delivery(shared, approvals, self._switches.forget)
        self._kernel.handlers = {
            effects.Validate: asking.validate,
            effects.WithdrawValidation: asking.withdraw,
            effects.ReviewWaiting: asking.review,
            effects.AskApproval: approvals.ask,
            effects.WithdrawApproval: approvals.withdraw,
            effects.TellTool: approvals.tell,
            effects.RememberAnswer: approvals.remember,
            effects.OpenEditor: editing.open_editor,
            effects.Rebuild: editing.rebuild,
            effects.Execute: running.execute,
            effects.StopExecution: running.stop,
            effects.Deliver: delivery.deliver,
            effects.RejectBatch: delivery.reject,
            effects.BatchAdmitted: delivery.admitted,
            effects.Moved: delivery.moved,
            effects.OutputShown: delivery.output,
            effects.Ignored: delivery.ignored,
        }

    # --- batches ----------------------------------------------------------------------------------

    def schedule(
        self,
        requests: Request | Iterable[Request],
        *,
        cancel: CancelToken | None = None,
        tools: Registry | Iterable[Tool] | None = None,
        batch_id: str | None = None,
        plan: PlanName | Waves | None = None,
    ) -> ScheduledBatch:
        """Submit a batch now; await what this gives for its finished calls, in request order.

        Args:
            requests: one call, or a list of them.
            cancel: a switch that cancels this batch (and any other that has it).
            tools: the tools of this batch, in place of the scheduler's.
            batch_id: a name of your own; each name once at a time.
            plan: how this batch is divided into waves.

        Raises (when awaited):
            BatchRejected: nothing of it ran: an id twice, a limit, or cancelled in the queue.
            WouldWaitForItself: awaited by a tool or an observer that the batch waits for.
        """
        self._kernel.refuse_other_threads()
        if self._is_closed:
            raise SchedulerClosed
        check_batch(plan, batch_id, cancel)
        registry = self.registry if tools is None else registry_of(tools)
        jobs = prepare(requests, registry)
        if batch_id is None:
            self._batches += 1
            batch_id = f"b{self._batches}"
        if batch_id in self._shared.works:
            raise ValueError(f"a batch {batch_id!r} is queued or at work: another id was expected")
        handle = ScheduledBatch(batch_id, self._shared)
        work = Work(batch_id, jobs, registry, handle, cancel)
        handle.bind(work)
        self._shared.works[batch_id] = work
        submitted = BatchSubmitted(
            batch_id=batch_id,
            requests=tuple([job.request for job in jobs]),
            plan=self._plan if plan is None else plan,
            at_ms=self._kernel.now_ms(),
        )
        try:
            self._switches.submit(submitted, cancel)
        except KernelError:  # waves that are none of this batch: it was not taken
            self._shared.works.pop(batch_id, None)
            self._switches.forget(batch_id)
            raise
        return handle

    # --- people -----------------------------------------------------------------------------------

    def approve(  # noqa: PLR0913 - an answer has these parts, each by its keyword
        self,
        call_id: str,
        outcome: Outcome | str,
        *,
        reason: str = "",
        edit: Any = None,
        result: Any = None,
        approval_id: int | None = None,
    ) -> bool:
        """Answer the question that a call of the batch at work waits with.

        Args:
            call_id: the model's id of the call.
            outcome: one of `Outcome`; `cancel` is a no.
            reason: for the model, with a no.
            edit: the content as the person edited it.
            result: with `answer_instead`, the person's own result.
            approval_id: which question is meant; none: the one that is open.

        Returns:
            False: the answer does not count (nobody waits for it), and nothing happened. Inside a
            watcher the answer waits for its turn: True then, and `on_ignored` has the last word.
        """
        call = find_call(self._kernel.state, call_id)
        serial = 0 if call is None else call.facts.serial
        if approval_id is None:
            approval_id = call.approval_id if type(call) is AwaitingApproval else 0
        reply = Reply(outcome, reason, edit, result)
        event = self._approvals.answer(serial, approval_id, reply)
        return self._delivery.ignored_answer is not event

    def cancel(self, call_id: str, reason: str = "") -> bool:
        """Cancel one call, at work or queued; False: there is none of this id."""
        serial = self._shared.serial_of(call_id)
        if serial is not None:
            now_ms = self._kernel.now_ms()
            self._kernel.put(CancelRequested(scope=OneCall(serial), reason=reason, at_ms=now_ms))
        return serial is not None

    def cancel_all(self, reason: str = "") -> None:
        """Cancel whatever is queued or at work now, and nothing that comes later."""
        now_ms = self._kernel.now_ms()
        self._kernel.put(CancelRequested(scope=Everything(), reason=reason, at_ms=now_ms))

    def set_mode(self, mode: Mode | str) -> None:
        """Change the approval mode; whoever waits for a person is looked at again."""
        self._kernel.refuse_other_threads()
        self.policy.set_mode(mode)

    def _policy_changed(self) -> None:
        self._kernel.put(PolicyChanged(at_ms=self._kernel.now_ms()))

    # --- looking ----------------------------------------------------------------------------------

    @property
    def state(self) -> KernelState:
        """The kernel's state: immutable, to be kept and looked at."""
        return self._kernel.state

    @property
    def is_idle(self) -> bool:
        """Nothing is at work, being delivered, or queued."""
        return self._kernel.state.is_idle

    def now_ms(self) -> int:
        """The driver's time, in which the kernel's deadlines and durations are."""
        return self._kernel.now_ms()

    def updates(self) -> AsyncIterator[Snapshot]:
        """Snapshots from now on, one for each admission and each change of a status."""
        return self._shared.observers.updates()

    # --- the end ----------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Cancel everything, and wait until nothing of it is left: tools may end in order."""
        if self._is_closed:
            await self._shared.ended.wait()
            return
        self._is_closed = True
        try:
            if not self.is_idle:
                self.cancel_all("the scheduler was closed")
            await self._shared.end_all(self._close_grace_s)
        finally:
            self.policy.forget(self._policy_changed)
            self._kernel.close()
            self._shared.observers.close()
            self._shared.ended.set()
