"""A Schedule's definition: the draft that a file gives, and the immutable revision made of it (CUT-01).

A draft says what the operator wrote, with the host's zone bytes beside it; ``engine.define`` picks the kept zone
rules and the pinned horizon, and the result, in canonical JSON, is the revision. Its digest covers all of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from spellweaver.core import cadence as cadences
from spellweaver.core.cadence import Cadence
from spellweaver.core.instant import DAY_S, LAST, SECOND, civil_text, parse_civil
from spellweaver.core.policy import CatchUp, Cycle, Fold, Gap, JitterMode, Overlap, ServiceClass, WhilePaused
from spellweaver.core.search import Excluded


@dataclass(frozen=True, slots=True)
class Jitter:
    """CAL-08: ``0 <= jitter < max_us``. Mode ``none`` has ``max_us`` 0."""

    mode: JitterMode = "none"
    max_us: int = 0


@dataclass(frozen=True, slots=True)
class CalendarDraft:
    """``zone_rules`` is ``keep``, ``host`` or a lowercase hex SHA-256; ``host_rules`` the TZif bytes of the zone
    source, None without a zone.
    """

    cadence: Cadence
    zone: str | None = None
    fold: Fold = "earlier"
    gap: Gap = "skip"
    jitter: Jitter = Jitter()
    zone_rules: str = "keep"
    host_rules: bytes | None = None
    excluded: Excluded = ()
    cycle: Cycle | None = None


@dataclass(frozen=True, slots=True)
class ScheduleDraft:
    """One ``[[schedule]]`` as written. Instants and durations in microseconds; None where the key is absent.

    ``input`` and ``labels`` are canonical JSON texts. ``origin`` is where in which file the table stands, for
    messages alone.
    """

    authority: str
    name: str
    pattern_key: str
    pattern_revision: str
    service_class: ServiceClass = "foreground"
    allowed_delay_us: int | None = None
    overlap: Overlap = "forbid"
    input: str = "{}"
    labels: str = "{}"
    from_at: int | None = None
    calendar: CalendarDraft | None = None
    misfire_horizon_us: int | None = None
    catch_up: CatchUp = "newest"
    while_paused: WhilePaused = "skip"
    origin: str = ""

    @property
    def full_name(self) -> str:
        """``authority/name``."""
        return f"{self.authority}/{self.name}"


@dataclass(frozen=True, slots=True)
class Definition:
    """An immutable revision: what is equal for all its firings (OCC-11). ``zone_digest`` is the SHA-256 of the kept
    rules, None without a zone.
    """

    authority: str
    name: str
    pattern_key: str
    pattern_revision: str
    pattern_digest: str
    service_class: ServiceClass
    allowed_delay_us: int | None
    overlap: Overlap
    input: str
    labels: str
    from_at: int | None
    cadence: Cadence
    zone: str | None
    zone_digest: str | None
    fold: Fold
    gap: Gap
    jitter: Jitter
    misfire_horizon_us: int
    catch_up: CatchUp
    while_paused: WhilePaused = "skip"
    excluded: Excluded = ()
    cycle: Cycle | None = None

    def canonical(self) -> dict[str, object]:
        """The JSON object whose bytes are kept and digested: no floats, and all keys present but ``while_paused``,
        which is there where it is not ``skip``, ``except``, where a date is left out, and ``cycle``, where it is
        declared; so a revision from before those keys has the digest that it had.
        """
        excluded = {"except": [date_range_text(first, last) for first, last in self.excluded]}
        return {
            "schema": 1,
            "authority": self.authority,
            "name": self.name,
            "pattern": {"key": self.pattern_key, "revision": self.pattern_revision, "digest": self.pattern_digest},
            "class": self.service_class,
            "allowed_delay_us": self.allowed_delay_us,
            "overlap": self.overlap,
            "input": json.loads(self.input),
            "labels": json.loads(self.labels),
            "from_at": self.from_at,
            "calendar": {
                "cadence": self.cadence.canonical(),
                "zone": self.zone,
                "zone_rules": self.zone_digest,
                "fold": self.fold,
                "gap": self.gap,
                "jitter": {"mode": self.jitter.mode, "max_us": self.jitter.max_us},
                **(excluded if self.excluded else {}),
                **({} if self.cycle is None else {"cycle": self.cycle}),
            },
            "recovery": {
                "misfire_horizon_us": self.misfire_horizon_us,
                "catch_up": self.catch_up,
                **({} if self.while_paused == "skip" else {"while_paused": self.while_paused}),
            },
        }

    def body(self) -> str:
        return canonical_json(self.canonical())

    def digest(self) -> str:
        """Lowercase hex SHA-256 of ``body``."""
        return sha256(self.body().encode()).hexdigest()

    def interpretation(self) -> str:
        """CUT-03: zone, kept rules, cadence, fold, gap as one digest; equal ones share a generation. Lowercase hex
        SHA-256.
        """
        reading = [self.zone, self.zone_digest, self.cadence.canonical(), self.fold, self.gap]
        return sha256(canonical_json(reading).encode()).hexdigest()


def definition(body: str) -> Definition:
    """The inverse of ``Definition.body``."""
    b = json.loads(body)
    calendar, recovery = b["calendar"], b["recovery"]
    return Definition(
        b["authority"],
        b["name"],
        b["pattern"]["key"],
        b["pattern"]["revision"],
        b["pattern"]["digest"],
        b["class"],
        b["allowed_delay_us"],
        b["overlap"],
        canonical_json(b["input"]),
        canonical_json(b["labels"]),
        b["from_at"],
        cadences.cadence(calendar["cadence"]),
        calendar["zone"],
        calendar["zone_rules"],
        calendar["fold"],
        calendar["gap"],
        Jitter(**calendar["jitter"]),
        recovery["misfire_horizon_us"],
        recovery["catch_up"],
        while_paused=recovery.get("while_paused", "skip"),
        excluded=date_ranges(calendar.get("except", ())),
        cycle=calendar.get("cycle"),
    )


def revise(draft: ScheduleDraft, *, pattern_digest: str, zone_digest: str | None, horizon_us: int) -> Definition:
    """The revision that a draft becomes once the ledger has said what it keeps (CAL-04, CAT-01)."""
    calendar = draft.calendar
    assert calendar is not None, (
        "external firings come with 'Time and change'; the reader refuses a Schedule without a calendar"
    )
    horizon = draft.misfire_horizon_us
    return Definition(
        draft.authority,
        draft.name,
        draft.pattern_key,
        draft.pattern_revision,
        pattern_digest,
        draft.service_class,
        draft.allowed_delay_us,
        draft.overlap,
        draft.input,
        draft.labels,
        draft.from_at,
        calendar.cadence,
        calendar.zone,
        zone_digest,
        calendar.fold,
        calendar.gap,
        calendar.jitter,
        horizon_us if horizon is None else horizon,
        draft.catch_up,
        while_paused=draft.while_paused,
        excluded=calendar.excluded,
        cycle=calendar.cycle,
    )


def date_ranges(texts: Iterable[str]) -> Excluded:
    """The days that dates ``2026-12-24`` and ranges ``2026-12-24..2026-12-26`` name, as ranges of days since
    1970-01-01, ascending and joined. Raises ValueError with a sentence."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(map(_date_range, texts)):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return tuple(joined)


def _date_range(text: str) -> tuple[int, int]:
    first_text, dots, last_text = text.partition("..")
    if "T" in text:
        raise ValueError(f"{text!r} has a time of day; except takes whole dates, as in 2026-12-24")
    first = parse_civil(first_text) // DAY_S
    last = parse_civil(last_text) // DAY_S if dots else first
    if last < first:
        raise ValueError(f"{text!r} is a range that runs backwards")
    if not 0 <= first <= last <= LAST // SECOND // DAY_S:
        raise ValueError(f"{text!r} is outside the years 1970 to 2200")
    return first, last


def date_range_text(first: int, last: int) -> str:
    """``2026-12-24`` or ``2026-12-24..2026-12-26`` of days since 1970-01-01."""
    ends = [civil_text(day * DAY_S)[:10] for day in (first, last)]
    return ends[0] if first == last else "..".join(ends)


def jitter_us(jitter: Jitter, *, schedule: str, firing: str) -> int:
    """CAL-08: the same Schedule, firing key and bound give the same jitter, on every host and after every restart."""
    if jitter.mode == "none" or jitter.max_us == 0:
        return 0
    drawn = sha256(f"{schedule}\n{firing}\n{jitter.max_us}".encode()).digest()
    return int.from_bytes(drawn[:16], "big") % jitter.max_us


def canonical_json(value: object) -> str:
    """Sorted keys, no spaces, UTF-8 kept, NaN refused (ValueError)."""
    return _CANONICAL.encode(value)


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
