"""Harmless command lines as people and models write them, and the prefixes a person would allow.

Rule 1: each one only reads and prints, or does what its prefix names (`git commit`, `npm test`).
"""

import json
from pathlib import Path

_CORPUS = json.loads(Path(__file__).with_name("harmless.json").read_text(encoding="utf-8"))
READING: list[str] = _CORPUS["prefixes"]
"Prefixes that a person who lets a model look around would allow."
HARMLESS: list[tuple[list[str], str]] = [
    *((READING, line) for line in _CORPUS["lines"]),
    *(([prefix], line) for prefix, line in _CORPUS["others"]),
]
