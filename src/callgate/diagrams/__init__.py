"""Pictures of machines, policies and runs, in three stages: extract, a neutral graph, render.

General layout: `extract.py` reads any machine of python-statemachine, `matrix.py` and `batch.py`
say what the declarations of callgate's own do not; `graph.py` is the value between; `wording.py`
chooses the words of a level of detail. `text/` renders what needs nothing; `layout.py` asks
`engine.py` for coordinates, and `svg.py` draws on `canvas.py` in the colours of `themes.py` with
the font of `fonts.py`; `raster.py` makes PNG of it. `policies.py` charts a policy. `gallery.py`,
`inject.py` and `sphinx_ext.py` bring pictures into folders, documents and documentation.

What python-statemachine draws by itself (`f"{Cls:mermaid}"`, `f"{Cls:md}"`) has the states and the
guards. Added here: effects and rules at each transition, levels of detail, the happy path, final
states by shape, themes, SVG and PNG without a system package, and bytes that never change.
`register()` puts callgate's formats into the library's own registry.
"""

from __future__ import annotations


def register() -> None:
    """Let `f"{Cls:callgate-mermaid}"` and its like draw any machine, also with `callgate-svg`.

    >>> register()
    >>> from callgate import ToolCallMachine
    >>> f"{ToolCallMachine:callgate-plantuml}".splitlines()[0]
    '@startuml'
    """
    from statemachine.contrib.diagram import formatter

    from callgate.diagrams.errors import TEXT_FORMATS
    from callgate.diagrams.registry import renderer

    for name in (*TEXT_FORMATS, "svg"):
        formatter.register_format(f"callgate-{name}")(renderer(name))
