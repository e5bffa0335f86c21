"""The tools of a run, by name, and what to say when a model asks for one that is not there.

Rule 1: what is optional about a tool is read once, here, and never on the path of a call.
Rule 2: names are exact; a near one is suggested to the model, never taken in its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from callgate.kernel.frozenjson import EMPTY, JsonObject, freeze_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from callgate.tools.protocols import Invocation, ModifiableTool, Tool

SUGGESTIONS_MAX: Final = 3
_MODIFYING: Final = ("file_path", "current_content", "proposed_content", "updated_args")
_SHELLS: Final = ("run_shell_command", "shell")


@final
class Entry:
    """A tool, and what it says of itself, read once."""

    __slots__ = (
        "annotations",
        "build_for",
        "can_update_output",
        "display_name",
        "modifiable",
        "name",
        "parallel",
        "server",
        "takes_cancellation",
        "timeout_ms",
        "tool",
        "truncates",
        "wants_key",
    )

    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self.name = tool.name
        self.build_for: Callable[[str, JsonObject], Invocation] | None
        self.build_for = getattr(tool, "build_for", None)
        self.display_name: str = getattr(tool, "display_name", tool.name)
        self.can_update_output = bool(getattr(tool, "can_update_output", False))
        # what isinstance(tool, ModifiableTool) asks, a hundred times faster
        self.modifiable = all(callable(getattr(tool, name, None)) for name in _MODIFYING)
        self.parallel = bool(getattr(tool, "parallel", True))
        self.timeout_ms: int | None = getattr(tool, "timeout_ms", None)
        self.server: str | None = getattr(tool, "server", None)
        self.takes_cancellation = bool(getattr(tool, "takes_cancellation", True))
        self.truncates = bool(getattr(tool, "truncates", tool.name in _SHELLS))
        self.wants_key = bool(getattr(tool, "wants_key", False))
        self.annotations = _annotations(tool)

    def build(self, call_id: str, args: JsonObject) -> Invocation:
        """An invocation of the tool; a tool that wants to is told for which call."""
        if self.build_for is None:
            return self.tool.build(args)
        return self.build_for(call_id, args)

    @property
    def modifier(self) -> ModifiableTool | None:
        """The tool as one whose content can be edited; none: it is not."""
        tool: Any = self.tool
        return tool if self.modifiable else None


def _annotations(tool: Tool) -> JsonObject:
    given = getattr(tool, "annotations", None)
    return freeze_object(dict(given)) if given else EMPTY


@final
class Registry:
    """Tools by name, in the order in which they were registered.

    >>> print(Registry().unknown("reed"))
    Tool "reed" not found in registry. Tools must use the exact names that are registered.
    """

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._entries: dict[str, Entry] = {}
        for tool in tools:
            self.add(tool)

    def add(self, tool: Tool) -> None:
        """Register a tool; each name once."""
        name = getattr(tool, "name", None)
        if not isinstance(name, str) or not callable(getattr(tool, "build", None)):
            raise TypeError(
                f"{type(tool).__name__} is no tool: a name and build(args) were expected"
                " (make one of a function with @tool)"
            )
        if name in self._entries:
            raise ValueError(f"a tool named {name!r} is registered already; each name only once")
        self._entries[name] = Entry(tool)

    def get(self, name: str) -> Entry | None:
        """Find a tool by its exact name."""
        return self._entries.get(name)

    def unknown(self, name: str) -> str:
        """What a model is told that asked for a tool which is not there."""
        return (
            f'Tool "{name}" not found in registry. '
            f"Tools must use the exact names that are registered.{suggestion(name, self.names)}"
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order of registration."""
        return tuple(self._entries)

    def __iter__(self) -> Iterator[Tool]:
        return (entry.tool for entry in self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)


def registry_of(tools: Registry | Iterable[Tool]) -> Registry:
    """A registry stays what it is; tools become one."""
    return tools if isinstance(tools, Registry) else Registry(tools)


def suggestion(name: str, names: Sequence[str]) -> str:
    """The nearest names, as a question; nothing where there are no names.

    >>> suggestion("reed", ["write", "read", "shell", "edit"])
    ' Did you mean one of: "read", "write", "shell"?'
    """
    nearest = sorted(names, key=lambda known: distance(name, known))[:SUGGESTIONS_MAX]
    if not nearest:
        return ""
    quoted = ", ".join(f'"{known}"' for known in nearest)
    return f" Did you mean {quoted}?" if len(nearest) == 1 else f" Did you mean one of: {quoted}?"


def distance(one: str, other: str) -> int:
    """Levenshtein's: how many characters must be added, dropped or replaced.

    >>> distance("kitten", "sitting")
    3
    """
    # Ten lines of our own: this text belongs to the core, and the core takes no fourth library.
    above = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        here = [row]
        for column, known in enumerate(other, 1):
            kept = above[column - 1] + (letter != known)
            here.append(min(kept, above[column] + 1, here[-1] + 1))
        above = here
    return above[-1]
