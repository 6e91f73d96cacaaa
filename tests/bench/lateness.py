"""How late a firing's durable admission is, in the real daemon, beside a thread that waits and commits one row.

    PYTHONPATH=src:. python tests/bench/lateness.py [SECONDS]

Both fire once a second, half a second apart. The yardstick waits on a condition until the instant, commits one row
(WAL, FULL) and spawns /bin/true. The daemon is ``spellweaver run`` as it is; only the moment at which it hands a launch
to its workers, which is after the commit, is noted. Beside that stands what the ledger says: the decision, and the
start of the process. One JSON object a line.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import apsw

from tests.bench.figures import part, tell
from tests.support.daemon import SRC, Site

TOML = """
format = 1
[[pattern]]
key = "job"
revision = "1"
[binding."job@1".main]
argv = ["/bin/true"]
timeout = "1m"
[[schedule]]
name = "tick"
pattern = "job@1"
[schedule.calendar]
cron = "* * * * * *"
zone = "UTC"
"""
NOTED = """
import sys, time
from spellweaver.jobs.workers import Workers
start, notes = Workers.start, open(sys.argv.pop(1), "a", buffering=1)
def noted(self, launch, report):
    print(time.time_ns() // 1000 - launch.nominal_at, file=notes)
    start(self, launch, report)
Workers.start = noted
from spellweaver.cli.main import main
sys.exit(main())
"""


def daemon(site: Site, seconds: int, notes: str) -> subprocess.Popen[bytes]:
    words = ["run", "--ledger", str(site.ledger), "--for", f"{seconds}s", "--quiet"]
    return subprocess.Popen([sys.executable, "-c", NOTED, notes, *words], env={**os.environ, "PYTHONPATH": SRC})


def yardstick(folder: str, begins_at: float, seconds: int) -> list[float]:
    """Lateness of each durable row, in seconds."""
    ledger = apsw.Connection(f"{folder}/yardstick.db")
    for sql in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
                "CREATE TABLE o (s INTEGER, nominal INTEGER, state TEXT, PRIMARY KEY (s, nominal)) WITHOUT ROWID"):
        ledger.execute(sql)  # fmt: skip
    waiting, late = threading.Condition(), []
    with waiting:
        for nth in range(seconds):
            while (left := begins_at + nth - time.time()) > 0:
                waiting.wait(left)
            ledger.execute("BEGIN IMMEDIATE")
            ledger.execute("INSERT INTO o VALUES (1, ?, 'admitted')", (nth,))
            ledger.execute("COMMIT")
            late.append(time.time() - begins_at - nth)
            os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
    return late


def main(seconds: int) -> None:
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        site = Site(Path(folder))
        site.make(TOML)
        begins_at = int(time.time()) + 3
        running = daemon(site, seconds + 3, f"{folder}/notes")
        reference = yardstick(folder, begins_at + 0.5, seconds)
        running.wait()
        durable = [int(line) / 1e6 for line in Path(f"{folder}/notes").read_text().split()]
        decided = [
            late / 1e6
            for (late,) in site.rows("SELECT decided_at - due_at FROM occurrence WHERE state = 'admitted'")
        ]
        started = [
            late / 1e6
            for (late,) in site.rows(
                "SELECT a.started_at - o.due_at FROM attempt a JOIN run r ON r.id = a.run "
                "JOIN invocation i ON i.id = r.invocation JOIN occurrence o ON o.id = i.occurrence "
                "WHERE a.started_at IS NOT NULL"
            )
        ]
        (fates,) = site.rows("SELECT count(*) FROM occurrence WHERE state NOT IN ('admitted', 'pending')")[0]
    middle = part(reference, 50)
    for name, late, goal in (
        ("a condition wait, then one durable row", reference, ""),
        ("durable admission", durable, "p50 ≤ the wait's + 2 ms, never early"),
        ("decision", decided, "never early"),
        ("identity of the process committed", started, ""),
    ):
        tell(
            f"lateness: {name}", part(late, 50) * 1e3, "ms", p99=round(part(late, 99) * 1e3, 2),
            worst=round(max(late) * 1e3, 1), earliest=round(min(late) * 1e3, 2), firings=len(late),
            over_the_wait=round((part(late, 50) - middle) * 1e3, 2), goal=goal,
        )  # fmt: skip
    tell("firings that were not admitted", fates, "firings", goal="0")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
