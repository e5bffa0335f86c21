"""What each transition of a call causes, and by which rule: the words of the pictures.

Rule 1: the class declares guards and no actions, and an installed package has no specification
beside it. So the column is entered here a second time, by the names of the transitions; a test
compares it with `statemachine_spec/call_machine.csv` cell by cell, in both directions.
Rule 2: an effect with a `?` depends on the call.
"""

from __future__ import annotations

from typing import Final

# transition -> effects, rule
EFFECTS: Final[dict[str, tuple[str, str]]] = {
    "validating.validated answers_validate verdict_failed": ("Moved", "CALL-2"),
    "validating.validated answers_validate verdict_is_stale": (
        "Validate(ask_tool=false)",
        "CALL-3",
    ),
    "validating.validated answers_validate verdict_allows": ("Moved", "CALL-4"),
    "validating.validated answers_validate verdict_asks": ("Moved AskApproval", "CALL-5"),
    "validating.validated answers_validate verdict_denies": ("Moved", "CALL-6"),
    "validating.cancel": ("Moved WithdrawValidation?", "CALL-9"),
    "validating.time_out is_due": ("Moved WithdrawValidation", "TIME-2"),
    "awaiting_approval.reviewed review_counts verdict_allows": (
        "Moved WithdrawApproval",
        "CALL-10",
    ),
    "awaiting_approval.reviewed review_counts verdict_denies": (
        "Moved WithdrawApproval",
        "CALL-10",
    ),
    "awaiting_approval.reviewed review_counts review_keeps_asking": ("", "CALL-10"),
    "awaiting_approval.answered answer_counts declines": ("Moved", "CALL-11"),
    "awaiting_approval.answered answer_counts replaces_the_tool": ("Moved", "CALL-12"),
    "awaiting_approval.answered answer_counts must_be_told": ("TellTool", "CALL-13"),
    "awaiting_approval.answered answer_counts opens_the_editor": ("OpenEditor", "CALL-14"),
    "awaiting_approval.answered answer_counts edits_inline": (
        "RememberAnswer? ReviewWaiting? Rebuild",
        "CALL-15",
    ),
    "awaiting_approval.answered answer_counts": ("Moved RememberAnswer? ReviewWaiting?", "CALL-16"),
    "awaiting_approval.told telling_counts telling_failed": ("Moved", "CALL-13"),
    "awaiting_approval.told telling_counts opens_the_editor": ("OpenEditor", "CALL-14"),
    "awaiting_approval.told telling_counts edits_inline": (
        "RememberAnswer? ReviewWaiting? Rebuild",
        "CALL-15",
    ),
    "awaiting_approval.told telling_counts": ("Moved RememberAnswer? ReviewWaiting?", "CALL-16"),
    "awaiting_approval.editor_closed editor_counts editor_failed": (
        "AskApproval ReviewWaiting?",
        "CALL-17",
    ),
    "awaiting_approval.editor_closed editor_counts": ("Rebuild", "CALL-18"),
    "awaiting_approval.rebuilt rebuild_counts rebuild_failed": ("Moved", "CALL-19"),
    "awaiting_approval.rebuilt rebuild_counts verdict_is_stale": ("Rebuild", "CALL-20"),
    "awaiting_approval.rebuilt rebuild_counts rebuild_denied": ("Moved", "CALL-21"),
    "awaiting_approval.rebuilt rebuild_counts came_from_the_editor": ("AskApproval", "CALL-22"),
    "awaiting_approval.rebuilt rebuild_counts was_edited_inline": ("Moved", "CALL-23"),
    "awaiting_approval.cancel": ("Moved WithdrawApproval", "CALL-9"),
    "awaiting_approval.time_out is_asking is_due": ("Moved WithdrawApproval", "TIME-3"),
    "scheduled.start may_start": ("Moved Execute", "CALL-24"),
    "scheduled.cancel": ("Moved", "CALL-9"),
    "executing.progressed is_current_attempt": ("OutputShown?", "CALL-25"),
    "executing.finished is_current_end is_cancelling": ("Moved", "CALL-26"),
    "executing.finished is_current_end is_timing_out": ("Moved", "TIME-5"),
    "executing.finished is_current_end succeeded": ("Moved", "CALL-27"),
    "executing.finished is_current_end may_retry": ("Moved", "CALL-28"),
    "executing.finished is_current_end": ("Moved", "CALL-29"),
    "executing.lost is_current_loss is_cancelling": ("Moved", "CALL-26"),
    "executing.lost is_current_loss is_timing_out": ("Moved", "TIME-5"),
    "executing.lost is_current_loss loss_reruns": ("Moved", "CALL-30"),
    "executing.lost is_current_loss loss_asks": ("Moved AskApproval", "CALL-30"),
    "executing.lost is_current_loss": ("Moved", "CALL-30"),
    "executing.cancel !is_cancelling": ("StopExecution?", "CALL-31"),
    "executing.time_out is_due is_cancelling": ("Moved", "TIME-6"),
    "executing.time_out is_due is_timing_out": ("Moved", "TIME-6"),
    "executing.time_out is_due": ("StopExecution", "TIME-5"),
}

# The path of a call that is asked about, answered with a yes, and returns; and the shorter one of
# a call that nobody need be asked about.
HAPPY: Final = (
    "validating.validated answers_validate verdict_allows",
    "validating.validated answers_validate verdict_asks",
    "awaiting_approval.answered answer_counts",
    "scheduled.start may_start",
    "executing.finished is_current_end succeeded",
)
