"""A ledger on disk that the real engine writes under a virtual clock, for tests of what is read from it.

house = House(tmp_path, "2026-11-29T12:00:00Z")
house.take(schedule("nightly", 'cron = "0 2 * * *"', zone="Europe/Rome"))
(launch,) = house.until("2026-11-30T01:00:00Z")
house.start(launch); house.end(launch, code=3, after_s=41)
"""

from __future__ import annotations

import os
from pathlib import Path

from spellweaver.clock import VirtualClock
from spellweaver.core import instant
from spellweaver.core.launch import Contained, Ended, Identity, Launch, Sighting, Started
from spellweaver.engine.activate import activate
from spellweaver.engine.bind import bind
from spellweaver.engine.define import define
from spellweaver.engine.policy import apply_policy
from spellweaver.engine.settle import settle
from spellweaver.engine.tick import Pass, step
from spellweaver.ledger.decide import create_ledger
from spellweaver.manifest.read import read_text

BOOT = "5e1f7a0c-0000-4000-8000-000000000000"


def schedule(
    name: str, cadence: str, *, zone: str | None = "UTC", keys: str = "", calendar: str = "", recovery: str = ""
) -> str:
    """TOML of a Schedule with a workflow of its own, bound to /bin/true."""
    where = f'zone = "{zone}"\n' if zone else ""
    return (
        f'[[pattern]]\nkey = "{name}"\nrevision = "1"\n'
        f'[binding."{name}@1".main]\nargv = ["/bin/true"]\ntimeout = "10m"\n'
        f'[[schedule]]\nname = "{name}"\npattern = "{name}@1"\n{keys}\n'
        f"[schedule.calendar]\n{cadence}\n{where}{calendar}\n[schedule.recovery]\n{recovery}\n"
    )


class House:
    """``path`` is the ledger's; ``clock`` moves only when told."""

    def __init__(self, folder: Path, at: str) -> None:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        os.chmod(folder, 0o700)
        self.path = f"{folder}/ledger.db"
        self.clock = VirtualClock(instant.parse(at))
        self.ledger = create_ledger(self.path, self.clock, actor="uid:1000", machine="a-machine")

    def take(self, *tables: str, activated: bool = True, unbound: bool = False) -> None:
        """Defines, binds and activates everything that the TOML holds, and applies its policy."""
        read = read_text("\n".join(["format = 1", *tables]), "a.toml")
        with self.ledger.decide() as tx:
            define(tx, patterns=read.patterns, schedules=read.schedules, owner="operator")
            bind(tx, bindings=read.bindings)
            if read.policy is not None:
                apply_policy(tx, read.policy)
            for draft in read.schedules if activated else ():
                activate(tx, schedule=draft.full_name, revision=None, unbound=unbound)

    def until(self, at: str, *, allowance: str = "1s") -> list[Launch]:
        """Moves the clock there and makes one whole pass; what it claimed is launched by the test."""
        self.clock.step(instant.parse(at) - self.clock.now())
        return self.look(allowance=allowance)

    def look(self, *, allowance: str = "1s") -> list[Launch]:
        under_way = Pass(instant.parse_duration(allowance))
        while under_way.phase != "done":
            with self.ledger.decide() as tx:
                step(tx, under_way)
        return under_way.launches

    def see(self, sighting: Sighting) -> None:
        with self.ledger.decide() as tx:
            settle(tx, sighting)

    def start(self, launch: Launch, *, after_us: int = 4_000) -> None:
        self.clock.advance(after_us)
        who = Identity(4000 + launch.attempt, 100, BOOT, 0)
        self.see(Started(launch.attempt, who, Identity(who.pid + 1, 101, BOOT, 0)))

    def end(self, launch: Launch, *, code: int = 0, after_s: int = 41) -> None:
        self.clock.advance(after_s * instant.SECOND)
        self.see(Ended(launch.attempt, "exited", code=code, output_bytes=12))

    def contain(self, launch: Launch) -> None:
        self.see(Contained(launch.attempt, "escaped", "a process left its session"))
