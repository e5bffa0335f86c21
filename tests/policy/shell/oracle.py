"""The oracle: a real bash in a throw-away folder, and whether a file `marker...` appeared.

Rule 1: the folder holds everything that the hostile lines speak of, made anew for each line.
"""

import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

BASH = shutil.which("bash")
TIMEOUT_SECONDS = 20
FILES = {
    "a.txt": "abc\na\nb\n",
    "f.txt": "f\n",
    "victim.txt": "",
    "yes.txt": "y\ny\n",
    "list.txt": "marker\n",
    "evil.sh": "touch marker\n",
    "empty.sh": "",
    "evil.py": "open('marker', 'w')\n",
    "evilmod.py": "open('marker', 'w')\n",
    "evil.pl": 'open F, ">marker";\n',
    "evil.sed": "w marker\n",
    "evil.awk": 'BEGIN { system("touch marker") }\n',
    "evil.vim": "silent !touch marker\nq\n",
    "edscript": "!touch marker\nq\n",
    "Makefile": "evil:\n\ttouch marker\nok:\n\techo ok\n",
    "Evil.mk": "all:\n\ttouch marker\n",
    "package.json": '{"name": "x", "version": "1.0.0", "scripts": {"evil": "touch marker"}}\n',
    "new.diff": "diff --git a/marker b/marker\nnew file mode 100644\n--- /dev/null\n+++ b/marker\n"
    "@@ -0,0 +1 @@\n+x\n",
    "curlrc": "output = marker\nurl = file:///etc/hostname\n",
    "big.txt": "".join(f"{n * 7919 % 20011}\n" for n in range(20000)),
    "opts/-omarker": "",
    "globdir/-omarker": "x\n",
    "globdir/b": "x\n",
    "uniqdir/a": "x\n",
    "uniqdir/marker": "",
    "findopts/-fprint": "",
    "findopts/marker0": "",
    "tarcheck/--checkpoint=1": "",
    "tarcheck/keep": "",
    "tarcheck/--checkpoint-action=exec=touch marker": "",
    "sub/keep": "",
}
PROGRAMS = {
    "bin/ls": "#!/bin/sh\n/usr/bin/touch marker\n",
    "bin/pre": "#!/bin/sh\n/usr/bin/touch marker\ncat\n",
    "bin/shell": '#!/bin/sh\n/usr/bin/touch marker\nexec /bin/sh "$@"\n',
    "bin/gzip": "#!/bin/sh\n/usr/bin/touch marker\ncat\n",
    "bin/echo": "#!/bin/sh\n/usr/bin/touch marker\n",
    "gitbin/git-evil": "#!/bin/sh\ntouch marker\n",
}
"""Programs of a folder that an attacker may write to."""
SETUP = """
git init -q . && git add a.txt f.txt && git -c user.name=n -c user.email=e@x commit -qm one
echo change >> f.txt
printf '%s/bin' "$PWD" > pathfile
tar cf x.tar a.txt f.txt
mkdir t && echo x > t/marker && tar cf m.tar -C t marker && (cd t && zip -q ../m.zip marker)
gzip -c a.txt > x.gz; zip -q x.zip f.txt
gzip -c a.txt > marker.gz; xz -c a.txt > marker.xz; bzip2 -c a.txt > marker.bz2
rm -r t
"""


@functools.cache
def template() -> Path:
    """The folder that each line gets a copy of."""
    folder = Path(tempfile.mkdtemp(prefix="callgate-oracle-"))
    for name, text in (FILES | PROGRAMS).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if name in PROGRAMS:
            path.chmod(0o755)
    subprocess.run([BASH, "-c", SETUP], cwd=folder, check=False, capture_output=True)
    return folder


def leave_no_template() -> None:
    """Remove it at the end."""
    if template.cache_info().currsize:
        shutil.rmtree(template(), ignore_errors=True)
        template.cache_clear()


def has_effect(command: str) -> bool:
    """Run it in a fresh folder; did a marker appear anywhere in it?"""
    folder = Path(tempfile.mkdtemp(prefix="callgate-line-"))
    try:
        shutil.copytree(template(), folder, dirs_exist_ok=True, symlinks=True)
        before = _markers(folder)
        run(command, folder)
        return _markers(folder) != before
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run(command: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run it as a tool would, with no terminal and nothing to read."""
    path = os.environ["PATH"]
    environment = {
        "PATH": path,
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
        "GIT_AUTHOR_NAME": "n",
        "GIT_AUTHOR_EMAIL": "e@x",
        "GIT_COMMITTER_NAME": "n",
        "GIT_COMMITTER_EMAIL": "e@x",
        "npm_config_offline": "true",
        "NO_UPDATE_NOTIFIER": "1",
    }
    try:
        return subprocess.run(
            [BASH, "-c", command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, b"", b"")


def _markers(folder: Path) -> list[tuple[str, int]]:
    found = sorted(path for path in folder.rglob("*marker*") if ".git/" not in str(path))
    return [(str(path.relative_to(folder)), path.lstat().st_size) for path in found]
