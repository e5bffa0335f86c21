"""Orders `OpenEditor` and `Rebuild`: a person's edit becomes the arguments that will run.

Rule 1: what is shown is made of the arguments that will run, and of nothing else.
Rule 2: edited arguments are built and put to the policy again; the tool is not asked again.
"""

from __future__ import annotations

import asyncio
import difflib
import os
from functools import partial
from typing import TYPE_CHECKING, Any, final

from callgate.drivers.failures import GO_ON, failure_of, text_of_error
from callgate.drivers.hooks import HOOK
from callgate.kernel.events import CallRebuilt, EditorClosed
from callgate.kernel.frozenjson import Json, JsonObject, freeze_object
from callgate.kernel.values import Allow, Ask, Confirmation, Deny, Failed, Failure, Rebuilt
from callgate.responses.plain import plain, text_of

if TYPE_CHECKING:
    from callgate.drivers.asking import Asking
    from callgate.drivers.jobs import Job
    from callgate.drivers.shared import Shared
    from callgate.kernel.effects import OpenEditor, Rebuild

INVALID = "invalid_tool_params"


def shown_edit(job: Job, details: JsonObject | None = None) -> JsonObject:
    """An edit as it is shown: the file, both contents, and the difference."""
    modifier, args = job.entry.modifier, job.args
    path = modifier.file_path(args)
    current, proposed = modifier.current_content(args), modifier.proposed_content(args)
    shown = {
        "fileName": os.path.basename(str(path).rstrip("/")),
        "filePath": path,
        "fileDiff": diff(current, proposed),
        "originalContent": current,
        "newContent": proposed,
    }
    return freeze_object(plain({**shown, **(details or {})}))


def diff(current: Any, proposed: Any) -> str:
    """What would change, as a unified diff."""
    before, after = text_of(current).splitlines(), text_of(proposed).splitlines()
    lines = difflib.unified_diff(before, after, "Current", "Proposed", lineterm="")
    return "\n".join(lines) or "--- Current\n+++ Proposed"


@final
class Editing:
    """Opens editors, and builds what comes out of them."""

    def __init__(self, shared: Shared, asking: Asking) -> None:
        self.shared = shared
        self.asking = asking

    def open_editor(self, order: OpenEditor) -> None:
        """Let the person edit what they were shown."""
        job = self.shared.job(order.call)
        then = partial(self._closed, order)
        confirmation = job.confirmation
        if confirmation is not None and confirmation.kind == HOOK:
            then(confirmation.details["args"], None)
            return
        task = self.shared.call(then, self._edit, job)
        if task is not None:
            job.asking = task
            self.shared.asked[job.serial] = job

    def _edit(self, job: Job) -> Any:
        editor, shown = self.shared.choices.editor, job.confirmation
        if editor is None or shown is None:
            raise LookupError("the person has no editor")
        modifier, args, details = job.entry.modifier, job.args, shown.details
        current, proposed = details.get("originalContent"), details.get("newContent")
        return editor.edit(
            path=modifier.file_path(args),
            current=current if isinstance(current, str) else modifier.current_content(args),
            proposed=proposed if isinstance(proposed, str) else modifier.proposed_content(args),
        )

    def _closed(self, order: OpenEditor, content: Any, error: BaseException | None) -> None:
        if error is not None:
            self.shared.observers.report("editor", error)
        kernel = self.shared.kernel
        kernel.put(
            EditorClosed(
                call=order.call,
                approval_id=order.approval_id,
                content=plain(content) if error is None else None,
                failed=error is not None,
                at_ms=kernel.now_ms(),
            )
        )

    def rebuild(self, order: Rebuild) -> None:
        """Build the edited arguments, and put them to the policy."""
        job = self.shared.job(order.call)
        shown = job.confirmation
        if shown is not None and shown.kind == HOOK:
            job.asking = self.shared.spawn(self._rebuild_by_hook(job, order))
        else:
            self._report(order, self._built(job, order.edit, shown))

    def _report(self, order: Rebuild, built: Rebuilt | Deny | Failed) -> None:
        kernel = self.shared.kernel
        kernel.put(
            CallRebuilt(
                call=order.call,
                revision=order.revision,
                epoch=order.epoch,
                built=built,
                at_ms=kernel.now_ms(),
            )
        )

    def _built(self, job: Job, edit: Json, shown: Confirmation | None) -> Rebuilt | Deny | Failed:
        try:
            args = freeze_object(plain(dict(job.entry.modifier.updated_args(job.args, edit))))
            job.invocation = job.entry.build(job.request.call_id, args)
            job.args = args
            confirmation = self._shown_again(job, shown)
        except GO_ON:
            raise
        except BaseException as error:
            return Failed(failure_of(error, INVALID))
        verdict = self.asking.judge(job, confirmation)
        return verdict if isinstance(verdict, (Deny, Failed)) else Rebuilt(args, confirmation)

    @staticmethod
    def _shown_again(job: Job, shown: Confirmation | None) -> Confirmation:
        """The same question about the new arguments."""
        if shown is None:
            raise LookupError("nothing was shown that could have been edited")
        details = freeze_object({**shown.details, **shown_edit(job)})
        return Confirmation(shown.kind, details, shown.modifiable, shown.has_editor, shown.tells)

    async def _rebuild_by_hook(self, job: Job, order: Rebuild) -> None:
        """A hook's arguments: here the tool *is* asked, for the first time."""
        try:
            changed = freeze_object(order.edit)
            job.invocation = job.entry.build(job.request.call_id, changed)
            job.args = changed
            question = job.invocation.should_confirm()
            if hasattr(question, "__await__"):
                question = await question
        except (*GO_ON, asyncio.CancelledError):
            raise
        except BaseException as error:
            text = f"Tool parameter modification by hook failed validation: {text_of_error(error)}"
            self._report(order, Failed(Failure(INVALID, text)))
            return
        verdict = self.asking.verdict(job, question)
        if isinstance(verdict, Allow):
            self._report(order, Rebuilt(changed, Confirmation(HOOK)))
        elif isinstance(verdict, Ask):
            self._report(order, Rebuilt(changed, verdict.confirmation))
        else:
            self._report(order, verdict)
