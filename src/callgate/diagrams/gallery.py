"""The folder of committed pictures: written by one command, checked by another.

Rule 1: text is compared byte by byte. A picture records the digest of its graph and the engine's
version: with the same engine it is compared byte by byte too, with another by its digest, so
that an upgrade of the engine makes nothing stale.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, final

from attrs import frozen

from callgate.diagrams.batch import batch_graph
from callgate.diagrams.engine import wheel_version
from callgate.diagrams.extract import call_graph
from callgate.diagrams.formats import draw
from callgate.diagrams.runs.example import example
from callgate.diagrams.runs.sequence import sequence
from callgate.diagrams.runs.telling import tell
from callgate.diagrams.runs.timeline import timeline
from callgate.diagrams.wording import Detail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from callgate.diagrams.graph import Graph

_RECORD: Final = re.compile(r'data-(digest|detail|engine)="([^"]*)"')


@final
@frozen
class Picture:
    """One file of the gallery."""

    name: str
    graph: Callable[[], Graph]
    format: str
    detail: Detail

    def drawn(self) -> bytes:
        """Its bytes as they should be."""
        return draw(self.graph(), self.format, detail=self.detail)

    def is_fresh(self, written: bytes) -> bool:
        """Does a written file still say what the machine is?"""
        if self.format != "svg":
            return written == self.drawn()
        record = dict(_RECORD.findall(written.decode("utf-8", "replace")))
        if record.get("engine") == wheel_version():
            return written == self.drawn()
        return (record.get("digest"), record.get("detail")) == (self.graph().digest, self.detail)


_MACHINES: Final = {"call": call_graph, "batch": batch_graph}
_ENDINGS: Final = {"mermaid": "mmd", "markdown": "md", "svg": "svg"}

GALLERY: Final = tuple(
    Picture(f"{machine}{suffix}.{_ENDINGS[form]}", graph, form, detail)
    for machine, graph in _MACHINES.items()
    for form, suffix, detail in (
        ("markdown", "", Detail.FULL),
        ("mermaid", "", Detail.FULL),
        ("mermaid", "-low", Detail.LOW),
        ("svg", "-low", Detail.LOW),
        ("svg", "-full", Detail.FULL),
    )
)


# Pictures of a run need no layout engine, so they are compared byte by byte.
RUNS: Final[dict[str, Callable[[], str]]] = {
    "run-timeline.svg": lambda: timeline(tell(example())),
    "run-sequence.mmd": lambda: sequence(example()),
}


def write(folder: Path) -> None:
    """Draw every picture into the folder."""
    for picture in GALLERY:
        (folder / picture.name).write_bytes(picture.drawn())
    for name, drawn in RUNS.items():
        (folder / name).write_bytes(drawn().encode("utf-8"))


def stale(folder: Path) -> Iterator[str]:
    """The names of the files that are missing or say something old."""
    for picture in GALLERY:
        path = folder / picture.name
        if not path.is_file() or not picture.is_fresh(path.read_bytes()):
            yield picture.name
    for name, drawn in RUNS.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != drawn().encode("utf-8"):
            yield name
