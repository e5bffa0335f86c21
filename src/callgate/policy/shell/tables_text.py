"""Tables: tools for texts and files: searching, sorting, editing, comparing.

Rule 1: what is listed is harmless: it starts no program, writes no file and reads no program.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from callgate.policy.shell.options import Options, Problem
from callgate.policy.shell.texts import awk_problem

Operands = Sequence[tuple[int, str]]


def _awk_program(operands: Operands) -> Problem | None:
    """The first operand is a program."""
    reason = awk_problem(operands[0][1]) if operands else ""
    return (operands[0][0], reason) if reason else None


def _jq_operands(operands: Operands) -> Problem | None:
    """A filter that says `include` or `import` reads another program."""
    wrong = [item for item in operands if re.search(r"\b(import|include)\b", item[1])]
    return (wrong[-1][0], "the filter reads another program") if wrong else None


AWK = Options(
    "nPcrS", "Fv", "field-separator= assign= csv posix re-interval", check=_awk_program, stops=True
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
    ends=False,
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
    "HIuLapgFis0q1h",
    "edtEScjo",
    "hidden no-ignore no-ignore-vcs unrestricted follow absolute-path full-path glob regex "
    "fixed-strings "
    "ignore-case case-sensitive print0 type= extension= exclude= max-depth= "
    "min-depth= "
    "exact-depth= size= changed-within= changed-before= color= threads= max-results= quiet "
    "strip-cwd-prefix owner= prune and= one-file-system version help",
    harmful="exec exec-batch base-directory search-path ignore-file",
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
    "tree": Options(
        "adflxpsughDFNQqiASnCJXrtcUv",
        "",
        "noreport dirsfirst gitignore charset= prune du "
        "filelimit= matchdirs ignore-case sort= si inodes device timefmt= filesfirst metafirst",
        harmful="fromfile fromtabfile gitfile info infofile",
        apart="LPI",
    ),
    "tee": Options("", "", "version help", operands=0),
    "split": Options(operands=0),
    "csplit": Options(operands=0),
    "xxd": Options("", "clgos", operands=1, words="-a -b -e -E -i -p -ps -plain -r -u -v"),
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
    "fzf": Options("eix", "fqnd", "filter= exact query="),
    "look": Options("df", "t"),
    "readelf": Options("ahlSsrdVWn"),
    "objdump": Options("dDxhtTSrspfC", "jMb"),
}
