"""The names of tools: which mean the same, which of their arguments are paths, who is known.

Rule 1: an alias is replaced once, on the way in; everything behind it knows one name.
Rule 2: an allow never takes a server's tool for a tool of the host, nor one server's for another's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callgate.policy.patterns import is_glob, name_glob

if TYPE_CHECKING:
    from callgate.policy.decisions import ToolCall

SHELL: Final = "shell"
ALIASES: Final = {
    "run_shell_command": SHELL,
    "ShellTool": SHELL,
    "edit_file": "replace",
}
READS: Final = ("read_file", "list_directory")
WRITES: Final = ("write_file", "replace")
KNOWN: Final = (SHELL, *READS, *WRITES)
PATH_ARGUMENTS: Final = ("file_path", "dir_path")
MCP: Final = "mcp_"


def canonical(name: str) -> str:
    """The name behind an alias.

    >>> canonical("ShellTool"), canonical("grep")
    ('shell', 'grep')
    """
    return ALIASES.get(name, name)


def server_of(call: ToolCall) -> str | None:
    """The server of a call: as it says, or as its name says (to the first underscore)."""
    if call.server is not None or not call.name.startswith(MCP):
        return call.server
    server, found, tool = call.name.removeprefix(MCP).partition("_")
    return server if found and server and tool else None


def full_name(call: ToolCall) -> str:
    """The name that no other server's tool can have.

    >>> from callgate.policy.decisions import ToolCall
    >>> full_name(ToolCall("read_file", server="files")), full_name(ToolCall("ShellTool"))
    ('mcp_files_read_file', 'shell')
    """
    if call.server is None:
        return canonical(call.name)
    prefix = f"{MCP}{call.server}_"
    return call.name if call.name.startswith(prefix) else prefix + call.name


def short_name(call: ToolCall) -> str:
    """The name that its server gives it."""
    server = server_of(call)
    name = call.name if server is None else call.name.removeprefix(f"{MCP}{server}_")
    return canonical(name)


def own_names(call: ToolCall) -> tuple[str, ...]:
    """The names that mean no other tool: its full one, and what it is also called."""
    name = full_name(call)
    return (name, *(alias for alias, tool in ALIASES.items() if tool == name))


def names(call: ToolCall) -> tuple[str, ...]:
    """Every name that a rule could mean this call by."""
    short = short_name(call)
    others = (alias for alias, tool in ALIASES.items() if tool == short)
    return tuple(dict.fromkeys((*own_names(call), short, *others, call.name)))


def allow_names(wanted: str, call: ToolCall, *, server_named: bool) -> bool:
    """Does the name in an allow rule certainly mean this call?"""
    if wanted == "*":
        return True
    server = server_of(call)
    if server is None or server_named:
        meant = names(call) if server_named else own_names(call)
        return any(_is(wanted, name) for name in meant)
    if wanted == "mcp_*":
        return True
    if wanted.startswith(MCP) and wanted.endswith("_*") and not is_glob(wanted[:-2]):
        return wanted == f"{MCP}{server}_*"
    return wanted.startswith(f"{MCP}{server}_") and _is(wanted, full_name(call))


def touch_names(wanted: str, call: ToolCall) -> bool:
    """Could the name in a deny or ask rule mean this call?"""
    return any(_is(wanted, name) for name in names(call))


def _is(wanted: str, name: str) -> bool:
    if wanted == "*":
        return True
    return name_glob(wanted).maybe(name) if is_glob(wanted) else wanted == name
