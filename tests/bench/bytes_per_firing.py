"""Bytes of ledger for each firing that ran: rows, indexes and journal, by table. By hand:

    python -m tests.bench.bytes_per_firing [FIRINGS]

Each firing is stored, admitted, claimed, started and ended. Counted is what the file grows by between two checkpoints,
after the first thousand, so that what there is once is left out. One with a window has two instants more on record.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from spellweaver.core.instant import SECOND
from tests.support.engine import World, draft

SCHEDULES = 50


def measured(firings: int, *, allowed_delay: str | None = "30s") -> tuple[float, dict[str, float]]:
    """(bytes a firing, the same by table or index)."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        world = World(Path(folder) / "state", workers=SCHEDULES)
        many = [draft(f"s{n}", "* * * * *", allowed_delay=allowed_delay) for n in range(SCHEDULES)]
        world.add(*many)
        run(world, 1000)
        before = sizes(world)
        done = run(world, firings)
        after = sizes(world)
        world.ledger.close()
    grown = {name: (size - before.get(name, 0)) / done for name, size in after.items()}
    return sum(grown.values()), {name: size for name, size in grown.items() if size > 0.5}


def run(world: World, firings: int) -> int:
    """At least so many, at least one minute."""
    done = 0
    while done < firings:
        world.clock.advance(60 * SECOND - world.clock.now() % (60 * SECOND))
        for launch in world.look().launches:
            world.clock.advance(1234)
            world.start(launch)
            world.clock.advance(56_789)
            world.end(launch)
            done += 1
    return done


def sizes(world: World) -> dict[str, int]:
    """Bytes by table and index, the part of each page that is used."""
    world.ledger.checkpoint()
    rows = world.rows("SELECT name, sum(pgsize) FROM dbstat GROUP BY name")
    return {str(name): int(str(size)) for name, size in rows}


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    for kind, delay in (("foreground", None), ("deadline_windowed", "30s")):
        total, grown = measured(count, allowed_delay=delay)
        print(f"{total:8.1f}  bytes a {kind} firing, of which")
        for name, size in sorted(grown.items(), key=lambda item: -item[1]):
            print(f"{size:8.1f}  {name}")
