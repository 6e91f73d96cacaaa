"""Bind: takes the host's own answers to how stations are done as a new generation; nothing is substituted (CFG-4,
RES-4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spellweaver.core.binding import Binding
from spellweaver.core.pattern import Pattern
from spellweaver.errors import Refused
from spellweaver.ledger import definitions
from spellweaver.ledger.decide import Transaction


@dataclass(frozen=True, slots=True)
class Placement:
    """One executable station of a workflow version. ``status``: bound (now), unchanged, or unknown (no entry)."""

    pattern: str
    station: str
    status: str
    generation: int


def bind(tx: Transaction, *, bindings: Sequence[Binding]) -> list[Placement]:
    """Stores what differs and reports every placement of each version named.

    Raises Refused for a version that is not in the ledger and for a station that it has not or that is never bound
    (PAT-11, PAT-12).
    """
    generation = definitions.last_binding_generation(tx) + 1
    versions: dict[str, Pattern] = {}
    placed: dict[tuple[str, str], str] = {}
    for new in bindings:
        version = f"{new.pattern_key}@{new.pattern_revision}"
        if version not in versions:
            found = definitions.pattern(tx, new.pattern_key, new.pattern_revision)
            if found is None:
                raise Refused(
                    "no_pattern",
                    f"there is no pattern {version} in this ledger to bind",
                    hint="spellweaver define FILE",
                    pattern=version,
                )
            versions[version] = found[1]
        _check_station(versions[version], new)
        if definitions.binding_digest(tx, new.pattern_key, new.pattern_revision, new.station) == new.digest():
            placed[version, new.station] = "unchanged"
            continue
        at = tx.decided_at()
        definitions.store_binding(tx, new, generation=generation, at=at)
        tx.record(
            "bound", at, {"pattern": version, "station": new.station, "digest": new.digest(), "generation": generation}
        )
        placed[version, new.station] = "bound"
    in_force = definitions.last_binding_generation(tx)
    return [
        Placement(
            version,
            station.key,
            placed.get((version, station.key)) or _without_entry(tx, pattern, station.key),
            in_force,
        )
        for version, pattern in versions.items()
        for station in pattern.executable_stations
    ]


def unbound(tx: Transaction, pattern: Pattern) -> list[str]:
    """The executable stations of a version that have no binding on this host."""
    return [
        s.key
        for s in pattern.executable_stations
        if definitions.binding_digest(tx, pattern.key, pattern.revision, s.key) is None
    ]


def _check_station(pattern: Pattern, new: Binding) -> None:
    kinds = {station.key: station.kind for station in pattern.stations}
    if new.station not in kinds:
        raise Refused(
            "no_station",
            f"pattern {pattern.version} has no station {new.station}; it has {', '.join(kinds)}",
            hint=f"spellweaver pattern show {pattern.version}",
            pattern=pattern.version,
            station=new.station,
        )
    if new.station not in {station.key for station in pattern.executable_stations}:
        raise Refused(
            "never_bound",
            f"station {new.station} of {pattern.version} is of kind {kinds[new.station]}; it is never bound",
            hint="take the entry out",
            pattern=pattern.version,
            station=new.station,
        )


def _without_entry(tx: Transaction, pattern: Pattern, station: str) -> str:
    """A station the file does not name keeps its binding in force, or has none."""
    return "unchanged" if definitions.binding_digest(tx, pattern.key, pattern.revision, station) else "unknown"
