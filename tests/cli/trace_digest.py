"""What counts of a trace: per drained step, and for the whole run (a comparer of our own)."""


def digest(scenario, trace):
    """The parts of a trace that two right implementations share."""
    groups, last, is_new = [], {}, True
    for event in trace["events"]:
        kind = event["ev"]
        if kind == "step":
            if is_new:
                groups.append({"steps": [], "statuses": {}})
            groups[-1]["steps"].append(event["i"])
            is_new = scenario["steps"][event["i"]].get("drain", True)
            continue
        group = groups[-1]
        if kind == "update":
            _note_statuses(event["calls"], last, group["statuses"])
        elif kind == "complete":
            for call in event["calls"]:
                last.pop(call["id"], None)
            group.setdefault("complete", []).append([_finished(call) for call in event["calls"]])
        elif kind == "schedule_rejected":
            text = event["error"] if event["error"].endswith("while in queue.") else "any text"
            group.setdefault("rejected", []).append((event["batch"], text))
            group["rejected"].sort()
        elif kind == "handler_failed" and event["handler"] == "update":
            groups[0].setdefault("updates failed", []).append(event["error"])
        else:
            kept = {key: event[key] for key in event if key != "ev"}
            group.setdefault(kind, []).append(kept)
    return groups, trace["final"], trace.get("files") or {}


def _note_statuses(calls, last, statuses):
    for call in calls:
        if last.get(call["id"]) != call["status"]:
            last[call["id"]] = call["status"]
            statuses.setdefault(call["id"], []).append(call["status"])


def _finished(call):
    display = call["response"]["display"]
    if isinstance(display, dict) and display.get("fileDiff") not in (None, "", "initial diff"):
        display = {**display, "fileDiff": "a diff"}
    return {**call, "response": {**call["response"], "display": display}}
