"""The hostile corpus: lines by technique, each with an effect in a real bash (a file `marker...`).

Rule 1: a line is there only because bash, in the folder that `oracle` prepares, makes the marker.
Rule 2: no list of harmless prefixes may allow one.
"""

import json
from pathlib import Path

_CORPUS = json.loads(Path(__file__).with_name("hostile.json").read_text(encoding="utf-8"))
HARMLESS_PREFIXES: list[str] = _CORPUS["prefixes"]
HOSTILE: dict[str, list[str]] = _CORPUS["techniques"]
HOSTILE["limits"] += [
    "ls; " * 300 + "touch marker",
    "{ " * 30 + "touch marker; " + "}; " * 29 + "}",
    "echo " + "a" * 60_000 + "; touch marker",
    "ls " + "-l " * 3_000 + "; touch marker",
    "env " * 20 + "touch marker",
    "eval " * 20 + "touch marker",
]
LINES = [(technique, line) for technique, lines in HOSTILE.items() for line in lines]
