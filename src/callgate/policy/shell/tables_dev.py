"""Tables: tools of developers, by sub-command, and interpreters.

Rule 1: the project's own scripts (`npm test`, `make build`) are what an allow of them means;
        options that name another program, another configuration or an output ask.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from callgate.policy.shell.codetext import SHELLS
from callgate.policy.shell.commands import names
from callgate.policy.shell.options import Options, Problem
from callgate.policy.shell.tables_containers import DOCKER_TABLE, KUBECTL_TABLE

if TYPE_CHECKING:
    from collections.abc import Sequence

NPM = (
    "silent quiet json long depth= workspace= recursive filter= all prod production omit= "
    "include= workspaces "
    "if-present loglevel= color? no-color version help"
)
NPM_TABLE = {
    "test": Options("sr", "w", NPM),
    "t": Options("sr", "w", NPM),
    "run": Options("sr", "w", NPM),
    "run-script": Options("sr", "w", NPM),
    "start": Options("s", "", NPM),
    "stop": Options("s", "", NPM),
    "ls": Options("agl", "", NPM),
    "list": Options("agl", "", NPM),
    "view": Options("", "", NPM),
    "info": Options("", "", NPM),
    "show": Options("", "", NPM),
    "outdated": Options("g", "", NPM),
    "audit": Options(
        "",
        "",
        "json audit-level= omit= production",
        operands=0,
        asks_operands="it may change files",
    ),
    "ping": Options(),
    "whoami": Options(),
    "root": Options("g"),
    "prefix": Options("g"),
    "bin": Options("g"),
    "search": Options("", "", NPM),
    "docs": Options(operands=0),
    "help": Options(operands=1),
    "why": Options("", "", NPM),
    "explain": Options("", "", NPM),
    "fund": Options("", "", NPM),
    "version": Options("", "", "json", operands=0),
    "ci": Options("", "", NPM, operands=0),
    "install": Options("", "", NPM, operands=0, asks_operands="it runs what it fetches"),
    "i": Options("", "", NPM, operands=0, asks_operands="it runs what it fetches"),
}
GO = (
    "v x n race short count= run= timeout= cover covermode= json tags= mod= p= failfast "
    "bench= benchmem parallel= m u versions f= e deps test a trimpath"
)
GO_WORDS = " ".join(f"-{word}" for word in GO.split())
GO_TABLE = {
    "version": Options("m"),
    "env": Options("", words="-json -changed"),
    "list": Options(words=GO_WORDS),
    "vet": Options(words="-v -n -x -json -tags= -c="),
    "test": Options(words=GO_WORDS),
    "build": Options(words="-v -x -n -race -tags= -mod= -p= -trimpath -a"),
    "doc": Options(words="-all -short -src -u -c -cmd"),
    "help": Options(),
    "fmt": Options(words="-n -x"),
    "mod": Options(
        check=lambda o: next(
            (
                (p, "it changes the module")
                for p, t in o[:1]
                if t not in ("graph", "verify", "why", "tidy", "download")
            ),
            None,
        )
    ),
}
CARGO = (
    "release verbose quiet all all-targets all-features no-default-features features= lib "
    "bins tests "
    "examples benches workspace package= exclude= bin= test= example= jobs= frozen locked "
    "offline color= "
    "message-format= no-run no-fail-fast profile= keep-going doc no-deps depth= edges= "
    "invert= prefix= "
    "duplicates format-version= check version help list"
)
CARGO_TABLE = {
    name: Options(
        "vqri", "pjFe", CARGO, harmful="config target-dir manifest-path out-dir artifact-dir target"
    )
    for name in (
        "build",
        "b",
        "check",
        "c",
        "test",
        "t",
        "bench",
        "clippy",
        "doc",
        "tree",
        "metadata",
        "fmt",
        "search",
        "version",
        "pkgid",
        "verify-project",
        "locate-project",
        "info",
        "help",
    )
}
PIP = (
    "verbose quiet outdated format= user local not-required files version help no-color "
    "disable-pip-version-check"
)
PIP_TABLE = {
    name: Options("vqfol", "", PIP, harmful="path python index-url log proxy")
    for name in ("list", "show", "freeze", "check", "help", "debug", "index")
}
MVN_TABLE = dict.fromkeys(
    ("test", "compile", "test-compile", "verify", "package"), Options("qBoeU", "", "quiet offline")
)
GH_SHOWS = names("list view status diff checks")


def _gh(operands: Sequence[tuple[int, str]]) -> Problem | None:
    """`gh pr list` shows; `gh api` and `gh alias` do anything."""
    wrong = [item for item in operands[1:2] if item[1] not in GH_SHOWS]
    return (wrong[0][0], f"{wrong[0][1]!a} is not known to only show") if wrong else None


GH = Options(
    "LsRaABHljqct",
    "",
    "limit= state= repo= author= assignee= label= json= jq= search= comments log log-failed "
    "name-only patch branch= workflow= user= exit-status head= base= version help",
    harmful="web template",
    check=_gh,
)
SUBCOMMANDS: dict[str, dict[str, Options]] = {
    "npm": NPM_TABLE,
    "pnpm": NPM_TABLE,
    "yarn": {k: v for k, v in NPM_TABLE.items() if k != "bin"},
    "go": GO_TABLE,
    "cargo": CARGO_TABLE,
    "pip": PIP_TABLE,
    "pip3": PIP_TABLE,
    "docker": DOCKER_TABLE,
    "podman": DOCKER_TABLE,
    "kubectl": KUBECTL_TABLE,
    "bun": {},
    "deno": {},
    "uv": {},
    "poetry": {},
    "conda": {},
    "bundle": {},
    "gem": {},
    "composer": {},
    "mvn": MVN_TABLE,
    "rake": {},
    "dotnet": {},
    "svn": {},
    "hg": {},
    "terraform": {},
    "ansible": {},
    "vagrant": {},
    "rustup": {},
    "corepack": {},
    "nvm": {},
    "helm": {},
    "aws": {},
    "gcloud": {},
    "az": {},
    "flatpak": {},
}
ALONE = frozenset({"--version", "-v", "-V", "--help", "-h"})


VERBOSITY = re.compile(r"(V|VERBOSE|DEBUG)=[0-9]")


def _targets(operands: Sequence[tuple[int, str]]) -> Problem | None:
    """A target is a name; `SHELL=...` is a program."""
    wrong = [i for i in operands if re.search("[=$]", i[1]) and not VERBOSITY.fullmatch(i[1])]
    return (wrong[-1][0], f"{wrong[-1][1]!a} sets what is run") if wrong else None


MAKE = Options(
    "knsBiwqRrtS",
    "",
    "dry-run just-print keep-going silent quiet always-make version help jobs? "
    "question no-print-directory no-builtin-rules print-data-base trace output-sync?",
    harmful="file makefile eval directory include-dir old-file",
    check=_targets,
    attached="jlO",
)


def _project(_name: str, value: str) -> str:
    """A configuration by its usual name: another may say where to write."""
    usual = re.fullmatch(r"\.|(?:[\w./-]*/)?tsconfig[\w.-]*\.json", value)
    return "" if usual else f"the configuration {value!a}"


def _pytest_value(name: str, value: str) -> str:
    """`-p` and the category of `-W` import a module; a report may be a file."""
    shapes = {"p": r"no:\w+", "W": "error|ignore|default|always|once", "cov-report": r"term(-\w+)?"}
    return "" if re.fullmatch(shapes.get(name, ".*"), value, re.DOTALL) else f"the value {value!a}"


DEV_TABLE: dict[str, Options] = {
    "gh": GH,
    "make": MAKE,
    "gmake": MAKE,
    "ninja": Options("nvkd", "j"),
    "cmake": Options("", "", "version help target= config= parallel? verbose", attached="j"),
    "meson": Options("", "", "version help"),
    "gcc": Options("v", "", "version help", operands=0),
    "cc": Options("v", "", "version", operands=0),
    "g++": Options("v", "", "version", operands=0),
    "clang": Options("v", "", "version", operands=0),
    "clang++": Options("v", "", "version", operands=0),
    "ld": Options("v", "", "version", operands=0),
    "javac": Options("", "", "version", operands=0, words="-version"),
    "rustc": Options("vV", "", "version", operands=0),
    "java": Options("", "", "version", operands=0, words="-version"),
    "tsc": Options("v", "p", "noEmit project= version pretty? strict", values=_project),
    "mypy": Options(
        "V",
        "pm",
        "package= module= strict version show-error-codes pretty no-error-summary "
        "ignore-missing-imports",
        harmful="config-file python-executable html-report junit-xml",
    ),
    "ruff": Options(
        "qvV",
        "",
        "select= ignore= statistics version quiet verbose output-format= show-fixes diff "
        "no-fix check",
        harmful="fix config output-file unsafe-fixes add-noqa",
    ),
    "pytest": Options(
        "qvxslV",
        "kmnrpW",
        "quiet verbose exitfirst maxfail= tb= lf last-failed ff collect-only co "
        "durations= cov? cov-report= no-cov no-header no-summary version help "
        "markers strict-markers stepwise sw color=",
        harmful="rootdir confcutdir config-file pdbcls basetemp junit-xml junitxml debug "
        "override-ini pastebin cov-config",
        values=_pytest_value,
    ),
    "eslint": Options(
        "v",
        "",
        "version quiet ext= max-warnings= no-color format=",
        harmful="fix config resolve-plugins-relative-to rulesdir output-file plugin parser",
    ),
    "prettier": Options(
        "cl",
        "",
        "check list-different version",
        harmful="write plugin config",
        needs="check list-different c l",
        asks_operands="without --check it may write",
    ),
    "black": Options(
        "", "", "check diff version quiet", needs="check diff", asks_operands="it changes files"
    ),
    "isort": Options(
        "", "", "check-only diff version", needs="check-only diff", asks_operands="it changes files"
    ),
    "gofmt": Options("lds", words="-l -d -s -e"),
    "rustfmt": Options("", "", "check version", needs="check"),
    "flake8": Options(
        "qv",
        "",
        "max-line-length= select= ignore= count statistics version",
        harmful="config output-file tee",
    ),
}
PROGRAM_RUNNERS = re.compile(
    r"(python|pypy|perl|ruby|node|nodejs|php|lua|luajit|tclsh|wish|expect|Rscript|R|ghci|irb|guile"
    r"|racket|sbcl|clisp|erl|elixir|iex|julia|ocaml|scala|groovy|jshell|swift|osascript|gnuplot"
    r"|octave|m4|tsx|ts-node|bash|sh|dash|zsh|ksh|fish|csh|tcsh|ash|npx|bunx|uvx|pipx)[0-9.]*"
)
"Programs whose first operand, or the word after -c, -e or -m, is a program."


def runner_problem(words: Sequence[str], granted: int) -> str:
    """Why an interpreter asks: its program is not one of the granted words.

    >>> runner_problem(("python", "-m", "pytest", "-q"), 3)
    ''
    """
    if len(words) == 3 and words[1] == "-n" and words[0] in SHELLS and words[2][:1] not in "-+":
        return ""  # it only reads the script
    for index, word in enumerate(words[1:], start=1):
        if word in ALONE and len(words) == index + 1:
            return ""
        names_next = word in ("-c", "-e", "-m", "-r", "-E", "-p", "--eval", "--print")
        place = index + 1 if names_next else index
        if names_next or not word.startswith("-"):
            return (
                ""
                if place < granted
                else f"the program {' '.join(words[index : index + 2])!a} is not in the rule"
            )
        if index >= granted:
            return f"the option {word!a} is not known to be harmless"
    return "" if granted >= len(words) else "it runs what it reads"
