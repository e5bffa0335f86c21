"""In CI a missing browser is installed or a failure, elsewhere a skip that says why."""

import os
import shutil
import subprocess
import sys

import pytest

from tests import browser as finding


@pytest.fixture
def bare(monkeypatch):
    """A machine with no browser; what would be run is kept, not run."""
    run, have = [], []
    monkeypatch.delenv("CALLGATE_BROWSER", raising=False)
    monkeypatch.delenv("CI", raising=False)

    def which(name):
        return f"/usr/bin/{name}" if name in have or name == "apt-get" else None

    def act(command, **options):
        run.append(command[:2])
        if command[0] == sys.executable:
            raise subprocess.CalledProcessError(1, command)
        if command[1] == "install":
            have.append("chromium")

    monkeypatch.setattr(shutil, "which", which)
    monkeypatch.setattr(subprocess, "run", act)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return run


def test_outside_ci_a_missing_browser_is_a_skip_with_its_reason(bare, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    asked = finding.browser()
    with pytest.raises(pytest.skip.Exception, match="no Chromium here: install chromium"):
        asked.__enter__()
    assert bare == [[sys.executable, "-m"]], "only playwright's own download was tried"


def test_outside_ci_root_installs_a_missing_browser(bare):
    assert finding.find() == "/usr/bin/chromium"
    assert bare == [["apt-get", "update"], ["apt-get", "install"]]


def test_in_ci_a_missing_browser_is_installed_once(bare, monkeypatch):
    monkeypatch.setenv("CI", "true")
    assert finding.find() == "/usr/bin/chromium"
    assert finding.find() == "/usr/bin/chromium"
    assert bare == [["apt-get", "update"], ["apt-get", "install"]]


def test_in_ci_without_root_a_missing_browser_is_a_failure(bare, monkeypatch):
    monkeypatch.setenv("CI", "true")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(AssertionError, match="only root can apt-get install chromium"):
        finding.find()


def test_a_browser_can_be_named(bare, monkeypatch):
    monkeypatch.setenv("CALLGATE_BROWSER", "/opt/chrome")
    assert finding.find() == "/opt/chrome"
