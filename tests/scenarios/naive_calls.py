"""Calls, how they end, and what may run unasked: the part of the naive model below its steps."""

import re

from tests.scenarios.naive_texts import SAVED, commands, parts_of, split, truncated

STOPPED_RUNNING = "User cancelled tool execution."


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


class Calls:
    """What a model does with one call; the model itself knows batches and steps."""

    def __init__(self, config):
        self.config = config
        self.mode = config.get("approval_mode", "default")
        self.words, self.servers, self.mcp_tools = set(), set(), set()
        self.files = {}

    def update(self):
        raise NotImplementedError

    # --- 3.3 and 3.4

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

    # --- 3.7

    def change(self, call, status, outcome=None):
        call.status = status
        call.outcome = outcome or call.outcome
        self.update()

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
        if isinstance(content, str) and call.name == "run_shell_command":
            content = self.shortened(call, content)
        return parts_of(call, content)

    def shortened(self, call, text):
        limits = self.config.get("truncation", {})
        found = truncated(text, limits)
        if found is None:
            return text
        shown, whole = found
        if limits.get("dir") == "missing":
            return shown + "\n[Note: Could not save full output to file]"
        name = call.id.split("/")[-1] + ".output"
        self.files[name] = whole
        return SAVED.format(path=f"<TMP>/{name}", shown=shown)
