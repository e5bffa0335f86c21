"""A vector as text that a person can read: one line for each event and each effect.

Rule 1: the same vector always gives the same bytes; reading them back gives the same vector.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def write_vector(vector: Mapping[str, Any]) -> str:
    """The text of a vector's file.

    >>> steps = [{"event": {"TimePassed": {"at_ms": 1}}, "effects": []}]
    >>> print(write_vector({"spec": "0.1", "title": "Time alone", "rules": ["TIME-1"],
    ...     "config": {}, "steps": steps, "final": {}}), end="")
    {
      "spec": "0.1",
      "title": "Time alone",
      "rules": ["TIME-1"],
      "config": {},
      "steps": [
        {
          "event": {"TimePassed": {"at_ms": 1}},
          "effects": []
        }
      ],
      "final": {}
    }
    """
    lines = [
        f'  "{name}": {_steps(value) if name == "steps" else _line(value)}'
        for name, value in vector.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _steps(steps: list[Mapping[str, Any]]) -> str:
    return "[\n" + ",\n".join(_step(step) for step in steps) + "\n  ]" if steps else "[]"


def _step(step: Mapping[str, Any]) -> str:
    lines = [
        f'      "{name}": {_effects(value) if name == "effects" else _line(value)}'
        for name, value in step.items()
    ]
    return "    {\n" + ",\n".join(lines) + "\n    }"


def _effects(effects: list[Any]) -> str:
    if not effects:
        return "[]"
    return "[\n" + ",\n".join(f"        {_line(effect)}" for effect in effects) + "\n      ]"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
