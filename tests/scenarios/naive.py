"""A naive model of what a scenario must come to, written from the rules of the format.

Rule 1: it shares no code with the package: the two cannot be wrong for the same reason.
Rule 2: no loop and no task: after each step everything that can happen has happened.
"""

from tests.scenarios.naive_batches import QUEUE_TEXT, Batches


class Model(Batches):
    def __init__(self, scenario):
        super().__init__(scenario)
        self.scenario = scenario

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
