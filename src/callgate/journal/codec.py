"""Events, effects and configs as plain JSON, and back: what every record of a run is written in.

Rule 1: data only: events by their fields, and no object of ours, so that any language can read it.
Rule 2: a value that can be of one class only is written as its fields; where more is possible, the
class stands before them: `{"Ask": {...}}`.
Rule 3: what is written is read back equal, and the same value always gives the same JSON.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final

import attrs
from pyrsistent import PVector

from callgate.kernel import config as config_module
from callgate.kernel import events as events_module
from callgate.kernel import plans as plans_module
from callgate.kernel import values as values_module
from callgate.kernel.config import Config
from callgate.kernel.effects import Moved

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callgate.kernel.effects import Effect
    from callgate.kernel.events import Event

_MODULES: Final = (values_module, plans_module, config_module, events_module)
CLASSES: Final[dict[str, type[Any]]] = {
    name: kind
    for module in _MODULES
    for name, kind in vars(module).items()
    if isinstance(kind, type) and attrs.has(kind)
}
_FREE: Final = ("Json", "JsonObject")
_SEVERAL: Final = ("tuple[", ", ...]")


# --- values in and out ----------------------------------------------------------------------------


def decode(tagged: Mapping[str, Any]) -> Any:
    """Build the value that a class name and its fields stand for.

    >>> decode({"TimePassed": {"at_ms": 7}})
    TimePassed(at_ms=7)
    """
    ((name, fields),) = tagged.items()
    return _build(CLASSES[name], fields)


def decode_event(tagged: Mapping[str, Any]) -> Event:
    """Build an event.

    >>> decode_event({"CancelRequested": {"scope": {"OneCall": {"call": 2}}, "at_ms": 1}}).scope
    OneCall(call=2)
    """
    event: Event = decode(tagged)
    return event


def decode_config(fields: Mapping[str, Any]) -> Config:
    """Build a config from the fields that differ from the defaults.

    >>> decode_config({"retry": {"attempts_max": 3}}).retry.attempts_max
    3
    """
    config: Config = _build(Config, fields)
    return config


def encode(value: Any) -> dict[str, Any]:
    """Write a value as its class and those of its fields that differ from their defaults.

    >>> from callgate import Allow, CallValidated
    >>> encode(CallValidated(call=1, revision=1, epoch=0, verdict=Allow(), at_ms=5))
    {'CallValidated': {'call': 1, 'revision': 1, 'epoch': 0, 'verdict': {'Allow': {}}, 'at_ms': 5}}
    """
    return {type(value).__name__: _fields(value, is_whole=False)}


def _build(kind: type[Any], fields: Mapping[str, Any]) -> Any:
    types = {field.name: str(field.type) for field in attrs.fields(kind)}
    return kind(**{name: _value(types[name], value) for name, value in fields.items()})


def _value(annotation: str, value: Any) -> Any:
    if annotation in _FREE:
        return value
    if isinstance(value, list):
        return tuple(_value(_item_of(annotation), item) for item in value)
    if isinstance(value, dict):
        only = CLASSES.get(annotation)
        return decode(value) if only is None else _build(only, value)
    return value


def _item_of(annotation: str) -> str:
    """The annotation of the items of a tuple."""
    return annotation.removeprefix(_SEVERAL[0]).removesuffix(_SEVERAL[1])


def _fields(value: Any, *, is_whole: bool) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for field in attrs.fields(type(value)):
        item = getattr(value, field.name)
        if is_whole or not _is_default(field, item):
            written[field.name] = _plain(str(field.type), item, is_whole=is_whole)
    return written


def _is_default(field: attrs.Attribute[Any], item: Any) -> bool:
    default: Any = field.default
    if isinstance(default, attrs.Factory):  # type: ignore[arg-type]
        default = default.factory()
    return bool(item == default and type(item) is type(default))


def _plain(annotation: str, value: Any, *, is_whole: bool) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (tuple, PVector)):
        item_type = "Json" if annotation in _FREE else _item_of(annotation)
        return [_plain(item_type, item, is_whole=is_whole) for item in value]
    if isinstance(value, dict):
        return {key: _plain("Json", item, is_whole=is_whole) for key, item in value.items()}
    if attrs.has(type(value)):
        fields = _fields(value, is_whole=is_whole)
        return fields if annotation in CLASSES else {type(value).__name__: fields}
    return value


# --- effects out ----------------------------------------------------------------------------------


def render(effect: Effect) -> dict[str, Any]:
    """Write an effect with all its fields; a record becomes its serial and its status.

    >>> from callgate.kernel.effects import Ignored
    >>> render(Ignored("too late", 1))
    {'Ignored': {'why': 'too late', 'call': 1}}
    """
    name = type(effect).__name__
    if isinstance(effect, Moved):
        outcome = None if effect.outcome is None else effect.outcome.value
        return {name: {"call": effect.call, "status": effect.status.value, "outcome": outcome}}
    if name in ("BatchAdmitted", "Deliver"):
        calls = [[call.facts.serial, call.status.value] for call in effect.calls]  # type: ignore[union-attr]
        return {name: {"batch_id": effect.batch_id, "calls": calls}}  # type: ignore[union-attr]
    return {name: _fields(effect, is_whole=True)}
