"""`callgate check`: find out what a policy can never do, or see the call that shows it can.

Rule 1: exit 0 when all holds, 1 when a property, an example or a test of the policy fails, 2 when
the policy cannot be read or the asking was wrong. Lints alone are 0; with --strict they are 1.
Rule 2: results go to standard output, progress and what is wrong with files to standard error.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from callgate.cli.checking.progress import progress_line
from callgate.policy.decisions import Mode
from callgate.policy.errors import ExtraMissing, Kind
from callgate.policy.rules import Tier
from callgate.testing import MissingExtra

if TYPE_CHECKING:
    import argparse

    from callgate.cli.checking.asked import Asked
    from callgate.testing.results import Result

_HOLDS: Final = 0
_FAILS: Final = 1
_WRONG: Final = 2
_BROKEN: Final = (Kind.FILE, Kind.RULE)


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    tiers = ", ".join(tier.value for tier in Tier)
    modes = ", ".join(mode.value for mode in Mode)
    parser.add_argument(
        "policy",
        nargs="*",
        metavar="POLICY",
        help=f"[TIER=]FILE, rules in TOML; tiers: {tiers} (default: user)",
    )
    parser.epilog = (
        "P is TOOL or TOOL:WORDS, such as write_file or 'shell:git push'. Words match as the "
        "beginning of a command; a trailing * is any further words, or none. Without a property "
        "it is checked that the policy always decides, that a denial is final, and that an "
        "always-answer allows no more than it names."
    )
    for name, meaning in _PROPERTIES.items():
        parser.add_argument(f"--{name}", action="append", default=[], metavar="P", help=meaning)
    parser.add_argument(
        "--no-wider-than",
        action="append",
        default=[],
        metavar="OLD_POLICY",
        help="nothing is allowed that this policy did not allow",
    )
    parser.add_argument("--properties", metavar="FILE", help="[[property]] tables in TOML")
    parser.add_argument(
        "--mode",
        nargs="+",
        action="extend",
        default=[],
        metavar="M",
        help=f"approval modes to try: {modes} (default: what each property is meant for)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the random search")
    parser.add_argument(
        "--examples", type=int, default=1_000, metavar="N", help="random calls to try"
    )
    parser.add_argument("--no-defaults", action="store_true", help="without the built-in rules")
    parser.add_argument("--strict", action="store_true", help="a lint is a failure")
    parser.add_argument("--json", action="store_true", help="one JSON object")


_PROPERTIES: Final = {
    "never-runs": "never allowed without a person's yes, in any sub-command",
    "always-asks": "never allowed, and not denied where somebody can be asked",
    "never-asks": "a plain call is allowed or denied, and nobody is asked",
}


def run(options: argparse.Namespace) -> int:
    """Check one policy."""
    try:
        work = _asked(options)
    except (ValueError, ExtraMissing, MissingExtra) as error:
        print(f"callgate check: {error}", file=sys.stderr)
        return _WRONG
    problems = work.loaded.errors
    for problem in problems:
        print(problem, file=sys.stderr)
    if not work.loaded.parsed or any(each.kind in _BROKEN for each in problems):
        print(
            "callgate check: the policy has errors, so it is not the one that was meant",
            file=sys.stderr,
        )
        return _WRONG
    return _check(work, options)


def _asked(options: argparse.Namespace) -> Asked:
    try:
        from callgate.cli.checking.asked import asked
    except ModuleNotFoundError as error:
        raise MissingExtra.of(error, "callgate check") from error
    return asked(options)


def _check(work: Asked, options: argparse.Namespace) -> int:
    from callgate.cli.checking.report import UNTRUE, as_json, as_text, unknown_tools
    from callgate.testing.lints import lint
    from callgate.testing.search import examine

    results: list[Result] = []
    with progress_line(sys.stderr) as progress:
        for number, aim in enumerate(work.aims, 1):
            progress.begin(number, len(work.aims))
            results += examine(
                work.subject,
                *aim.properties,
                modes=aim.modes,
                seed=options.seed,
                examples=options.examples,
                progress=progress.tried,
            )
        progress.say("lints")
        lints = lint(work.loaded.policy)
    show = as_json if options.json else as_text
    show(sys.stdout, work, results, lints)
    untrue = [each for each in work.loaded.problems if each.kind in UNTRUE]
    warned = [each for each in work.loaded.problems if each.kind not in (*_BROKEN, *UNTRUE)]
    failed = untrue or not all(result.holds for result in results)
    noted = lints or warned or any(unknown_tools(work))
    return _FAILS if failed or (options.strict and noted) else _HOLDS
