"""What `write_file` and `edit_file` have in common: a change that is shown before it is made.

Rule 1: what was shown is what is written: if the file changed after a person said yes, nothing is
written, and the model is told to look again.
Rule 2: without a person in between, the change is made to the file as it is right then.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, Protocol

from callgate.tools.arguments import Arguments
from callgate.tools.builtin.diffs import unified
from callgate.tools.builtin.files import TextFile
from callgate.tools.builtin.workspace import failed, told, words_of
from callgate.tools.protocols import InvalidArguments, Kind, Question, ToolResult
from callgate.tools.schemas import schema_of
from callgate.tools.signature import signature_of
from callgate.tools.threads import in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from callgate.kernel.frozenjson import Json, JsonObject
    from callgate.kernel.values import Outcome
    from callgate.tools.builtin.workspace import Workspace
    from callgate.tools.protocols import Cancellation, Output

_REMEMBERED_MAX: Final = 256
_TOLD_MAX: Final = 4_000
"""A longer difference is not told to the model: it knows what it asked for."""
_CHANGED: Final = (
    "{path} changed after it was shown: nothing was written. Read it again and repeat the change."
)


class Proposal(Protocol):
    """How a tool makes a new text of an old one; it raises `InvalidArguments` if it cannot."""

    def __call__(self, before: TextFile, values: Mapping[str, Any], /) -> str:
        """The new text."""
        ...


class ChangingTool:
    """A tool that changes one file, and lets a person edit the change."""

    kind = Kind.EDIT
    can_update_output = False
    is_output_markdown = False
    parallel = False

    def __init__(
        self, name: str, workspace: Workspace, parameters: Callable[..., None], proposal: Proposal
    ) -> None:
        self.name = self.display_name = name
        self.workspace, self.proposal = workspace, proposal
        signature = signature_of(parameters)
        self.description = signature.description
        self.schema: Mapping[str, Any] = schema_of(parameters, signature)
        self._arguments = Arguments(signature)
        self._shown: OrderedDict[JsonObject, str] = OrderedDict()

    def build(self, args: JsonObject) -> Change:
        """Accept these arguments, if the change can be made to the file as it is."""
        values = self._arguments.accept(self.name, args)
        change = Change(self, args, values)
        try:
            change.propose()
        except OSError as error:
            raise InvalidArguments(words_of(error)[0]) from None
        return change

    def file_path(self, args: JsonObject) -> str:
        """The file that would be changed."""
        return str(self.workspace.resolve(str(args["file_path"])))

    def current_content(self, args: JsonObject) -> str:
        """What stands there now."""
        before = self._read(args)
        self.remember(args, before.digest)
        return before.text

    def proposed_content(self, args: JsonObject) -> str:
        """What would stand there."""
        return self.proposal(self._read(args), self._arguments.accept(self.name, args))

    def remember(self, args: JsonObject, digest: str) -> None:
        """Which file a person was shown with these arguments."""
        self._shown[args] = digest
        self._shown.move_to_end(args)
        while len(self._shown) > _REMEMBERED_MAX:
            self._shown.popitem(last=False)

    def shown_digest(self, args: JsonObject) -> str:
        """Of the file that was shown; of the file as it is, if none was."""
        found = self._shown.get(args)
        return self._read(args).digest if found is None else found

    def _read(self, args: JsonObject) -> TextFile:
        named = str(args["file_path"])
        return TextFile.read(self.workspace.resolve(named), named)


class Change:
    """One change, proposed."""

    def __init__(self, owner: ChangingTool, args: JsonObject, values: dict[str, Any]) -> None:
        self.owner, self.args, self.values = owner, args, values
        self.named: str = values["file_path"]
        self.shown: tuple[Path, str] | None = None
        "Where the path led when it was shown, and the digest of what was there."
        self.agreed = False

    def propose(self) -> tuple[TextFile, str]:
        """The file as it is now, and the text that it would have."""
        before = TextFile.read(self.owner.workspace.resolve(self.named), self.named)
        expected = self.values.get("expected_sha256")
        if expected is not None and expected != before.digest:
            raise InvalidArguments(_CHANGED.format(path=self.named))
        after = self.owner.proposal(before, self.values)
        try:
            after.encode("utf-8")
        except UnicodeEncodeError as error:
            half = f"character {error.start} of the new text of {self.named} is half a character"
            raise InvalidArguments(f"{half}: it cannot be written as UTF-8.") from None
        return before, after

    def describe(self) -> str:
        """One line: the tool and the file."""
        return f"{self.owner.name} {self.named}"

    def should_confirm(self) -> Question:
        """Show the change."""
        before, after = self.propose()
        path = self.owner.workspace.resolve(self.named)
        self.shown = path, before.digest
        self.owner.remember(self.args, before.digest)
        details = {
            "fileName": path.name,
            "filePath": str(path),
            "fileDiff": unified(before.text, after),
            "originalContent": before.text,
            "newContent": after,
            "isNewFile": not before.exists,
        }
        return Question("edit", details, told=self._told)

    async def execute(self, cancel: Cancellation, _output: Output) -> Any:
        """Make the change, in a thread: a disk may be slow."""
        if cancel.is_cancelled:
            return failed(f"{self.describe()} was cancelled before it could start.", "cancelled")
        return await in_thread(lambda: told(self._write), self.owner.name)

    def _told(self, _outcome: Outcome, _edit: Json) -> None:
        """A person has seen it, and said yes to just this."""
        self.agreed = True

    def _write(self) -> ToolResult:
        path = self.owner.workspace.resolve(self.named)
        try:
            before, after = self.propose()
        except InvalidArguments as error:
            return failed(str(error), "edit_not_possible")
        if self.agreed and self.shown != (path, before.digest):
            return failed(_CHANGED.format(path=self.named), "file_changed")
        before.write(path, after)
        diff = unified(before.text, after)
        display = {
            "fileDiff": diff,
            "fileName": path.name,
            "originalContent": before.text,
            "newContent": after,
        }
        return ToolResult(self._said(before, after, diff), display)

    def _said(self, before: TextFile, after: str, diff: str) -> str:
        """For the model: what became of the file, and the difference if it is worth reading."""
        if not before.exists:
            return f"Created {self.named}: {len(after)} characters."
        if not diff:
            return f"{self.named} has this text already."
        return f"Changed {self.named}.\n{diff if len(diff) <= _TOLD_MAX else ''}".rstrip("\n")
