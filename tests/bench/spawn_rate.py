"""How many times a second /bin/true is started with gate, shim, captured output and synced status, and plainly.

By hand: ``PYTHONPATH=src:. python tests/bench/spawn_rate.py [COUNT]``. One line per way, with its ratio to posix_spawn.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time

from spellweaver.core.launch import Ended, Sighting
from spellweaver.host.keeper import Keeper
from spellweaver.jobs.workers import Workers
from tests.support.processes import launch, no_trouble


def plain(count: int) -> float:
    began = time.perf_counter()
    for _ in range(count):
        os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
    return count / (time.perf_counter() - began)


def ours(workers: Workers, first: int, count: int, *, at_once: int) -> float:
    """``at_once`` attempts are kept at work."""
    free = threading.Semaphore(at_once)

    def report(sighting: Sighting) -> None:
        if isinstance(sighting, Ended):
            assert sighting.code == 0
            free.release()

    began = time.perf_counter()
    for n in range(first, first + count):
        free.acquire()
        workers.start(launch(n, "/bin/true"), report)
    workers.join()
    return count / (time.perf_counter() - began)


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as home:
        keeper = Keeper()
        workers = Workers(keeper, f"{home}/attempts", trouble=no_trouble)
        first = 1
        ours(workers, first, 5, at_once=1)
        base = plain(count)
        print(f"posix_spawn, one at a time     {base:7.0f}/s  1.00")
        for at_once in (1, 2, 4, 8):
            first += count + 10
            rate = ours(workers, first, count, at_once=at_once)
            print(f"gate, shim, log, {at_once} at once     {rate:7.0f}/s  {rate / base:.2f}")
        keeper.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
