"""`callgate scenario`: play a script of tools, people and models through the real scheduler.

General layout: `checking` refuses what is no scenario; `script` is what it means; `fakes` are its
tools; `player` drives the scheduler, step by step; `command` reads and writes.
"""

from callgate.cli.scenario.command import describe as describe
from callgate.cli.scenario.command import run as run
