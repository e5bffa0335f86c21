"""One call, as the rules tell it: the second opinion on `call_machine.csv`.

Law: a function for each fact, a branch for each rule, each with its id. A call is a plain dict that
is changed in place; `k` is the `NaiveKernel` (its time, its policy's number, what it says). Nothing
of `callgate` is imported, nothing is counted ahead or remembered: simple before fast.
"""

FINAL = ("success", "error", "cancelled")
ALWAYS = ("proceed_always", "proceed_always_server", "proceed_always_tool")
OUTCOMES = (*ALWAYS, "proceed_once", "modify_with_editor", "cancel", "answer_instead")
VERDICTS = ("Allow", "Ask", "Deny", "Failed")
QUESTION = {"kind": "", "details": {}, "modifiable": False, "has_editor": False, "tells": False}


class Refused(Exception):
    """The kernel would raise an error of this name, and stay as it was."""


def kind_of(tagged, *allowed):
    """The class of a tagged value, or None if it is none of those."""
    name = next(iter(tagged)) if isinstance(tagged, dict) and len(tagged) == 1 else None
    return name if name in allowed else None


def weight(value):
    """Characters and nodes of a JSON value."""
    if isinstance(value, str):
        return 1 + len(value)
    if isinstance(value, dict):
        return 1 + sum(len(key) + weight(item) for key, item in value.items())
    if isinstance(value, list):
        return 1 + sum(weight(item) for item in value)
    return 1


def later(k, wait):
    """The deadline after this wait; none, if nobody waits."""
    return None if wait is None else k.now + wait


def move(k, call, status, outcome):
    """Say that a call is in another state; what belonged to the old one is over."""
    call.update(status=status, outcome=outcome, deadline=None, phase=None, stop=None)
    k.say("Moved", call=call["serial"], status=status, outcome=outcome)
    if status == "scheduled":
        k.came_back(call)


def absorb(k, call):
    """CALL-7, CALL-32: nothing changes, and that is said."""
    k.say("Ignored", why=None, call=call["serial"])


def reject():
    """CALL-8: a driver that breaks the contract."""
    raise Refused("IllegalEvent")


# --- validating -----------------------------------------------------------------------------------


def order_validation(k, call, *, ask_tool):
    """BATCH-4, CALL-3: ask, under the policy of now."""
    if ask_tool:
        call["deadline"] = later(k, k.config["validation_timeout_ms"])
    call.update(is_asked=True, epoch=k.epoch)
    k.say("Validate", call=call["serial"], revision=1, epoch=k.epoch, ask_tool=ask_tool)


def validated(k, call, fact):
    if call["status"] != "validating":
        return absorb(k, call)  # CALL-7, CALL-32
    verdict = kind_of(fact["verdict"], *VERDICTS)
    if verdict is None or not call["is_asked"] or fact["revision"] != 1:
        return reject()  # CALL-8
    if fact["epoch"] < call["epoch"]:
        return absorb(k, call)  # CALL-7
    if fact["epoch"] > call["epoch"]:
        return reject()  # CALL-8
    if verdict == "Failed":
        return move(k, call, "error", None)  # CALL-2
    if call["epoch"] < k.epoch:
        return order_validation(k, call, ask_tool=False)  # CALL-3
    if verdict == "Allow":
        return move(k, call, "scheduled", "proceed_always")  # CALL-4
    if verdict == "Ask":
        move(k, call, "awaiting_approval", None)  # CALL-5
        return ask_person(k, call, fact["verdict"]["Ask"]["confirmation"])
    return move(k, call, "error", None)  # CALL-6


# --- awaiting approval ----------------------------------------------------------------------------


def ask_person(k, call, confirmation):
    """CALL-5, CALL-22, CALL-30: a question under a number of its own."""
    call.update(approval_id=call["approval_id"] + 1, question={**QUESTION, **confirmation})
    call["epoch"] = k.epoch
    put_question(k, call)


def put_question(k, call):
    call.update(phase="asking", answer=None)
    call["deadline"] = later(k, k.config["approval_timeout_ms"])
    number, question = call["approval_id"], call["question"]
    k.say("AskApproval", call=call["serial"], approval_id=number, confirmation=question)


def withdraw_approval(k, call):
    k.say("WithdrawApproval", call=call["serial"], approval_id=call["approval_id"])


def was_issued(number, newest):
    return 1 <= number <= newest


def reviewed(k, call, fact):
    if call["status"] == "validating":
        return reject()  # CALL-8
    if call["status"] != "awaiting_approval":
        return absorb(k, call)  # CALL-7, CALL-32
    verdict = kind_of(fact["verdict"], *VERDICTS)
    is_issued = was_issued(fact["approval_id"], call["approval_id"]) and fact["epoch"] <= k.epoch
    if verdict is None or not is_issued:
        return reject()  # CALL-8
    is_open = call["phase"] == "asking" and fact["approval_id"] == call["approval_id"]
    if not is_open or fact["epoch"] != k.epoch or call["epoch"] == k.epoch:
        return absorb(k, call)  # CALL-7
    if verdict == "Allow":  # CALL-10
        move(k, call, "scheduled", "proceed_always")
        return withdraw_approval(k, call)
    if verdict == "Deny":  # CALL-10
        move(k, call, "error", None)
        return withdraw_approval(k, call)
    call["epoch"] = k.epoch  # CALL-10: noted, and the question stays open
    return None


def answer_counts(k, call, fact):
    """CALL-1: an open question of that number, and an outcome that can be carried out."""
    if call["status"] != "awaiting_approval" or call["phase"] != "asking":
        return False
    if fact["approval_id"] != call["approval_id"] or fact["outcome"] not in OUTCOMES:
        return False
    if fact["outcome"] == "modify_with_editor":
        return call["question"]["modifiable"] and call["question"]["has_editor"]
    if fact["outcome"] == "answer_instead":
        result = fact.get("result")
        if kind_of(result, "Ok") is None:
            return False
        return weight(result["Ok"].get("content")) <= k.config["result_weight_max"]
    return True


def answered(k, call, fact):
    if not answer_counts(k, call, fact):
        return absorb(k, call)  # CALL-1
    outcome = fact["outcome"]
    if outcome == "cancel":
        return move(k, call, "cancelled", outcome)  # CALL-11
    if outcome == "answer_instead":
        return move(k, call, "success", outcome)  # CALL-12
    call.update(answer={"outcome": outcome, "edit": fact.get("edit")}, deadline=None)
    if call["question"]["tells"]:
        call["phase"] = "telling"  # CALL-13
        number = call["approval_id"]
        return k.say("TellTool", call=call["serial"], approval_id=number, answer=call["answer"])
    return carry_out(k, call)


def carry_out(k, call):
    """The answer takes effect: it was told, or nobody wants to be told."""
    outcome, edit = call["answer"]["outcome"], call["answer"]["edit"]
    if outcome == "modify_with_editor":
        call["phase"] = "editing"  # CALL-14
        return k.say("OpenEditor", call=call["serial"], approval_id=call["approval_id"])
    if edit is not None and call["question"]["modifiable"]:
        call["phase"] = "rechecking"  # CALL-15, and BATCH-13 before it
        k.remember(call, outcome)
        return order_rebuild(k, call, edit)
    move(k, call, "scheduled", outcome)  # CALL-16
    return k.remember(call, outcome)


def told(k, call, fact):
    if call["status"] == "validating":
        return reject()  # CALL-8
    if call["status"] != "awaiting_approval":
        return absorb(k, call)  # CALL-7, CALL-32
    if not was_issued(fact["approval_id"], call["approval_id"]):
        return reject()  # CALL-8
    if call["phase"] != "telling" or fact["approval_id"] != call["approval_id"]:
        return absorb(k, call)  # CALL-7
    if fact.get("failure") is not None:
        return move(k, call, "error", call["answer"]["outcome"])  # CALL-13
    return carry_out(k, call)


def editor_closed(k, call, fact):
    if call["status"] == "validating":
        return reject()  # CALL-8
    if call["status"] != "awaiting_approval":
        return absorb(k, call)  # CALL-7, CALL-32
    if not was_issued(fact["approval_id"], call["approval_id"]):
        return reject()  # CALL-8
    if call["phase"] != "editing" or fact["approval_id"] != call["approval_id"]:
        return absorb(k, call)  # CALL-7
    if not fact.get("failed", False):
        call["phase"] = "rechecking"
        return order_rebuild(k, call, fact.get("content"))  # CALL-18
    put_question(k, call)  # CALL-17
    if call["epoch"] < k.epoch:  # BATCH-14
        k.say("ReviewWaiting", batch_id=k.batch["id"], epoch=k.epoch, call=call["serial"])
    return None


def order_rebuild(k, call, edit):
    """CALL-15, CALL-18, CALL-20: build again, under the policy of now."""
    call.update(rebuild={"revision": call["revision"] + 1, "epoch": k.epoch, "edit": edit})
    k.say("Rebuild", call=call["serial"], **call["rebuild"])


def rebuilt(k, call, fact):
    if call["status"] == "validating":
        return reject()  # CALL-8
    if call["status"] != "awaiting_approval":
        return absorb(k, call)  # CALL-7, CALL-32
    newest, is_open = call["rebuild"], call["phase"] == "rechecking"
    built = kind_of(fact["built"], "Rebuilt", "Deny", "Failed")
    issued = newest["revision"] if is_open else call["revision"]
    is_newest = fact["revision"] == issued
    policy = newest["epoch"] if is_open and is_newest else k.epoch
    if built is None or not was_issued(fact["revision"], issued) or fact["epoch"] > policy:
        return reject()  # CALL-8
    if not is_open or not is_newest or fact["epoch"] != newest["epoch"]:
        return absorb(k, call)  # CALL-7
    limit = k.config["args_weight_max"]
    if built == "Failed" or (
        built == "Rebuilt" and weight(fact["built"]["Rebuilt"]["args"]) > limit
    ):
        return move(k, call, "error", None)  # CALL-19
    if newest["epoch"] < k.epoch:
        return order_rebuild(k, call, newest["edit"])  # CALL-20
    if built == "Deny":
        return move(k, call, "error", None)  # CALL-21
    call.update(revision=newest["revision"], args=fact["built"]["Rebuilt"]["args"])
    if call["answer"]["outcome"] == "modify_with_editor":
        return ask_person(k, call, fact["built"]["Rebuilt"]["confirmation"])  # CALL-22
    return move(k, call, "scheduled", call["answer"]["outcome"])  # CALL-23


# --- running --------------------------------------------------------------------------------------


def start(k, call):
    """CALL-24: `Execute` is the start."""
    call["attempt"] += 1
    move(k, call, "executing", call["outcome"])
    wait = k.config["timeout_ms"] if call["timeout_ms"] is None else call["timeout_ms"]
    call["deadline"] = later(k, wait)  # TIME-5
    what = {key: call[key] for key in ("attempt", "name", "args", "revision")}
    k.say("Execute", call=call["serial"], **what)


def stop(k, call, why):
    """CALL-31, TIME-5: told to stop once; the grace takes the place of the deadline."""
    if call["stop"] is None:
        call["deadline"] = later(k, k.config["cancel_grace_ms"])
        k.say("StopExecution", call=call["serial"], attempt=call["attempt"])
    call["stop"] = why


def is_current(k, call, fact, *, is_news):
    """Whether the fact is of the attempt that runs; if not, it is refused or absorbed here."""
    if call["status"] in FINAL:
        return absorb(k, call)  # CALL-32
    if not was_issued(fact["attempt"], call["attempt"]):
        return reject()  # CALL-8
    if call["status"] != "executing" or fact["attempt"] != call["attempt"]:
        return absorb(k, call)  # CALL-7: what is late is not looked into
    return True if is_news else reject()  # CALL-8


def progressed(k, call, fact):
    if is_current(k, call, fact, is_news=True) and fact.get("output") is not None:
        k.say("OutputShown", call=call["serial"], chunk=fact["output"])  # CALL-25


def ends_stopped(k, call):
    """Whether a tool that was told to stop ended the call by that."""
    if call["stop"] == "by_cancel":
        move(k, call, "cancelled", call["outcome"])  # CALL-26, TIME-6
    elif call["stop"] == "by_time":
        move(k, call, "error", call["outcome"])  # TIME-5, TIME-6
    return call["status"] in FINAL


def finished(k, call, fact):
    result = kind_of(fact["result"], "Ok", "Failed")
    if not is_current(k, call, fact, is_news=result is not None) or ends_stopped(k, call):
        return None
    if result == "Ok":
        is_small = weight(fact["result"]["Ok"].get("content")) <= k.config["result_weight_max"]
        return move(k, call, "success" if is_small else "error", call["outcome"])  # CALL-27, 29
    retry = k.config["retry"]
    is_retryable = fact["result"]["Failed"]["failure"].get("retryable", False)
    if is_retryable and call["attempt"] < retry["attempts_max"]:  # CALL-28
        wait = retry["backoff_ms"] * retry["factor"] ** (call["attempt"] - 1)
        call["not_before"] = k.now + min(wait, retry["backoff_ms_max"])  # TIME-4
        return move(k, call, "scheduled", call["outcome"])
    return move(k, call, "error", call["outcome"])  # CALL-29


def lost(k, call, fact):
    then = fact["then"]
    asks = kind_of(then, "Confirmation") is not None
    is_news = asks or then in ("fail", "rerun")
    if not is_current(k, call, fact, is_news=is_news) or ends_stopped(k, call):
        return None
    if asks:  # CALL-30
        move(k, call, "awaiting_approval", None)
        return ask_person(k, call, then["Confirmation"])
    status = "scheduled" if then == "rerun" else "error"
    return move(k, call, status, call["outcome"])  # CALL-30


# --- cancelled, and out of time -------------------------------------------------------------------


def cancel(k, call):
    """CALL-9, CALL-31: whether there was anything to cancel."""
    status, is_asked = call["status"], call["is_asked"]
    if status in FINAL or call["stop"] == "by_cancel":
        return False  # CALL-31, CALL-32
    if status == "executing":
        stop(k, call, "by_cancel")  # CALL-31
        return True
    move(k, call, "cancelled", call["outcome"])  # CALL-9
    if status == "validating" and is_asked:
        k.say("WithdrawValidation", call=call["serial"], revision=1)
    if status == "awaiting_approval":
        withdraw_approval(k, call)
    return True


def time_out(k, call):
    """A deadline of the call is over."""
    if call["status"] == "validating":  # TIME-2
        move(k, call, "error", None)
        k.say("WithdrawValidation", call=call["serial"], revision=1)
    elif call["status"] == "awaiting_approval":  # TIME-3
        move(k, call, "cancelled", None)
        withdraw_approval(k, call)
    elif not ends_stopped(k, call):  # TIME-6
        stop(k, call, "by_time")  # TIME-5


FACTS = {
    "CallValidated": validated,
    "CallReviewed": reviewed,
    "ApprovalAnswered": answered,
    "AnswerTold": told,
    "EditorClosed": editor_closed,
    "CallRebuilt": rebuilt,
    "ExecutionProgressed": progressed,
    "ExecutionFinished": finished,
    "ExecutionLost": lost,
}
