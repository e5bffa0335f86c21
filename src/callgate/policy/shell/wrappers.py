"""Commands whose operands are a command: what they wrap, and whether an allow may look through.

Rule 1: a wrapper is taken off only if every option before the inner command is in its table.
Rule 2: an *open* wrapper starts the inner command as it stands; any other (sudo, chroot, ssh)
        changes who, where or with what it runs: a deny looks through it, an allow does not.
"""

from __future__ import annotations

import re
from typing import final

from attrs import evolve, frozen

from callgate.policy.shell.assignments import is_harmless_export
from callgate.policy.shell.commands import Layer, NotUnderstood, Opaque, Word

LAYERS_MAX = 16
"Wrappers inside wrappers."
REPLACES = re.compile(r"-[0rtx]*I(.*)", re.DOTALL)
ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)


@final
@frozen
class Wrapper:
    """How a wrapper is written: options, then operands of its own, then the inner command."""

    flags: str = ""
    valued: str = ""
    "Short options with a value, in the next word or in the same."
    long: str = ""
    "Long options; those that end in = have a value."
    operands: int = 0
    is_open: bool = True
    assigns: bool = False
    "May NAME=VALUE stand before the inner command?"
    queries: str = ""
    "Short options with which it starts nothing."
    numeric: bool = False
    "Is -5 an option?"


WRAPPERS: dict[str, Wrapper] = {
    "env": Wrapper("i0v", "u", "ignore-environment null debug unset=", assigns=True),
    "timeout": Wrapper("v", "ks", "foreground preserve-status verbose kill-after= signal=", 1),
    "nohup": Wrapper(),
    "nice": Wrapper("", "n", "adjustment=", numeric=True),
    "ionice": Wrapper("t", "cn", "ignore class= classdata=", queries="pPu"),
    "chrt": Wrapper("bfiorRa", "TPD", "", 1, queries="mp"),
    "time": Wrapper("pv", "", "portability verbose"),
    "command": Wrapper("p", queries="vV"),
    "builtin": Wrapper(),
    "exec": Wrapper("cl"),
    "stdbuf": Wrapper("", "ioe", "input= output= error="),
    "setsid": Wrapper("cfw", "", "ctty fork wait"),
    "taskset": Wrapper("a", "", "all-tasks", 1, queries="p"),
    "flock": Wrapper("eFnosux", "Ew", "exclusive nonblock shared unlock close timeout=", 1, False),
    "strace": Wrapper("cCdfhiqrtTvVxyzZkF", "aebIOPsSuEU", "", is_open=False, queries="p"),
    "ltrace": Wrapper("cCfhiLrStTV", "aAeFlnosux", "", is_open=False, queries="p"),
    "xargs": Wrapper(
        "0rtx",
        "dnPLsEI",
        "null no-run-if-empty verbose exit delimiter= max-args= max-procs= max-lines= max-chars=",
    ),
    "sudo": Wrapper(
        *("AbEHnPSkK", "CDghpRrtTuU", "user= group= chdir= host= preserve-env login"),
        is_open=False,
        assigns=True,
        queries="lvV",
    ),
    "doas": Wrapper("nsL", "uC", is_open=False),
    "runuser": Wrapper("", "ugG", "user= group=", is_open=False),
    "pkexec": Wrapper("", "", "user= disable-internal-agent", is_open=False),
    "chroot": Wrapper("", "", "userspec= groups= skip-chdir", 1, is_open=False),
    "unshare": Wrapper("muinpUCTfrc", "RwSG", "map-root-user fork pid net", is_open=False),
    "nsenter": Wrapper("amuinpUCTF", "tSGrw", "target= all", is_open=False),
    "setpriv": Wrapper("d", "", "reuid= regid= clear-groups no-new-privs", is_open=False),
    "setarch": Wrapper("vR3BFILSTXZ", "p", "", 1, is_open=False),
    "systemd-run": Wrapper("tPqrGdS", "puEMHp", "user scope pty wait unit=", is_open=False),
    "parallel": Wrapper("0kmXtu", "jnNSICdLs", "keep-order jobs= bar dry-run eta", is_open=False),
    "busybox": Wrapper(is_open=False),
    "toybox": Wrapper(is_open=False),
    "fakeroot": Wrapper("u", "lsibf", is_open=False),
    "eatmydata": Wrapper(is_open=False),
    "catchsegv": Wrapper(is_open=False),
    "unbuffer": Wrapper("p", is_open=False),
    "rlwrap": Wrapper(is_open=False),
    "numactl": Wrapper("l", "NmCi", is_open=False),
    "proxychains": Wrapper("q", "f", is_open=False),
    "torsocks": Wrapper("", is_open=False),
    "xvfb-run": Wrapper("a", "enswf", is_open=False),
    "dbus-run-session": Wrapper(is_open=False),
    "npx": Wrapper("yq", "p", "yes package= quiet no-install", is_open=False),
    "bunx": Wrapper("", is_open=False),
    "uvx": Wrapper("", is_open=False),
    "pipx": Wrapper("", is_open=False),
    "firejail": Wrapper(is_open=False),
    "bwrap": Wrapper(is_open=False),
    "cpulimit": Wrapper("ivz", "lp", is_open=False),
    "entr": Wrapper("acdnprsz", is_open=False),
    "chronic": Wrapper("ve", is_open=False),
    "ts": Wrapper(is_open=False),
    "coproc": Wrapper(is_open=False),
    "prlimit": Wrapper("", "", "verbose", is_open=False, queries="op"),
    "choom": Wrapper("", "n", "adjust=", is_open=False, queries="p"),
    "uclampset": Wrapper("a", "mM", "", is_open=False, queries="p"),
    "runcon": Wrapper("c", "turl", "compute type= user= role= range=", is_open=False),
    "capsh": Wrapper(is_open=False),
    "aa-exec": Wrapper("dv", "pn", "profile=", is_open=False),
    "cgexec": Wrapper("", "g", "", is_open=False),
    "ssh-agent": Wrapper("DcdskK", "aEPt", is_open=False),
    "sshpass": Wrapper("ev", "pfdP", is_open=False),
    "systemd-inhibit": Wrapper("", "", "what= who= why= mode= no-pager", is_open=False),
    "dbus-launch": Wrapper("", "", "exit-with-session sh-syntax", is_open=False),
    "gosu": Wrapper("", "", "", 1, is_open=False),
    "su-exec": Wrapper("", "", "", 1, is_open=False),
    "tini": Wrapper("svg", "pe", is_open=False),
    "dumb-init": Wrapper("cv", "r", is_open=False),
    "faketime": Wrapper("fm", "p", "", 1, is_open=False),
    "torify": Wrapper(is_open=False),
    "tsocks": Wrapper(is_open=False),
    "proot": Wrapper("0", "rbwqk", is_open=False),
    "fakechroot": Wrapper(is_open=False),
    "ifne": Wrapper("n", is_open=False),
    "setlock": Wrapper("nNxX", "", "", 1, is_open=False),
    "softlimit": Wrapper("", "mdacfolprst", is_open=False),
    "chpst": Wrapper("vP", "uUbecmdonplt", is_open=False),
    "setuidgid": Wrapper("", "", "", 1, is_open=False),
    "envdir": Wrapper("", "", "", 1, is_open=False),
    "direnv": Wrapper("", "", "", 2, is_open=False, queries="hv"),
    "dotenv": Wrapper("", "f", is_open=False),
    "cross-env": Wrapper(is_open=False, assigns=True),
    "caffeinate": Wrapper("dimsu", "tw", is_open=False),
    **dict.fromkeys(
        ("linux32", "linux64", "i386", "i486", "i586", "i686", "x86_64", "uname26"),
        Wrapper("vR3BFILSTXZ", "", is_open=False),
    ),
}
for _name in ("env", "timeout", "nohup", "nice", "stdbuf", "xargs", "time"):
    # So they are called where the system brings others of the same name.
    WRAPPERS[f"g{_name}"] = evolve(WRAPPERS[_name], is_open=False)
RUNS: dict[str, tuple[tuple[str, ...], ...]] = {
    "uv": (("run",), ("tool", "run")),
    "npm": (("exec",), ("x",)),
    **dict.fromkeys(("pnpm", "yarn"), (("exec",), ("dlx",))),
    **dict.fromkeys(("poetry", "pipenv", "pdm", "hatch"), (("run",),)),
    **dict.fromkeys(("bundle", "rbenv", "pyenv"), (("exec",),)),
}
"Sub-commands that are wrappers: `uv run pytest`."


def layers_of(words: tuple[Word, ...]) -> tuple[tuple[Layer, ...], tuple[str, ...]]:
    """Every reading of these words, outermost first, and the names of the wrappers.

    >>> layers, wrappers = layers_of(("timeout", "5", "ls", "-l"))
    >>> [layer.words for layer in layers], wrappers
    ([('timeout', '5', 'ls', '-l'), ('ls', '-l')], ('timeout',))
    """
    starts, closed, names = [0], [""], list[str]()
    while True:
        first = words[starts[-1]]
        name = first.rsplit("/", 1)[-1] if isinstance(first, str) else ""
        wrapper = WRAPPERS.get(name)
        at = starts[-1] + 1
        inner = _run(name, words, at) if wrapper is None else _inner(name, wrapper, words, at)
        if inner is None:
            break
        if len(starts) > LAYERS_MAX:
            raise NotUnderstood(f"more than {LAYERS_MAX} wrappers around a command")
        at, reason = inner
        words = _fed(words, starts[-1], at) if name in ("xargs", "gxargs") else words
        if wrapper is None or not wrapper.is_open or first != name:
            reason = reason or f"'{first}' changes how the command after it runs"
        starts.append(at)
        closed.append(closed[-1] or reason)
        names.append(name)
    last = starts[-1]
    layers = [
        Layer(words[start:], last - start + 1, why)
        for start, why in zip(starts, closed, strict=True)
    ]
    return tuple(layers), tuple(names)


def _run(name: str, words: tuple[Word, ...], at: int) -> tuple[int, str] | None:
    """Where the inner command starts after a sub-command that runs it; none: nowhere."""
    for leading in RUNS.get(name, ()):
        start = at + len(leading)
        if words[at:start] != leading:
            continue
        start += words[start : start + 1] == ("--",)
        following = words[start] if start < len(words) else "-"
        if not (isinstance(following, str) and following.startswith("-")):
            return start, ""
    return None


def _inner(name: str, wrapper: Wrapper, words: tuple[Word, ...], at: int) -> tuple[int, str] | None:
    """Where the inner command starts, and why an allow must not look there; none: nowhere."""
    operands, reason, options = wrapper.operands, "", True
    while at < len(words):
        word = words[at]
        if isinstance(word, Opaque) and (options or operands):
            if operands and word.is_one:
                operands, options, at = operands - 1, False, at + 1
                continue
            raise NotUnderstood(f"an expansion before the command that {name} starts")
        text = word if isinstance(word, str) else ""
        assigned = ASSIGNMENT.fullmatch(text) if wrapper.assigns else None
        if options and text == "--":
            options, at = False, at + 1
        elif options and len(text) > 1 and text[0] == "-":
            width = _option(name, wrapper, text)
            if not width:
                return None
            _refuse_several(name, words[at + 1 : at + width])
            at += width
        elif assigned:
            options, at = False, at + 1
            if not is_harmless_export(assigned[1], assigned[2]):
                reason = f"{assigned[1]}= before a command may change what it does"
        elif operands:
            operands, options, at = operands - 1, False, at + 1
        else:
            return at, reason
    return None


def _refuse_several(name: str, values: tuple[Word, ...]) -> None:
    """The value of an option must be one word, or the next may be another than it seems."""
    if any(isinstance(value, Opaque) and not value.is_one for value in values):
        raise NotUnderstood(f"an expansion before the command that {name} starts")


def _option(name: str, wrapper: Wrapper, text: str) -> int:
    """How many words this option takes; 0 if it makes the wrapper start nothing."""
    if text.startswith("--"):
        option, equals, _ = text[2:].partition("=")
        known = wrapper.long.split()
        if f"{option}=" in known:
            return 1 if equals else 2
        if option in known and not equals:
            return 1
    elif wrapper.numeric and text[1:].isdecimal():
        return 1
    else:
        for index, letter in enumerate(text[1:], start=1):
            if letter in wrapper.queries:
                return 0
            if letter in wrapper.valued:
                return 1 if index + 1 < len(text) else 2
            if letter not in wrapper.flags:
                break
        else:
            return 1
    raise NotUnderstood(f"the option {text!a} of {name}")


def _fed(words: tuple[Word, ...], start: int, inner: int) -> tuple[Word, ...]:
    """What xargs adds or replaces: words from its input, of which nothing is known."""
    marks = list[str]()
    for word, following in zip(words[start + 1 : inner], words[start + 2 :], strict=False):
        found = REPLACES.fullmatch(word) if isinstance(word, str) else None
        if found and isinstance(following, str):
            marks.append(found[1] or following)
    replaced = (_replaced(word, marks) for word in words[inner:])
    return (*words[:inner], *replaced, Opaque("(words from the input of xargs)"))


def _replaced(word: Word, marks: list[str]) -> Word:
    """A word in which xargs puts its input may become anything."""
    text = word if isinstance(word, str) else word.text
    return Opaque(text) if any(mark in text for mark in marks) else word
