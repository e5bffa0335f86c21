"""Tables: tools for texts and files, archives, pagers, network and system programs.

Rule 1: what is listed is harmless: it neither starts a program, nor writes a file, nor reads a program.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from callgate.policy.shell.options import Options, Problem
from callgate.policy.shell.texts import awk_problem

Operands = Sequence[tuple[int, str]]


def _plus_only(operands: Operands) -> Problem | None:
    """`date +%F` shows; `date 0101` sets."""
    wrong = [item for item in operands if not item[1].startswith("+")]
    return (wrong[-1][0], "an operand without '+' sets the date") if wrong else None


def _no_plus(operands: Operands) -> Problem | None:
    """`less +!cmd` starts a command."""
    wrong = [item for item in operands if item[1].startswith("+")]
    return (wrong[-1][0], "an operand with '+' is a command of the pager") if wrong else None


def _awk_program(operands: Operands) -> Problem | None:
    """The first operand is a program."""
    reason = awk_problem(operands[0][1]) if operands else ""
    return (operands[0][0], reason) if reason else None


def _dd_operands(operands: Operands) -> Problem | None:
    """`of=` writes."""
    allowed = re.compile(r"(if|bs|ibs|obs|cbs|count|skip|iflag|status)=.*|conv=(ucase|lcase|swab)")
    wrong = [item for item in operands if not allowed.fullmatch(item[1])]
    return (wrong[-1][0], f"{wrong[-1][1]!a} is not known to be harmless") if wrong else None


def _jq_operands(operands: Operands) -> Problem | None:
    """A filter that says `include` or `import` reads another program."""
    wrong = [item for item in operands if re.search(r"\b(import|include)\b", item[1])]
    return (wrong[-1][0], "the filter reads another program") if wrong else None


def _tar_value(name: str, value: str) -> str:
    """An archive on another host is fetched by a program."""
    return f"the archive {value!a} is on another host" if name != "C" and ":" in value else ""


def _page(operands: Operands) -> Problem | None:
    """A page by name; one by path is a program for the formatter."""
    wrong = [item for item in operands if "/" in item[1]]
    return (wrong[-1][0], "a page by path") if wrong else None


def _curl_value(name: str, value: str) -> str:
    """`@file` and `%output{}` are read and written."""
    if name in ("w", "write-out") and ("output{" in value or value.startswith("@")):
        return "the format writes or reads a file"
    return f"{value!a} names a file to send" if value.startswith("@") else ""


AWK = Options(
    "nPcrS", "Fv", "field-separator= assign= csv posix re-interval", check=_awk_program, stops=True
)
NOTHING = Options("", "", "version help", operands=0, asks_operands="what it is given may be run")
PAGER = Options(
    "RSNFXiInerEsgmMQUwWJ#0123456789",
    "xz",
    "RAW-CONTROL-CHARS chop-long-lines version help",
    check=_no_plus,
    harmful="log-file LOG-FILE lesskey-file lesskey-src lesskey-context",
)
LISTING = Options("lqptvz12hmCTMZ", needs="l p t v z Z", asks_operands="it extracts files")
COMPRESS = Options(
    "cdltvqkf123456789",
    "",
    "stdout decompress list test verbose keep to-stdout",
    needs="c l t stdout list test to-stdout",
    asks_operands="it replaces the file",
)
FIND = Options(
    "",
    "",
    "",
    words="-H -L -P -O0 -O1 -O2 -O3 -name= -iname= -path= -ipath= -wholename= -iwholename= "
    "-regex= -iregex= "
    "-regextype= -type= -xtype= -size= -empty -mtime= -mmin= -atime= -amin= -ctime= -cmin= "
    "-newer= "
    "-anewer= -cnewer= -newermt= -newerct= -newerat= -newermm= -perm= -user= -group= -uid= -gid= "
    "-nouser -nogroup -links= -inum= -samefile= -readable -writable -executable -maxdepth= "
    "-mindepth= "
    "-depth -mount -xdev -follow -noleaf -daystart -prune -print -print0 -printf= -ls -quit "
    "-not ! "
    "-a -and -o -or -true -false -lname= -ilname= -fstype= -used= -nowarn -warn ( ) , "
    "-ignore_readdir_race --version --help",
)
RG = Options(
    "abcFHhiLlnNoPqsSuUvwx0p.",
    "ABCeEgjmMrtTd",
    "after-context= before-context= context= regexp= glob= iglob= type= type-not= "
    "max-count= max-depth= "
    "max-columns= replace= threads= sort= sortr= color= colors= encoding= max-filesize= "
    "path-separator= "
    "context-separator= count count-matches fixed-strings files files-with-matches "
    "files-without-match "
    "follow heading no-heading hidden ignore-case invert-match json line-number no-line-number "
    "line-regexp word-regexp multiline multiline-dotall no-ignore no-ignore-vcs no-filename "
    "with-filename no-messages null only-matching passthru pcre2 pretty quiet smart-case "
    "case-sensitive stats text trim type-list unrestricted vimgrep column crlf "
    "glob-case-insensitive "
    "no-config debug one-file-system engine= field-match-separator= stop-on-nonmatch "
    "version help "
    "max-columns-preview auto-hybrid-regex binary",
    harmful="pre pre-glob hostname-bin search-zip hyperlink-format ignore-file file",
)
FD = Options(
    "HIuLapgFisl0q1h",
    "edtEScjo",
    "hidden no-ignore no-ignore-vcs unrestricted follow absolute-path full-path glob regex "
    "fixed-strings "
    "ignore-case case-sensitive list-details print0 type= extension= exclude= max-depth= "
    "min-depth= "
    "exact-depth= size= changed-within= changed-before= color= threads= max-results= quiet "
    "strip-cwd-prefix owner= prune and= one-file-system version help",
    harmful="exec exec-batch base-directory search-path ignore-file",
)
CURL = Options(
    "sSfLIivkGN46glj0#Z",
    "HXmAeurxbdw",
    "silent show-error fail fail-with-body location head include verbose insecure get "
    "no-buffer ipv4 ipv6 "
    "compressed header= request= max-time= connect-timeout= user-agent= referer= user= "
    "range= data= "
    "data-raw= data-urlencode= write-out= retry= retry-delay= retry-all-errors http1.1 "
    "http2 globoff "
    "max-redirs= url= json= form-string= progress-bar version help",
    values=_curl_value,
    harmful="output output-dir remote-name remote-header-name config cookie-jar dump-header "
    "trace "
    "trace-ascii libcurl stderr etag-save hsts alt-svc upload-file engine unix-socket",
)
TEXT_TABLE: dict[str, Options] = {
    "sort": Options(
        "bdfghiMnRrVcCmsuz",
        "ktS",
        "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort "
        "ignore-nonprinting "
        "month-sort human-numeric-sort numeric-sort random-sort reverse version-sort sort= "
        "check? "
        "merge stable unique zero-terminated key= field-separator= buffer-size= parallel= "
        "batch-size= debug "
        "version help",
        harmful="output compress-program files0-from temporary-directory random-source",
    ),
    "uniq": Options(
        "cdDiuz",
        "fsw",
        "count repeated all-repeated? group? ignore-case unique zero-terminated "
        "skip-fields= skip-chars= "
        "check-chars= version help",
        operands=1,
        asks_operands="the second operand is an output file",
        numeric=True,
    ),
    "shuf": Options(
        "erz",
        "in",
        "echo repeat zero-terminated input-range= head-count=",
        harmful="output random-source",
    ),
    "awk": AWK,
    "gawk": AWK,
    "mawk": AWK,
    "nawk": AWK,
    "original-awk": AWK,
    "find": FIND,
    "gfind": FIND,
    "bfs": FIND,
    "fd": FD,
    "fdfind": FD,
    "rg": RG,
    "ag": Options(
        "iswvlLcnQaUuSrHft0", "ABCmG", "nocolor nogroup hidden ignore= depth= stats literal"
    ),
    "ack": Options("iwvlLcnQhHfgso1", "ABCm", "nocolor nogroup ignore-case type="),
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
    "more": Options("dflpcsu0123456789", "n", check=_no_plus),
    "most": NOTHING,
    "view": NOTHING,
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
    "batcat": NOTHING,
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
    "tree": Options(
        "adflxpsughDFNQqiASnCJXrtcUv",
        "LPI",
        "noreport dirsfirst gitignore charset= prune du "
        "filelimit= matchdirs ignore-case sort= si inodes device timefmt= filesfirst metafirst",
        harmful="fromfile fromtabfile gitfile info infofile",
    ),
    "dd": Options(check=_dd_operands),
    "tee": Options("", "", "version help", operands=0),
    "split": Options(operands=0),
    "csplit": Options(operands=0),
    "xxd": Options("bieupEr", "clgos", operands=1),
    "ptx": Options("frA", "wgSW", operands=0),
    "iconv": Options("cls", "ft", "from-code= to-code= list", harmful="output"),
    "diff": Options(
        "abBcdEHinNpqrstTuwyZ",
        "CUIFxXWS",
        "unified? context? brief report-identical-files recursive new-file ignore-case "
        "ignore-all-space "
        "ignore-space-change ignore-blank-lines side-by-side width= color? label= text exclude= "
        "suppress-common-lines normal minimal strip-trailing-cr no-dereference show-c-function "
        "ignore-matching-lines= version help",
        numeric=True,
    ),
    "sdiff": Options("ailbBWstHdZE", "wI"),
    "diff3": Options("AeE3mTXxia", "L"),
    "install": NOTHING,
    "patch": NOTHING,
    "ldd": NOTHING,
    "sqlite3": NOTHING,
    "psql": NOTHING,
    "mysql": NOTHING,
    "mariadb": NOTHING,
    "redis-cli": NOTHING,
    "mongosh": NOTHING,
    "mongo": NOTHING,
    "file": Options(
        "bhikLNnprsSvz0dE",
        "FP",
        "brief mime mime-type mime-encoding dereference no-pad raw separator= uncompress extension",
    ),
    "strings": Options("afow", "nte", "all bytes= radix= encoding="),
    "nm": Options("aACDgnoprSuv", "ftX", "demangle? dynamic extern-only undefined-only"),
    "jq": Options(
        "cnrRsSeCMajh",
        "",
        "arg= argjson= compact-output null-input raw-output raw-input slurp "
        "slurpfile= rawfile= sort-keys exit-status color-output monochrome-output "
        "ascii-output join-output tab "
        "indent= unbuffered stream seq version help raw-output0",
        check=_jq_operands,
        harmful="from-file args jsonargs run-tests argfile",
    ),
    "yq": Options(
        "cnrRsSeCMPN",
        "op",
        "prettyPrint output-format= input-format= no-colors null-input "
        "raw-output unwrapScalar exit-status",
        harmful="inplace split-exp from-file",
        check=lambda operands: next(
            (
                (place, "the filter reads or runs")
                for place, text in operands
                if re.search(r"\b(load|import|include|system|eval)", text)
            ),
            None,
        ),
    ),
    "xmllint": Options("", "", "format noout xpath= nonet noblanks html recover pretty="),
    "xsltproc": NOTHING,
    "pandoc": NOTHING,
    "fzf": Options("eix", "fqnd", "filter= exact query="),
    "zip": NOTHING,
    "7z": NOTHING,
    "7za": NOTHING,
    "7zz": NOTHING,
    "rar": NOTHING,
    "unrar": NOTHING,
    "ar": NOTHING,
    "cpio": Options("itvn", "", "list verbose quiet", operands=None),
    "rsync": Options(
        "avznrPhixc",
        "",
        "dry-run list-only",
        operands=1,
        asks_operands="the last operand is written",
    ),
    "scp": NOTHING,
    "sftp": NOTHING,
    "ssh": NOTHING,
    "ssh-keygen": NOTHING,
    "nc": NOTHING,
    "ncat": NOTHING,
    "netcat": NOTHING,
    "socat": NOTHING,
    "telnet": NOTHING,
    "ftp": NOTHING,
    "tcpdump": NOTHING,
    "nmap": NOTHING,
    "openssl": NOTHING,
    "gpg": NOTHING,
    "dig": Options("46rx", "btqcp"),
    "vi": NOTHING,
    "vim": NOTHING,
    "nvim": NOTHING,
    "gvim": NOTHING,
    "ex": NOTHING,
    "ed": NOTHING,
    "vimdiff": NOTHING,
    "rvim": NOTHING,
    "rview": NOTHING,
    "emacs": NOTHING,
    "nano": NOTHING,
    "pico": NOTHING,
    "micro": NOTHING,
    "joe": NOTHING,
    "hx": NOTHING,
    "code": NOTHING,
    "dc": NOTHING,
    "bc": Options("lqsw", "", "mathlib quiet version help", operands=0),
    "gdb": NOTHING,
    "lldb": NOTHING,
    "valgrind": NOTHING,
    "perf": NOTHING,
    "ltrace": NOTHING,
    "screen": NOTHING,
    "tmux": NOTHING,
    "crontab": Options("l", operands=0),
    "at": NOTHING,
    "batch": NOTHING,
    "mail": NOTHING,
    "mailx": NOTHING,
    "mutt": NOTHING,
    "sendmail": NOTHING,
    "script": NOTHING,
    "scriptreplay": NOTHING,
    "tset": NOTHING,
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
    "ncdu": NOTHING,
    "look": Options("df", "t"),
    "ctags": NOTHING,
    "etags": NOTHING,
    "cscope": NOTHING,
    "indent": NOTHING,
    "lesspipe": NOTHING,
    "zless": NOTHING,
    "zmore": NOTHING,
    "gs": NOTHING,
    "convert": NOTHING,
    "ffmpeg": NOTHING,
    "magick": NOTHING,
    "latex": NOTHING,
    "pdflatex": NOTHING,
    "tex": NOTHING,
    "xdg-open": NOTHING,
    "open": NOTHING,
    "dpkg": Options("lLsSpV", "", "list listfiles status search print-avail"),
    "rpm": Options("qailfcdpV"),
    "apt": NOTHING,
    "apt-get": NOTHING,
    "brew": NOTHING,
    "snap": NOTHING,
    "readelf": Options("ahlSsrdVWn"),
    "objdump": Options("dDxhtTSrspfC", "jMb"),
    "logger": NOTHING,
    "wall": NOTHING,
    "write": NOTHING,
}
