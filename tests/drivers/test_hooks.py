"""Hooks before and after a tool."""

import pytest

from callgate.drivers.hooks import (
    AddContext,
    AskFirst,
    Block,
    ChangeArguments,
    Hook,
    StopAgent,
    TailCall,
)
from callgate.policy.decisions import Decision, Effect
from tests.drivers.doubles import EXEC, Question, Tool, ToolScheduler, asks, play


def run(tools, *hooks, answer="proceed_once", **choices):
    seen = []

    def ask(call):
        seen.append(call)
        return answer

    async def scene():
        async with ToolScheduler(tools, hooks=hooks, ask=ask, **choices) as scheduler:
            (call,) = await scheduler.schedule(asks("a", n=1))
            return call, seen

    return play(scene)


def before(*words):
    return Hook(before=lambda _call: list(words))


def after(*words):
    return Hook(after=lambda _call, _result: list(words))


async def _later(word):
    return word


def text_of(call):
    return call.response.parts[0]["functionResponse"]["response"]["output"]


@pytest.mark.parametrize(
    ("hook", "error", "kind"),
    [
        (before(Block("no")), "Tool execution blocked: no", "policy_violation"),
        (before(StopAgent("end")), "Agent execution stopped by hook: end", "stop_execution"),
        (
            before(Block("no"), StopAgent("end")),
            "Agent execution stopped by hook: end",
            "stop_execution",
        ),
        (
            Hook(before=lambda _: _later(Block("later"))),
            "Tool execution blocked: later",
            "policy_violation",
        ),
        (
            Hook(before=lambda _: 1 / 0),
            "Tool execution blocked: a hook failed: division by zero",
            "policy_violation",
        ),
        (
            before("nonsense"),
            "Tool execution blocked: a hook gave a str, which means nothing",
            "policy_violation",
        ),
    ],
)
def test_a_hook_stops_a_call_before_it_starts(hook, error, kind):
    tool = Tool(does="ran")
    call, _ = run([tool], hook)
    assert (call.response.error, call.response.error_type) == (error, kind)
    assert tool.started == []


@pytest.mark.parametrize(
    ("hook", "error"),
    [
        (after(Block("secret")), "Tool result blocked: secret"),
        (after(StopAgent("end")), "Agent execution stopped by hook: end"),
        (Hook(after=lambda *_: 1 / 0), "Tool result blocked: a hook failed: division by zero"),
    ],
)
def test_a_hook_keeps_a_result_from_the_model(hook, error):
    call, _ = run([Tool(does="ran")], hook)
    assert call.response.error == error
    assert call.attempt == 1


def test_a_hook_makes_a_person_be_asked():
    call, seen = run([Tool(does="ran")], before(AskFirst("are you sure?")))
    assert call.ok
    assert [waiting.confirmation.details["prompt"] for waiting in seen] == ["are you sure?"]


def test_what_a_tool_asks_itself_is_put_with_what_the_hook_wants():
    call, seen = run([Tool(does="ran", question=EXEC)], before(AskFirst("sure?")), answer="cancel")
    assert call.status == "cancelled"
    assert len(seen) == 1


def test_a_hook_changes_arguments_and_the_kernel_knows():
    tool = Tool(does=lambda call, *_: call.giving(str(dict(call.args))))
    call, seen = run([tool], before(ChangeArguments({"n": 2})))
    assert call.args == {"n": 2}
    assert call.value == "{'n': 2}"
    assert text_of(call).endswith(
        "[System] Tool input parameters were modified by a hook before execution."
    )
    assert seen == []


def test_changed_arguments_are_asked_about_as_changed():
    def question(call):
        return Question("exec", {"command": str(call.args["n"])})

    call, seen = run([Tool(does="ran", question=question)], before(ChangeArguments({"n": 2})))
    assert call.ok
    assert [waiting.confirmation.details["command"] for waiting in seen] == ["2"]


def test_changed_arguments_may_be_invalid():
    call, _ = run([Tool(does="ran")], before(ChangeArguments({"bad": 1})))
    assert call.response.error == (
        "Tool parameter modification by hook failed validation: bad arguments"
    )
    assert call.response.error_type == "invalid_tool_params"


class DeniesTwo:
    def decide(self, call, context):
        return Decision(Effect.DENY if call.args.get("n") == 2 else Effect.ALLOW)


def test_changed_arguments_are_put_to_the_policy():
    tool = Tool(does="ran")
    call, _ = run([tool], before(ChangeArguments({"n": 2})), policy=DeniesTwo())
    assert call.response.error_type == "policy_violation"
    assert tool.started == []


def test_context_stands_behind_the_result():
    call, _ = run([Tool(does="ran")], before(AddContext("one")), after(AddContext("two")))
    assert text_of(call) == (
        "ran\n\n<hook_context>one</hook_context>\n\n<hook_context>two</hook_context>"
    )


def test_context_stands_behind_parts_too():
    tool = Tool(does=lambda call, *_: call.giving([{"text": "x"}, {"text": "y"}]))
    call, _ = run([tool], after(AddContext("two")))
    assert call.response.parts[-1] == {"text": "<hook_context>two</hook_context>"}


def test_a_tail_call_takes_the_place_of_the_result():
    call, _ = run([Tool(does="ran"), Tool("tail", does="tail")], after(TailCall("tail", {})))
    assert (call.name, text_of(call)) == ("tool", "tail")


def test_a_tail_call_may_return_at_once_and_has_a_key_of_its_own():
    tail = Tool("tail", does=lambda *_: "at once", wants_key=True)
    call, _ = run([Tool(does="ran"), tail], after(TailCall("tail", {})))
    assert text_of(call) == "at once"
    assert tail.started == [("", {}, "1.1.tail")]


class DeniesTail:
    def decide(self, call, context):
        return Decision(Effect.DENY if call.name == "tail" else Effect.ALLOW, message="no tails")


def test_a_tail_call_is_put_to_the_policy():
    tail = Tool("tail", does="x")
    call, _ = run([Tool(does="ran"), tail], after(TailCall("tail", {})), policy=DeniesTail())
    assert (call.response.error_type, tail.started) == ("policy_violation", [])
    assert "no tails" in call.response.error


@pytest.mark.parametrize(
    ("tail", "error"),
    [
        (
            Tool("tail", does="x", question=EXEC),
            '"tail" needs an approval, which a tail call cannot ask for.',
        ),
        (Tool("other"), 'Tool "tail" not found in registry.'),
    ],
)
def test_a_tail_call_that_may_not_run_is_an_error(tail, error):
    call, _ = run([Tool(does="ran"), tail], after(TailCall("tail", {})))
    assert call.response.error.startswith(error)
    assert tail.started == []
