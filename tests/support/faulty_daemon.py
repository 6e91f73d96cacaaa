"""The real program with one fault planted: ``python -m tests.support.faulty_daemon FAULT run --ledger …``.

no-cgroups          its keepers find no cgroup to divide, as most users' on most hosts
die:STEP            SIGKILL to itself at a step of the launch gate, at its first launch
stop:FILE           SIGSTOP to itself inside a transaction, its sample taken, as soon as there is FILE, which goes
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from spellweaver.cli.main import start
from spellweaver.core.launch import Sighting, Started
from spellweaver.host import keeper
from spellweaver.ledger.decide import Transaction
from spellweaver.service.loop import Loop

STEPS = ("before asking", "before identities", "before commit", "after commit", "after gate")
BLIND = "from spellweaver.host import cgroup; cgroup.base = lambda: None; from spellweaver.host.keeper_main"


def blind() -> str:
    """The keeper's program, with no eye for cgroups."""
    return keeper._PROGRAM.replace("from spellweaver.host.keeper_main", BLIND)


def die_at(step: str) -> None:
    def die(here: str) -> None:
        if step == here:
            os.kill(os.getpid(), signal.SIGKILL)

    ask, open_gate, report = keeper.Keeper.launch, keeper.open_gate, Loop._report

    def dying_ask(self: keeper.Keeper, order: keeper.Order) -> keeper.Launching:
        die("before asking")
        launching = ask(self, order)
        die("before identities")
        return launching

    def dying_report(self: Loop, seen: Sighting) -> None:
        if isinstance(seen, Started):
            die("before commit")
        report(self, seen)
        if isinstance(seen, Started):
            die("after commit")

    def dying_open(gate: int) -> None:
        open_gate(gate)
        die("after gate")

    keeper.Keeper.launch, keeper.open_gate, Loop._report = dying_ask, dying_open, dying_report


def stop_at(file: str) -> None:
    record = Transaction.record

    def stopping(self: Transaction, type_: str, *rest: Any, **ids: Any) -> None:
        record(self, type_, *rest, **ids)
        if type_ == "occurrence.admitted" and os.path.exists(file):
            os.unlink(file)
            os.kill(os.getpid(), signal.SIGSTOP)

    Transaction.record = stopping


def main() -> None:
    kind, _, what = sys.argv.pop(1).partition(":")
    if kind == "no-cgroups":
        keeper._PROGRAM = blind()
    elif kind == "die":
        assert what in STEPS, what
        die_at(what)
    elif kind == "stop":
        stop_at(what)
    else:
        raise SystemExit(f"no fault {kind}")
    start()


if __name__ == "__main__":
    main()
