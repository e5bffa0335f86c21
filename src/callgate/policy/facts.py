"""What a decision reads of one call: each thing found out once, and only if a rule asks for it.

Rule 1: paths are resolved here and nowhere else in a decision, by `paths`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, final

from callgate.policy.arguments import compact
from callgate.policy.decisions import Mode
from callgate.policy.names import PATH_ARGUMENTS, SHELL, server_of, short_name
from callgate.policy.paths import Place, place, root_of
from callgate.policy.shell import Redirection, Understanding, understand

if TYPE_CHECKING:
    from callgate.policy.decisions import Context, ToolCall


@final
class Facts:
    """One call in one context."""

    def __init__(self, call: ToolCall, context: Context) -> None:
        self.call, self.context = call, context
        self.is_free = context.mode is Mode.YOLO
        "Does the mode allow everything?"

    @cached_property
    def server(self) -> str | None:
        """The server that brings the tool."""
        return server_of(self.call)

    @cached_property
    def root(self) -> str:
        """The workspace, links resolved."""
        return root_of(self.context.workspace)

    @cached_property
    def is_shell(self) -> bool:
        """Is it a command line? A server's tool of that name counts if it is given a text."""
        if short_name(self.call) != SHELL:
            return False
        return self.call.server is None or isinstance(self.call.args.get("command"), str)

    @cached_property
    def command(self) -> str | None:
        """The command line, if it is a text."""
        text = self.call.args.get("command")
        return text if isinstance(text, str) else None

    @cached_property
    def arguments(self) -> str:
        """The arguments as compact JSON."""
        return compact(self.call.args)

    @cached_property
    def understanding(self) -> Understanding:
        """What is understood of the command line."""
        return understand(self.command)

    @cached_property
    def argument_places(self) -> tuple[Place, ...]:
        """Where the path arguments end."""
        args, root = self.call.args, self.context.workspace
        return tuple(place(args[key], root) for key in PATH_ARGUMENTS if key in args)

    @cached_property
    def redirections(self) -> tuple[tuple[Redirection, Place | None], ...]:
        """The redirections that need a permission, each with where its file is."""
        if not self.is_shell:
            return ()
        risky = [each for each in self.understanding.redirections if not each.is_harmless]
        return tuple((each, self._target(each)) for each in risky)

    def _target(self, redirection: Redirection) -> Place | None:
        if not redirection.is_file:
            return None
        start = ""
        if "dir_path" in self.call.args:
            folder = place(self.call.args["dir_path"], self.context.workspace)
            if not folder.end:
                return place(None, self.context.workspace)
            start = folder.end
        return place(redirection.target, self.context.workspace, start)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Where every path of the call ends: arguments and targets of redirections."""
        targets = tuple(each for _, each in self.redirections if each is not None)
        return self.argument_places + targets

    @cached_property
    def astray(self) -> str:
        """Why a path argument is not inside, if one is not."""
        return next((each.why for each in self.argument_places if not each.is_inside), "")
