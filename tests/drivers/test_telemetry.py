"""Spans of real runs, as an application's exporter gets them."""

import asyncio
import subprocess
import sys

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from callgate.drivers.errors import BatchRejected
from callgate.drivers.scheduler import ToolScheduler
from callgate.drivers.telemetry import Telemetry
from callgate.kernel.config import Config, Retry
from callgate.kernel.values import Request
from callgate.tools.decorator import tool
from callgate.tools.protocols import Cancellation


class Traced:
    """A provider of our own, so that tests share nothing."""

    def __init__(self):
        self.exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracer = provider.get_tracer("test")

    @property
    def spans(self):
        return self.exporter.get_finished_spans()

    def tree(self):
        """(name, parent's name, attributes of ours), in the order of their starts."""
        names = {span.context.span_id: span.name for span in self.spans}
        ordered = sorted(self.spans, key=lambda span: (span.start_time, span.context.span_id))
        return sorted(
            (span.name, names.get(span.parent.span_id) if span.parent else None) for span in ordered
        )

    def named(self, name):
        return [span for span in self.spans if span.name == name]


@pytest.fixture
def traced():
    return Traced()


tries = []


@tool
async def flaky() -> str:
    tries.append(1)
    if len(tries) == 1:
        raise ConnectionError("lost")
    return "ok"


@tool(confirm="exec")
async def careful(command: str) -> str:
    return command


@tool
async def slow(stop: Cancellation) -> str:
    await stop.wait()
    return "partial"


def run(main):
    return asyncio.run(main())


CONFIG = Config(retry=Retry(attempts_max=2))


def test_a_run_is_a_tree_of_spans(traced):
    tries.clear()
    facts = []
    telemetry = Telemetry(CONFIG, tracer=traced.tracer)

    def record(event):
        facts.append(event)
        telemetry.record(event)

    async def main():
        options = {"ask": lambda _call: "proceed_once", "config": CONFIG, "record": record}
        options["retryable"] = lambda error: isinstance(error, ConnectionError)
        async with ToolScheduler([flaky, careful], **options) as scheduler:
            with traced.tracer.start_as_current_span("turn"):
                requests = [
                    Request("c1", "flaky"),
                    Request("c2", "careful", {"command": "ls"}),
                    Request("c3", "nope"),
                ]
                return await scheduler.schedule(requests)

    finished = run(main)
    assert [call.status.value for call in finished] == ["success", "success", "error"]
    assert traced.tree() == [
        ("approval", "execute_tool careful"),
        ("execute_tool careful", "schedule"),
        ("execute_tool flaky", "schedule"),
        ("execute_tool nope", "schedule"),
        ("execution", "execute_tool careful"),
        ("execution", "execute_tool flaky"),
        ("execution", "execute_tool flaky"),
        ("schedule", "turn"),
        ("turn", None),
    ]
    (careful_span,) = traced.named("execute_tool careful")
    assert careful_span.attributes["gen_ai.tool.call.id"] == "c2"
    assert careful_span.attributes["callgate.status"] == "success"
    assert careful_span.attributes["callgate.outcome"] == "proceed_once"
    assert "gen_ai.tool.call.arguments" not in careful_span.attributes
    (unknown,) = traced.named("execute_tool nope")
    assert unknown.status.status_code is StatusCode.ERROR
    assert unknown.attributes["error.type"] == "tool_not_registered"
    assert unknown.attributes["callgate.ran"] is False
    (approval,) = traced.named("approval")
    assert approval.attributes["callgate.outcome"] == "proceed_once"
    assert approval.attributes["callgate.approval.kind"] == "exec"
    flaky_runs = [
        span
        for span in traced.named("execution")
        if span.attributes["callgate.key"].startswith("1.")
    ]
    assert [span.attributes["callgate.attempt"] for span in flaky_runs] == [1, 2]
    for span in traced.spans:
        assert span.start_time <= span.end_time
    replayed = Traced()
    again = Telemetry(CONFIG, tracer=replayed.tracer, epoch_ns=0)
    for event in facts:
        again.record(event)
    assert [name for name, _ in replayed.tree()] == [
        name for name, _ in traced.tree() if name != "turn"
    ]


def test_what_a_tool_does_is_within_its_execution(traced):
    @tool
    async def asks_a_server() -> str:
        with traced.tracer.start_as_current_span("http"):
            return "ok"

    telemetry = Telemetry(tracer=traced.tracer)

    async def main():
        options = {"record": telemetry.record, "around": telemetry.around}
        async with ToolScheduler([asks_a_server], **options) as scheduler:
            with traced.tracer.start_as_current_span("turn"):
                await scheduler.schedule(Request("c1", "asks_a_server"))
                with traced.tracer.start_as_current_span("afterwards"):
                    pass

    run(main)
    tree = dict(traced.tree())
    assert (tree["http"], tree["afterwards"], tree["schedule"]) == ("execution", "turn", "turn")


def test_a_cancelled_call_says_that_it_was_stopped(traced):
    telemetry = Telemetry(tracer=traced.tracer, with_args=True)

    async def main():
        started = asyncio.Event()

        def watch(snapshot):
            if snapshot.changed is not None and snapshot.changed.status.value == "executing":
                started.set()

        async with ToolScheduler([slow], record=telemetry.record, on_update=watch) as scheduler:
            batch = asyncio.ensure_future(scheduler.schedule([Request("c1", "slow")]))
            await started.wait()
            scheduler.cancel("c1")
            return await batch

    (call,) = run(main)
    assert call.status.value == "cancelled"
    (span,) = traced.named("execute_tool slow")
    assert span.attributes["callgate.cancelled.cause"] == "stopped"
    assert span.attributes["gen_ai.tool.call.arguments"] == "{}"
    assert span.status.status_code is StatusCode.UNSET
    (execution,) = traced.named("execution")
    assert [event.name for event in execution.events] == ["stopped"]


def test_a_rejected_batch_is_a_failed_span(traced):
    telemetry = Telemetry(tracer=traced.tracer)

    async def main():
        async with ToolScheduler([slow], record=telemetry.record) as scheduler:
            with pytest.raises(BatchRejected):
                await scheduler.schedule([Request("c1", "slow"), Request("c1", "slow")])

    run(main)
    (span,) = traced.spans
    assert (span.name, span.attributes["error.type"]) == ("schedule", "rejected")
    assert span.status.status_code is StatusCode.ERROR


def test_an_open_question_is_abandoned_at_the_end(traced):
    telemetry = Telemetry(tracer=traced.tracer)

    async def main():
        asked = asyncio.Event()

        async def ask(_call):
            asked.set()
            await asyncio.Event().wait()

        async with ToolScheduler([careful], record=telemetry.record, ask=ask) as scheduler:
            scheduler.schedule([Request("c1", "careful", {"command": "x"})])
            await asked.wait()
            telemetry.close()

    run(main)
    assert {span.name for span in traced.spans} == {"schedule", "execute_tool careful", "approval"}
    assert all(span.attributes["callgate.abandoned"] for span in traced.spans)


def test_a_wrong_config_stops_the_trace_and_nothing_else(traced, caplog):
    telemetry = Telemetry(Config(max_parallel=1), tracer=traced.tracer)

    async def main():
        both = asyncio.Event()

        @tool
        async def first() -> str:
            await both.wait()
            return "1"

        @tool
        async def second() -> str:
            both.set()
            return "2"

        async with ToolScheduler([first, second], record=telemetry.record) as scheduler:
            return await scheduler.schedule([Request("c1", "first"), Request("c2", "second")])

    finished = run(main)
    assert [call.status.value for call in finished] == ["success", "success"]
    assert "telemetry stopped at ExecutionFinished" in caplog.text
    assert len(traced.named("schedule")) == 1
    assert len(traced.named("execution")) == 1


def test_without_a_tracer_the_application_provider_is_used():
    telemetry = Telemetry()
    assert telemetry.record is not None
    assert trace.get_tracer("callgate") is not None


def test_without_the_library_the_extra_is_named():
    program = """
import sys
sys.modules["opentelemetry"] = None
from callgate.drivers.telemetry import Telemetry
from callgate.tools.errors import MissingExtra
try:
    Telemetry()
except MissingExtra as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    text = "Telemetry needs opentelemetry, which is not installed: pip install 'callgate[otel]'\n"
    assert done.stdout == text
