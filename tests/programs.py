"""Programs that some tests need: found, or (in CI) installed; else a test says why it skips.

Rule 1: in CI a missing program is a failure, never a skip.
"""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path
from tempfile import gettempdir


def in_ci():
    return os.environ.get("CI", "").lower() in ("1", "true", "yes")


def find(names, package):
    """The path of the first of these programs, in CI installed with this package; or None."""
    if _on_path(names) is None and in_ci():
        with (Path(gettempdir()) / "callgate-programs.lock").open("w") as lock:
            # Workers of one test run must not call apt-get at the same time.
            fcntl.flock(lock, fcntl.LOCK_EX)
            if _on_path(names) is None:
                _install(names, package)
        assert _on_path(names), f"apt-get install {package} left none of {names} on the PATH"
    return _on_path(names)


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
