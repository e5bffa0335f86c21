"""Random scenarios that make sense: each step looks at the naive model for what could come next.

Rule 1: the same seed gives the same scenario; nothing else is random.
Rule 2: two steps without a drain between them are a pair that comes to the same in any order.
"""

import random

from tests.scenarios.naive import Model
from tests.scenarios.naive_batches import OUTCOMES
from tests.scenarios.samples import COMMANDS, PATTERNS, result


class Generator:
    def __init__(self, seed):
        self.dice = random.Random(seed)  # noqa: S311 - it hides nothing
        self.ids = self.batches = 0
        self.names = []

    def sometimes(self, chance):
        return self.dice.random() < chance

    def scenario(self):
        made = {"name": "random", "config": {}, "tools": self.tools(), "steps": []}
        self.made = made
        made["config"] = self.config()
        self.model = Model(made)
        for _ in range(self.dice.randrange(3, 26)):
            for step in self.steps():
                made["steps"].append(step)
                self.model.do(len(made["steps"]) - 1, step)
        return made, {**self.model.trace(), "name": "random"}

    # --- tools

    def tools(self):
        tools = [self.tool(f"t{place}") for place in range(self.dice.randrange(1, 5))]
        if self.sometimes(0.5):
            tools.append({**self.tool("run_shell_command"), "confirm": "exec"})
        if self.sometimes(0.03):
            tools = []
        return tools

    def tool(self, name):
        dice = self.dice
        kinds = ["none", "exec", "exec", "edit", "edit", "edit", "info", "mcp", "mcp"]
        tool = {"name": name, "confirm": dice.choice(kinds)}
        if tool["confirm"] == "mcp":
            tool["server"] = dice.choice(["s1", "s2"])
        if tool["confirm"] == "edit" or self.sometimes(0.1):
            tool["modifiable"] = self.sometimes(0.8)
            tool["ide"] = tool["confirm"] == "edit" and self.sometimes(0.6)
        tool["can_update_output"] = self.sometimes(0.6)
        rare = {
            "build_error": "no build",
            "build_error_if": {"arg": "content", "equals": "BAD", "message": "content is BAD"},
            "confirm_raises": "cannot tell",
            "confirm_raises_from": {"call": dice.randrange(1, 4), "message": "not again"},
            "confirm_gate": True,
            "on_confirm_raises": "hook failed",
            "build_raises_non_error": "no build at all",
            "confirm_raises_non_error": "cannot tell at all",
            "execute": self.execute(),
        }
        chances = (0.03, 0.3, 0.03, 0.15, 0.12, 0.08, 0.02, 0.03, 0.5)
        for (key, value), chance in zip(rare.items(), chances, strict=True):
            if self.sometimes(chance):
                tool[key] = value
        if self.sometimes(0.06):
            tool["confirm_aborts"] = f"b{dice.randrange(1, 7)}"
        return tool

    def execute(self):
        modes = ["manual", "immediate", "raise", "raise_sync", "wait_abort", "wait_abort_resolve"]
        execute = {"mode": self.dice.choice(modes)}
        if self.sometimes(0.2):
            return execute["mode"]
        if self.sometimes(0.5):
            execute["result"] = result(self.dice)
        if self.sometimes(0.3):
            execute["message"] = "went wrong"
        if self.sometimes(0.5):
            execute["chunks"] = ["a chunk", {"n": [1]}]
        return execute

    # --- config

    def config(self):
        dice, config = self.dice, {}
        if self.sometimes(0.3):
            config["approval_mode"] = dice.choice(["default", "auto_edit", "yolo"])
        if self.sometimes(0.4):
            config["allowed_tools"] = dice.sample(PATTERNS, dice.randrange(1, 4))
        config |= {"truncation": self.truncation(), **self.editor()}
        for name in ("update", "output", "complete"):
            if self.sometimes(0.06):
                config[f"{name}_handler"] = False
        if self.sometimes(0.25):
            config["on_update"] = self.on_update()
        if self.sometimes(0.3):
            config["on_complete"] = [self.on_complete() for _ in range(dice.randrange(1, 5))]
        return config

    def truncation(self):
        found = {"threshold": self.dice.choice([0, 40, 130]), "lines": 12}
        if self.sometimes(0.2):
            found["lines"] = self.dice.choice([0, 1, 3])
        if self.sometimes(0.2):
            found["dir"] = "missing"
        if self.sometimes(0.1):
            found["enabled"] = False
        return found

    def editor(self):
        found = {"editor": None} if self.sometimes(0.1) else {}
        if self.sometimes(0.5):
            found["editor_content"] = self.dice.choice(["edited\n", "", "old\n", "BAD"])
        if self.sometimes(0.1):
            found["editor_exit"] = 1
        return found

    def on_update(self):
        found = {}
        if self.sometimes(0.7):
            places = self.dice.sample(range(25), 2)
            found["schedule_at"] = {str(place): self.schedule() for place in places}
        if self.sometimes(0.7):
            found["raise_at"] = self.dice.choice([0, 3, [1, 2, 5, 8], []])
        if self.sometimes(0.3):
            found["message"] = "update failed"
        return found

    def on_complete(self):
        entry = {}
        if self.sometimes(0.3):
            entry["gate"] = True
        if self.sometimes(0.5):
            entry["schedule"] = self.schedule()
            if self.sometimes(0.3):
                entry["await"] = True
        if self.sometimes(0.3):
            entry["raises"] = "complete failed"
        return entry

    # --- steps

    def schedule(self):
        self.batches += 1
        name = f"b{self.batches}"
        spec = {"batch": name}
        count = self.dice.choice([0, 1, 1, 2, 3, 4])
        spec["requests"] = [self.request() for _ in range(count)]
        if self.names and self.sometimes(0.12):
            spec["signal_of"] = self.dice.choice(self.names)
        self.names.append(name)
        if len(spec["requests"]) == 1 and self.sometimes(0.3):
            spec["single"] = True
        return spec

    def request(self):
        dice = self.dice
        is_old = self.ids and self.sometimes(0.06)
        if not is_old:
            self.ids += 1
        call_id = f"c{dice.randrange(1, self.ids + 1) if is_old else self.ids}"
        known = [tool["name"] for tool in self.made["tools"]] if hasattr(self, "made") else ["t0"]
        name = dice.choice(known) if known and self.sometimes(0.97) else "t9x"
        args = {}
        if self.sometimes(0.7):
            args["command"] = dice.choice(COMMANDS)
        if self.sometimes(0.4):
            args["content"] = dice.choice(["1", "BAD", "", "new\n"])
        if self.sometimes(0.4):
            args["file_path"] = dice.choice(["f", "d/f.txt", "/a/b/"])
        return {"call_id": call_id, "name": name, "args": args}

    def steps(self):
        """One step, or two of which the first is not drained."""
        if self.sometimes(0.12):
            pair = self.pair()
            if pair:
                return [{**pair[0], "drain": False}, pair[1]]
        if self.sometimes(0.15):
            return [self.any_step()]
        return [self.likely_step()]

    def calls(self, *statuses):
        batch = self.model.batch
        if batch is None or self.model.entry is not None:
            return []
        return [call for call in batch.calls if call.status in statuses]

    def pair(self):
        running = self.calls("executing")
        waiting = self.calls("awaiting_approval")
        if len(running) > 1 and self.sometimes(0.5):
            return [self.ending(call.id) for call in self.dice.sample(running, 2)]
        if len(waiting) > 1 and self.sometimes(0.7):
            answers = self.dice.sample(waiting, 2)
            outcomes = ("proceed_once", "cancel")
            return [
                {"op": "confirm", "call_id": call.id, "outcome": self.dice.choice(outcomes)}
                for call in answers
            ]
        observers = self.made["config"].keys() & {"on_update", "on_complete"}
        if waiting and not self.model.queue and not observers:
            call_id = waiting[0].id
            return [
                {"op": "confirm", "call_id": call_id, "outcome": "proceed_once"},
                {"op": "confirm", "call_id": call_id, "outcome": "cancel"},
            ]
        aborts = any("confirm_aborts" in tool for tool in self.made["tools"])
        if not observers and not aborts:
            pair = [{"op": "schedule", **self.schedule()} for _ in range(2)]
            if not any("signal_of" in step for step in pair):
                return pair
        return None

    def ending(self, call_id):
        if self.sometimes(0.75):
            step = {"op": "finish", "call_id": call_id}
            return {**step, "result": result(self.dice)} if self.sometimes(0.8) else step
        step = {"op": "raise", "call_id": call_id}
        if self.sometimes(0.5):
            step["message"] = "exploded"
        if self.sometimes(0.3):
            step["non_error"] = True
        return step

    def likely_step(self):
        waiting = self.calls("awaiting_approval")
        running = self.calls("executing")
        gated = [call for call in self.calls("validating") if call.at_gate]
        choices = [self.new_batch]
        if waiting:
            choices += [lambda: self.confirming(waiting)] * 6
        if running:
            choices += [lambda: self.ending(self.dice.choice(running).id)] * 5
            choices += [lambda: self.emitting(self.dice.choice(running).id)]
        if gated:
            choices += [lambda: {"op": "release_confirm", "call_id": gated[0].id}] * 4
        if self.model.entry is not None:
            choices += [lambda: {"op": "release_complete"}] * 3
        return self.dice.choice(choices)()

    def confirming(self, waiting):
        call = self.dice.choice(waiting)
        if call.shows_ide and self.sometimes(0.4):
            return self.ide(call.id)
        return self.confirm(call.id)

    def confirm(self, call_id):
        outcome = self.dice.choice([*OUTCOMES, "proceed_once", "proceed_always"])
        step = {"op": "confirm", "call_id": call_id, "outcome": outcome}
        if self.sometimes(0.05):
            step["outcome"] = self.dice.choice(["banana", "", "PROCEED_ONCE"])
        if self.sometimes(0.4):
            step["payload"] = self.dice.choice(
                [
                    *[{"newContent": text} for text in ("inline\n", "", None, "BAD")],
                    *({}, None, {"other": 1}),
                ]
            )
        return step

    def ide(self, call_id):
        step = {"op": "ide", "call_id": call_id}
        if self.sometimes(0.2):
            return {**step, "raises": "lost"}
        step["status"] = self.dice.choice(["accepted", "accepted", "rejected"])
        if self.sometimes(0.5):
            step["content"] = self.dice.choice(["ide\n", "", "BAD", None])
        return step

    def emitting(self, call_id):
        return {"op": "emit", "call_id": call_id, "chunk": self.dice.choice(["a", [["b"]], None])}

    def new_batch(self):
        before = [step["batch"] for step in self.made["steps"] if step["op"] == "schedule"]
        if before and self.sometimes(0.06):
            self.batches += 1
            name = f"b{self.batches}"
            return {"op": "schedule", "batch": name, "same_object_as": self.dice.choice(before)}
        if before and self.sometimes(0.04):
            return {"op": "schedule", **self.schedule(), "batch": self.dice.choice(before)}
        return {"op": "schedule", **self.schedule()}

    def any_step(self):
        dice = self.dice
        call_id = f"c{dice.randrange(1, self.ids + 2)}"
        return dice.choice(
            [
                lambda: {"op": "abort", "batch": dice.choice([*self.names, "b1"])},
                lambda: {"op": "abort", "batch": f"b{max(1, self.batches)}"},
                lambda: {"op": "cancel_all"},
                lambda: self.confirm(call_id),
                lambda: self.ending(call_id),
                lambda: self.emitting(call_id),
                lambda: {"op": "set_mode", "mode": dice.choice(["default", "auto_edit", "yolo"])},
                lambda: {"op": "release_confirm", "call_id": call_id},
                lambda: {"op": "release_complete"},
                lambda: {"op": "drain"},
            ]
        )()
