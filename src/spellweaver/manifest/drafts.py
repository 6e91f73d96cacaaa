"""From a checked table to the core's value, with what depends on several keys of one object.

These checks look at the table as it was written, not at its shape: so a Schedule with a mistyped zone still hears
that its class needs a bound.
"""

from __future__ import annotations

import re

from spellweaver.core import grammar, instant, pattern, schedule, zone
from spellweaver.core.binding import Binding
from spellweaver.core.cadence import Cadence
from spellweaver.core.calendar import Calendar, Interpretation
from spellweaver.core.pattern import Pattern
from spellweaver.core.policy import ClockPolicy, HostPolicy
from spellweaver.core.schedule import CalendarDraft, Jitter, ScheduleDraft
from spellweaver.core.structured import structured
from spellweaver.manifest import words, zones
from spellweaver.manifest.checking import checked
from spellweaver.manifest.positions import Path
from spellweaver.manifest.shapes import (
    BindingShape,
    CalendarShape,
    JitterShape,
    PatternShape,
    PolicyShape,
    ScheduleShape,
)
from spellweaver.manifest.source import Source

Table = dict[str, object]

CIVIL = ("cron", "oncalendar", "times")  # keys of cadences that are read in a zone (CAL-01)
ONE_STATION_KEYS = ("key", "revision", "implementation_revision", "checkpoint_schema")
_LABEL = r"[A-Za-z0-9][A-Za-z0-9._/-]{0,62}"
_ENV_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_ENV_REFUSED = re.compile(r"SPELLWEAVER_.*|LD_.*|PYTHON.*|BASH_ENV|ENV|IFS|PS4")


def read_pattern(source: Source, table: Table, path: Path) -> Pattern | None:
    """A pattern in its full or its one-station form, in canonical order."""
    full = any(key in table for key in ("station", "edge", "entry"))
    if full:
        for key in ("implementation_revision", "checkpoint_schema", "entry", "station", "edge"):
            if key not in table:
                source.tell((*path, key), "is required here, since this pattern declares its own stations")
    shape = checked(source, PatternShape, table, path)
    if shape is None:
        return None
    made = _full_pattern(shape) if full else _short_pattern(shape)
    found = pattern.faults(made)
    for fault in found:
        source.tell((*path, *fault.where), fault.sentence)
    return None if found else made.in_order()


def _short_pattern(shape: PatternShape) -> Pattern:
    return pattern.one_station(
        shape.key, shape.revision,
        implementation_revision="1" if shape.implementation_revision is None else shape.implementation_revision,
        checkpoint_schema="none" if shape.checkpoint_schema is None else shape.checkpoint_schema,
    )  # fmt: skip


def _full_pattern(shape: PatternShape) -> Pattern:
    """A key that is missing was told of already; an empty text stands in for it, and the pattern is dropped at last."""
    return Pattern(
        shape.key, shape.revision,
        shape.implementation_revision or "", shape.checkpoint_schema or "", shape.entry or "",
        tuple(pattern.Station(s.key, s.label, s.kind) for s in shape.station or ()),
        tuple(pattern.Edge(e.source, e.target, e.relation) for e in shape.edge or ()),
    )  # fmt: skip


def read_binding(source: Source, table: Table, path: Path, *, version: str, station: str) -> Binding | None:
    """How ``station`` of ``version`` (key@revision) is done here."""
    before = len(source.problems)
    key, _, revision = version.partition("@")
    fault = next((f for part in (key, revision, station) if (f := pattern.name_fault(part))), None)
    if fault or version.count("@") != 1:
        source.tell(
            path,
            f'stands under no exact station, as in [binding."nightly@3".main]: {fault or "one @ is needed"}',
            at_key=True,
        )
    if ("argv" in table) == ("shell" in table):
        both = "argv and shell exclude each other" if "argv" in table else "one of argv and shell is required"
        source.tell((*path, "argv"), f"{both}: argv is executed as it stands, shell by /bin/sh -c")
    _refuse_environment(source, table.get("env"), (*path, "env"))
    _refuse_environment(source, table.get("env_from"), (*path, "env_from"), beside=table.get("env"))
    shape = checked(source, BindingShape, table, path)
    if shape is None or len(source.problems) > before:
        return None
    return Binding(
        key, revision, station, tuple(shape.argv or ()), shape.shell,
        **({} if shape.timeout is None else {"timeout_us": shape.timeout}),
        success=tuple(shape.success), cwd=shape.cwd, env=tuple(sorted(shape.env.items())),
        user=shape.user, umask=shape.umask, nice=shape.nice, env_from=tuple(sorted(shape.env_from.items())),
    )  # fmt: skip


def _refuse_environment(source: Source, env: object, path: Path, *, beside: object = None) -> None:
    for name in env if isinstance(env, dict) else ():
        if fault := environment_fault(name):
            source.tell((*path, name), fault, at_key=True)
        elif isinstance(beside, dict) and name in beside:
            source.tell((*path, name), "stands in env too; a variable has one value", at_key=True)


def environment_fault(name: str) -> str | None:
    """Why a binding may not set this variable, as the rest of a sentence; None where it may."""
    if not re.fullmatch(_ENV_NAME, name):
        return "is no name for a variable: letters, digits and _, no digit first"
    if _ENV_REFUSED.fullmatch(name):
        return "may not be set by a binding: the program loader, the shell or this engine reads it"
    return None


def read_schedule(source: Source, table: Table, path: Path) -> ScheduleDraft | None:
    """A Schedule as written, with the host's bytes of its zone."""
    before = len(source.problems)
    _refuse_window(source, table, path)
    _refuse_labels(source, table.get("labels"), (*path, "labels"))
    _refuse_input(source, table.get("input"), (*path, "input"))
    calendar = table.get("calendar")
    if "calendar" not in table:
        source.tell(
            (*path, "calendar"),
            words.later("a Schedule without [schedule.calendar]", "there are no external firings yet"),
        )
    elif isinstance(calendar, dict):
        _refuse_calendar(source, calendar, (*path, "calendar"))
    shape = checked(source, ScheduleShape, table, path)
    if shape is None or shape.calendar is None:
        return None
    draft = _calendar(source, shape.calendar, (*path, "calendar"))
    _refuse_jitter(source, shape, path)
    if draft is None or len(source.problems) > before or source.faulty(path):
        return None
    key, _, revision = shape.pattern.partition("@")
    return ScheduleDraft(
        authority=shape.authority, name=shape.name, pattern_key=key, pattern_revision=revision,
        service_class=shape.service_class, allowed_delay_us=shape.allowed_delay, overlap=shape.overlap,
        input=schedule.canonical_json(shape.input), labels=schedule.canonical_json(shape.labels), from_at=shape.from_at,
        calendar=draft, misfire_horizon_us=shape.recovery.misfire_horizon, catch_up=shape.recovery.catch_up,
        while_paused=shape.recovery.while_paused,
        origin=source.place(path),
    )  # fmt: skip


def _refuse_window(source: Source, table: Table, path: Path) -> None:
    """CLS-05: a window for deadline_windowed, and for no other class."""
    given = table.get("class", "foreground")
    if given == "deadline_windowed" and "allowed_delay" not in table:
        source.tell(
            (*path, "allowed_delay"),
            'is required by class = "deadline_windowed": the latest start after the due instant',
        )
    elif given == "foreground" and "allowed_delay" in table:
        source.tell(
            (*path, "allowed_delay"), 'is refused: class = "foreground" has no window',
            hint='take class = "deadline_windowed" or leave allowed_delay out', at_key=True,
        )  # fmt: skip


def _refuse_labels(source: Source, labels: object, path: Path) -> None:
    for key, value in labels.items() if isinstance(labels, dict) else ():
        if not re.fullmatch(_LABEL, key):
            source.tell(
                (*path, key), "is no name for a label: 1 to 63 of letters, digits, . _ / - of ASCII", at_key=True
            )
        elif isinstance(value, str) and value and (fault := pattern.text_fault(value)):
            source.tell((*path, key), fault)


def _refuse_input(source: Source, value: object, path: Path) -> None:
    """The input is kept as JSON, which has no instants."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        _refuse_input(source, item, (*path, key))
    if not isinstance(value, dict | list | str | int | float | None):
        source.tell(path, "can't be part of the input, which is JSON; write it as a string")


def _refuse_calendar(source: Source, table: Table, path: Path) -> None:
    """CAL-01 and CAL-09, as far as they are about which keys stand together."""
    kinds = [key for key in (*CIVIL, "every", "at") if key in table]
    if len(kinds) != 1:
        given = f"{' and '.join(kinds)} exclude each other" if kinds else "says no calendar"
        source.tell(
            (*path, kinds[1]) if kinds else path,
            f"{given}: write one of cron, oncalendar, times, every with anchor, at",
            at_key=True,
        )
        return
    _refuse_days(source, table, path, kinds[0])
    if kinds[0] in CIVIL and "zone" not in table:
        source.tell(
            (*path, "zone"),
            f'is required by {kinds[0]}: name one, as in zone = "Europe/Rome"; the host\'s own is never used',
        )
    if kinds[0] not in CIVIL:
        for key in ("fold", "gap"):
            if key in table:
                source.tell(
                    (*path, key),
                    f"is refused: {kinds[0]} names absolute instants, which no clock change moves",
                    at_key=True,
                )
    if kinds == ["every"] and "anchor" not in table:
        source.tell(
            (*path, "anchor"), 'is required by every: the instant it counts from, as in anchor = "2026-01-01T00:00:00Z"'
        )
    if kinds != ["every"] and "anchor" in table:
        source.tell((*path, "anchor"), "is refused: only every counts from an anchor", at_key=True)
    if "zone_rules" in table and "zone" not in table:
        source.tell((*path, "zone_rules"), "is refused: there is no zone here whose rules could be kept", at_key=True)


def _refuse_days(source: Source, table: Table, path: Path, kind: str) -> None:
    """Days and dates belong to times; together they need to be told how (ruling 3)."""
    for key in ("days", "dates", "day_match"):
        if key in table and kind != "times":
            source.tell((*path, key), f"is refused: it belongs to times, and {kind} says its days itself", at_key=True)
    both = "days" in table and "dates" in table
    if kind == "times" and both != ("day_match" in table):
        source.tell(
            (*path, "day_match"),
            'is required by days with dates: "both" for a day that is of both, "either" for one of them'
            if both
            else "is refused: it says how days and dates go together, and both are not here",
        )


def _calendar(source: Source, shape: CalendarShape, path: Path) -> CalendarDraft | None:
    cadence = _cadence(source, shape, path)
    if cadence is None:
        return None
    host_rules = None if shape.zone is None else zones.rules(shape.zone)
    made = CalendarDraft(
        cadence, zone=shape.zone, fold=shape.fold or "earlier", gap=shape.gap or "skip", jitter=_jitter(shape.jitter),
        zone_rules=shape.zone_rules or "keep", host_rules=host_rules, excluded=shape.excluded,
        cycle=shape.cycle,
    )  # fmt: skip
    rules = None if host_rules is None else zone.parse(host_rules)
    reading = Interpretation(made.zone, rules.digest if rules else None, cadence, made.fold, made.gap)
    if shape.excluded and Calendar(reading, rules, shape.excluded).first(-1) is None:
        source.tell((*path, "except"), "leaves out every date there is; it would never fire")
    return made


def _cadence(source: Source, shape: CalendarShape, path: Path) -> Cadence | None:
    try:
        if shape.every is not None and shape.anchor is not None:
            return grammar.every(shape.every // instant.SECOND, shape.anchor // instant.SECOND)
        if shape.at is not None:
            return grammar.at([at // instant.SECOND for at in shape.at])
        if shape.times is not None:
            if bool(shape.days and shape.dates) != bool(shape.day_match):
                return None  # that was told of already
            return structured(
                times=shape.times, days=shape.days or (), dates=shape.dates or (), day_match=shape.day_match
            )
    except grammar.BadCadence as error:
        source.tell((*path, "at" if shape.at is not None else "every"), str(error))
    return shape.cron or shape.oncalendar


def _jitter(shape: JitterShape | None) -> Jitter:
    return Jitter() if shape is None else Jitter(shape.mode, shape.max or 0)


def _refuse_jitter(source: Source, shape: ScheduleShape, path: Path) -> None:
    """CAL-08: the bound stays inside the Schedule's own window."""
    jitter = shape.calendar.jitter if shape.calendar else None
    if jitter is None:
        return
    here = (*path, "calendar", "jitter", "max")
    if (jitter.mode == "none") != (jitter.max is None):
        source.tell(
            here, 'is required by mode = "deterministic"' if jitter.max is None else 'is refused with mode = "none"'
        )
    elif jitter.max and shape.allowed_delay and jitter.max >= shape.allowed_delay:
        late = instant.duration_text(shape.allowed_delay)
        source.tell(here, f"must be less than allowed_delay ({late}): a firing would be due after its last start")


def read_policy(source: Source, table: Table, path: Path) -> HostPolicy | None:
    """What this host allows."""
    shape = checked(source, PolicyShape, table, path)
    if shape is None:
        return None
    clock = ClockPolicy(shape.clock.tick, shape.clock.step, shape.clock.settle)
    return HostPolicy(shape.workers, shape.misfire_horizon, clock)
