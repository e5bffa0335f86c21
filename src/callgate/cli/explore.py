"""`callgate explore`: see every state that a few calls can reach, and whether any is wrong.

Rule 1: what is left out, and why that is sound, stands in `--help`; what is bounded stands in the
output.
Rule 2: exit 1 if anything is wrong, with the shortest way there, which `--save` keeps as a vector.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from callgate.kernel.plans import PLANS
from callgate.proof.explore import Finding, Report, Scope, explore
from callgate.proof.traces import as_vector
from callgate.proof.writing import write_vector

if TYPE_CHECKING:
    from collections.abc import Callable

ABSTRACTED: Final = """\
what is searched: every interleaving of validations (allow, ask in three kinds, deny, failed),
answers (right, stale, repeated, unknown), tellings, editors, rebuildings, reviews, changes of
policy, results, failures, retries, lost executions, cancellations (a call, a batch, everything)
and time-outs. After each step the invariants of the state and of the step are checked, news that
may arrive must not be refused, and from every state the kernel must be able to become idle by
reports and answers alone.

what counts as one state (statemachine_spec/exploration.md says why that is sound):
  symmetry  calls of one wave without --max-parallel are interchangeable: their places decide
            nothing. With --max-parallel, --full, or a plan of several waves they stay apart.
  time      deadlines count as the time until them, epochs as older than the policy or not.
  output    texts, results, arguments, live output and durations are read by no guard.
  outcomes  which yes a call that may run has, and how a final call ended (kept apart with --full).

what is bounded: one change of policy or "always" begins, two questions, one edit and two attempts a
call; time goes on by 1 ms, waits last 1 or 2 ms (all 1 ms in larger searches); queued batches have
one call. "always" for a server or a tool is the same to the kernel as "always"."""


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = ABSTRACTED
    parser.add_argument("--calls", type=_count(1), required=True, help="calls of the first batch")
    parser.add_argument("--queued", type=_count(0), default=0, help="batches behind it (default 0)")
    parser.add_argument(
        "--plan", choices=sorted(PLANS), default="classic", help="how it is divided"
    )
    parser.add_argument("--max-parallel", type=_count(1), help="tools that may run at once")
    parser.add_argument("--full", action="store_true", help="no symmetry, final states apart")
    parser.add_argument("--processes", type=_count(1), default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--save", type=Path, metavar="FILE", help="keep the first trace as a vector"
    )


def _count(least: int) -> Callable[[str], int]:
    def count(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r}: a whole number from {least} is expected")
        return int(text)

    return count


def run(options: argparse.Namespace) -> int:
    """Search, and say what was found."""
    scope = Scope(
        calls=options.calls,
        queued=options.queued,
        plan=options.plan,
        max_parallel=options.max_parallel,
        full=options.full,
    )
    report = explore(scope, options.processes, _progress if sys.stderr.isatty() else None)
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    print(json.dumps(as_json(report)) if options.json else as_text(report))
    wrong = report.violations + report.dead_ends
    if wrong and options.save is not None:
        options.save.write_text(write_vector(vector_of(wrong[0], scope)), encoding="utf-8")
        print(f"saved {options.save}", file=sys.stderr)
    return 0 if report.is_clean else 1


def _progress(depth: int, states: int, transitions: int) -> None:
    bar = "·" * (depth % 8 + 1)
    sys.stderr.write(
        f"\r\x1b[K\x1b[36m{bar:8}\x1b[0m depth {depth:>2}   "
        f"{states:>9,} states   {transitions:>11,} transitions"
    )
    sys.stderr.flush()


def vector_of(finding: Finding, scope: Scope) -> dict[str, Any]:
    """The way to what is wrong, as a vector."""
    title = f"Explored, {finding.what}: {finding.detail}"
    return as_vector(title, finding.what, scope.config, finding.events)


def as_json(report: Report) -> dict[str, Any]:
    """The report as plain data."""
    scope = report.scope
    return {
        "calls": scope.calls,
        "queued": scope.queued,
        "plan": scope.plan,
        "states": report.states,
        "transitions": report.transitions,
        "seconds": round(report.seconds, 3),
        "violations": [_finding(finding, scope) for finding in report.violations],
        "dead_ends": [_finding(finding, scope) for finding in report.dead_ends],
        "never_taken": list(report.never_taken),
    }


def _finding(finding: Finding, scope: Scope) -> dict[str, Any]:
    trace = vector_of(finding, scope)
    return {"invariant": finding.what, "detail": finding.detail, "trace": trace}


def as_text(report: Report) -> str:
    """The report for people."""
    scope, bounds, config = report.scope, report.scope.bounds, report.scope.config
    lines = [
        f"{scope.calls} calls, {scope.queued} queued batches, plan {scope.plan}, "
        f"max_parallel {scope.max_parallel or 'none'}",
        f"{report.states:,} states   {report.transitions:,} transitions   {report.seconds:.1f} s",
        "",
        _verdict("violations", report.violations),
        _verdict("dead ends", report.dead_ends),
        _verdict("never taken", report.never_taken),
        "",
        f"bounds   {bounds.epochs} change of policy, {bounds.approvals} questions, "
        f"{bounds.revisions - 1} edit and {bounds.attempts} attempts a call; "
        f"waits of 1 to {config.timeout_ms} ms",
        f"merged   {_merged(scope)}",
    ]
    for finding in report.violations + report.dead_ends:
        lines += ["", f"{finding.what}: {finding.detail}", *_steps(finding, scope)]
    if report.violations:
        lines += ["", "The search stopped there: dead ends and transitions were not judged."]
    lines += [f"  never taken: {name}" for name in report.never_taken]
    return "\n".join(lines)


def _verdict(name: str, found: tuple[Any, ...]) -> str:
    return f"  {'✗' if found else '✓'} {name:12} {len(found) or 'none'}"


def _merged(scope: Scope) -> str:
    symmetric = scope.plan == "classic" and scope.max_parallel is None and not scope.full
    return ("calls by symmetry, " if symmetric else "no calls; ") + (
        "texts, outcomes and " + ("durations" if scope.full else "how a final call ended")
    )


def _steps(finding: Finding, scope: Scope) -> list[str]:
    lines = []
    for number, step in enumerate(vector_of(finding, scope)["steps"]):
        ((name, fields),) = step["event"].items()
        shown = ", ".join(f"{key}={json.dumps(value)}" for key, value in fields.items())
        said = [next(iter(effect)) for effect in step.get("effects", [])]
        lines.append(f"  {number:>2}. {name}({shown:.110})")
        lines.append(f"      -> {step.get('error') or ', '.join(said) or 'nothing'}")
    return lines
