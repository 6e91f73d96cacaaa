"""SQLite's throw-away b-trees may not hand their memory back to the kernel one by one."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.support.program import SRC

_FAULTS = """
import resource
from tests.support.engine import draft, policy
from tests.support.simulated import simulated
names = [f"s{n}" for n in range(20)]
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
seen = simulated(*(draft(name, "*/15 * * * *") for name in names), begin="2026-01-01T00:00:00Z", length="12h",
                 policy=policy(workers=20))
assert len(seen.items) == 960
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / len(seen.items))
"""


def test_a_firing_costs_few_page_faults() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _FAULTS], capture_output=True, text=True, timeout=120,
        env={"PYTHONPATH": os.pathsep.join([str(SRC), str(SRC.parent)]), "PATH": os.environ["PATH"]},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 60, "it was 170 where each b-tree was given back"
