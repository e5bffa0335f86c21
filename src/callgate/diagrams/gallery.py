"""The folder of committed pictures: written by one command, checked by another.

Rule 1: text is compared byte by byte. A picture records the digest of its graph and the engine's
version: with the same engine it is compared byte by byte too, with another by its digest, so
that an upgrade of the engine makes nothing stale.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final, final

from attrs import frozen

from callgate.diagrams import policydraw
from callgate.diagrams.engine import wheel_version
from callgate.diagrams.formats import draw
from callgate.diagrams.machines import graph_of
from callgate.diagrams.policies import chart
from callgate.diagrams.runs.example import example
from callgate.diagrams.runs.sequence import sequence
from callgate.diagrams.runs.telling import tell
from callgate.diagrams.runs.timeline import timeline
from callgate.diagrams.wording import Detail
from callgate.policy.defaults import DEFAULTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from callgate.diagrams.graph import Graph
    from callgate.diagrams.policies import Chart

_RECORD: Final = re.compile(r'data-(digest|detail|engine)="([^"]*)"')


@final
@frozen
class Picture:
    """One file of the gallery."""

    name: str
    drawn: Callable[[], bytes]
    "Its bytes as they should be."
    digest: Callable[[], str]
    "Of what it shows."
    detail: str = ""

    def is_fresh(self, written: bytes) -> bool:
        """Does a written file still say what it should?"""
        if not self.name.endswith(".svg"):
            return written == self.drawn()
        record = dict(_RECORD.findall(written.decode("utf-8", "replace")))
        if record.get("engine", wheel_version()) == wheel_version():
            return written == self.drawn()
        return (record.get("digest"), record.get("detail", "")) == (self.digest(), self.detail)


_MACHINES: Final = ("call", "batch")
_ENDINGS: Final = {"mermaid": "mmd", "markdown": "md", "svg": "svg"}
_POLICY: Final = "The built-in policy"
INDEX: Final = """# Pictures of callgate

Drawn by `callgate diagram --write`, checked by `callgate diagram --check`; nothing here is written
by hand. The thick blue way is the happy path; a final state has a double outline.

## The life of a tool call

Every call is asked about (*validating*), waits for a person if the policy says so (*awaiting
approval*), waits for the others of its wave (*scheduled*), runs (*executing*), and ends in one of
three ways, for ever: *success*, *error*, *cancelled*.

![The life of a tool call](call-low.svg)

A bold word at an arrow is what was heard; the words in brackets say when this arrow is taken.

| heard | means |
| --- | --- |
| `validated` | tool and policy gave their verdict; a stale one is from before the policy changed |
| `reviewed` | the policy changed while a person was asked, and was put the question again |
| `answered` | the person said yes or no, edits the arguments, or gives the result |
| `told` | a tool that wants to know the answer before it takes effect was told |
| `editor_closed` | the person is done with editing the arguments |
| `rebuilt` | the edited arguments were checked by the tool and put to the policy |
| `start` | the barrier opened: the whole wave is decided, so this call may start |
| `progressed` | the running tool showed something |
| `finished` | the tool returned or failed; what may be tried again is scheduled again |
| `lost` | after a crash nobody knows how it ended; it is run again, asked about, or an error |
| `cancel` | somebody does not want it any more; what runs is told to stop first |
| `time_out` | a deadline passed; what runs is told to stop first |

With every guard, effect and rule: [call-full.svg](call-full.svg), as tables [call.md](call.md), as
Mermaid [call.mmd](call.mmd) and [call-low.mmd](call-low.mmd). The rules stand in
[statemachine_spec](../statemachine_spec/rules.md).

## The life of a batch

The calls of one answer of the model are a batch. One is at work, the others queue; each is
delivered once, whole, and only then is the next admitted.

![The life of a batch](batch-low.svg)

With every guard, effect and rule: [batch-full.svg](batch-full.svg), as tables
[batch.md](batch.md), as Mermaid [batch.mmd](batch.mmd) and [batch-low.mmd](batch-low.mmd).

## The built-in policy

Which rule decides for which tools, in which mode, where no file says otherwise.

![The built-in policy](policy.svg)

As a table: [policy.md](policy.md).

## A run

What happened to five calls: a yes, a no, a retry, an unknown tool; the barrier opens when all of
them are decided.

![A run](run-timeline.svg)

As a sequence: [run-sequence.mmd](run-sequence.mmd).
"""


def _pictures() -> Iterator[Picture]:
    yield Picture("README.md", lambda: INDEX.encode("utf-8"), str)
    for machine in _MACHINES:
        graph = partial(graph_of, machine)
        for form, suffix, detail in (
            ("markdown", "", Detail.FULL),
            ("mermaid", "", Detail.FULL),
            ("mermaid", "-low", Detail.LOW),
            ("svg", "-low", Detail.LOW),
            ("svg", "-full", Detail.FULL),
        ):
            name = f"{machine}{suffix}.{_ENDINGS[form]}"
            drawn = partial(_machine, machine, form, detail)
            yield Picture(name, drawn, partial(_digest, graph), detail.value)
    for form in ("markdown", "svg"):
        yield Picture(f"policy.{_ENDINGS[form]}", partial(_policy, form), partial(_digest, _chart))


def _machine(machine: str, form: str, detail: Detail) -> bytes:
    return draw(graph_of(machine), form, detail=detail)


def _chart() -> Chart:
    return chart(DEFAULTS, _POLICY)


def _policy(form: str) -> bytes:
    return policydraw.draw(_chart(), form)


def _digest(shown: Callable[[], Graph | Chart]) -> str:
    return shown().digest


GALLERY: Final = tuple(_pictures())


# Pictures of a run need no layout engine, so they are compared byte by byte.
RUNS: Final[dict[str, Callable[[], str]]] = {
    "run-timeline.svg": lambda: timeline(tell(example())),
    "run-sequence.mmd": lambda: sequence(example()),
}


def write(folder: Path) -> None:
    """Draw every picture into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
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
