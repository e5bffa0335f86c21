"""What `import callgate` costs beyond its three dependencies."""

import subprocess
import sys

SCRIPT = """
import attrs, pyrsistent, statemachine
from time import process_time
began = process_time()
import callgate
print(process_time() - began)
"""
BUDGET_SECONDS = 0.150


def test_import_stays_within_its_budget():
    """Processor time, the best of several: what else runs on the machine cannot fail it."""
    command = [sys.executable, "-c", SCRIPT]
    runs = [subprocess.run(command, capture_output=True, check=True) for _ in range(5)]
    assert min(float(run.stdout) for run in runs) < BUDGET_SECONDS
