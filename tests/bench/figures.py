"""How figures are taken on a shared machine: contenders take turns, so that its drift meets each of them.

A figure is the median of its rounds; its noise is how far the middle half of them spreads, as a part of the median.
Only ratios of medians of one run are worth keeping. Beside the time on the wall stands the processor time of this
process, which waits for no neighbour and for no disk: where both ratios agree, the figure is to be believed.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple


class Took(NamedTuple):
    """Seconds."""

    wall: float
    cpu: float


def timed(work: Callable[[], object], times: int = 1) -> Took:
    """How long it takes, once of so many times."""
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(times):
        work()
    return Took((time.perf_counter() - wall) / times, (time.process_time() - cpu) / times)


def turns(contenders: Mapping[str, Callable[[], Took]], rounds: int) -> dict[str, list[Took]]:
    """Runs each contender once in each round, after a round that does not count. Each returns what it took."""
    for run in contenders.values():
        run()
    found: dict[str, list[Took]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            found[name].append(run())
    return found


def compare(what: str, found: Mapping[str, list[Took]], *, against: str, unit: str, scale: float, goal: str) -> None:
    """A line for each contender: its median, its ratios to the reference, how noisy the rounds were."""
    wall, cpu = (statistics.median(values) for values in zip(*found[against], strict=True))
    for name, values in found.items():
        walls, cpus = zip(*values, strict=True)
        facts: dict[str, object] = {"noise": short(noise(walls)), "cpu": short(statistics.median(cpus) * scale)}
        if name != against:
            facts |= {
                "ratio": short(statistics.median(walls) / wall), "cpu_ratio": short(statistics.median(cpus) / cpu),
                "goal": goal, "against": against,
            }  # fmt: skip
        tell(f"{what}: {name}", statistics.median(walls) * scale, unit, **facts)


def tell(figure: str, value: float, unit: str, **facts: object) -> None:
    """One JSON object on a line."""
    print(json.dumps({"figure": figure, "value": short(value), "unit": unit, **facts}, ensure_ascii=False), flush=True)


def noise(values: tuple[float, ...] | list[float]) -> float:
    """The spread of the middle half, as a part of the median."""
    if len(values) < 4:
        return (max(values) - min(values)) / statistics.median(values)
    low, _, high = statistics.quantiles(values, n=4)
    return (high - low) / statistics.median(values)


def part(values: list[float], percent: float) -> float:
    """The value below which so many of a hundred lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(percent / 100 * (len(ordered) - 1)))]


def short(value: float) -> float:
    """Three significant digits."""
    return float(f"{value:.3g}")
