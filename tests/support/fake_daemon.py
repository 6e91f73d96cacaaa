"""A daemon with a text file for a ledger, that kills itself at a named step or is killed from outside: a program.

    fake_daemon.py FOLDER LEDGER STEP SHELL [HOW_MANY]

Ledger lines are JSON: {"launching": n}, {"running": n, "shim": …, "command": …}, {"ended": n, "state": …}.
"""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import sys
import threading

from spellweaver.core.launch import Ended, Sighting, Started
from spellweaver.host import keeper
from spellweaver.jobs.workers import Workers
from tests.support.processes import launch, no_trouble

STEPS = ("before identities", "before commit", "after commit", "after gate", "never")


def main(folder: str, path: str, step: str, shell: str, how_many: int) -> None:
    ledger = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    ended = threading.Semaphore(0)

    def die(at: str) -> None:
        if step == at:
            os.kill(os.getpid(), signal.SIGKILL)

    def commit(row: dict[str, object]) -> None:
        os.write(ledger, json.dumps(row).encode() + b"\n")
        os.fsync(ledger)

    def report(sighting: Sighting) -> None:
        which = int(sighting.attempt)
        if isinstance(sighting, Started):
            die("before commit")
            shim, command = map(dataclasses.astuple, (sighting.shim, sighting.command))
            commit({"running": which, "shim": shim, "command": command})
            die("after commit")
        else:
            commit({"ended": which, "state": sighting.state if isinstance(sighting, Ended) else str(sighting)})
            ended.release()

    ask, open_gate = keeper.Keeper.launch, keeper.open_gate

    def dying_ask(self: keeper.Keeper, order: keeper.Order) -> keeper.Launching:
        launching = ask(self, order)
        die("before identities")
        return launching

    def dying_open(gate: int) -> None:
        open_gate(gate)
        die("after gate")

    keeper.Keeper.launch, keeper.open_gate = dying_ask, dying_open
    workers = Workers(keeper.Keeper(), folder, trouble=no_trouble)
    print("ready", flush=True)
    for which in range(1, how_many + 1):
        commit({"launching": which})
        workers.start(launch(which, shell=shell), report)
        if which % 3 == 0:
            ended.acquire()
    workers.join()
    print("done", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:5], int(sys.argv[5]) if len(sys.argv) > 5 else 1)
