"""A naive model of what a scenario must come to, written from the rules of the format.

Rule 1: it shares no code with the package: the two cannot be wrong for the same reason.
Rule 2: no loop and no task: after each step everything that can happen has happened.
"""

import re

QUEUE_TEXT = "Tool call cancelled while in queue."
STOPPED = "Tool call cancelled by user."
STOPPED_RUNNING = "User cancelled tool execution."
REFUSED = "User did not allow tool call"
ALWAYS = ("proceed_always", "proceed_always_tool", "proceed_always_server")
OUTCOMES = (*ALWAYS, "proceed_once", "cancel", "modify_with_editor")
CUT = "\n... [CONTENT TRUNCATED] ...\n"
SAVED = """Tool output was too large and has been truncated.
The full output has been saved to: {path}
To read the complete output, use the read_file tool with the absolute file path above. For large \
files, you can use the offset and limit parameters to read specific sections:
- read_file tool with offset=0, limit=100 to see the first 100 lines
- read_file tool with offset=N to skip N lines from the beginning
- read_file tool with limit=M to read only M lines at a time
The truncated output below shows the beginning and end of the content. The marker \
'... [CONTENT TRUNCATED] ...' indicates where content was removed.
This allows you to efficiently examine different parts of the output without loading the entire \
file.
Truncated part of the output:
{shown}"""


class Raised(Exception):
    """A fake raised."""


class Call:
    def __init__(self, request, tool):
        self.id, self.name = request["call_id"], request["name"]
        self.args, self.tool = dict(request.get("args", {})), tool
        self.status, self.outcome, self.response = "validating", None, None
        self.asked, self.at_gate, self.shows_ide, self.was_told = 0, False, False, False
        self.diff = "initial diff"
        self.shown = None

    @property
    def type(self):
        return self.tool.get("confirm", "none")

    @property
    def is_modifiable(self):
        return self.type == "edit" and self.tool.get("modifiable", False)

    def fr(self, response):
        return {"functionResponse": {"id": self.id, "name": self.name, "response": response}}


class Batch:
    def __init__(self, switch, requests):
        self.switch, self.requests, self.calls = switch, requests, []


class Model:
    def __init__(self, scenario):
        self.scenario, self.config = scenario, scenario.get("config", {})
        self.tools = {tool["name"]: tool for tool in scenario.get("tools", [])}
        self.mode = self.config.get("approval_mode", "default")
        self.words, self.servers, self.mcp_tools = set(), set(), set()
        self.events, self.files = [], {}
        self.batch, self.queue, self.entry = None, [], None
        self.off, self.scheduled = set(), {}
        self.updates = self.completions = 0
        self.is_pumping = False

    def play(self):
        for place, step in enumerate(self.scenario["steps"]):
            self.do(place, step)
        return self.trace()

    def trace(self):
        is_open = self.batch is not None and self.entry is None
        active = [[call.id, call.status] for call in self.batch.calls] if is_open else []
        final = {"active": active, "queued": len(self.queue)}
        return {"events": self.events, "final": final, "files": self.files}

    def do(self, place, step):
        self.place = place
        self.note("step", i=place, op=step["op"])
        getattr(self, "do_" + step["op"])(step)
        self.pump()

    def note(self, ev, **fields):
        self.events.append({"ev": ev, **fields})

    # --- steps

    def do_schedule(self, step):
        self.schedule(step)

    def do_abort(self, step):
        self.abort(step["batch"])

    def do_cancel_all(self, _step):
        queued, self.queue = self.queue, []
        for name, _batch in queued:
            self.note("schedule_rejected", batch=name, error=QUEUE_TEXT)
        self.cancel_at_work()

    def do_drain(self, _step):
        pass

    def do_confirm(self, step):
        payload = step.get("payload")
        content = payload.get("newContent") if isinstance(payload, dict) else None
        self.answer(self.find(step["call_id"]), step["outcome"], content)

    def do_ide(self, step):
        call = self.find(step["call_id"])
        is_shown = call is not None and call.status == "awaiting_approval" and call.shows_ide
        if step.get("raises"):
            if is_shown:
                call.shows_ide = False
            return
        if not is_shown:
            self.note("ignored", step=self.place)
        elif step.get("status") == "accepted":
            self.answer(call, "proceed_once", step.get("content"))
        else:
            self.answer(call, "cancel", None)

    def do_finish(self, step):
        call = self.find(step["call_id"])
        if call is not None and call.status == "executing":
            self.end(call, result=step.get("result", "ok"))

    def do_raise(self, step):
        call = self.find(step["call_id"])
        if call is not None and call.status == "executing":
            self.end(call, error=step.get("message", "boom"))

    def do_emit(self, step):
        call = self.find(step["call_id"])
        if call is not None and call.status == "executing":
            self.output(call, step["chunk"])

    def do_set_mode(self, step):
        self.mode = step["mode"]
        self.ask_again(None)

    def do_release_confirm(self, step):
        call = self.find(step["call_id"])
        if call is not None and call.at_gate:
            call.at_gate = False
            self.decide(call)

    def do_release_complete(self, _step):
        if self.entry is not None:
            self.complete_rest()

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

    def may_run(self, call):
        if self.mode == "yolo" or (self.mode == "auto_edit" and call.type in ("edit", "info")):
            return True
        prefixes = set()
        for pattern in self.config.get("allowed_tools", []):
            found = re.fullmatch(r"(?:run_shell_command|ShellTool)\((.*)\)", pattern, re.DOTALL)
            if found:
                prefixes.add(found[1])
            elif pattern == call.name or (
                pattern == "ShellTool" and call.name == "run_shell_command"
            ):
                return True
        if call.type == "mcp":
            server = call.tool.get("server", "server")
            if server in self.servers or (server, call.name) in self.mcp_tools:
                return True
        command = call.args.get("command")
        if not isinstance(command, str) or not command:
            return call.type == "exec" and call.name in self.words
        parts = commands(command)
        return bool(parts) and all(
            (
                call.name == "run_shell_command"
                and any(part == p or part.startswith(p + " ") for p in prefixes)
            )
            or (call.type == "exec" and part.split()[0] in self.words)
            for part in parts
        )

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

    def remember(self, call, outcome):
        server = call.tool.get("server", "server")
        if call.type == "mcp" and outcome == "proceed_always_tool":
            self.mcp_tools.add((server, call.name))
        elif call.type == "mcp" and outcome == "proceed_always_server":
            self.servers.add(server)
        elif outcome == "proceed_always" and call.type == "exec":
            command = call.args.get("command")
            parts = split(command) if command else [call.name]
            self.words |= {part.split()[0] for part in parts}
        elif outcome == "proceed_always" and call.type in ("edit", "info"):
            self.mode = "auto_edit"

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

    # --- 3.7

    def respond(self, call, status, parts, display=None):
        call.status = status
        call.response = {"parts": parts, "display": display, "error": None, "error_type": None}

    def fail(self, call, text, error_type):
        self.respond(call, "error", [call.fr({"error": text})], text)
        call.response |= {"error": text, "error_type": error_type}

    def cancel(self, call, reason, outcome):
        display = None
        if call.status == "awaiting_approval" and call.type == "edit":
            path = call.args.get("file_path", "file.txt")
            display = {
                "fileDiff": call.diff,
                "fileName": path.rstrip("/").split("/")[-1],
                "originalContent": "old\n",
                "newContent": call.shown,
            }
        call.outcome = outcome
        text = f"[Operation Cancelled] Reason: {reason}"
        self.respond(call, "cancelled", [call.fr({"error": text})], display)

    def end(self, call, result=None, error=None):
        full = isinstance(result, dict) and result.keys() & {"llmContent", "returnDisplay", "error"}
        if not full:
            display = result if isinstance(result, str) else None
            result = {"llmContent": result, "returnDisplay": display}
        failed = result.get("error")
        if call.was_told:
            text = f"[Operation Cancelled] Reason: {STOPPED_RUNNING}"
            if error is not None or failed is not None:
                self.respond(call, "cancelled", [call.fr({"error": text})])
            else:
                parts = self.parts(call, result.get("llmContent"))
                first = parts[0]["functionResponse"]
                first["response"] = {**first["response"], "error": text}
                self.respond(call, "cancelled", parts, result.get("returnDisplay"))
        elif error is not None:
            self.fail(call, error, "unhandled_exception")
        elif failed is not None:
            self.fail(call, failed.get("message", ""), failed.get("type"))
        else:
            parts = self.parts(call, result.get("llmContent"))
            self.respond(call, "success", parts, result.get("returnDisplay"))
        self.update()

    def parts(self, call, content):
        if isinstance(content, str):
            content = self.truncated(call, content)
        done = "Tool execution succeeded."
        if isinstance(content, list) and len(content) == 1:
            content = content[0]
        if isinstance(content, str):
            return [call.fr({"output": content})]
        if isinstance(content, list):
            items = [{"text": x} if isinstance(x, str) else x for x in content if x is not None]
            return [call.fr({"output": done}), *items]
        content = content if isinstance(content, dict) else {}
        if "functionResponse" in content:
            response = content["functionResponse"]["response"]
            if isinstance(response.get("content"), list):
                texts = "".join(item.get("text", "") for item in response["content"])
                return [call.fr({"output": texts})]
            return [call.fr(response)]
        for key in ("inlineData", "fileData"):
            if key in content:
                kind = content[key].get("mimeType", "unknown")
                said = f"Binary content of type {kind} was processed."
                return [call.fr({"output": said}), content]
        return [call.fr({"output": content.get("text", done)})]

    # --- 3.8

    def truncated(self, call, text):
        limits = self.config.get("truncation", {})
        threshold, count = limits.get("threshold", 4_000_000), limits.get("lines", 1000)
        is_on = limits.get("enabled", True) and threshold > 0 and count > 0
        if call.name != "run_shell_command" or not is_on or len(text) <= threshold:
            return text
        lines = text.split("\n")
        if len(lines) <= count:
            lines = [cut for line in lines for cut in re.findall(".{1,120}", line) or [""]]
        head = count // 5
        shown = "\n".join(lines[:head]) + CUT + "\n".join(lines[-(count - head) :])
        if limits.get("dir") == "missing":
            return shown + "\n[Note: Could not save full output to file]"
        name = call.id.split("/")[-1] + ".output"
        self.files[name] = "\n".join(lines)
        return SAVED.format(path=f"<TMP>/{name}", shown=shown)

    # --- observers

    def change(self, call, status, outcome=None):
        call.status = status
        call.outcome = outcome or call.outcome
        self.update()

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


def distance(one, other):
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row = row, [i]
        for j, b in enumerate(other, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
    return row[-1]


def commands(line):
    """The commands of a line without quotes; none where a substitution is in it."""
    if "`" in line or "$(" in line:
        return []
    return split(line)


def split(line):
    """Its parts between the operators."""
    return [" ".join(part.split()) for part in re.split(r"&&|\|\||[;|&\n]", line)]
