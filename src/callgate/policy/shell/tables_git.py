"""Tables: git, by sub-command.

Rule 1: a sub-command that is not here runs a text, writes configuration or is unknown: it asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from callgate.policy.shell.options import Options, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

SHOWN = (
    "oneline graph all decorate? no-decorate stat? shortstat numstat summary name-only "
    "name-status "
    "patch no-patch raw pretty? format= abbrev-commit no-abbrev-commit abbrev? author= "
    "committer= grep= "
    "since= until= after= before= max-count= skip= reverse follow first-parent merges no-merges "
    "date= color? no-color cached staged word-diff? word-diff-regex= color-words? "
    "ignore-all-space "
    "ignore-space-change ignore-blank-lines ignore-space-at-eol unified? diff-filter= "
    "find-renames? "
    "find-copies? no-renames exit-code quiet check minimal patience histogram diff-algorithm= "
    "no-ext-diff no-textconv no-index text full-index relative? topo-order date-order "
    "branches? tags? remotes? no-walk? left-right cherry-pick cherry merge-base boundary "
    "simplify-by-decoration ancestry-path? relative-date parents children "
    "invert-grep all-match regexp-ignore-case extended-regexp fixed-strings perl-regexp "
    "function-context dirstat? compact-summary submodule? no-prefix cc combined-all-paths "
    "merge-base use-mailmap no-mailmap notes? no-notes show-pulls full-history dense sparse "
    "pickaxe-all pickaxe-regex clear-decorations source no-color-moved color-moved?"
)
NOT_SHOWN = "output ext-diff textconv open-files-in-pager ext orderfile skip-to"
LOG = Options(
    "pusabzrRDWmcwitqEFPgh", "nSGLl", SHOWN, harmful=NOT_SHOWN, numeric=True, attached="UBMC"
)
PLAIN = Options("qvnfu", "", "quiet verbose dry-run")


def _list_only(operands: Sequence[tuple[int, str]]) -> Problem | None:
    """The first operand says what is done; only what shows is harmless."""
    shows = ("list", "show", "get-url", "ls", "status", "log", "exists", "view", "")
    wrong = [item for item in operands[:1] if item[1] not in shows]
    return (wrong[0][0], f"{wrong[0][1]!a} is not known to only show") if wrong else None


def _no_remote_program(operands: Sequence[tuple[int, str]]) -> Problem | None:
    """`ext::cmd` as an address starts a program; `-` and `:` spell other transports."""
    wrong = [item for item in operands if "::" in item[1]]
    return (wrong[-1][0], "the address may start a program") if wrong else None


GIT_OPTIONS = Options(
    "P", "", "no-pager no-optional-locks literal-pathspecs glob-pathspecs no-replace-objects"
)
GIT_ALONE = frozenset(
    {"--version", "--help", "-v", "-h", "--html-path", "--man-path", "--info-path"}
)
GIT: dict[str, Options] = {
    "log": LOG,
    "show": LOG,
    "diff": LOG,
    "shortlog": Options("nsecw", "", SHOWN, harmful=NOT_SHOWN),
    "whatchanged": LOG,
    "diff-tree": LOG,
    "diff-index": LOG,
    "diff-files": LOG,
    "rev-list": Options("n", "n", SHOWN + " count objects", harmful=NOT_SHOWN, numeric=True),
    "range-diff": LOG,
    "reflog": Options(
        "p",
        "n",
        SHOWN,
        harmful=NOT_SHOWN,
        numeric=True,
        check=lambda o: next(
            (
                (place, "it deletes")
                for place, text in o[:1]
                if text in ("expire", "delete", "drop")
            ),
            None,
        ),
    ),
    "status": Options(
        "sbuvz",
        "",
        "short branch porcelain? long untracked-files? ignored? verbose "
        "show-stash ahead-behind no-ahead-behind renames no-renames ignore-submodules? column? "
        "find-renames?",
    ),
    "blame": Options(
        "wltsecpfnCM",
        "LS",
        "porcelain line-porcelain date= since= color-lines abbrev? "
        "show-email show-name show-number root incremental ignore-rev= first-parent ",
    ),
    "annotate": Options("wltsec", "L"),
    "branch": Options(
        "avrliq",
        "",
        "all verbose remotes list show-current contains? no-contains? merged? "
        "no-merged? sort= points-at= format= color? no-color column? ignore-case abbrev? "
        "no-abbrev",
        harmful="edit-description",
    ),
    "tag": Options(
        "ln", "", "list contains? merged? no-merged? sort= points-at= format= column? no-color"
    ),
    "remote": Options("v", "", "verbose", check=_list_only),
    "stash": Options(
        "pqum",
        "",
        SHOWN,
        harmful=NOT_SHOWN,
        check=lambda o: next(
            (
                (place, "it changes the stash")
                for place, text in o[:1]
                if text not in ("list", "show", "push", "pop", "apply", "save")
            ),
            None,
        ),
    ),
    "ls-files": Options(
        "cdmoistzukvfr",
        "x",
        "cached deleted modified others ignored stage "
        "exclude-standard exclude= error-unmatch full-name directory abbrev? unmerged killed "
        "no-empty-directory eol deduplicate recurse-submodules format=",
    ),
    "ls-tree": Options(
        "drtlz", "", "name-only name-status long full-name full-tree abbrev? object-only format="
    ),
    "ls-remote": Options(
        "htq",
        "",
        "heads tags refs quiet sort= symref exit-code get-url branches",
        harmful="upload-pack exec",
        check=_no_remote_program,
    ),
    "rev-parse": Options(
        "q",
        "",
        "short? verify quiet abbrev-ref? symbolic symbolic-full-name show-toplevel "
        "show-prefix show-cdup git-dir absolute-git-dir git-common-dir is-inside-work-tree "
        "is-bare-repository is-inside-git-dir all branches? tags? remotes? "
        "show-superproject-working-tree is-shallow-repository git-path= default= not",
    ),
    "describe": Options(
        "",
        "",
        "all tags always long abbrev? match= exclude= exact-match first-parent dirty? "
        "contains candidates= broken?",
    ),
    "grep": Options(
        "niwlLcIvhHEGFPopqzaWr",
        "eABCm",
        "line-number ignore-case word-regexp "
        "name-only files-with-matches files-without-match count invert-match extended-regexp "
        "fixed-strings perl-regexp cached untracked no-index heading break show-function "
        "function-context color? no-color and or not all-match quiet max-depth= text column "
        "only-matching context= after-context= before-context= recurse-submodules threads= "
        "basic-regexp full-name max-count= exclude-standard no-exclude-standard null",
        harmful="open-files-in-pager ext-grep textconv",
        numeric=True,
    ),
    "cat-file": Options(
        "tpse", "", "batch-check? allow-unknown-type", harmful="textconv filters path"
    ),
    "merge-base": Options("a", "", "all octopus is-ancestor independent fork-point"),
    "name-rev": Options("", "", "tags name-only refs= all always"),
    "for-each-ref": Options(
        "",
        "",
        "sort= format= count= points-at= contains? merged? no-merged? color? ignore-case exclude=",
    ),
    "show-ref": Options(
        "shdq", "", "head heads tags branches verify hash? abbrev? quiet dereference exists"
    ),
    "show-branch": Options("ar", "", "all remotes list current more= topo-order"),
    "count-objects": Options("vH", "", "verbose human-readable"),
    "check-ignore": Options("qvzn", "", "quiet verbose no-index non-matching", harmful="stdin"),
    "check-attr": Options("az", "", "all cached"),
    "var": Options(operands=0),
    "version": Options("", "", "build-options"),
    "cherry": Options("v", "", "abbrev?"),
    "fsck": Options("", "", "full strict no-dangling connectivity-only unreachable no-progress"),
    "add": Options(
        "AunvfN",
        "",
        "all update dry-run verbose force intent-to-add no-all "
        "ignore-removal refresh ignore-errors renormalize sparse",
        harmful="edit interactive patch pathspec-from-file chmod",
    ),
    "commit": Options(
        "avqso",
        "m",
        "all message= amend no-edit quiet verbose signoff allow-empty date= "
        "author= fixup= dry-run no-gpg-sign only include no-status porcelain short branch",
        harmful="file template edit gpg-sign trailer reuse-message reedit-message squash "
        "allow-empty-message pathspec-from-file",
    ),
    "push": Options(
        "qvufnd",
        "",
        "quiet verbose set-upstream tags force-with-lease? dry-run porcelain follow-tags "
        "no-verify delete all atomic progress",
        harmful="receive-pack exec repo push-option",
        check=_no_remote_program,
    ),
    "fetch": Options(
        "qvptfn",
        "j",
        "quiet verbose prune tags all depth= dry-run no-tags prune-tags unshallow "
        "multiple jobs= progress force",
        harmful="upload-pack update-refmap",
        check=_no_remote_program,
    ),
    "pull": Options(
        "qvptr",
        "",
        "quiet verbose rebase? no-rebase ff-only ff no-ff prune tags autostash depth= all",
        harmful="upload-pack strategy strategy-option gpg-sign edit",
        check=_no_remote_program,
    ),
    "checkout": Options(
        "bBqfdt", "", "quiet force detach track? ours theirs progress no-track orphan"
    ),
    "switch": Options(
        "cCqfdt",
        "",
        "create force-create quiet detach track? discard-changes guess no-guess orphan",
    ),
    "restore": Options("SWqs", "", "staged worktree source= quiet ours theirs"),
    "reset": Options("qN", "", "hard soft mixed keep merge quiet"),
    "rm": Options("rfnq", "", "cached force dry-run quiet ignore-unmatch", is_named=True),
    "mv": Options("fknv", "", "force dry-run verbose", is_named=True),
    "merge": Options(
        "qvm",
        "",
        "ff no-ff ff-only no-edit squash abort continue no-commit quiet verbose message= stat",
    ),
    "rebase": Options("q", "", "abort skip quiet quit autostash onto= no-autosquash"),
    "cherry-pick": Options("nx", "", "abort skip quit no-commit"),
    "revert": Options("n", "", "no-edit abort skip quit no-commit"),
    "clean": Options("ndfxXq", "e", "dry-run force quiet exclude=", is_named=True),
    "init": Options("qb", "", "quiet initial-branch=", operands=0),
    "worktree": Options("v", "", "porcelain verbose", check=_list_only),
    "submodule": Options(
        "q",
        "",
        "quiet cached recursive",
        check=lambda o: next(
            (
                (place, "it changes or runs")
                for place, text in o[:1]
                if text not in ("status", "summary")
            ),
            None,
        ),
    ),
    "notes": Options("", "", "ref=", check=_list_only),
    "config": Options(
        "lz",
        "",
        "list get get-all get-regexp show-origin show-scope local global system null "
        "name-only type= includes",
        check=lambda o: next(
            (
                (place, "it writes configuration")
                for place, text in o[1:2]
                if o[0][1] not in ("get", "list")
            ),
            None,
        ),
        harmful="file blob edit unset unset-all add replace-all rename-section remove-section",
    ),
    "help": Options("ag", "", "all guides", operands=1),
    "gc": Options("q", "", "auto quiet prune? aggressive"),
    "apply": Options(
        "v",
        "",
        "check stat numstat summary",
        needs="check stat numstat summary",
        asks_operands="it changes files",
    ),
}
