"""A real browser for tests of pages: found, or (in CI) installed; else a test says why it skips.

Rule 1: in CI a missing browser is a failure, never a skip.
Rule 2: a page is opened offline, and everything it says or asks for is kept.
"""

import fcntl
import os
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")


def in_ci():
    return os.environ.get("CI", "").lower() in ("1", "true", "yes")


def find():
    """The path of a Chromium; `CALLGATE_BROWSER` names one that is not on the PATH."""
    named = os.environ.get("CALLGATE_BROWSER")
    if named:
        return named
    if _on_path() is None and in_ci():
        with (Path(gettempdir()) / "callgate-browser.lock").open("w") as lock:
            # Workers of one test run must not call apt-get at the same time.
            fcntl.flock(lock, fcntl.LOCK_EX)
            if _on_path() is None:
                _install()
        assert _on_path(), "CI has no browser: apt-get install chromium left none on the PATH"
    return _on_path()


def _on_path():
    return next(filter(None, map(shutil.which, NAMES)), None)


def _install():
    assert shutil.which("apt-get"), "CI has no browser and no apt-get to install chromium with"
    assert os.geteuid() == 0, "CI has no browser, and only root can apt-get install chromium"
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"]
    subprocess.run(["apt-get", "update", "-qq"], check=True, env=environment, timeout=300)
    subprocess.run(install, check=True, env=environment, timeout=600)


@contextmanager
def browser():
    """A Chromium that draws without a window and without the network."""
    path = find()
    if path is None:
        pytest.skip("no Chromium here: install chromium, or name one in CALLGATE_BROWSER")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        assert not in_ci(), "CI must have playwright: it is in the extra `dev`"
        pytest.skip("no playwright here: pip install 'callgate[dev]'")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu"]
        )
        try:
            yield chromium
        finally:
            chromium.close()


class Visit:
    """One page, opened offline, and what it said: console, errors, requests, dialogs."""

    def __init__(self, chromium, **options):
        self.context = chromium.new_context(offline=True, **options)
        self.page = self.context.new_page()
        self.said, self.requests, self.failed = [], [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", self._dialog)
        self.page.on(
            "requestfailed", lambda request: self.failed.append((request.url, request.failure))
        )
        self.page.on("request", lambda request: self.requests.append(request.url))

    def _dialog(self, dialog):
        self.said.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, path):
        """Load a file and wait for its load event."""
        self.page.goto(path.as_uri(), wait_until="load")
        return self.page

    def close(self):
        self.context.close()
