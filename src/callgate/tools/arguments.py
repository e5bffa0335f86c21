"""A model's arguments, held to a function's types.

Rule 1: strict: a text is no number, and nothing is dropped: an unknown name or key is an error.
Rule 2: all problems are told at once, each with the argument, the value and what was expected, so
that a model needs one more try and not five.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, final

import msgspec
from msgspec import inspect as kinds

from callgate.tools.nearest import did_you_mean
from callgate.tools.protocols import InvalidArguments
from callgate.tools.schemas import to_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callgate.tools.signature import Argument, Signature

_AT: Final = re.compile(r"^(.*?)(?: - at `(?:key in )?\$(.*)`)?$", re.DOTALL)
_STEP: Final = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
_SHOWN_MAX: Final = 80


@final
class Arguments:
    """The arguments of one function."""

    def __init__(self, signature: Signature) -> None:
        self._arguments = {item.name: item for item in signature.arguments}
        self._types = {item.name: kinds.type_info(item.hint) for item in signature.arguments}

    def accept(self, name: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the function takes them; those that were not given are left out."""
        problems = [self._unknown(key) for key in args if key not in self._arguments]
        accepted: dict[str, Any] = {}
        for key, argument in self._arguments.items():
            if key in args:
                value = thawed(args[key])
                try:
                    accepted[key] = msgspec.convert(value, argument.hint, dec_hook=to_path)
                except (msgspec.ValidationError, NotImplementedError, ValueError) as error:
                    problems.append(self._wrong(key, value, str(error)))
                else:
                    problems += _surplus(value, self._types[key], key)
            elif argument.required:
                problems.append(_missing(argument))
        if problems:
            raise InvalidArguments(f'Invalid arguments for "{name}": {" ".join(problems)}')
        return accepted

    def _unknown(self, key: str) -> str:
        there = ", ".join(f'"{name}"' for name in self._arguments) or "none"
        return (
            f'There is no argument "{key}"{did_you_mean(key, self._arguments)}; there are: {there}.'
        )

    def _wrong(self, key: str, value: Any, text: str) -> str:
        found = _AT.match(text)
        said, path = (found[1], found[2] or "") if found is not None else (text, "")
        kind: Any = self._types[key]
        for name, index in _STEP.findall(path):
            value, kind = _entered(value, name, index), _kind_in(kind, name)
        shown = f'"{key}{path}" is {_shown(value)}'
        choices = _choices(kind)
        if choices and said.startswith("Invalid enum value"):
            allowed = ", ".join(_shown(choice) for choice in choices)
            near = did_you_mean(value, map(str, choices)) if isinstance(value, str) else ""
            return f"{shown}; allowed: {allowed}{near}."
        return f"{shown}: {said[:1].lower()}{said[1:]}."


def thawed(value: Any) -> Any:
    """A frozen value as the lists and objects that a function may change."""
    if isinstance(value, dict):
        return {key: thawed(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [thawed(item) for item in value]
    return value


def _missing(argument: Argument) -> str:
    words = f" ({argument.description})" if argument.description else ""
    return f'"{argument.name}" is missing{words}.'


def _surplus(value: Any, kind: Any, path: str) -> list[str]:
    """Keys that the library lets pass: those that a nested class does not have."""
    if isinstance(kind, kinds.UnionType):
        fitting = next((item for item in kind.types if _fits(value, item)), None)
        return [] if fitting is None else _surplus(value, fitting, path)
    if isinstance(value, list):
        item = getattr(kind, "item_type", None)
        places = enumerate(value) if item is not None else ()
        return [text for index, one in places for text in _surplus(one, item, f"{path}[{index}]")]
    if not isinstance(value, dict):
        return []
    if isinstance(kind, kinds.DictType):
        return [
            t for key, one in value.items() for t in _surplus(one, kind.value_type, f"{path}.{key}")
        ]
    fields = getattr(kind, "fields", None)
    return [] if fields is None else _surplus_of(value, kind, path)


def _surplus_of(value: dict[str, Any], kind: Any, path: str) -> list[str]:
    known = {field.encode_name: field.type for field in kind.fields}
    tag = getattr(kind, "tag_field", None)
    problems = []
    for key, item in value.items():
        if key in known:
            problems += _surplus(item, known[key], f"{path}.{key}")
        elif key != tag:
            problems.append(f'"{path}" has no "{key}"{did_you_mean(key, known)}.')
    return problems


def _fits(value: Any, kind: Any) -> bool:
    if isinstance(value, list):
        return hasattr(kind, "item_type")
    if not isinstance(value, dict):
        return False
    tag = getattr(kind, "tag_field", None)
    if tag is not None:
        return bool(value.get(tag) == kind.tag)
    return isinstance(kind, kinds.DictType) or hasattr(kind, "fields")


def _entered(value: Any, name: str, index: str) -> Any:
    try:
        return value[name] if name else value[int(index)]
    except (KeyError, IndexError, TypeError):
        return value


def _kind_in(kind: Any, name: str) -> Any:
    """The type at the next step of a path; a union's first member that has such a step."""
    for one in kind.types if isinstance(kind, kinds.UnionType) else (kind,):
        if not name:
            found = getattr(one, "item_type", None)
        elif isinstance(one, kinds.DictType):
            found = one.value_type
        else:
            fields = {field.encode_name: field.type for field in getattr(one, "fields", ())}
            found = fields.get(name)
        if found is not None:
            return found
    return None


def _choices(kind: Any) -> tuple[Any, ...]:
    if isinstance(kind, kinds.UnionType):
        return tuple(choice for one in kind.types for choice in _choices(one))
    if isinstance(kind, kinds.LiteralType):
        return tuple(kind.values)
    if isinstance(kind, kinds.EnumType):
        return tuple(member.value for member in kind.cls)
    return ()


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}..."
