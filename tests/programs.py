"""Programs that some tests need: found, or installed; else a test says why it skips.

Rule 1: in CI a missing program is installed by apt-get as root, and that failing is a failure.
Rule 2: elsewhere nothing is installed but by `eager`, and that failing is none.
"""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path
from tempfile import gettempdir


def in_ci():
    return os.environ.get("CI", "").lower() in ("1", "true", "yes")


def find(names, package, *, eager=False):
    """The path of the first of these programs, installed with this package if need be; or None."""
    if _on_path(names) is None and (in_ci() or (eager and _may_install())):
        with (Path(gettempdir()) / "callgate-programs.lock").open("w") as lock:
            # Workers of one test run must not call apt-get at the same time.
            fcntl.flock(lock, fcntl.LOCK_EX)
            if _on_path(names) is None:
                _try(names, package)
    return _on_path(names)


def _may_install():
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def _try(names, package):
    try:
        _install(names, package)
        assert _on_path(names), f"apt-get install {package} left none of {names} on the PATH"
    except (OSError, subprocess.SubprocessError, AssertionError):
        if in_ci():
            raise


def _on_path(names):
    return next(filter(None, map(shutil.which, names)), None)


def _install(names, package):
    lacking = f"CI has none of {', '.join(names)}"
    assert shutil.which("apt-get"), f"{lacking}, and no apt-get to install {package} with"
    assert os.geteuid() == 0, f"{lacking}, and only root can apt-get install {package}"
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package]
    subprocess.run(["apt-get", "update", "-qq"], check=True, env=environment, timeout=300)
    subprocess.run(install, check=True, env=environment, timeout=600)
