"""The way in: a text becomes the commands that bash would start, or a reason why nobody can tell.

Rule 1: pure and total: any object is answered, nothing raises, every limit is a reason.
Rule 2: two parsers must see the same commands.
Rule 3: what is not understood still names the commands that seem to be there, so that a deny holds.
"""

from __future__ import annotations

from attrs import evolve

from callgate.policy.shell.assignments import is_harmless_export
from callgate.policy.shell.codetext import Code, code_of
from callgate.policy.shell.commands import (
    Command,
    Layer,
    NotUnderstood,
    Redirection,
    Understanding,
    Word,
)
from callgate.policy.shell.reader import DEPTH_MAX, Reader
from callgate.policy.shell.recognising import recognised_in
from callgate.policy.shell.redirecting import Assignments, Findings
from callgate.policy.shell.scanner import refuse_odd_characters
from callgate.policy.shell.searches import searched_commands
from callgate.policy.shell.tree import check_tree
from callgate.policy.shell.wrappers import layers_of

TEXT_MAX = 65_536
"Characters of one command line."
COMMANDS_MAX = 512
"Commands of one command line."
WORDS_MAX = 4_096
"Words of one command."
LAYERS_MAX = 8
"Texts that run texts: `bash -c 'bash -c ...'`."
FOLDER_CHANGES = frozenset({"cd", "pushd", "popd"})


def understand(text: object) -> Understanding:
    """What this command line would start; never raises.

    >>> [command.words for command in understand("ls -l | wc -l").commands]
    [('ls', '-l'), ('wc', '-l')]
    >>> understand("eval $x").not_understood
    "the code that 'eval' runs is not a literal text"
    """
    if not isinstance(text, str):
        return Understanding(not_understood=f"a command is a string, not {type(text).__name__}")
    if len(text) > TEXT_MAX:
        return _refused(text, f"a command of more than {TEXT_MAX} characters", ())
    interpreter = _Interpreter()
    try:
        interpreter.read(text, depth=0)
    except NotUnderstood as error:
        return _refused(text, str(error), tuple(interpreter.commands))
    except RecursionError:
        return _refused(text, "commands are nested too deep", ())
    commands = tuple(interpreter.commands)
    if not commands and not interpreter.redirections and not text.strip():
        return Understanding(not_understood="there is no command")
    if _changes_folder(commands):
        commands = tuple(map(_without_relative_program, commands))
    return Understanding(commands, _placed(commands, interpreter.redirections))


def _refused(text: str, reason: str, seen: tuple[Command, ...]) -> Understanding:
    found, is_cut = recognised_in(text[:TEXT_MAX])
    recognised = tuple(dict.fromkeys((*seen, *found)))
    return Understanding(
        not_understood=reason, recognised=recognised, is_cut=is_cut or len(text) > TEXT_MAX
    )


def _changes_folder(commands: tuple[Command, ...]) -> bool:
    """May a relative path mean another file than at the start?"""
    first = {word for c in commands for layer in c.layers for word in layer.words[:1]}
    return bool(first & FOLDER_CHANGES) or any(c.name is None and c.words for c in commands)


def _without_relative_program(command: Command) -> Command:
    """After a change of folder `./run` is another program."""
    name = command.name or ""
    if "/" not in name or name.startswith("/"):
        return command
    return evolve(
        command, obstacle=command.obstacle or "a relative program after a change of folder"
    )


def _placed(commands: tuple[Command, ...], found: list[Redirection]) -> tuple[Redirection, ...]:
    """The redirections; after a change of folder nobody knows where a relative one points."""
    if not _changes_folder(commands):
        return tuple(found)
    return tuple(
        evolve(one, target=None) if one.target and not one.target.startswith("/") else one
        for one in found
    )


class _Interpreter:
    """Collects the commands of a text, and of the texts that its commands run."""

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.redirections: list[Redirection] = []
        self.outer: tuple[Layer, ...] = ()
        self.wrappers: tuple[str, ...] = ()
        self.obstacle = ""
        self.closed = ""

    def read(self, text: str, depth: int) -> None:
        """Read a text with both parsers."""
        if len(self.wrappers) > LAYERS_MAX or depth > DEPTH_MAX:
            raise NotUnderstood("texts that run texts are nested too deep")
        refuse_odd_characters(text)
        findings = Findings(self.command)
        Reader(text, findings, depth).read()
        check_tree(text, findings.starts)
        self.redirections.extend(findings.redirections)

    def command(
        self, text: str, words: tuple[Word, ...], assigned: Assignments, depth: int
    ) -> None:
        """One simple command: its wrappers, its assignments, and the code that it runs."""
        if len(self.commands) >= COMMANDS_MAX:
            raise NotUnderstood(f"more than {COMMANDS_MAX} commands")
        if len(words) > WORDS_MAX:
            raise NotUnderstood(f"a command of more than {WORDS_MAX} words")
        obstacle = self.obstacle or _obstacle(words, assigned)
        names = tuple(name for name, _ in assigned)
        command = Command(text, words, names, self.wrappers, depth, self.outer, obstacle)
        if not words:
            self.commands.append(command)
            return
        layers, wrappers = layers_of(words)
        layers = tuple(evolve(layer, closed=layer.closed or self.closed) for layer in layers)
        inner = layers[-1].words
        command = evolve(
            command,
            words=inner,
            wrappers=(*self.wrappers, *wrappers),
            layers=(*self.outer, *layers),
        )
        code = code_of(inner) or (code_of(layers[-2].words) if len(layers) > 1 else None)
        if code is not None and code.text.strip():
            self.run(code, command)
            return
        self.commands.append(command)
        for searched in searched_commands(inner):
            self.nested(command, searched, depth + 1)

    def nested(self, command: Command, words: tuple[Word, ...], depth: int) -> None:
        """A command that another command starts, such as `find -exec`."""
        if depth > DEPTH_MAX:
            raise NotUnderstood(f"commands are nested deeper than {DEPTH_MAX}")
        self.command(command.text, words, (), depth)

    def run(self, code: Code, command: Command) -> None:
        """The commands of a text that this command runs stand in its place."""
        if not code.is_bash and "$'" in code.text:
            raise NotUnderstood("sh reads $'...' otherwise than bash")
        before = (self.outer, self.wrappers, self.obstacle, self.closed)
        self.outer = tuple(
            evolve(layer, reach=len(layer.words), whole=True) for layer in command.layers
        )
        self.wrappers = (*command.wrappers, str(command.name))
        self.obstacle = command.obstacle
        shuts = "" if code.is_open else f"'{command.name}' changes how its command runs"
        self.closed = command.layers[-1].closed or shuts
        count = len(self.commands)
        self.read(code.text, command.depth + 1)
        self.outer, self.wrappers, self.obstacle, self.closed = before
        if len(self.commands) == count:
            self.commands.append(command)


def _obstacle(words: tuple[Word, ...], assigned: Assignments) -> str:
    """Why an assignment before a command forbids to allow it by its words."""
    for name, value in assigned:
        splits = name == "IFS" and words[:1] == ("read",) and isinstance(value, str)
        if not (splits or (words and is_harmless_export(name, value))):
            return f"{name}= may change what a command does"
    return ""
