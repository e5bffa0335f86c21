"""Spans of a run, for OpenTelemetry: schedule > call > approval, execution.

Rule 1: a trace is made of the facts alone, by stepping them a second time: a live run and a stored
journal give the same spans. Nothing else of a driver is read, and nothing of it can be disturbed.
Rule 2: what a model or a person wrote stays out of the spans, unless it is asked for.
"""

from __future__ import annotations

import json
import logging
import time
from typing import TYPE_CHECKING, Any, Final, final

from callgate.kernel import effects
from callgate.kernel.calls import Cancelled, Errored
from callgate.kernel.events import BatchSubmitted
from callgate.kernel.state import initial
from callgate.kernel.step import step
from callgate.kernel.values import Status
from callgate.tools.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.trace import Span, Tracer

    from callgate.kernel.calls import Call, FinalCall
    from callgate.kernel.config import Config
    from callgate.kernel.effects import Effect
    from callgate.kernel.events import Event

_LOG = logging.getLogger("callgate")
_NS: Final = 1_000_000


@final
class Telemetry:
    """Give its `record` to a scheduler as `record`, with the same config.

    Give it `around=telemetry.around` too, and the spans that tools make themselves are children of
    the execution that made them, not of whoever scheduled the batch.

    Args:
        config: the scheduler's config; the kernel decides by it.
        tracer: none: that of the application, named `callgate`.
        with_args: spans say which arguments ran.
        epoch_ns: the time, since 1970, at which the driver's clock showed 0; none: as now.
    """

    def __init__(
        self,
        config: Config | None = None,
        *,
        tracer: Tracer | None = None,
        with_args: bool = False,
        epoch_ns: int | None = None,
    ) -> None:
        self._api, self._attach = _library()
        self._tracer: Tracer = tracer or self._api.get_tracer("callgate")
        self._state = initial(config)
        self._with_args, self._epoch_ns = with_args, epoch_ns
        self._at_ns = 0
        self._batches: dict[str, Span] = {}
        self._calls: dict[int, Span] = {}
        self._approvals: dict[int, Span] = {}
        self._executions: dict[int, Span] = {}
        self._is_over = False

    def record(self, event: Event) -> None:
        """Take the next fact. It never raises: a run is worth more than its trace."""
        if self._is_over:
            return
        try:
            self._take(event)
        except Exception:
            _LOG.exception("telemetry stopped at %s: is its config the scheduler's?", event)
            self.close()

    def around(self, call: int) -> None:
        """Make the execution of this call the current span; in the tool's own task."""
        span = self._executions.get(call)
        if span is not None:
            self._attach(self._api.set_span_in_context(span))

    def close(self) -> None:
        """End every span that is still open: nothing more is taken."""
        self._is_over = True
        for spans in (self._executions, self._approvals, self._calls, self._batches):
            for span in list(spans.values()):
                span.set_attribute("callgate.abandoned", True)
                span.end(self._at_ns or None)
            spans.clear()

    def _take(self, event: Event) -> None:
        if self._epoch_ns is None:
            self._epoch_ns = time.time_ns() - event.at_ms * _NS
        self._state, said = step(self._state, event)
        self._at_ns = self._epoch_ns + self._state.now_ms * _NS
        if isinstance(event, BatchSubmitted):
            self._submitted(event)
        for effect in said:
            handler = _HANDLERS.get(type(effect))
            if handler is not None:
                handler(self, effect)

    # --- batches ----------------------------------------------------------------------------------

    def _submitted(self, event: BatchSubmitted) -> None:
        attributes: dict[str, Any] = {
            "callgate.batch.id": event.batch_id,
            "callgate.calls": len(event.requests),
        }
        span = self._tracer.start_span(
            "schedule", attributes=attributes, start_time=self._at_ns, context=None
        )
        self._batches[event.batch_id] = span

    def _admitted(self, effect: effects.BatchAdmitted) -> None:
        parent = self._api.set_span_in_context(self._batches[effect.batch_id])
        for call in effect.calls:
            request = call.facts.request
            attributes: dict[str, Any] = {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": request.name,
                "gen_ai.tool.call.id": request.call_id,
                "callgate.call.serial": call.facts.serial,
            }
            span = self._tracer.start_span(
                f"execute_tool {request.name}",
                attributes=attributes,
                start_time=self._at_ns,
                context=parent,
            )
            self._calls[call.facts.serial] = span
            if call.status.is_final:
                self._ended(call)

    def _delivered(self, effect: effects.Deliver) -> None:
        self._end(self._batches, effect.batch_id)

    def _rejected(self, effect: effects.RejectBatch) -> None:
        span = self._batches.get(effect.batch_id)
        if span is not None:
            self._fail(span, effect.reason, "rejected")
        self._end(self._batches, effect.batch_id)

    # --- calls ------------------------------------------------------------------------------------

    def _moved(self, effect: effects.Moved) -> None:
        record = effect.record
        serial = record.facts.serial
        if record.status is not Status.EXECUTING:
            self._end(self._executions, serial)
        if record.status is not Status.AWAITING_APPROVAL:
            said = "withdrawn" if record.outcome is None else record.outcome.value
            self._end(self._approvals, serial, {"callgate.outcome": said})
        if record.status.is_final:
            self._ended(record)

    def _ended(self, record: Call) -> None:
        final_record: FinalCall = record  # type: ignore[assignment]
        serial = record.facts.serial
        span = self._calls[serial]
        attributes: dict[str, Any] = {
            "callgate.status": record.status.value,
            "callgate.attempts": final_record.attempt,
            "callgate.ran": final_record.ran,
        }
        if record.outcome is not None:
            attributes["callgate.outcome"] = record.outcome.value
        if self._with_args:
            attributes["gen_ai.tool.call.arguments"] = json.dumps(record.facts.args)
        if type(record) is Errored:
            self._fail(span, record.failure.message, record.failure.type or "_OTHER")
        if type(record) is Cancelled:
            attributes["callgate.cancelled.cause"] = record.cause.value
        self._end(self._calls, serial, attributes)

    def _asked(self, effect: effects.AskApproval) -> None:
        self._end(self._approvals, effect.call, {"callgate.outcome": "asked again"})
        attributes = {
            "callgate.approval.id": effect.approval_id,
            "callgate.approval.kind": effect.confirmation.kind,
        }
        self._open(self._approvals, effect.call, "approval", attributes)

    def _executed(self, effect: effects.Execute) -> None:
        attributes = {"callgate.attempt": effect.attempt, "callgate.key": effect.key}
        self._open(self._executions, effect.call, "execution", attributes)

    def _stopped(self, effect: effects.StopExecution) -> None:
        span = self._executions.get(effect.call)
        if span is not None:
            span.add_event("stopped", timestamp=self._at_ns)

    # --- spans ------------------------------------------------------------------------------------

    def _open(
        self, spans: dict[int, Span], call: int, name: str, attributes: dict[str, Any]
    ) -> None:
        parent = self._api.set_span_in_context(self._calls[call])
        spans[call] = self._tracer.start_span(
            name, attributes=attributes, start_time=self._at_ns, context=parent
        )

    def _end(
        self, spans: dict[Any, Span], key: object, attributes: dict[str, Any] | None = None
    ) -> None:
        span = spans.pop(key, None)
        if span is not None:
            span.set_attributes(attributes or {})
            span.end(self._at_ns)

    def _fail(self, span: Span, message: str, kind: str) -> None:
        span.set_attribute("error.type", kind)
        span.set_status(self._api.Status(self._api.StatusCode.ERROR, message))


_HANDLERS: Final[dict[type[Effect], Callable[[Telemetry, Any], None]]] = {
    effects.BatchAdmitted: Telemetry._admitted,
    effects.Deliver: Telemetry._delivered,
    effects.RejectBatch: Telemetry._rejected,
    effects.Moved: Telemetry._moved,
    effects.AskApproval: Telemetry._asked,
    effects.Execute: Telemetry._executed,
    effects.StopExecution: Telemetry._stopped,
}


def _library() -> tuple[Any, Callable[[Any], object]]:
    try:
        from opentelemetry import trace
        from opentelemetry.context import attach
    except ImportError:
        raise MissingExtra("Telemetry", "opentelemetry", "otel") from None
    return trace, attach
