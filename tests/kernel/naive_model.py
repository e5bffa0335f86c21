"""The batch, the line and time, as the rules tell them: a kernel too simple to be wrong alike.

Law: the state is one plain dict; whatever is asked of it is found by looking at every call again.
A refused event puts back a deep copy. Written from `statemachine_spec` alone, without a look at
`callgate.kernel`, and importing nothing of `callgate`: where the two differ, one has a mistake.
Free text (why, reason) is not the model's business: it says None, and `same` takes that as any.
"""

from copy import deepcopy

from tests.kernel.naive_call import (
    ALWAYS,
    FACTS,
    FINAL,
    Refused,
    cancel,
    order_validation,
    start,
    time_out,
    weight,
)

DEFAULTS = {
    "max_parallel": None,
    "validation_timeout_ms": None,
    "approval_timeout_ms": None,
    "timeout_ms": None,
    "cancel_grace_ms": None,
    "calls_per_batch_max": 1_000_000,
    "queued_batches_max": 1_000,
    "args_weight_max": 16_000_000,
    "id_chars_max": 1_000,
    "result_weight_max": 64_000_000,
}
RETRY = {"attempts_max": 1, "backoff_ms": 0, "factor": 2, "backoff_ms_max": 60_000}
PROSE = ("why", "reason")


def same(wanted, found):
    """Whether two lists of effects are the same, but for prose that one of them leaves open."""
    return len(wanted) == len(found) and all(map(_same, wanted, found))


def _same(wanted, found):
    ((name, fields),), ((other, others),) = wanted.items(), found.items()
    if name != other or list(fields) != list(others):
        return False
    is_open = [key for key in PROSE if key in fields and None in (fields[key], others[key])]
    return all(fields[key] == others[key] for key in fields if key not in is_open)


class NaiveKernel:
    """Events in, effects out, as the vectors write them."""

    def __init__(self, config):
        self.config = {**DEFAULTS, **config, "retry": {**RETRY, **config.get("retry", {})}}
        self.state = {"now": None, "epoch": 0, "next": 1, "batch": None, "queue": []}
        self.said = []

    def feed(self, event):
        """Take one event: the effects, or `Refused` and nothing has changed."""
        before, self.said = deepcopy(self.state), []
        ((name, fact),) = deepcopy(event).items()
        try:
            self._pass_time(fact["at_ms"])
            if name in FACTS:
                self._call_event(name, fact)
            elif name != "TimePassed":
                getattr(self, f"_on_{name}")(fact)
            self._settle()
        except Refused:
            self.state = before
            raise
        return deepcopy(self.said)

    # --- what a call may know ---------------------------------------------------------------------

    @property
    def now(self):
        return self.state["now"]

    @property
    def epoch(self):
        return self.state["epoch"]

    @property
    def batch(self):
        return self.state["batch"]

    def say(self, effect, **fields):
        self.said.append({effect: deepcopy(fields)})

    def came_back(self, call):
        """BATCH-6: behind an open barrier, to the end of the line."""
        waits = call["not_before"] is not None and call["not_before"] > self.now
        if self.batch["is_open"] and not waits:
            self.batch["line"].append(call["serial"])

    def _wake(self):
        """TIME-4: whose backoff is over comes back then: earliest first, then in request order."""
        if self.batch is None or not self.batch["is_open"]:
            return
        line, now = self.batch["line"], self.now
        calls = [c for c in self._calls() if c["status"] == "scheduled" and c["serial"] not in line]
        over = [c for c in calls if c["not_before"] is not None and c["not_before"] <= now]
        for call in sorted(over, key=lambda call: (call["not_before"], call["serial"])):
            line.append(call["serial"])

    def remember(self, call, outcome):
        """BATCH-13: an always is remembered, and changes the policy."""
        if outcome in ALWAYS:
            self.say("RememberAnswer", call=call["serial"], outcome=outcome)
            self._on_PolicyChanged({})

    # --- time -------------------------------------------------------------------------------------

    def _pass_time(self, at_ms):
        """TIME-1: time never goes back, and what is due happens before the event."""
        self.state["now"] = at_ms if self.now is None else max(self.now, at_ms)
        self._wake()
        due = [c for c in self._calls() if c["deadline"] is not None and c["deadline"] <= self.now]
        for call in sorted(due, key=lambda call: (call["deadline"], call["serial"])):
            time_out(self, call)
        self._settle()

    @property
    def next_deadline(self):
        """TIME-3: when somebody has waited long enough; it is known before it comes."""
        waits = [call["deadline"] for call in self._calls()]
        waits += [call["not_before"] for call in self._calls() if call["status"] == "scheduled"]
        return min((at for at in waits if at is not None and at > self.now), default=None)

    # --- events of one call -----------------------------------------------------------------------

    def _calls(self):
        return [] if self.batch is None else self.batch["calls"]

    def _find(self, serial):
        return next((call for call in self._calls() if call["serial"] == serial), None)

    def _find_queued(self, serial):
        waiting = [call for batch in self.state["queue"] for call in batch["calls"]]
        return next((call for call in waiting if call["serial"] == serial), None)

    def _call_event(self, name, fact):
        call = self._find(fact["call"])
        if call is not None:
            FACTS[name](self, call, fact)
        elif name == "ApprovalAnswered":
            self.say("Ignored", why=None, call=fact["call"])  # CALL-1
        elif self._find_queued(fact["call"]) is not None:
            raise Refused("IllegalEvent")  # CALL-8
        elif 1 <= fact["call"] < self.state["next"]:
            self.say("Ignored", why=None, call=fact["call"])  # CALL-7: it is gone
        else:
            raise Refused("UnknownCall")  # CALL-8

    # --- submitting -------------------------------------------------------------------------------

    def _on_BatchSubmitted(self, fact):  # noqa: N802
        batch_id, requests = fact["batch_id"], fact["requests"]
        in_use = [self.batch] if self.batch else []
        if batch_id in [batch["id"] for batch in in_use + self.state["queue"]]:
            raise Refused("IllegalEvent")  # BATCH-15
        sizes, together = self._waves(fact.get("plan", "classic"), requests)
        if self._is_refused(batch_id, requests):
            self.say("RejectBatch", batch_id=batch_id, reason=None)  # BATCH-1
            return
        if not requests:
            self.say("Deliver", batch_id=batch_id, calls=[])  # BATCH-1
            return
        calls = [self._newborn(request) for request in requests]
        batch = {"id": batch_id, "calls": calls, "sizes": sizes, "together": together}
        self.state["queue"].append({**batch, "wave": 0, "is_open": False, "line": []})
        self._admit()

    def _is_refused(self, batch_id, requests):
        """BATCH-1: an id twice, or a limit."""
        ids = [request["call_id"] for request in requests]
        texts = [batch_id, *ids, *[request["name"] for request in requests]]
        heaviest = max([weight(request.get("args", {})) for request in requests], default=0)
        is_full = len(self.state["queue"]) >= self.config["queued_batches_max"]
        return (
            len(set(ids)) < len(ids)
            or len(requests) > self.config["calls_per_batch_max"]
            or max(map(len, texts)) > self.config["id_chars_max"]
            or heaviest > self.config["args_weight_max"]
            or bool(self.batch is not None and requests and is_full)
        )

    def _waves(self, plan, requests):
        """The sizes of the waves, and whether a wave is asked together (BATCH-4)."""
        if plan == "classic":
            return [len(requests)], False
        if plan == "sequential":
            return [1] * len(requests), False
        if plan == "waves":
            parallel = [request.get("parallel", True) for request in requests]
            sizes = []
            for position, is_parallel in enumerate(parallel):
                if position and is_parallel and parallel[position - 1]:
                    sizes[-1] += 1
                else:
                    sizes.append(1)
            return sizes, True
        if not isinstance(plan, dict) or sum(plan["Waves"]["sizes"]) != len(requests):
            raise Refused("IllegalEvent")
        return plan["Waves"]["sizes"], plan["Waves"].get("together", False)

    def _newborn(self, request):
        """BATCH-3: a born error, or a call that nobody has asked about yet."""
        serial, self.state["next"] = self.state["next"], self.state["next"] + 1
        return {
            "serial": serial,
            "name": request["name"],
            "args": request.get("args", {}),
            "timeout_ms": request.get("timeout_ms"),
            "status": "validating" if request.get("problem") is None else "error",
            "outcome": None,
            "deadline": None,
            "phase": None,
            "stop": None,
            "not_before": None,
            "is_asked": False,
            "epoch": None,
            "question": None,
            "answer": None,
            "approval_id": 0,
            "attempt": 0,
            "revision": 1,
            "rebuild": None,
        }

    def _admit(self):
        """BATCH-2: the first in the queue, when nothing is at work."""
        if self.batch is not None or not self.state["queue"]:
            return
        batch = self.state["batch"] = self.state["queue"].pop(0)
        calls = [[call["serial"], call["status"]] for call in batch["calls"]]
        self.say("BatchAdmitted", batch_id=batch["id"], calls=calls)

    def _on_DeliveryAcknowledged(self, fact):  # noqa: N802
        if self._is_delivering() and self.batch["id"] == fact["batch_id"]:
            self.state["batch"] = None  # BATCH-2; BATCH-8: ok or not
            self._admit()
            return
        known = [self.batch] if self.batch else []
        if fact["batch_id"] in [batch["id"] for batch in known + self.state["queue"]]:
            raise Refused("IllegalEvent")  # CALL-8: it was not delivered yet
        self.say("Ignored", why=None, call=None)

    def _is_delivering(self):
        return self.batch is not None and self.batch.get("is_delivered", False)

    # --- policy -----------------------------------------------------------------------------------

    def _on_PolicyChanged(self, _fact):  # noqa: N802
        """BATCH-14: one review for whoever is asking."""
        self.state["epoch"] += 1
        if any(call["phase"] == "asking" for call in self._calls()):
            self.say("ReviewWaiting", batch_id=self.batch["id"], epoch=self.epoch, call=None)

    # --- cancelling -------------------------------------------------------------------------------

    def _on_CancelRequested(self, fact):  # noqa: N802
        ((scope, which),) = fact["scope"].items()
        if scope == "OneCall":
            self._cancel_one(which["call"])
            return
        ids = which["batch_ids"] if scope == "Batches" else None
        if not self._cancel_batches(ids):
            self.say("Ignored", why=None, call=None)

    def _cancel_one(self, serial):
        call, queued = self._find(serial), self._find_queued(serial)
        if not 1 <= serial < self.state["next"]:
            raise Refused("UnknownCall")  # CALL-8
        if queued is not None and queued["status"] == "validating":
            queued["status"] = "cancelled"  # BATCH-10
        elif call is None or not cancel(self, call):
            self.say("Ignored", why=None, call=serial)  # CALL-32

    def _cancel_batches(self, ids):
        """BATCH-9, BATCH-11: queued ones first, then the one at work; None means all."""
        queue = self.state["queue"]
        order = [b["id"] for b in queue] if ids is None else list(dict.fromkeys(ids))
        named = [b for batch_id in order for b in queue if b["id"] == batch_id]
        self.state["queue"] = [b for b in self.state["queue"] if b not in named]
        for batch in named:
            self.say("RejectBatch", batch_id=batch["id"], reason=None)
        is_meant = self.batch is not None and (ids is None or self.batch["id"] in ids)
        moved = [cancel(self, call) for call in self._calls()] if is_meant else []
        return bool(named) or any(moved)

    # --- the coordinator --------------------------------------------------------------------------

    def _settle(self):
        """After all moves: deliver, or go on with the wave."""
        if self.batch is None or self._is_delivering():
            return
        batch = self.batch
        if all(call["status"] in FINAL for call in batch["calls"]):  # BATCH-7
            batch["is_delivered"] = True
            calls = [[call["serial"], call["status"]] for call in batch["calls"]]
            self.say("Deliver", batch_id=batch["id"], calls=calls)
            return
        while all(call["status"] in FINAL for call in self._wave()):  # BATCH-12
            batch.update(wave=batch["wave"] + 1, is_open=False, line=[])
        self._ask_next()
        self._open_barrier()
        self._start_line()

    def _wave(self):
        first = sum(self.batch["sizes"][: self.batch["wave"]])
        return self.batch["calls"][first : first + self.batch["sizes"][self.batch["wave"]]]

    def _ask_next(self):
        """BATCH-4: one after another, or the whole wave together."""
        validating = [call for call in self._wave() if call["status"] == "validating"]
        for call in validating if self.batch["together"] else validating[:1]:
            if not call["is_asked"]:
                order_validation(self, call, ask_tool=True)

    def _open_barrier(self):
        """BATCH-5: once every call of the wave is scheduled or final."""
        batch, wave = self.batch, self._wave()
        if not batch["is_open"] and all(c["status"] in ("scheduled", *FINAL) for c in wave):
            batch["is_open"] = True
            batch["line"] = [call["serial"] for call in wave if call["status"] == "scheduled"]

    def _start_line(self):
        """BATCH-6: from the head of the line, as slots allow; TIME-4: a backoff is waited for."""
        slots = self.config["max_parallel"]
        for serial in list(self.batch["line"]):
            call = self._find(serial)
            running = [c for c in self._calls() if c["status"] == "executing"]
            if slots is not None and len(running) >= slots:
                return
            is_due = call["not_before"] is None or call["not_before"] <= self.now
            if call["status"] == "scheduled" and is_due:
                self.batch["line"].remove(serial)
                start(self, call)
            elif call["status"] != "scheduled":
                self.batch["line"].remove(serial)
