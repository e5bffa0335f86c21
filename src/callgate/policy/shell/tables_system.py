"""Tables: archives, pagers, network and system programs, and programs that run what they are given.

Rule 1: what is listed is harmless: it starts no program, writes no file and reads no program.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from callgate.policy.shell.commands import names
from callgate.policy.shell.options import Options, Problem

Operands = Sequence[tuple[int, str]]


def _plus_only(operands: Operands) -> Problem | None:
    """`date +%F` shows; `date 0101` sets."""
    wrong = [item for item in operands if not item[1].startswith("+")]
    return (wrong[-1][0], "an operand without '+' sets the date") if wrong else None


def _no_plus(operands: Operands) -> Problem | None:
    """`less +!cmd` starts a command."""
    wrong = [item for item in operands if item[1].startswith("+")]
    return (wrong[-1][0], "an operand with '+' is a command of the pager") if wrong else None


def _dd_operands(operands: Operands) -> Problem | None:
    """`of=` writes."""
    allowed = re.compile(r"(if|bs|ibs|obs|cbs|count|skip|iflag|status)=.*|conv=(ucase|lcase|swab)")
    wrong = [item for item in operands if not allowed.fullmatch(item[1])]
    return (wrong[-1][0], f"{wrong[-1][1]!a} is not known to be harmless") if wrong else None


def _pager_value(name: str, value: str) -> str:
    """After a number less reads on: `-x4+!cmd` starts a command."""
    return "" if re.fullmatch(r"[0-9,]+", value) else f"the value {value!a} of -{name}"


def _tar_value(name: str, value: str) -> str:
    """An archive on another host is fetched by a program."""
    return f"the archive {value!a} is on another host" if name != "C" and ":" in value else ""


def _page(operands: Operands) -> Problem | None:
    """A page by name; one by path is a program for the formatter."""
    wrong = [item for item in operands if "/" in item[1]]
    return (wrong[-1][0], "a page by path") if wrong else None


def _curl_value(name: str, value: str) -> str:
    """`@file` and `%output{}` are read and written; -o only throws away."""
    if name in ("o", "output"):
        return "" if value == "/dev/null" else f"it writes {value!a}"
    if name in ("w", "write-out") and ("output{" in value or value.startswith("@")):
        return "the format writes or reads a file"
    return f"{value!a} names a file to send" if value.startswith("@") else ""


NOTHING = Options("", "", "version help", operands=0, asks_operands="what it is given may be run")
PAGER = Options(
    "RSNFXiInerEsgmMQUwWJ#0123456789",
    "xz",
    "RAW-CONTROL-CHARS chop-long-lines version help",
    check=_no_plus,
    values=_pager_value,
    harmful="log-file LOG-FILE lesskey-file lesskey-src lesskey-context",
)
LISTING = Options(
    "lqptvz12hmCTMZ", needs="l p t v z Z", asks_operands="it extracts files", stops=True
)
COMPRESS = Options(
    "cdltvqkf123456789",
    "",
    "stdout decompress list test verbose keep to-stdout",
    needs="c l t stdout list test to-stdout",
    undone="l t list test",
    undoes="d decompress",
    asks_operands="it replaces the file",
)
CURL = Options(
    "sSfLIivkGN46glj0#Z",
    "HXmAeurxbdwo",
    "output= silent show-error fail fail-with-body location head include verbose insecure get "
    "no-buffer ipv4 ipv6 "
    "compressed header= request= max-time= connect-timeout= user-agent= referer= user= "
    "range= data= "
    "data-raw= data-urlencode= write-out= retry= retry-delay= retry-all-errors http1.1 "
    "http2 globoff "
    "max-redirs= url= json= form-string= progress-bar version help",
    values=_curl_value,
    harmful="output-dir remote-name remote-header-name config cookie-jar dump-header "
    "trace "
    "trace-ascii libcurl form stderr etag-save hsts alt-svc upload-file engine unix-socket",
)
RUNNERS = names(
    "most view batcat install patch ldd sqlite3 psql mysql mariadb redis-cli mongosh mongo "
    "xsltproc pandoc zip 7z 7za 7zz rar unrar ar scp sftp ssh ssh-keygen nc ncat netcat socat "
    "telnet ftp tcpdump nmap openssl gpg vi vim nvim gvim ex ed vimdiff rvim rview emacs nano "
    "pico micro joe hx code dc gdb lldb valgrind perf ltrace screen tmux at batch mail mailx "
    "mutt sendmail script scriptreplay tset ncdu ctags etags cscope indent lesspipe zless "
    "zmore gs convert ffmpeg magick latex pdflatex tex xdg-open open apt apt-get brew snap "
    "logger wall write su sg newgrp start-stop-daemon run-parts hyperfine inotifywait watchexec "
    "nodemon concurrently pee sponge vipe multilog tclsh nsjail dos2unix unix2dos mac2unix rename "
    "prename uudecode pax shar enscript localedef msgfmt bison flex yacc "
)
"Programs that run, write or send what they are given: every word of theirs asks."
SYSTEM_TABLE: dict[str, Options] = {
    **dict.fromkeys(sorted(RUNNERS), NOTHING),
    "tar": Options(
        "tvzjJ",
        "Cf",
        "list verbose gzip bzip2 xz zstd file= wildcards exclude= "
        "strip-components= numeric-owner version help",
        needs="t list",
        values=_tar_value,
        asks_operands="only listing is known to be harmless",
        harmful="to-command to-stdout checkpoint checkpoint-action use-compress-program "
        "extract exclude-from rsh-command rmt-command info-script new-volume-script",
    ),
    "unzip": LISTING,
    "zipinfo": LISTING,
    "gzip": COMPRESS,
    "gunzip": COMPRESS,
    "bzip2": COMPRESS,
    "bunzip2": COMPRESS,
    "xz": COMPRESS,
    "unxz": COMPRESS,
    "zstd": COMPRESS,
    "lz4": COMPRESS,
    "less": PAGER,
    "more": Options("dflpcsu0123456789", "n", check=_no_plus, values=_pager_value),
    "bat": Options(
        "pnAfu",
        "lrH",
        "plain number show-all language= line-range= highlight-line= style= "
        "color= theme= paging= decorations= wrap= tabs= list-languages list-themes",
        harmful="pager config-file",
        values=lambda name, value: (
            "a pager would be started" if name == "paging" and value != "never" else ""
        ),
    ),
    "man": Options(
        "kfwWaiI",
        "s",
        "apropos whatis where path all sections= regex wildcard names-only",
        check=_page,
    ),
    "curl": CURL,
    "wget": Options(
        "qSv46",
        "T",
        "spider quiet server-response timeout= tries= version help no-verbose",
        needs="spider",
        asks_operands="it writes what it fetches",
    ),
    "date": Options(
        "uRI",
        "dr",
        "utc universal date= reference= iso-8601? rfc-3339= rfc-email resolution "
        "debug version help",
        check=_plus_only,
        harmful="set file",
    ),
    "hostname": Options("fsidIAy", "", "fqdn short ip-address domain all-ip-addresses", operands=0),
    "dd": Options(check=_dd_operands),
    "cpio": Options("tvn", "", "list verbose quiet", operands=None),
    "rsync": Options(
        "avznrPhixc",
        "",
        "dry-run list-only",
        operands=1,
        asks_operands="the last operand is written",
    ),
    "dig": Options("46rx", "btqcp"),
    "bc": Options("lqsw", "", "mathlib quiet version help", operands=0),
    "crontab": Options("l", operands=0),
    "ip": Options(
        "46so",
        "",
        "",
        check=lambda operands: (
            next(
                (
                    (place, "it changes the network or starts a command")
                    for place, text in operands[1:2]
                    if text not in ("show", "list", "ls")
                ),
                None,
            )
            or next(
                (
                    (place, "it is not known to only show")
                    for place, text in operands[:1]
                    if text not in ("a", "addr", "address", "link", "route", "r", "neigh", "rule")
                ),
                None,
            )
        ),
    ),
    "ifconfig": Options("a", operands=1),
    "mount": Options("l", operands=0),
    "sysctl": Options("an"),
    "dmesg": Options("HTkuxtw", "lfs"),
    "journalctl": Options(
        "xefrqabkm",
        "unptopS",
        "no-pager unit= lines= since= until= follow reverse output= boot? priority=",
        harmful="cursor-file vacuum-size vacuum-time rotate flush",
    ),
    "systemctl": Options(
        "al",
        "tpno",
        "no-pager all failed type= state= property=",
        check=lambda operands: next(
            (
                (place, "it changes a service")
                for place, text in operands[:1]
                if text
                not in (
                    "status",
                    "list-units",
                    "list-unit-files",
                    "is-active",
                    "is-enabled",
                    "is-failed",
                    "show",
                    "cat",
                    "list-timers",
                    "list-dependencies",
                )
            ),
            None,
        ),
    ),
    "history": Options(
        "",
        operands=1,
        check=lambda operands: next(
            ((place, "it names a file") for place, text in operands if not text.isdecimal()), None
        ),
    ),
    "top": Options("bcHiS", "ndpuo"),
    "time": Options("pv", operands=0),
    "nohup": Options("", "", "version help"),
    "dpkg": Options("lLsSpV", "", "list listfiles status search print-avail"),
    "rpm": Options("qailfcdpV"),
}
