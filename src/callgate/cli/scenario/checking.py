"""What is no scenario is refused, with the path of what is wrong.

Rule 1: an unknown key is an error: a misspelt one would silently test nothing.
Rule 2: free data (arguments, payloads, results) is never looked into; only its depth is, since
the scheduler carries no deeper data unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn, final

from callgate.responses.plain import DEPTH_MAX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Check = Callable[[Any, str], None]


class NotAScenario(ValueError):
    """This cannot be played; the text says where and why."""


@final
class Field:
    """What may stand under a key."""

    __slots__ = ("check", "is_needed")

    def __init__(self, check: Check, *, is_needed: bool = False) -> None:
        self.check = check
        self.is_needed = is_needed


def needed(check: Check) -> Field:
    """A key that must be there."""
    return Field(check, is_needed=True)


def _refuse(path: str, value: Any, wanted: str) -> NoReturn:
    shown = (
        repr(value) if isinstance(value, (str, int, float, type(None))) else type(value).__name__
    )
    raise NotAScenario(f"{path or 'scenario'}: {wanted} was expected, not {shown:.80}")


def anything(value: Any, path: str) -> None:
    """Free data."""
    layer = _containers((value,))
    for _ in range(DEPTH_MAX):
        if not layer:
            return
        layer = _containers(
            inner for item in layer for inner in (item.values() if type(item) is dict else item)
        )
    if layer:
        raise NotAScenario(f"{path}: at most {DEPTH_MAX} levels of nesting were expected")


def _containers(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if type(value) is dict or type(value) is list]


def text(value: Any, path: str) -> None:
    """A string."""
    if type(value) is not str:
        _refuse(path, value, "a string")


def flag(value: Any, path: str) -> None:
    """True or false."""
    if type(value) is not bool:
        _refuse(path, value, "true or false")


def number(value: Any, path: str) -> None:
    """A whole number."""
    if type(value) is not int:
        _refuse(path, value, "a whole number")


def data(value: Any, path: str) -> None:
    """An object whose keys are free."""
    if type(value) is not dict:
        _refuse(path, value, "an object")
    anything(value, path)


def one_of(*choices: str) -> Check:
    """One of these words."""
    listed = ", ".join(choices)

    def check(value: Any, path: str) -> None:
        if type(value) is not str or value not in choices:
            _refuse(path, value, f"one of {listed}")

    return check


def either(wanted: str, *checks: Check) -> Check:
    """Whatever one of these accepts."""

    def check(value: Any, path: str) -> None:
        for one in checks:
            try:
                one(value, path)
            except NotAScenario as error:
                if not str(error).startswith(f"{path}:"):
                    raise  # the right kind of thing, and something inside it is wrong
            else:
                return
        _refuse(path, value, wanted)

    return check


def list_of(check: Check) -> Check:
    """A list of such values."""

    def check_list(value: Any, path: str) -> None:
        if type(value) is not list:
            _refuse(path, value, "a list")
        for place, item in enumerate(value):
            check(item, f"{path}[{place}]")

    return check_list


def object_of(fields: Mapping[str, Field]) -> Check:
    """An object of these keys and no others."""

    def check_object(value: Any, path: str) -> None:
        if type(value) is not dict:
            _refuse(path, value, "an object")
        dot = f"{path}." if path else ""
        for key, item in value.items():
            field = fields.get(key)
            if field is None:
                raise NotAScenario(f"{dot}{key}: unknown key (known: {', '.join(fields)})")
            field.check(item, dot + key)
        for key, field in fields.items():
            if field.is_needed and key not in value:
                raise NotAScenario(f"{dot}{key}: is missing")

    return check_object


MODES: Final = one_of("default", "auto_edit", "yolo")
EXECUTIONS: Final = one_of(
    "manual", "immediate", "raise", "raise_sync", "wait_abort", "wait_abort_resolve"
)
_REQUEST: Final = object_of(
    {"call_id": needed(text), "name": needed(text), "args": Field(data)},
)
_SCHEDULE: Final = {
    "batch": needed(text),
    "requests": Field(list_of(_REQUEST)),
    "single": Field(flag),
    "same_object_as": Field(text),
    "signal_of": Field(text),
}


def _schedule(fields: Mapping[str, Field]) -> Check:
    check_keys = object_of(fields)

    def check(value: Any, path: str) -> None:
        check_keys(value, path)
        if ("requests" in value) == ("same_object_as" in value):
            raise NotAScenario(f"{path}.requests: either requests or same_object_as was expected")
        if value.get("single") and len(value.get("requests", (0,))) != 1:
            raise NotAScenario(f"{path}.single: just one request was expected")

    return check


SCHEDULE: Final = _schedule(_SCHEDULE)


def _schedules_at(value: Any, path: str) -> None:
    if type(value) is not dict:
        _refuse(path, value, "an object")
    for key, schedule in value.items():
        if not (key.isascii() and key.isdigit()):
            raise NotAScenario(f"{path}.{key}: a number from 0 was expected as key")
        SCHEDULE(schedule, f"{path}.{key}")


_TRUNCATION: Final = object_of(
    {
        "enabled": Field(flag),
        "threshold": Field(number),
        "lines": Field(number),
        "dir": Field(text),
    }
)
_ON_UPDATE: Final = object_of(
    {
        "schedule_at": Field(_schedules_at),
        "raise_at": Field(either("a number or a list of numbers", number, list_of(number))),
        "message": Field(text),
    }
)
_ON_COMPLETE: Final = object_of(
    {
        "gate": Field(flag),
        "schedule": Field(SCHEDULE),
        "await": Field(flag),
        "raises": Field(text),
    }
)
_CONFIG: Final = object_of(
    {
        "approval_mode": Field(MODES),
        "allowed_tools": Field(list_of(text)),
        "truncation": Field(_TRUNCATION),
        "editor": Field(anything),
        "editor_content": Field(text),
        "editor_exit": Field(number),
        "update_handler": Field(flag),
        "output_handler": Field(flag),
        "complete_handler": Field(flag),
        "on_update": Field(_ON_UPDATE),
        "on_complete": Field(list_of(_ON_COMPLETE)),
    }
)
_EXECUTION: Final = object_of(
    {
        "mode": Field(EXECUTIONS),
        "result": Field(anything),
        "message": Field(text),
        "chunks": Field(list_of(anything)),
    }
)
_TOOL: Final = object_of(
    {
        "name": needed(text),
        "kind": Field(text),
        "confirm": Field(one_of("none", "exec", "edit", "info", "mcp")),
        "server": Field(text),
        "can_update_output": Field(flag),
        "modifiable": Field(flag),
        "ide": Field(flag),
        "build_error": Field(text),
        "build_error_if": Field(
            object_of({"arg": needed(text), "equals": needed(anything), "message": needed(text)})
        ),
        "confirm_raises": Field(text),
        "confirm_raises_from": Field(object_of({"call": needed(number), "message": needed(text)})),
        "confirm_gate": Field(flag),
        "confirm_aborts": Field(text),
        "on_confirm_raises": Field(text),
        "build_raises_non_error": Field(text),
        "confirm_raises_non_error": Field(text),
        "execute": Field(either("a mode, or an object with one", EXECUTIONS, _EXECUTION)),
    }
)
_CALL: Final = {"call_id": needed(text)}
_STEPS: Final[dict[str, dict[str, Field]]] = {
    "schedule": _SCHEDULE,
    "abort": {"batch": needed(text)},
    "cancel_all": {"batch": Field(anything)},
    "confirm": {**_CALL, "outcome": needed(text), "payload": Field(anything)},
    "ide": {
        **_CALL,
        "status": Field(text),
        "content": Field(anything),
        "raises": Field(either("a text, or true or false", text, flag)),
    },
    "finish": {**_CALL, "result": Field(anything)},
    "raise": {**_CALL, "message": Field(text), "non_error": Field(flag)},
    "emit": {**_CALL, "chunk": needed(anything)},
    "set_mode": {"mode": needed(MODES)},
    "release_confirm": _CALL,
    "release_complete": {},
    "drain": {},
}
_COMMON: Final = {"op": needed(text), "drain": Field(flag)}
_CHECKS: Final = {
    op: (_schedule if op == "schedule" else object_of)({**_COMMON, **fields})
    for op, fields in _STEPS.items()
}


def _step(value: Any, path: str) -> None:
    if type(value) is not dict:
        _refuse(path, value, "an object")
    if "op" not in value:
        raise NotAScenario(f"{path}.op: is missing")
    op = value["op"]
    if type(op) is not str or op not in _CHECKS:
        _refuse(f"{path}.op", op, f"one of {', '.join(_CHECKS)}")
    _CHECKS[op](value, path)


_SCENARIO: Final = object_of(
    {
        "name": needed(text),
        "description": Field(text),
        "config": Field(_CONFIG),
        "tools": Field(list_of(_TOOL)),
        "steps": needed(list_of(_step)),
    }
)


def check(scenario: Any) -> None:
    """Raise `NotAScenario` unless this can be played."""
    _SCENARIO(scenario, "")
    _check_names(scenario)


def _check_names(scenario: Mapping[str, Any]) -> None:
    seen: set[str] = set()
    for place, tool in enumerate(scenario.get("tools", ())):
        if tool["name"] in seen:
            raise NotAScenario(f"tools[{place}].name: {tool['name']!r} is a tool already")
        seen.add(tool["name"])
    known = _batches_of_observers(scenario.get("config", {}))
    for place, step in enumerate(scenario["steps"]):
        if step["op"] != "schedule":
            continue
        same = step.get("same_object_as")
        if same is not None and same not in known:
            path = f"steps[{place}].same_object_as"
            raise NotAScenario(f"{path}: no batch {same!r} was scheduled before")
        known.add(step["batch"])


def _batches_of_observers(config: Mapping[str, Any]) -> set[str]:
    """Batches that observers schedule: when, only the run will show."""
    entries = [entry["schedule"] for entry in config.get("on_complete", ()) if "schedule" in entry]
    entries += config.get("on_update", {}).get("schedule_at", {}).values()
    return {entry["batch"] for entry in entries}
