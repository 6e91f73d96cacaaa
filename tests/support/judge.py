"""A judge that reads the rules one firing at a time: no cuts, no counts, no ranges, none of the product's functions.

CAT-01, 02, 08, 10, OCC-14: for each unresolved firing gap, lateness, horizon, window, catch-up; then the pending ones.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Firing:
    """What a calendar names. ``kind``: fires, gap_skip or gap_fail. In microseconds; ``delay`` None: no window."""

    key: tuple[int, int, int]  # revision, instant_s, civil_s
    kind: str
    nominal: int
    due: int
    delay: int | None
    horizon: int


@dataclass(frozen=True)
class Pending:
    """An unadmitted firing from before; ``looked_at``: a look has found it due already."""

    occurrence: int
    due: int
    closes: int | None
    horizon: int
    looked_at: bool


def verdicts(
    firings: list[Firing], pending: list[Pending], *, now: int, allowance: int
) -> tuple[dict[tuple[int, int, int], str], dict[int, str]]:
    """For each firing ``offer live``, ``offer catch_up`` or ``state reason``; for each pending one ``stays``,
    ``caught up`` or ``state reason``.
    """
    said: dict[tuple[int, int, int], str] = {}
    missed, on_time = [], []
    for f in firings:
        late = now - f.due
        if f.kind == "gap_skip":
            said[f.key] = "skipped gap"
        elif f.kind == "gap_fail":
            said[f.key] = "refused gap"
        elif late <= allowance:
            closed = f.delay is not None and now >= f.nominal + f.delay
            said[f.key] = "missed latest_start" if closed else "offer live"
            if not closed:
                on_time.append(f)
        else:
            missed.append(f)
            if late > f.horizon:
                said[f.key] = "skipped horizon"
            elif f.delay is not None and now >= f.nominal + f.delay:
                said[f.key] = "missed latest_start"

    waits: dict[int, str] = {}
    for p in pending:
        waits[p.occurrence] = "stays"
        if not p.looked_at and now - p.due > allowance:
            missed.append(p)
            if now - p.due > p.horizon:
                waits[p.occurrence] = "skipped horizon"
            elif p.closes is not None and now >= p.closes:
                waits[p.occurrence] = "missed latest_start"
    if not missed:
        return said, waits

    # the choice: in firing order, pending ones before what this look found
    line: list[Firing | Pending] = [*pending, *firings]

    def can(one: Firing | Pending) -> bool:
        if isinstance(one, Firing):
            return one.key not in said or said[one.key] == "offer live"
        young = now - one.due <= one.horizon
        opened = one.due <= now and (one.closes is None or now < one.closes)
        return waits[one.occurrence] == "stays" and young and opened

    offered = next((at for at in reversed(range(len(line))) if can(line[at]) and line[at] not in on_time), None)
    for at, one in enumerate(line):
        newer_is_offered = bool(on_time) or (offered is not None and at < offered)
        if isinstance(one, Firing):
            if one.key not in said:
                said[one.key] = "offer catch_up" if at == offered and not on_time else "skipped superseded"
        elif waits[one.occurrence] == "stays" and one.due <= now and (one.closes is None or now < one.closes):
            if at == offered and not on_time:
                waits[one.occurrence] = "stays" if one.looked_at or now - one.due <= allowance else "caught up"
            elif newer_is_offered:
                waits[one.occurrence] = "skipped superseded"
    return said, waits
