"""A real browser for tests of pages: the one that is there, else by apt-get as root, else the one
that playwright downloads; else a test says why it skips.

Rule 1: in CI a missing browser is a failure, never a skip.
Rule 2: a page is opened offline, and everything it says or asks for is kept.
"""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import programs

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")


def find():
    """The path of a Chromium; `CALLGATE_BROWSER` names one that is not on the PATH."""
    named = os.environ.get("CALLGATE_BROWSER")
    return named or programs.find(NAMES, "chromium", eager=True) or _downloaded()


def _downloaded():
    """Playwright's own, fetched if the network lets it."""
    try:
        from playwright.sync_api import sync_playwright

        fetch = [sys.executable, "-m", "playwright", "install", "chromium"]
        subprocess.run(fetch, check=True, capture_output=True, timeout=300)
        with sync_playwright() as playwright:
            path = playwright.chromium.executable_path
    except (ImportError, OSError, subprocess.SubprocessError):
        return None
    return path if Path(path).exists() else None


@contextmanager
def browser():
    """A Chromium that draws without a window and without the network."""
    path = find()
    if path is None:
        pytest.skip("no Chromium here: install chromium, or name one in CALLGATE_BROWSER")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        assert not programs.in_ci(), "CI must have playwright: it is in the extra `dev`"
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
