"""Batches, their queue and what is told of them: the naive model but for its steps."""

from tests.scenarios.naive_calls import Call, Calls
from tests.scenarios.naive_texts import distance

QUEUE_TEXT = "Tool call cancelled while in queue."
STOPPED = "Tool call cancelled by user."
REFUSED = "User did not allow tool call"
ALWAYS = ("proceed_always", "proceed_always_tool", "proceed_always_server")
OUTCOMES = (*ALWAYS, "proceed_once", "cancel", "modify_with_editor")


class Raised(Exception):
    """A fake raised."""


class Batch:
    def __init__(self, switch, requests):
        self.switch, self.requests, self.calls = switch, requests, []


class Batches(Calls):
    def __init__(self, scenario):
        super().__init__(scenario.get("config", {}))
        self.place = 0
        self.tools = {tool["name"]: tool for tool in scenario.get("tools", [])}
        self.events = []
        self.batch, self.queue, self.entry = None, [], None
        self.off, self.scheduled = set(), {}
        self.updates = self.completions = 0
        self.is_pumping = False

    def note(self, ev, **fields):
        self.events.append({"ev": ev, **fields})

    def find(self, call_id):
        if self.batch is None or self.entry is not None:
            return None
        return next((call for call in self.batch.calls if call.id == call_id), None)

    # --- 3.1

    def schedule(self, spec, is_awaited=False):
        name = spec["batch"]
        requests = (
            self.scheduled[spec["same_object_as"]] if "same_object_as" in spec else spec["requests"]
        )
        self.scheduled[name] = requests
        ids = [request["call_id"] for request in requests]
        if not ids:
            return
        batch = Batch(spec.get("signal_of", name), requests)
        if len(set(ids)) < len(ids) or is_awaited:
            is_off = batch.switch in self.off and len(set(ids)) == len(ids)
            self.note("schedule_rejected", batch=name, error=QUEUE_TEXT if is_off else "any")
        elif self.batch is None and not self.queue:
            self.admit(batch)
        elif batch.switch in self.off:
            self.note("schedule_rejected", batch=name, error=QUEUE_TEXT)
        else:
            self.queue.append((name, batch))

    # --- 3.2

    def admit(self, batch):
        self.batch = batch
        batch.calls = [self.admitted(request) for request in batch.requests]
        self.update()
        if batch.switch in self.off:
            self.cancel_at_work()

    def admitted(self, request):
        tool = self.tools.get(request["name"])
        call = Call(request, tool)
        if tool is None:
            self.fail(call, self.not_found(request["name"]), "tool_not_registered")
            return call
        try:
            self.build(tool, call.args)
        except Raised as error:
            self.fail(call, str(error), "invalid_tool_params")
        return call

    def not_found(self, name):
        text = f'Tool "{name}" not found in registry. '
        text += "Tools must use the exact names that are registered."
        near = sorted(self.tools, key=lambda known: distance(name, known))[:3]
        named = ", ".join(f'"{known}"' for known in near)
        if near:
            text += f" Did you mean {'one of: ' if len(near) > 1 else ''}{named}?"
        return text

    def build(self, tool, args):
        for key in ("build_error", "build_raises_non_error"):
            if key in tool:
                raise Raised(tool[key])
        when = tool.get("build_error_if")
        if when and when["arg"] in args and args[when["arg"]] == when["equals"]:
            raise Raised(when["message"])

    # --- the batch goes on

    def pump(self):
        if self.is_pumping:
            return
        self.is_pumping = True
        while self.move():
            pass
        self.is_pumping = False

    def move(self):
        """One thing that can happen, if there is one."""
        if self.entry is not None:
            return False
        if self.batch is None:
            if not self.queue:
                return False
            self.admit(self.queue.pop(0)[1])
            return True
        calls = self.batch.calls
        validating = [call for call in calls if call.status == "validating"]
        if validating:
            return self.ask(validating[0])
        if any(call.status == "awaiting_approval" for call in calls):
            return False
        scheduled = [call for call in calls if call.status == "scheduled"]
        if scheduled:
            for call in scheduled:
                self.start(call)
            return True
        if any(call.status == "executing" for call in calls):
            return False
        self.deliver()
        return True

    # --- 3.3

    def ask(self, call):
        if call.at_gate:
            return False
        if call.asked == 0 and call.tool.get("confirm_gate"):
            call.at_gate = True
            call.asked = 1
            return False
        if call.asked == 0:
            call.asked = 1
        self.decide(call)
        return True

    def decide(self, call):
        try:
            self.tool_is_asked(call)
        except Raised as error:
            if call.status == "validating":
                self.fail(call, str(error), "unhandled_exception")
                self.update()
            return
        if call.status != "validating":
            return  # the asking aborted it
        if call.type == "none" or self.may_run(call):
            self.change(call, "scheduled", "proceed_always")
        else:
            call.shows_ide = call.type == "edit" and call.tool.get("ide", False)
            if call.type == "edit":
                call.shown = call.args.get("content", "new\n")
            self.change(call, "awaiting_approval")

    def tool_is_asked(self, call):
        tool = call.tool
        if call.asked == 1 and "confirm_aborts" in tool:
            self.abort(tool["confirm_aborts"])
        for key in ("confirm_raises", "confirm_raises_non_error"):
            if key in tool:
                raise Raised(tool[key])
        later = tool.get("confirm_raises_from")
        if later and call.asked >= later["call"]:
            raise Raised(later["message"])

    def ask_again(self, answered):
        if self.batch is None:
            return
        for call in self.batch.calls:
            if call is answered or call.status != "awaiting_approval":
                continue
            call.asked += 1
            try:
                self.tool_is_asked(call)
            except Raised:
                continue
            if self.may_run(call):
                self.change(call, "scheduled", "proceed_always")

    # --- 3.4

    def answer(self, call, outcome, content):
        is_open = call is not None and call.status == "awaiting_approval"
        if not is_open or outcome not in OUTCOMES:
            self.note("ignored", step=self.place)
            return
        is_editor = outcome == "modify_with_editor"
        has_editor = self.config.get("editor", "vi") is not None
        if is_editor and not (has_editor and call.is_modifiable):
            self.note("ignored", step=self.place)
            return
        if outcome == "cancel":
            self.cancel(call, REFUSED, "cancel")
            self.update()
            return
        if "on_confirm_raises" in call.tool:
            call.outcome = outcome
            self.fail(call, call.tool["on_confirm_raises"], "unhandled_exception")
            self.update()
            return
        if is_editor:
            if self.config.get("editor_exit", 0) == 0:
                left = self.config.get("editor_content", call.args.get("content", "new\n"))
                call.shows_ide = False
                if self.rebuild(call, left):
                    call.diff, call.shown = "a diff", left
            return
        if outcome in ALWAYS:
            self.remember(call, outcome)
            self.ask_again(call)
        if content is not None and call.is_modifiable and not self.rebuild(call, content):
            return
        self.change(call, "scheduled", outcome)

    def rebuild(self, call, content):
        args = {**call.args, "content": content}
        try:
            self.build(call.tool, args)
        except Raised as error:
            self.fail(call, str(error), "invalid_tool_params")
            self.update()
            return False
        call.args = args
        return True

    # --- 3.5

    def start(self, call):
        self.change(call, "executing")
        execute = call.tool.get("execute", "manual")
        execute = {"mode": execute} if isinstance(execute, str) else execute
        mode = call.mode = execute.get("mode", "manual")
        self.note("execute", id=call.id, args=call.args)
        if mode == "raise_sync":
            self.end(call, error=execute.get("message", "sync boom"))
            return
        for chunk in execute.get("chunks", []):
            self.output(call, chunk)
        if mode == "immediate":
            self.end(call, result=execute.get("result", "ok"))
        elif mode == "raise":
            self.end(call, error=execute.get("message", "boom"))
        call.partial = execute.get("result", "partial output")

    def output(self, call, chunk):
        if call.tool.get("can_update_output") and self.config.get("output_handler", True):
            self.note("output", id=call.id, chunk=chunk)

    # --- 3.6

    def abort(self, name):
        self.off.add(name)
        for queued in [queued for queued in self.queue if queued[1].switch == name]:
            self.queue.remove(queued)
            self.note("schedule_rejected", batch=queued[0], error=QUEUE_TEXT)
        if self.batch is not None and self.batch.switch == name:
            self.cancel_at_work()

    def cancel_at_work(self):
        if self.batch is None or self.entry is not None:
            return
        for call in self.batch.calls:
            if call.status in ("validating", "awaiting_approval", "scheduled"):
                self.cancel(call, STOPPED, call.outcome)
                self.update()
            elif call.status == "executing" and not call.was_told:
                call.was_told = True
                if call.mode == "wait_abort":
                    self.end(call, error="told")
                elif call.mode == "wait_abort_resolve":
                    self.end(call, result=call.partial)

    # --- observers

    def update(self):
        if not self.config.get("update_handler", True):
            return
        self.note("update", calls=[{"id": c.id, "status": c.status} for c in self.batch.calls])
        what, place = self.config.get("on_update", {}), self.updates
        self.updates += 1
        schedule = what.get("schedule_at", {}).get(str(place))
        if schedule is not None:
            self.schedule(schedule)
        raises = what.get("raise_at", [])
        if place in (raises if isinstance(raises, list) else [raises]):
            text = what.get("message", "update handler failed")
            self.note("handler_failed", handler="update", error=text)

    def deliver(self):
        entries = self.config.get("on_complete", [])
        if not self.config.get("complete_handler", True):
            self.batch = None
            return
        shown = [
            {
                "id": call.id,
                "name": call.name,
                "status": call.status,
                "outcome": call.outcome,
                "response": call.response,
            }
            for call in self.batch.calls
        ]
        self.note("complete", calls=shown)
        place, self.completions = self.completions, self.completions + 1
        self.entry = entries[place] if place < len(entries) else {}
        if not self.entry.get("gate"):
            self.complete_rest()

    def complete_rest(self):
        entry = self.entry
        if "schedule" in entry:
            self.schedule(entry["schedule"], entry.get("await", False))
        if "raises" in entry:
            self.note("handler_failed", handler="complete", error=entry["raises"])
        self.batch = self.entry = None
