"""The JSON schema of a function's arguments, as a model is shown it.

Rule 1: one object without references (recursive types keep theirs): not every vendor follows them.
Rule 2: the schema promises what the validation keeps: no other argument, no other key.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

import msgspec

from callgate.tools.errors import UnfitFunction

if TYPE_CHECKING:
    from collections.abc import Callable

    from callgate.tools.signature import Argument, Signature

_REF: Final = "#/$defs/"


def schema_of(function: Callable[..., Any], signature: Signature) -> dict[str, Any]:
    """The schema of the arguments of this function."""
    properties = {item.name: _described(function, item) for item in signature.arguments}
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    required = [item.name for item in signature.arguments if item.required]
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    kept = _recursive(function, signature, schema)
    return {**schema, "$defs": kept} if kept else schema


def to_path(kind: type, value: Any) -> Any:
    """Build what msgspec does not know of: paths, of texts."""
    if issubclass(kind, PurePath) and isinstance(value, str):
        return kind(value)
    raise NotImplementedError(f"{kind.__name__} cannot be made of JSON")


def _hook(kind: type) -> dict[str, Any]:
    if issubclass(kind, PurePath):
        return {"type": "string", "format": "path"}
    raise NotImplementedError(f"{kind.__name__} has no JSON schema")


def _components(function: Callable[..., Any], item: Argument) -> tuple[Any, dict[str, Any]]:
    try:
        (schema,), defs = msgspec.json.schema_components(
            [item.hint], schema_hook=_hook, ref_template=_REF + "{name}"
        )
    except (TypeError, NotImplementedError, NameError) as error:
        raise UnfitFunction(
            function,
            f"{item.name!r} has a type that no schema can be made of: {error}"
            " (of several classes, use tagged msgspec.Struct)",
        ) from None
    return schema, defs


def _described(function: Callable[..., Any], item: Argument) -> dict[str, Any]:
    schema, defs = _components(function, item)
    described: dict[str, Any] = _inlined(schema, defs, ())
    if item.description and "description" not in described:
        described["description"] = item.description
    if not item.required:
        try:
            described["default"] = msgspec.to_builtins(item.default, enc_hook=str)
        except (TypeError, NotImplementedError, ValueError):
            described.pop("default", None)  # a default that is no data is not shown
    return described


def _recursive(
    function: Callable[..., Any], signature: Signature, schema: dict[str, Any]
) -> dict[str, Any]:
    """The definitions that are still referred to: those of types that contain themselves."""
    every: dict[str, Any] = {}
    for item in signature.arguments:
        every.update(_components(function, item)[1])
    kept: dict[str, Any] = {}
    wanted = _refs(schema)
    while wanted:
        name = wanted.pop(0)
        if name not in kept:
            kept[name] = _closed(every[name])
            wanted += _refs(kept[name])
    return kept


def _inlined(node: Any, defs: dict[str, Any], inside: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_inlined(item, defs, inside) for item in node]
    if not isinstance(node, dict):
        return node
    if isinstance(node.get("$ref"), str):
        name = node["$ref"].removeprefix(_REF)
        if name in inside:
            return dict(node)
        others = {key: item for key, item in node.items() if key != "$ref"}
        return {**_inlined(defs[name], defs, (*inside, name)), **others}
    return _closed({key: _inlined(item, defs, inside) for key, item in node.items()})


def _closed(node: dict[str, Any]) -> dict[str, Any]:
    """An object of named keys takes no others; an enum of texts is said to be of texts."""
    if node.get("type") == "object" and "properties" in node:
        node = {"additionalProperties": False, **node}
    values = node.get("enum")
    if values and "type" not in node and all(isinstance(value, str) for value in values):
        node = {"type": "string", **node}
    return node


def _refs(node: Any) -> list[str]:
    if isinstance(node, list):
        return [name for item in node for name in _refs(item)]
    if not isinstance(node, dict):
        return []
    own = node.get("$ref")
    found = [own.removeprefix(_REF)] if isinstance(own, str) else []
    return found + [name for key, item in node.items() if key != "$ref" for name in _refs(item)]
