"""One scenario, played: the steps are done, the scheduler does the rest, and what happens is noted.

Rule 1: after each step the loop runs until it is idle; nothing here waits, guesses or sleeps.
Rule 2: everything belongs to this play: loop, scheduler, answers, files. Nothing outlives it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, final

from callgate.cli.scenario.checking import NotAScenario
from callgate.cli.scenario.editor import StandInEditor
from callgate.cli.scenario.fakes import Scripted, ScriptedNonError, Stage, fake, result_of
from callgate.cli.scenario.trace import Trace, final_state
from callgate.drivers.cancelling import CancelToken
from callgate.drivers.errors import DriverError
from callgate.drivers.scheduler import ToolScheduler
from callgate.drivers.virtual import VirtualLoop
from callgate.kernel.config import Config
from callgate.kernel.events import ApprovalAnswered
from callgate.kernel.values import Outcome, Request
from callgate.policy.classic import ClassicPolicy
from callgate.responses.truncation import Truncation
from callgate.tools.protocols import IdeAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from callgate.drivers.finished import FinishedCall
    from callgate.drivers.handles import ScheduledBatch
    from callgate.drivers.observers import Snapshot
    from callgate.kernel.effects import Ignored
    from callgate.kernel.events import Event

_FOLDER: Final = "<TMP>"
_PLENTY: Final = 1_000_000_000
CONFIG: Final = Config(
    calls_per_batch_max=_PLENTY,
    queued_batches_max=_PLENTY,
    args_weight_max=_PLENTY,
    id_chars_max=_PLENTY,
    result_weight_max=_PLENTY,
    live_output_chars_max=1,
    text_chars_max=_PLENTY,
)


def play(
    scenario: Mapping[str, Any], record: Callable[[Event], object] | None = None
) -> dict[str, Any]:
    """The trace of a scenario that was checked; `record` gets every fact as it is stepped."""
    return Player(scenario, record).play()


@final
class Player:
    """Plays one scenario."""

    def __init__(
        self, scenario: Mapping[str, Any], record: Callable[[Event], object] | None = None
    ) -> None:
        self._scenario = scenario
        self._record = record
        self._config: Mapping[str, Any] = scenario.get("config", {})
        self._loop = VirtualLoop()
        self._trace = Trace()
        self._files: dict[str, str] = {}
        self._failure: BaseException | None = None
        self._switches: dict[str, CancelToken] = {}
        self._requests: dict[str, Request | list[Request]] = {}
        self._updates = self._completions = 0
        self._gates: list[asyncio.Future[None]] = []
        self._step = 0
        self._is_confirming = False
        raises_at = self._on_update.get("raise_at", ())
        self._raises_at = {raises_at} if isinstance(raises_at, int) else set(raises_at)
        self._stage = Stage(self._loop, self._started, self._abort)

    @property
    def _on_update(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._config.get("on_update", {})
        return found

    # --- the play ---------------------------------------------------------------------------------

    def play(self) -> dict[str, Any]:
        """Do all steps, and say what happened."""
        try:
            self._loop.call_soon(self._set_up)
            steps = self._scenario["steps"]
            for place, step in enumerate(steps):
                self._loop.call_soon(self._guarded, self._do, place, step)
                if step.get("drain", True) or place == len(steps) - 1:
                    self._loop.run_until_idle()
                    self._raise_failure()
            self._loop.run_until_idle()
            self._raise_failure()
            return self._told()
        finally:
            self._tear_down()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _guarded(self, function: Callable[..., None], *arguments: Any) -> None:
        try:
            function(*arguments)
        except Exception as error:
            self._failure = self._failure or error

    def _set_up(self) -> None:
        config = self._config
        limits = config.get("truncation", {})
        editor = StandInEditor(config.get("editor_content"), config.get("editor_exit", 0))
        self._scheduler = ToolScheduler(
            [fake(spec, self._stage) for spec in self._scenario.get("tools", ())],
            policy=ClassicPolicy.of(config.get("allowed_tools", ())),
            mode=config.get("approval_mode", "default"),
            editor=None if config.get("editor", "") is None else editor,
            config=CONFIG,
            record=self._recorded,
            truncation=Truncation(
                enabled=limits.get("enabled", True),
                threshold=limits.get("threshold", 4_000_000),
                lines=limits.get("lines", 1000),
            ),
            save=self._lose if limits.get("dir") == "missing" else self._save,
            on_update=self._updated if config.get("update_handler", True) else None,
            on_output=self._output if config.get("output_handler", True) else None,
            on_complete=self._completed if config.get("complete_handler", True) else None,
            on_ignored=self._ignored,
            on_error=self._handler_failed,
        )

    def _tear_down(self) -> None:
        self._trace.is_over = True
        self._loop.call_soon(self._scheduler.cancel_all)
        self._loop.run_until_idle()
        while tasks := asyncio.all_tasks(self._loop):
            for task in tasks:
                task.cancel()
            self._loop.run_until_idle()
        self._loop.close()

    def _told(self) -> dict[str, Any]:
        trace = {
            "name": self._scenario["name"],
            "events": self._trace.events,
            "final": final_state(self._scheduler.state),
        }
        return {**trace, "files": self._files} if self._files else trace

    # --- steps ------------------------------------------------------------------------------------

    def _do(self, place: int, step: Mapping[str, Any]) -> None:
        self._step = place
        self._trace.note("step", i=place, op=step["op"])
        getattr(self, f"_do_{step['op']}")(step)

    def _do_schedule(self, step: Mapping[str, Any]) -> None:
        self._schedule(step)

    def _do_abort(self, step: Mapping[str, Any]) -> None:
        self._abort(step["batch"])

    def _do_cancel_all(self, _step: Mapping[str, Any]) -> None:
        self._scheduler.cancel_all()

    def _do_confirm(self, step: Mapping[str, Any]) -> None:
        payload = step.get("payload")
        content = payload.get("newContent") if isinstance(payload, dict) else None
        self._answer(step["call_id"], step["outcome"], content, None)

    def _answer(self, call_id: str, outcome: str, content: Any, approval_id: int | None) -> None:
        # The seventh outcome is callgate's own; in a scenario nobody knows it.
        outcome = f"{outcome}?" if outcome == Outcome.ANSWER_INSTEAD else outcome
        self._is_confirming = True
        counts = self._scheduler.approve(call_id, outcome, edit=content, approval_id=approval_id)
        self._is_confirming = False
        if not counts:
            self._trace.note("ignored", step=self._step)

    def _do_ide(self, step: Mapping[str, Any]) -> None:
        screen = self._stage.screens.get(step["call_id"])
        is_lost = step.get("raises", False) is not False
        is_accepted = step.get("status") == "accepted"
        content = step.get("content") if is_accepted else None
        if screen is not None and screen.is_watched:
            screen.answer(None if is_lost else IdeAnswer(is_accepted, content))
        elif not is_lost:
            # Nobody looks at it any more: the scheduler gets an answer to no open question.
            outcome = Outcome.PROCEED_ONCE if is_accepted else Outcome.CANCEL
            self._answer(step["call_id"], outcome, content, 0)

    def _do_finish(self, step: Mapping[str, Any]) -> None:
        end = self._stage.running.get(step["call_id"])
        if end is not None and not end.done():
            end.set_result(result_of(step.get("result", "ok")))

    def _do_raise(self, step: Mapping[str, Any]) -> None:
        end = self._stage.running.get(step["call_id"])
        if end is not None and not end.done():
            kind = ScriptedNonError if step.get("non_error") else Scripted
            end.set_exception(kind(step.get("message", "boom")))

    def _do_emit(self, step: Mapping[str, Any]) -> None:
        output = self._stage.outputs.get(step["call_id"])
        if output is not None:
            output(step["chunk"])

    def _do_set_mode(self, step: Mapping[str, Any]) -> None:
        self._scheduler.set_mode(step["mode"])

    def _do_release_confirm(self, step: Mapping[str, Any]) -> None:
        gate = self._stage.gates.get(step["call_id"])
        if gate is not None and not gate.done():
            gate.set_result(None)

    def _do_release_complete(self, _step: Mapping[str, Any]) -> None:
        if self._gates:
            self._gates.pop(0).set_result(None)

    def _do_drain(self, _step: Mapping[str, Any]) -> None:
        """Nothing but running the loop."""

    def _abort(self, batch: str) -> None:
        self._switch(batch).cancel()

    def _switch(self, batch: str) -> CancelToken:
        return self._switches.setdefault(batch, CancelToken())

    def _schedule(self, spec: Mapping[str, Any]) -> ScheduledBatch:
        batch = spec["batch"]
        token = self._switch(spec.get("signal_of", batch))
        requests = self._requests[batch] = self._asked_for(spec)
        self._stage.is_scheduling = True
        try:
            handle = self._scheduler.schedule(requests, cancel=token)
        finally:
            self._stage.is_scheduling = False
        handle.add_done_callback(lambda done: self._settled(batch, done))
        return handle

    def _asked_for(self, spec: Mapping[str, Any]) -> Request | list[Request]:
        other = spec.get("same_object_as")
        if other is not None:
            found = self._requests.get(other)
            if found is None:
                raise NotAScenario(f"same_object_as: no batch {other!r} was scheduled yet")
            return found
        requests = [
            Request(asked["call_id"], asked["name"], asked.get("args", {}))
            for asked in spec["requests"]
        ]
        return requests[0] if spec.get("single") else requests

    def _settled(self, batch: str, handle: ScheduledBatch) -> None:
        try:
            handle.result()
        except DriverError as error:
            self._trace.note("schedule_rejected", batch=batch, error=str(error))

    # --- what happens -----------------------------------------------------------------------------

    def _started(self, call_id: str, args: Any) -> None:
        self._trace.note("execute", id=call_id, args=args)

    def _output(self, call_id: str, chunk: Any) -> None:
        self._trace.note("output", id=call_id, chunk=chunk)

    def _ignored(self, _news: Ignored, event: Event) -> None:
        if type(event) is ApprovalAnswered and not self._is_confirming:
            self._trace.note("ignored", step=self._step)

    def _recorded(self, event: Event) -> None:
        # What the tearing down does to tasks is no part of the play.
        if self._record is not None and not self._trace.is_over:
            self._record(event)

    def _handler_failed(self, name: str, error: BaseException) -> None:
        if name in ("update", "complete"):
            self._trace.note("handler_failed", handler=name, error=str(error))

    def _updated(self, snapshot: Snapshot) -> None:
        if self._trace.is_over:
            return
        self._trace.update(snapshot.calls)
        place, self._updates = self._updates, self._updates + 1
        schedule = self._on_update.get("schedule_at", {}).get(str(place))
        if schedule is not None:
            self._guarded(self._schedule, schedule)  # type: ignore[arg-type]
        if place in self._raises_at:
            raise Scripted(self._on_update.get("message", "update handler failed"))

    def _completed(self, finished: list[FinishedCall]) -> Any:
        if self._trace.is_over:
            return None
        self._trace.complete(finished)
        entries = self._config.get("on_complete", ())
        place, self._completions = self._completions, self._completions + 1
        if place >= len(entries):
            return None
        entry = entries[place]
        if entry.get("gate") or entry.get("await"):
            return self._complete_later(entry)
        return self._complete(entry)

    def _complete(self, entry: Mapping[str, Any]) -> None:
        if "schedule" in entry:
            self._guarded(self._schedule, entry["schedule"])  # type: ignore[arg-type]
        if "raises" in entry:
            raise Scripted(entry["raises"])

    async def _complete_later(self, entry: Mapping[str, Any]) -> None:
        if entry.get("gate"):
            gate = self._loop.create_future()
            self._gates.append(gate)
            await gate
        if entry.get("await") and "schedule" in entry:
            try:
                await self._schedule(entry["schedule"])
            except DriverError:
                """It was noted, and does not fail the observer."""
            entry = {key: entry[key] for key in entry if key != "schedule"}
        self._complete(entry)

    # --- saved output -----------------------------------------------------------------------------

    def _save(self, name: str, text: str) -> str:
        self._files[name] = text
        return f"{_FOLDER}/{name}"

    def _lose(self, name: str, text: str) -> str:  # noqa: ARG002 - a protocol
        raise OSError("there is no such folder")
