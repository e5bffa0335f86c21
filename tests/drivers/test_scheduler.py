"""The scheduler from outside: batches, answers, cancellation, watchers, and what tools do wrong."""

import asyncio

import pytest

from callgate import Config, KernelError, Request, Retry, Waves
from callgate.drivers.approvals import Reply
from callgate.drivers.cancelling import CancelToken
from callgate.drivers.errors import (
    BatchRejected,
    DriverError,
    SchedulerClosed,
    WouldWaitForItself,
    WrongThread,
)
from callgate.drivers.hooks import Hook
from callgate.drivers.policy_in_force import PolicyInForce
from callgate.drivers.virtual import VirtualLoop
from callgate.kernel.events import ApprovalAnswered
from callgate.tools.protocols import ToolError
from tests.drivers.doubles import (
    EXEC,
    Editable,
    IdeAnswer,
    Question,
    Tool,
    ToolResult,
    ToolScheduler,
    asks,
    play,
    settle,
)


def statuses(finished):
    return [call.status.value for call in finished]


def output_of(call):
    return call.response.parts[0]["functionResponse"]["response"]


def test_results_come_in_request_order_whatever_ends_first():
    tool = Tool()

    async def scene():
        async with ToolScheduler([tool]) as scheduler:
            batch = scheduler.schedule(asks("a", "b", "c"))
            await settle()
            for call_id in ("c", "a", "b"):
                tool.running[call_id].set_result(f"result of {call_id}")
                await settle()
            return await batch

    finished = play(scene)
    assert [call.call_id for call in finished] == ["a", "b", "c"]
    assert [output_of(call) for call in finished] == [
        {"output": f"result of {call_id}"} for call_id in "abc"
    ]
    assert [call.value for call in finished] == ["result of a", "result of b", "result of c"]


def test_schedule_steps_when_it_is_called():
    async def scene():
        async with ToolScheduler([Tool(question=EXEC)]) as scheduler:
            scheduler.schedule(asks("a"))
            assert scheduler.state.batch is not None
            return [call.status.value for call in scheduler.state.batch.calls]

    assert play(scene) == ["awaiting_approval"]


def test_no_call_starts_before_the_last_answer():
    tool, asked = Tool("free"), Tool("asked", question=EXEC)

    async def scene():
        async with ToolScheduler([tool, asked]) as scheduler:
            batch = scheduler.schedule([*asks("a", name="free"), *asks("b", "c", name="asked")])
            await settle()
            assert scheduler.approve("b", "proceed_once")
            await settle()
            assert tool.started == asked.started == []
            assert scheduler.approve("c", "cancel", reason="not on Fridays")
            await settle()
            assert [call_id for call_id, _ in tool.started + asked.started] == ["a", "b"]
            tool.running["a"].set_result(1)
            asked.running["b"].set_result(2)
            return await batch

    finished = play(scene)
    assert statuses(finished) == ["success", "success", "cancelled"]
    assert "not on Fridays" in output_of(finished[2])["error"]


def test_an_answer_counts_once_and_says_so():
    seen = []

    async def scene():
        tool = Tool(question=EXEC)
        watch = {"on_ignored": lambda news, event: seen.append(event)}
        async with ToolScheduler([tool], **watch) as scheduler:
            scheduler.schedule(asks("a"))
            assert not scheduler.approve("nobody", "proceed_once")
            assert not scheduler.approve("a", "banana")
            assert not scheduler.approve("a", "proceed_once", approval_id=7)
            assert scheduler.approve("a", "proceed_once")
            assert not scheduler.approve("a", "proceed_once")
            assert not scheduler.approve("a", "cancel")
            await settle()
            assert len(tool.started) == 1

    play(scene)
    answers = [event for event in seen if type(event) is ApprovalAnswered]
    assert len(answers) == 5


def test_always_releases_the_sibling_that_waits():
    tool = Tool(does="done", question=EXEC)

    async def scene():
        async with ToolScheduler([tool]) as scheduler:
            batch = scheduler.schedule(asks("a", "b", command="ls -a"))
            scheduler.approve("a", "proceed_always")
            return await batch

    finished = play(scene)
    assert statuses(finished) == ["success", "success"]
    assert finished[1].outcome == "proceed_always"


def test_an_always_reaches_a_scheduler_that_shares_the_policy():
    async def scene():
        shared = PolicyInForce()
        one, other = Tool(does="x", question=EXEC), Tool(does="y", question=EXEC)
        async with (
            ToolScheduler([one], policy=shared) as first,
            ToolScheduler([other], policy=shared) as second,
        ):
            waiting = second.schedule(asks("b", command="ls"))
            answered = first.schedule(asks("a", command="ls"))
            first.approve("a", "proceed_always")
            assert statuses(await answered) == ["success"]
            return await waiting

    assert statuses(play(scene)) == ["success"]


def test_an_answer_stands_in_the_tools_place():
    tool = Tool(question=EXEC)

    async def scene():
        async with ToolScheduler([tool]) as scheduler:
            batch = scheduler.schedule(asks("a"))
            assert scheduler.approve("a", "answer_instead", result="by hand")
            return await batch

    (call,) = play(scene)
    assert (call.status, call.attempt, tool.started) == ("success", 0, [])
    assert output_of(call) == {"output": "by hand"}


# --- asking people --------------------------------------------------------------------------------


@pytest.mark.parametrize("later", [False, True])
def test_ask_answers_for_the_person(later):
    asked = []

    async def ask_later(call):
        await asyncio.sleep(3600)
        return ask(call)

    def ask(call):
        asked.append(call.facts.request.call_id)
        return Reply("cancel", "no") if asked[-1] == "b" else "proceed_once"

    async def scene():
        tool = Tool(does="done", question=EXEC)
        async with ToolScheduler([tool], ask=ask_later if later else ask) as scheduler:
            return await scheduler.schedule(asks("a", "b", "c"))

    assert statuses(play(scene)) == ["success", "cancelled", "success"]
    assert asked == ["a", "b", "c"]


def test_questions_are_put_one_at_a_time():
    open_questions, most = [], []

    async def ask(call):
        open_questions.append(call)
        most.append(len(open_questions))
        await asyncio.sleep(1)
        open_questions.remove(call)
        return "proceed_once"

    async def scene():
        async with ToolScheduler([Tool(does=1, question=EXEC)], ask=ask) as scheduler:
            await scheduler.schedule(asks("a", "b", "c"))

    play(scene)
    assert most == [1, 1, 1]


@pytest.mark.parametrize("answer", [ValueError("broken"), 7, None])
def test_an_ask_that_is_broken_is_a_no(answer):
    reported = []

    def ask(_call):
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def scene():
        tool = Tool(question=EXEC)
        watch = {"ask": ask, "on_error": lambda name, error: reported.append(name)}
        async with ToolScheduler([tool], **watch) as scheduler:
            return await scheduler.schedule(asks("a"))

    assert statuses(play(scene)) == ["cancelled"]
    assert reported == ["ask"]


def test_a_persons_time_is_not_the_tools():
    async def scene():
        tool = Tool(does="done", question=EXEC)
        async with ToolScheduler([tool], config=Config(timeout_ms=100)) as scheduler:
            batch = scheduler.schedule(asks("a"))
            await asyncio.sleep(3600)
            scheduler.approve("a", "proceed_once")
            return await batch

    assert statuses(play(scene)) == ["success"]


def test_silence_is_a_no():
    async def scene():
        config = Config(approval_timeout_ms=5_000)
        async with ToolScheduler([Tool(question=EXEC)], config=config) as scheduler:
            finished = await scheduler.schedule(asks("a"))
            return finished, scheduler.now_ms()

    finished, now_ms = play(scene)
    assert statuses(finished) == ["cancelled"]
    assert now_ms == 5_000


def test_the_ide_answers_first():
    async def scene():
        shown = asyncio.get_running_loop().create_future()
        tool = Editable(does=lambda call, *_: call.giving(dict(call.args)))
        tool.question = Question("edit", ide=shown)
        async with ToolScheduler([tool]) as scheduler:
            batch = scheduler.schedule(asks("a", content="1"))
            await settle()
            shown.set_result(IdeAnswer(True, "from the IDE"))
            await settle()
            assert not scheduler.approve("a", "cancel")
            return await batch

    (call,) = play(scene)
    assert call.value == {"content": "from the IDE"}


def test_a_lost_ide_leaves_the_question_open():
    reported = []

    async def scene():
        shown = asyncio.get_running_loop().create_future()
        tool = Editable(does="done", question=Question("edit", ide=shown))
        watch = {"on_error": lambda name, error: reported.append((name, str(error)))}
        async with ToolScheduler([tool], **watch) as scheduler:
            batch = scheduler.schedule(asks("a"))
            await settle()
            shown.set_exception(OSError("gone"))
            await settle()
            assert scheduler.approve("a", "proceed_once")
            return await batch

    assert statuses(play(scene)) == ["success"]
    assert reported == [("ide", "gone")]


def test_without_anybody_to_ask_it_is_refused_at_once():
    async def scene():
        async with ToolScheduler([Tool(question=EXEC)], interactive=False) as scheduler:
            return await scheduler.schedule(asks("a"))

    (call,) = play(scene)
    assert call.response.error == (
        'Tool execution for "tool" requires user confirmation, '
        "which is not supported in non-interactive mode."
    )


# --- batches --------------------------------------------------------------------------------------


def test_two_hundred_batches_queue_and_come_out_in_order():
    order = []

    async def scene():
        watch = {"on_complete": lambda calls: order.append(calls[0].call_id)}
        async with ToolScheduler([Tool(does=1)], **watch) as scheduler:
            batches = [scheduler.schedule(asks(f"c{place}")) for place in range(200)]
            await asyncio.gather(*batches)

    play(scene)
    assert order == [f"c{place}" for place in range(200)]


def test_a_thousand_tools_at_once():
    running = []

    async def scene():
        tool = Tool()
        async with ToolScheduler([tool]) as scheduler:
            batch = scheduler.schedule(asks(*map(str, range(1_000))))
            await settle()
            running.append(len(tool.running))
            for end in tool.running.values():
                end.set_result("x")
            return await batch

    assert statuses(play(scene)) == ["success"] * 1_000
    assert running == [1_000]


def test_max_parallel_holds():
    running, most = [], []

    def does(call, *_):
        return hold(call)

    async def hold(call):
        running.append(call)
        most.append(len(running))
        await asyncio.sleep(1)
        running.remove(call)

    async def scene():
        config = Config(max_parallel=3)
        async with ToolScheduler([Tool(does=does)], config=config) as scheduler:
            return await scheduler.schedule(asks(*map(str, range(20))))

    assert statuses(play(scene)) == ["success"] * 20
    assert max(most) == 3


def test_an_id_twice_rejects_the_batch():
    async def scene():
        tool = Tool(does=1)
        async with ToolScheduler([tool]) as scheduler:
            batch = scheduler.schedule(asks("a", "a"))
            with pytest.raises(BatchRejected, match="positions 0 and 1"):
                await batch
            assert tool.started == []

    play(scene)


def test_an_empty_batch_waits_for_nobody():
    async def scene():
        async with ToolScheduler([Tool()]) as scheduler:
            scheduler.schedule(asks("a"))
            return await scheduler.schedule([])

    assert play(scene) == []


def test_one_request_alone_and_a_batch_of_your_own_name():
    async def scene():
        async with ToolScheduler([Tool(does=1)]) as scheduler:
            batch = scheduler.schedule(Request("a", "tool"), batch_id="mine")
            assert batch.batch_id == "mine"
            (call,) = await batch
            assert call.batch_id == "mine"
            waiting = scheduler.schedule(asks("b"), batch_id="again")
            with pytest.raises(ValueError, match="'again' is queued or at work"):
                scheduler.schedule(asks("c"), batch_id="again")
            await waiting

    play(scene)


def test_what_is_no_request_is_refused():
    async def scene():
        async with ToolScheduler([Tool(does=1)]) as scheduler:
            with pytest.raises(TypeError, match="a dict is no request"):
                scheduler.schedule([{"name": "tool"}])

    play(scene)


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"mode": "brave"}, "'brave' is no mode; one of plan, default, auto_edit, yolo"),
        ({"policy": 5}, "policy is 5; a policy"),
        ({"plan": "odd"}, "plan is 'odd'; one of classic, waves, sequential"),
        ({"config": {}}, "config is {}; a callgate.Config"),
        ({"hooks": [print]}, r"hooks\[0\] is .*print.*; a Hook"),
        ({"hooks": Hook()}, "a list of them"),
        ({"ask": "yes"}, "ask is 'yes'; a function"),
        ({"on_update": 5}, "on_update is 5; a function"),
        ({"editor": "vim"}, "editor is 'vim'; a CommandEditor"),
    ],
)
def test_a_choice_that_is_none_is_refused_at_once(choice, said):
    async def scene():
        with pytest.raises((TypeError, ValueError), match=said):
            ToolScheduler([Tool()], **choice)

    play(scene)


@pytest.mark.parametrize(
    ("requests", "choice", "said"),
    [
        (None, {}, "requests is None; a callgate.Request"),
        ([], {"plan": "odd"}, "plan is 'odd'"),
        ([], {"batch_id": 5}, "batch_id is 5; a string"),
        ([], {"cancel": asyncio}, "a CancelToken"),
        (asks("a"), {"plan": Waves((2,)), "batch_id": "mine"}, "sizes add up"),
    ],
)
def test_what_cannot_be_scheduled_is_refused_and_leaves_nothing(requests, choice, said):
    async def scene():
        async with ToolScheduler([Tool(does=1)]) as scheduler:
            with pytest.raises((TypeError, ValueError, KernelError), match=said):
                scheduler.schedule(requests, **choice)
            assert scheduler.is_idle
            return await scheduler.schedule(asks("a"), batch_id="mine")

    assert statuses(play(scene)) == ["success"]


def test_outside_of_a_loop_it_says_what_to_do():
    with pytest.raises(DriverError, match="run_batch"):
        ToolScheduler()


def test_unknown_and_invalid_calls_stop_nobody():
    async def scene():
        async with ToolScheduler([Tool("tool", does=1), Tool("other")]) as scheduler:
            return await scheduler.schedule([*asks("a", name="tol"), *asks("b", bad=1), *asks("c")])

    unknown, invalid, fine = play(scene)
    assert unknown.response.error_type == "tool_not_registered"
    assert unknown.response.error.endswith('Did you mean one of: "tool", "other"?')
    assert (invalid.response.error_type, invalid.response.error) == (
        "invalid_tool_params",
        "bad arguments",
    )
    assert fine.ok


def test_a_batch_brings_its_own_tools():
    async def scene():
        async with ToolScheduler([Tool(does="the scheduler's")]) as scheduler:
            own = scheduler.schedule(asks("a"), tools=[Tool(does="the batch's")])
            other = scheduler.schedule(asks("a"))
            return [output_of(call)["output"] for call in [*await own, *await other]]

    assert play(scene) == ["the batch's", "the scheduler's"]


def test_each_call_can_be_awaited_alone():
    async def scene():
        tool = Tool()
        async with ToolScheduler([tool]) as scheduler:
            batch = scheduler.schedule([*asks("a", "b"), *asks("x", name="nope")])
            assert (await batch.call("x")).response.error_type == "tool_not_registered"
            await settle()
            tool.running["b"].set_result("first")
            call = await batch.call("b")
            assert (call.value, batch.is_done) == ("first", False)
            tool.running["a"].set_result("last")
            assert (await batch.call("a")).value == "last"
            await batch
            assert (await batch.call("b")).value == "first"
            with pytest.raises(LookupError):
                batch.call("c")

    play(scene)


# --- who waits for themselves ---------------------------------------------------------------------


def test_a_batch_awaited_inside_a_tool_is_an_error():
    async def scene():
        async def nest(call):
            await asyncio.gather(scheduler.schedule(asks("inner")))

        tool = Tool(does=lambda call, *_: nest(call))
        async with ToolScheduler([tool, Tool("inner", does=1)]) as scheduler:
            finished = await scheduler.schedule(asks("outer"))
            assert scheduler.is_idle
            return finished

    (call,) = play(scene)
    assert type(call.exception) is WouldWaitForItself
    assert "the tool of call 'outer'" in call.response.error


def test_a_tool_may_schedule_for_later():
    later = []

    async def scene():
        async def plant(call):
            later.append(scheduler.schedule(asks("inner", name="inner")))
            return "planted"

        tools = [Tool(does=lambda call, *_: plant(call)), Tool("inner", does="grown")]
        async with ToolScheduler(tools) as scheduler:
            await scheduler.schedule(asks("outer"))
            return await later[0]

    assert play(scene)[0].value == "grown"


def test_a_batch_awaited_inside_the_completion_observer_is_an_error():
    refused, ran = [], []

    async def scene():
        async def on_complete(calls):
            if calls[0].call_id == "a":
                ran.append(asyncio.create_task(own_task()))
                try:
                    await scheduler.schedule(asks("b"))
                except WouldWaitForItself as error:
                    refused.append(str(error))

        async def own_task():
            return await scheduler.schedule(asks("c"))

        tool = Tool(does=1)
        async with ToolScheduler([tool], on_complete=on_complete) as scheduler:
            await scheduler.schedule(asks("a"))
            await settle()
            assert [call_id for call_id, _ in tool.started] == ["a", "c"]
            await ran[0]

    play(scene)
    assert len(refused) == 1
    assert "the completion observer" in refused[0]


@pytest.mark.parametrize("how", [asyncio.gather, asyncio.shield, asyncio.ensure_future])
def test_who_waits_for_the_completion_observer_may_not_wait_for_it(how):
    refused = []

    async def scene():
        async def on_complete(calls):
            if calls[0].call_id == "a":
                try:
                    await how(scheduler.schedule(asks("b")))
                except WouldWaitForItself as error:
                    refused.append(str(error))

        tool = Tool(does=1)
        async with ToolScheduler([tool], on_complete=on_complete) as scheduler:
            await scheduler.schedule(asks("a"))
            assert statuses(await scheduler.schedule(asks("c"))) == ["success"]
            assert [call_id for call_id, _ in tool.started] == ["a", "c"]

    play(scene)
    assert len(refused) == 1
    assert "the completion observer" in refused[0]


# --- cancelling -----------------------------------------------------------------------------------


def test_a_token_cancels_all_its_batches_by_one_fact():
    async def scene():
        tool, token = Tool(), CancelToken()
        async with ToolScheduler([tool]) as scheduler:
            first = scheduler.schedule(asks("a"), cancel=token)
            second = scheduler.schedule(asks("b"), cancel=token)
            third = scheduler.schedule(asks("c"))
            await settle()
            token.cancel("enough")
            with pytest.raises(BatchRejected, match=r"Tool call cancelled while in queue\."):
                await second
            tool.running["a"].set_result("late")
            (call,) = await first
            assert call.status == "cancelled"
            assert output_of(call)["output"] == "late"
            await settle()
            tool.running["c"].set_result("fine")
            assert statuses(await third) == ["success"]

    play(scene)


def test_one_call_is_cancelled_at_work_and_queued():
    async def scene():
        tool = Tool()
        async with ToolScheduler([tool]) as scheduler:
            first = scheduler.schedule(asks("a", "b"))
            second = scheduler.schedule(asks("c", "d"))
            await settle()
            assert scheduler.cancel("d")
            assert scheduler.cancel("a")
            assert not scheduler.cancel("nobody")
            for call_id in "ab":
                tool.running[call_id].set_result(call_id)
            assert statuses(await first) == ["cancelled", "success"]
            await settle()
            tool.running["c"].set_result("c")
            assert statuses(await second) == ["success", "cancelled"]
            assert [call_id for call_id, _ in tool.started] == ["a", "b", "c"]

    play(scene)


def test_cancelling_who_waits_leaves_no_task_and_no_open_approval():
    async def scene():
        asked = asyncio.Event()

        async def ask(_call):
            asked.set()
            await asyncio.Event().wait()

        tool = Tool(question=EXEC)
        async with ToolScheduler([tool], ask=ask) as scheduler:
            owner = asyncio.create_task(_await(scheduler.schedule(asks("a"))))
            await asked.wait()
            owner.cancel()
            with pytest.raises(asyncio.CancelledError):
                await owner
            assert asyncio.all_tasks() == {asyncio.current_task()}
            assert scheduler.is_idle
            assert not scheduler.approve("a", "proceed_once")
            await settle()
            assert tool.started == []

    play(scene)


async def _await(batch):
    return await batch


def test_cancelling_who_waits_ends_the_tool_too():
    ended = []

    async def until_cancelled():
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("ended")

    async def scene():
        tool = Tool(does=lambda *_: until_cancelled())
        async with ToolScheduler([tool]) as scheduler:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(1):
                    await scheduler.schedule(asks("a", "b"))
            assert ended == ["ended", "ended"]
            assert scheduler.is_idle

    play(scene)


def test_a_batch_goes_on_as_long_as_somebody_waits_for_it():
    async def scene():
        tool = Tool()
        async with ToolScheduler([tool]) as scheduler:
            batch = scheduler.schedule(asks("a", "b"))
            one, other = (asyncio.create_task(_await(batch)) for _ in range(2))
            alone = asyncio.create_task(_await(batch.call("b")))
            await settle()
            one.cancel()
            alone.cancel()
            await settle()
            assert (one.cancelled(), alone.cancelled()) == (True, True)
            for call_id in "ab":
                tool.running[call_id].set_result(call_id)
            assert statuses(await other) == ["success", "success"]
            again = scheduler.schedule(asks("c"))
            waiters = [asyncio.create_task(_await(again)) for _ in range(2)]
            await settle()
            for waiter in waiters:
                waiter.cancel()
            await settle()
            assert statuses(again.result()) == ["cancelled"]

    play(scene)


def test_one_who_waits_for_a_call_alone_is_not_the_other():
    async def scene():
        tool = Tool()
        async with ToolScheduler([tool]) as scheduler:
            batch = scheduler.schedule(asks("a", "b"))
            one, other = (asyncio.create_task(_await(batch.call("a"))) for _ in range(2))
            await settle()
            one.cancel()
            await settle()
            tool.running["a"].set_result("a")
            assert (await other).ok
            last = asyncio.create_task(_await(batch.call("b")))
            await settle()
            last.cancel()
            await settle()
            assert statuses(batch.result()) == ["success", "cancelled"]

    play(scene)


def test_closing_lets_a_tool_that_was_told_to_stop_end_in_order():
    async def scene():
        async def polite(cancel):
            await cancel.wait()
            await asyncio.sleep(1)
            return "what there was"

        tool = Tool(does=lambda _call, cancel, _output: polite(cancel))
        async with ToolScheduler([tool]) as scheduler:
            batch = scheduler.schedule(asks("a"))
            await settle()
        (call,) = batch.result()
        assert (call.status, output_of(call)["output"]) == ("cancelled", "what there was")
        assert asyncio.get_running_loop().time() == 1

    play(scene)


@pytest.mark.parametrize(("takes", "ends_s"), [(1, 1), (100, 4)])
def test_closing_waits_for_an_observer_that_begins_meanwhile(takes, ends_s):
    saved = []

    async def scene():
        async def on_complete(calls):
            await asyncio.sleep(takes)
            saved.extend(calls)

        tool = Tool(takes_cancellation=False)
        choices = {"on_complete": on_complete, "close_grace_s": 4}
        async with ToolScheduler([tool], **choices) as scheduler:
            scheduler.schedule(asks("a"))
            await settle()
        assert asyncio.get_running_loop().time() == ends_s

    play(scene)
    assert len(saved) == (takes == 1)


def test_whoever_closes_too_waits_too():
    async def scene():
        async def polite(cancel):
            await cancel.wait()
            await asyncio.sleep(1)

        tool = Tool(does=lambda _call, cancel, _output: polite(cancel))
        scheduler = ToolScheduler([tool])
        scheduler.schedule(asks("a"))
        await settle()
        await asyncio.gather(scheduler.aclose(), _closed_at(scheduler, 1))
        await _closed_at(scheduler, 1)

    play(scene)


async def _closed_at(scheduler, seconds):
    await asyncio.sleep(0)
    await scheduler.aclose()
    assert asyncio.get_running_loop().time() == seconds


def test_closing_what_is_idle_is_no_fact():
    events = []

    async def scene():
        async with ToolScheduler([Tool(does=1)], record=events.append) as scheduler:
            await scheduler.schedule(asks("a"))

    play(scene)
    assert [type(event).__name__ for event in events][-1] == "DeliveryAcknowledged"


def test_closing_ends_everything():
    ended = []

    async def until_cancelled():
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("ended")

    async def scene():
        tool = Tool(does=lambda *_: until_cancelled())
        async with ToolScheduler([tool, Tool("asked", question=EXEC)]) as scheduler:
            running = scheduler.schedule(asks("a"))
            queued = scheduler.schedule(asks("b", name="asked"))
            await settle()
        assert ended == ["ended"]
        assert statuses(running.result()) == ["cancelled"]
        with pytest.raises(BatchRejected):
            queued.result()
        with pytest.raises(SchedulerClosed):
            scheduler.schedule(asks("c"))

    play(scene)


def test_a_tool_that_ignores_being_cancelled_is_left_behind_and_said_to_be():
    reported = []

    async def scene():
        release = asyncio.Event()

        async def stubborn():
            while not release.is_set():
                try:
                    await release.wait()
                except asyncio.CancelledError:
                    continue

        tool = Tool(does=lambda *_: stubborn())
        watch = {"on_error": lambda name, error: reported.append(name), "close_grace_s": 2}
        async with ToolScheduler([tool], **watch) as scheduler:
            scheduler.schedule(asks("a"))
            await settle()
        assert asyncio.get_running_loop().time() == 4
        release.set()
        await settle()

    play(scene)
    assert reported == ["close"]


def test_a_switch_may_be_turned_off_in_another_thread():
    async def scene():
        async def polite(cancel):
            await cancel.wait()
            return "told"

        tool, token = Tool(does=lambda _call, cancel, _output: polite(cancel)), CancelToken()
        async with ToolScheduler([tool]) as scheduler:
            batch = scheduler.schedule(asks("a"), cancel=token)
            waiting = asyncio.create_task(token.wait())
            await settle()
            await asyncio.to_thread(token.cancel, "from a thread")
            await waiting
            return await batch

    (call,) = asyncio.run(scene())
    assert call.status == "cancelled"
    assert "from a thread" in output_of(call)["error"]


@pytest.mark.parametrize(
    "speak",
    [
        lambda scheduler: scheduler.approve("a", "proceed_once"),
        lambda scheduler: scheduler.cancel("a"),
        lambda scheduler: scheduler.cancel_all(),
        lambda scheduler: scheduler.set_mode("yolo"),
        lambda scheduler: scheduler.schedule(asks("b")),
    ],
)
def test_another_thread_is_told_how_to_speak_to_the_scheduler(speak):
    async def scene():
        async with ToolScheduler([Tool(does="done", question=EXEC)]) as scheduler:
            batch = scheduler.schedule(asks("a"))
            with pytest.raises(WrongThread, match="call_soon_threadsafe"):
                await asyncio.to_thread(speak, scheduler)
            assert (scheduler.policy.mode, list(scheduler._shared.works)) == ("default", ["b1"])
            assert scheduler.approve("a", "proceed_once")
            return await batch

    assert statuses(asyncio.run(scene())) == ["success"]


# --- what tools do wrong --------------------------------------------------------------------------


class Odd(BaseException):
    """No Exception."""


async def _raise(error):
    raise error


@pytest.mark.parametrize(
    ("does", "status", "told"),
    [
        (lambda *_: _raise(ValueError("boom")), "error", "boom"),
        (lambda *_: _raise(Odd("odd")), "error", "odd"),
        (lambda *_: _raise(asyncio.CancelledError("by itself")), "error", "by itself"),
        (lambda *_: _raise(KeyError()), "error", "KeyError"),
        (lambda *_: 1 / 0, "error", "division by zero"),
        (lambda *_: "no awaitable", "success", "no awaitable"),
        (lambda *_: None, "success", "Tool execution succeeded."),
        (lambda call, *_: call.giving(object()), "success", None),
        (lambda call, *_: call.giving({"a": float("nan")}), "success", None),
        (lambda call, *_: call.giving({1: {2, 3}}), "success", None),
        (
            lambda call, *_: call.giving(ToolResult("x", error=ToolError("no file", "missing"))),
            "error",
            "no file",
        ),
    ],
)
def test_whatever_a_tool_does_is_decided(does, status, told):
    async def scene():
        tools = [Tool(does=does), Tool("fine", does="fine")]
        async with ToolScheduler(tools) as scheduler:
            return await scheduler.schedule([*asks("a"), *asks("b", name="fine")])

    odd, fine = play(scene)
    assert (odd.status, fine.status) == (status, "success")
    response = output_of(odd)
    if told is not None:
        assert response["error" if status == "error" else "output"] == told


@pytest.mark.parametrize("question", ["nonsense", 5])
def test_a_question_that_is_none_is_an_error(question):
    async def scene():
        async with ToolScheduler([Tool(question=question)]) as scheduler:
            return await scheduler.schedule(asks("a"))

    (call,) = play(scene)
    assert call.status == "error"
    assert "a Question or None was due" in call.response.error


def test_a_tool_that_hangs_runs_into_its_time():
    async def scene():
        config = Config(timeout_ms=1_000, cancel_grace_ms=500)
        async with ToolScheduler([Tool()], config=config) as scheduler:
            finished = await scheduler.schedule(asks("a"))
            return finished, scheduler.now_ms()

    (call,), now_ms = play(scene)
    assert (call.status, now_ms) == ("error", 1_500)
    assert call.response.error == "The tool did not end within 1000 ms."


def test_a_failure_marked_retryable_is_tried_again():
    attempts = []

    async def sometimes():
        attempts.append(1)
        if len(attempts) < 3:
            raise OSError("busy")
        return "at last"

    async def scene():
        config = Config(retry=Retry(attempts_max=5, backoff_ms=100))
        choices = {"config": config, "retryable": lambda error: isinstance(error, OSError)}
        async with ToolScheduler([Tool(does=lambda *_: sometimes())], **choices) as scheduler:
            finished = await scheduler.schedule(asks("a"))
            return finished, scheduler.now_ms()

    (call,), now_ms = play(scene)
    assert (call.value, call.attempt, now_ms) == ("at last", 3, 300)


def test_the_idempotency_key_is_the_same_for_every_attempt():
    async def scene():
        tool = Tool(does=lambda *_: _raise(OSError("busy")), wants_key=True)
        choices = {"config": Config(retry=Retry(attempts_max=2)), "retryable": lambda _: True}
        async with ToolScheduler([tool], run_id="run-1:", **choices) as scheduler:
            await scheduler.schedule(asks("a"))
            return tool.started

    assert play(scene) == [("a", {}, "run-1:1.1"), ("a", {}, "run-1:1.1")]


def test_a_tool_that_has_not_started_when_it_is_stopped_never_starts():
    async def scene():
        tool = Tool(does=1)
        async with ToolScheduler([tool]) as scheduler:
            batch = scheduler.schedule(asks("a"))
            scheduler.cancel_all()
            finished = await batch
            return finished, tool.started

    finished, started = play(scene)
    assert statuses(finished) == ["cancelled"]
    assert started == []


def test_a_keyboard_interrupt_goes_on_and_the_call_ends():
    loop, kept = VirtualLoop(), []

    async def scene():
        tool = Tool(does=lambda *_: _raise(KeyboardInterrupt()))
        scheduler = ToolScheduler([tool])
        kept.extend((scheduler, scheduler.schedule(asks("a"))))

    loop.call_soon(lambda: kept.append(loop.create_task(scene())))
    with pytest.raises(KeyboardInterrupt):
        loop.run_until_idle()
    loop.run_until_idle()
    _, scheduler, batch = kept
    assert statuses(batch.result()) == ["error"]
    loop.run_until_complete(scheduler.aclose())
    loop.close()


# --- output and truncation ------------------------------------------------------------------------


def test_live_output_reaches_the_observer_only_while_the_tool_runs():
    seen = []

    async def scene():
        outputs = []

        async def talks(call, output):
            output("one")
            output({"two": object()})
            output.pid(42)
            output.progress(0.5)
            outputs.append(output)
            return "done"

        tool = Tool(does=lambda call, _, output: talks(call, output))
        quiet = Tool("quiet", does=lambda call, _, output: talks(call, output))
        quiet.can_update_output = False
        watch = {"on_output": lambda call_id, chunk: seen.append((call_id, chunk))}
        async with ToolScheduler([tool, quiet], **watch) as scheduler:
            await scheduler.schedule([*asks("a"), *asks("b", name="quiet")])
            outputs[0]("late")

    play(scene)
    assert seen == [("a", "one"), ("a", {"two": "<object>"})]


def test_a_result_that_is_too_large_is_an_error_of_its_call():
    async def scene():
        tools = [Tool(does="x" * 70_000_000), Tool("fine", does="fine")]
        async with ToolScheduler(tools) as scheduler:
            return await scheduler.schedule([*asks("a"), *asks("b", name="fine")])

    huge, fine = play(scene)
    assert "at most 64000000 is allowed" in huge.response.error
    assert fine.ok


def test_a_gigabyte_of_live_output_is_shown_and_not_kept():
    shown, kept = [], []

    async def scene():
        chunk = "x" * 1_000_000

        async def talks(output):
            for _ in range(1_000):
                output(chunk)
            kept.append(scheduler.state.batch.calls[0].live)
            return "done"

        tool = Tool(does=lambda _call, _cancel, output: talks(output))
        watch = {"on_output": lambda _call_id, chunk: shown.append(len(chunk))}
        async with ToolScheduler([tool], **watch) as scheduler:
            return await scheduler.schedule(asks("a"))

    assert statuses(play(scene)) == ["success"]
    assert sum(shown) == 1_000_000_000
    assert len(kept[0].output) < 1_000_000


def test_output_may_come_from_a_thread():
    seen = []

    async def scene():
        tool = Tool(does=lambda call, _, output: asyncio.to_thread(output, "from a thread"))
        watch = {"on_output": lambda call_id, chunk: seen.append(chunk)}
        async with ToolScheduler([tool], **watch) as scheduler:
            await scheduler.schedule(asks("a"))

    asyncio.run(scene())
    assert seen == ["from a thread"]


def test_large_output_goes_to_a_private_file(tmp_path, monkeypatch):
    import tempfile

    from callgate.responses.truncation import Truncation

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    async def scene():
        tool = Tool(does="line\n" * 1_000, truncates=True)
        limits = Truncation(threshold=100, lines=10)
        async with ToolScheduler([tool], truncation=limits) as scheduler:
            return await scheduler.schedule(asks("dir/a"))

    (call,) = play(scene)
    (folder,) = tmp_path.iterdir()
    (file,) = folder.iterdir()
    assert call.output_path == str(file)
    assert file.name == "a.output"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_text() == "line\n" * 1_000
    assert len(output_of(call)["output"]) < 1_500


# --- watchers -------------------------------------------------------------------------------------


def test_updates_are_snapshots_of_every_status():
    async def scene():
        snapshots, iterated = [], []
        watch = {"on_update": snapshots.append}
        async with ToolScheduler([Tool(does=1)], **watch) as scheduler:

            async def follow():
                iterated.extend([snapshot async for snapshot in scheduler.updates()])

            follower = asyncio.create_task(follow())
            await settle()
            await scheduler.schedule(asks("a", "b"))
        await follower
        return snapshots, iterated

    snapshots, iterated = play(scene)
    seen = [[call.status.value for call in snapshot.calls] for snapshot in snapshots]
    assert seen == [
        ["validating", "validating"],
        ["scheduled", "validating"],
        ["scheduled", "scheduled"],
        ["executing", "scheduled"],
        ["executing", "executing"],
        ["success", "executing"],
        ["success", "success"],
    ]
    assert iterated == snapshots


def test_updates_begin_when_they_are_asked_for_and_end_with_the_scheduler():
    async def scene():
        async with ToolScheduler([Tool(does=1)]) as scheduler:
            before = scheduler.updates()
            await scheduler.schedule(asks("a"))
            first = await anext(before)
            after = scheduler.updates()
        assert [call.status.value for call in first.calls] == ["validating"]
        assert len([snapshot async for snapshot in before]) == 3
        assert [snapshot async for snapshot in after] == []
        assert [snapshot async for snapshot in scheduler.updates()] == []

    play(scene)


def test_updates_that_nobody_follows_any_more_are_not_kept():
    async def scene():
        async with ToolScheduler([Tool(does=1)]) as scheduler:
            scheduler.updates()  # never followed
            updates = scheduler.updates()
            await scheduler.schedule(asks("a"))
            async for _ in updates:
                break
            del updates
            assert scheduler._shared.observers.streams == []

    play(scene)


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("name", ["update", "output", "complete", "ignored"])
def test_a_watcher_that_raises_is_reported_and_wedges_nothing(name, later):
    reported = []

    def broken(*_):
        raise Odd(f"broken {name}")

    async def broken_later(*_):
        raise Odd(f"broken {name}")

    async def scene():
        def does(call, _, output):
            output("chunk")
            return call.giving("done")

        watch = {f"on_{name}": broken_later if later else broken}
        watch["on_error"] = lambda where, error: reported.append((where, str(error)))
        async with ToolScheduler([Tool(does=does)], **watch) as scheduler:
            scheduler.approve("nobody", "cancel")
            first = await scheduler.schedule(asks("a"))
            second = await scheduler.schedule(asks("b"))
            return first + second

    assert statuses(play(scene)) == ["success", "success"]
    assert set(reported) == {(name, f"broken {name}")}


def test_a_watcher_may_answer_and_schedule():
    async def scene():
        more = []

        def on_update(snapshot):
            changed = snapshot.changed
            if changed is not None and changed.status == "awaiting_approval":
                assert scheduler.approve(changed.facts.request.call_id, "proceed_once")
                if not more:
                    more.append(scheduler.schedule(asks("b")))

        tool = Tool(does=1, question=EXEC)
        async with ToolScheduler([tool], on_update=on_update) as scheduler:
            first = await scheduler.schedule(asks("a"))
            return first + await more[0]

    assert statuses(play(scene)) == ["success", "success"]


def test_the_next_batch_waits_for_the_completion_observer():
    order = []

    async def scene():
        async def on_complete(calls):
            order.append(f"complete {calls[0].call_id}")
            await asyncio.sleep(1)
            order.append(f"returned {calls[0].call_id}")

        def does(call, *_):
            order.append(f"started {call.call_id}")
            return call.giving(1)

        async with ToolScheduler([Tool(does=does)], on_complete=on_complete) as scheduler:
            await asyncio.gather(scheduler.schedule(asks("a")), scheduler.schedule(asks("b")))

    play(scene)
    assert order == [
        f"{what} {which}" for which in "ab" for what in ("started", "complete", "returned")
    ]


def test_the_tool_and_the_scheduler_share_the_context_of_the_owner():
    from contextvars import ContextVar

    trace = ContextVar("trace", default="none")

    async def scene():
        async def read():
            return trace.get()

        async with ToolScheduler([Tool(does=lambda *_: read())]) as scheduler:
            trace.set("outer")
            first = scheduler.schedule(asks("a"))
            trace.set("other")
            second = scheduler.schedule(asks("b"))
            return [(await first)[0].value, (await second)[0].value]

    assert play(scene) == ["outer", "other"]


@pytest.mark.parametrize(("takes", "now_ms"), [(False, 1_000), (True, 1_500)])
def test_a_tool_that_looks_at_no_token_is_cancelled_in_asyncios_way(takes, now_ms):
    ended = []

    async def hang():
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("ended")

    async def scene():
        tool = Tool(does=lambda *_: hang(), takes_cancellation=takes)
        config = Config(timeout_ms=1_000, cancel_grace_ms=500)
        async with ToolScheduler([tool], config=config) as scheduler:
            finished = await scheduler.schedule(asks("a"))
            return finished, scheduler.now_ms()

    (call,), ended_ms = play(scene)
    assert (call.response.error_type, ended_ms, ended) == ("timeout", now_ms, ["ended"])
