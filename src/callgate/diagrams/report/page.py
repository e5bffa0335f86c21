"""A run as one self-contained HTML page.

Rule 1: nothing comes from outside and nothing goes there: the policy in the page's head allows the
one script and the one style that stand in it, by their hashes, and nothing else.
Rule 2: data is data: it stands in a block that no browser runs, escaped so that no text can end
that block, and the script shows it as text alone (Trusted Types hold it to that).
Rule 3: the same run gives the same bytes.
"""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from callgate.diagrams.report.telling import report_data
from callgate.diagrams.runs.wording import one_line
from callgate.diagrams.themes import DARK, LIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callgate.journal.record import Record

SCRIPTS: Final = ("words.js", "lists.js", "drawing.js", "page.js")
_FOLDER: Final = files("callgate.diagrams.report")
_POLICY: Final = (
    "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; "
    "base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_ESCAPES: Final = str.maketrans(
    {
        "<": "\\u003c",
        ">": "\\u003e",
        "&": "\\u0026",
        "\u2028": "\\u2028",
        "\u2029": "\\u2029",
    }
)


def report(record: Record, title: str = "") -> str:
    """Write the report of a run.

    Args:
        record: what happened.
        title: what the page is called; empty: where the record came from.
    """
    name = title or record.source
    style, script = _style(), _script()
    policy = _POLICY.format(script=_hash(script), style=_hash(style))
    parts = {
        "title": escape(one_line(name)),
        "policy": escape(policy, quote=True).replace("&#x27;", "'"),
        "style": style,
        "script": script,
        "data": embed(report_data(record, name)),
    }
    return _fill(_text("page.html"), parts)


def embed(data: Any) -> str:
    r"""JSON that can stand in a script element: nothing in it can end that element.

    >>> embed({"a": "</script><!--"})
    '{"a":"\\u003c/script\\u003e\\u003c!--"}'
    """
    return json.dumps(data, separators=(",", ":"), allow_nan=False).translate(_ESCAPES)


def _fill(template: str, parts: Mapping[str, str]) -> str:
    """Put the parts where their marks stand, once: no mark inside a part means anything."""
    pieces: list[str] = []
    for number, piece in enumerate(template.split("@@")):
        pieces.append(parts[piece] if number % 2 else piece)
    return "".join(pieces)


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _style() -> str:
    light, dark = _variables(LIGHT), _variables(DARK)
    themes = (
        f":root{{color-scheme:light;{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root{{color-scheme:dark;{dark}}}}}\n"
        f":root[data-theme=light]{{color-scheme:light;{light}}}\n"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}\n"
    )
    return themes + _text("page.css")


def _variables(palette: Mapping[str, str]) -> str:
    return "".join(f"--{role}:{colour};" for role, colour in palette.items())


def _script() -> str:
    body = "\n".join(_text(name) for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{body}\n}})();\n'


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode("utf-8")).digest()).decode("ascii")
