"""How many times a second /bin/true is started and its end is known: with gate, shim, captured output, synced status;
through the whole daemon, with every state committed; and plainly, by a few lines of C.

    PYTHONPATH=src:. python tests/bench/spawn_rate.py [COUNT]

All ways take turns. The limit is posix_spawn and waitpid in C, one at a time; without a C compiler that line says so,
and the ratios are to os.posix_spawn. One JSON object a line.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from spellweaver.core.launch import Ended, Sighting
from spellweaver.host.keeper import Keeper
from spellweaver.jobs.workers import Workers
from tests.bench.figures import noise, part, tell
from tests.support.daemon import Site
from tests.support.processes import launch, no_trouble

ROUNDS = int(os.environ.get("SPELLWEAVER_BENCH_ROUNDS", "5"))
GOAL = "≥ 0.12"
LIMIT = r"""
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
extern char **environ;
int main(int argc, char **argv) {
    char *words[] = {"true", 0};
    struct timespec begun, ended;
    int count = argc > 1 ? atoi(argv[1]) : 100;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    for (int nth = 0; nth < count; nth++) {
        pid_t child;
        int status;
        if (posix_spawn(&child, "/bin/true", 0, 0, words, environ) != 0) return 1;
        waitpid(child, &status, 0);
    }
    clock_gettime(CLOCK_MONOTONIC, &ended);
    printf("%f\n", count / ((ended.tv_sec - begun.tv_sec) + (ended.tv_nsec - begun.tv_nsec) / 1e9));
}
"""


def limit(folder: str, count: int) -> tuple[str, Callable[[], float]]:
    """Starts a second in C, or in Python where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        print("skipped: posix_spawn in C: there is no C compiler here", file=sys.stderr)
        return "os.posix_spawn", lambda: plain(10 * count)
    Path(f"{folder}/limit.c").write_text(LIMIT)
    subprocess.run([compiler, "-O2", "-o", f"{folder}/limit", f"{folder}/limit.c"], check=True)
    words = [f"{folder}/limit", str(10 * count)]  # too quick for a hundred to tell
    return "posix_spawn in C", lambda: float(subprocess.run(words, check=True, capture_output=True).stdout)


def plain(count: int) -> float:
    began = time.perf_counter()
    for _ in range(count):
        os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
    return count / (time.perf_counter() - began)


class Shims:
    """Keeper, shims and workers without a ledger."""

    def __init__(self, folder: str) -> None:
        self._keeper = Keeper()
        self._workers = Workers(self._keeper, f"{folder}/attempts", trouble=no_trouble)
        self._next = 1

    def rate(self, count: int, *, at_once: int) -> float:
        """``at_once`` attempts are kept at work."""
        free = threading.Semaphore(at_once)

        def report(sighting: Sighting) -> None:
            if isinstance(sighting, Ended):
                assert sighting.code == 0
                free.release()

        began = time.perf_counter()
        for _ in range(count):
            free.acquire()
            self._workers.start(launch(self._next, "/bin/true"), report)
            self._next += 1
        self._workers.join()
        return count / (time.perf_counter() - began)

    def close(self) -> None:
        self._keeper.close()


def through_the_daemon(folder: str, count: int, *, at_once: int) -> float:
    """``count`` firings that are due at one instant, by ``spellweaver run`` with so many workers."""
    site = Site(Path(tempfile.mkdtemp(dir=folder)))
    due = datetime.fromtimestamp(int(time.time()) + 2, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    site.make(
        'format = 1\n[[pattern]]\nkey = "job"\nrevision = "1"\n[binding."job@1".main]\nargv = ["/bin/true"]\n'
        + "".join(
            f'[[schedule]]\nname = "s{nth}"\npattern = "job@1"\nclass = "deadline_windowed"\nallowed_delay = "1h"\n'
            f'[schedule.calendar]\nat = ["{due}"]\n'
            for nth in range(count)
        )
    )
    policy = site.folder / "policy.toml"
    policy.write_text(f"format = 1\n[policy]\nworkers = {at_once}\n")
    assert site.call("policy", "apply", str(policy)).returncode == 0
    daemon = site.start("--quiet")
    site.until(f"SELECT count(*) = {count} FROM invocation WHERE state = 'completed'", within_s=120)
    daemon.terminate()
    daemon.wait()
    ((begun, ended),) = site.rows("SELECT min(launched_at), max(ended_at) FROM attempt")
    return count / ((int(str(ended)) - int(str(begun))) / 1e6)


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        shims = Shims(folder)
        shims.rate(5, at_once=1)
        name, in_c = limit(folder, count)
        ways: dict[str, Callable[[], float]] = {
            name: in_c,
            "os.posix_spawn": lambda: plain(10 * count),
            **{f"gate, shim, status, {n} at once": lambda n=n: shims.rate(count, at_once=n) for n in (1, 2, 4, 8)},
            **{
                f"whole daemon, {n} workers": lambda n=n: through_the_daemon(folder, count, at_once=n)
                for n in (1, 4, 8)
            },
        }
        found: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(ROUNDS):
            for way, rate in ways.items():
                found[way].append(rate())
        shims.close()
    base = part(found[name], 50)
    for way, rates in found.items():
        middle = part(rates, 50)
        tell(f"starts: {way}", middle, "1/s", ratio=round(middle / base, 3), noise=round(noise(rates), 2), goal=GOAL)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
