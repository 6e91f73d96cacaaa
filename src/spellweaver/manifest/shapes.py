"""The shape of each kind of object: which keys it has, of which type, within which bounds (CFG-1). Nothing is
coerced.

A shape looks at one value at a time. What depends on two keys, on another object or on another file is judged in
``drafts`` and ``read``, so that one wrong value hides no other problem.
"""

from __future__ import annotations

import datetime
import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from spellweaver.core import grammar, instant, pattern, structured, zone
from spellweaver.core.binding import DEFAULT_UMASK
from spellweaver.core.oncalendar import OnCalendar, parse_oncalendar
from spellweaver.core.policy import (
    CYCLES,
    FOLDS,
    GAPS,
    MISTAKEN_CLASSES,
    WHILE_PAUSED,
    CatchUp,
    Cycle,
    Fold,
    Gap,
    JitterMode,
    Overlap,
    ServiceClass,
    WhilePaused,
)
from spellweaver.core.schedule import date_ranges
from spellweaver.manifest import words, zones
from spellweaver.manifest.problems import shown
from spellweaver.manifest.source import microseconds

NAME = r"[a-z0-9][a-z0-9._-]{0,62}"
USER = r"[A-Za-z_][A-Za-z0-9_.-]{0,31}"
UMASK = r"0?[0-7]{3}"
REFERENCE = r"file:/[^\x00]*[^\x00/]|credential:[A-Za-z0-9_][A-Za-z0-9._-]{0,254}"
TEXT_LENGTH = 256
HORIZON_LIMIT = 3650 * instant.DAY

_DURATION_SCHEMA = {"type": "string", "pattern": "^[0-9]{1,9}[smhd]$"}
_INSTANT_SCHEMA = {"type": "string", "format": "date-time"}


def wrong(sentence: str) -> PydanticCustomError:
    """A refusal of one value, in words of ours."""
    return PydanticCustomError("refused", "{sentence}", {"sentence": sentence})


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise wrong(f"must be a string in quotes, not {shown(value)}")
    return value


def _name(value: object) -> str:
    text = _text(value)
    if "/" in text:
        raise wrong('holds a slash; write the authority apart, as in authority = "ops"')
    if not re.fullmatch(NAME, text):
        raise wrong("must be 1 to 63 of a-z, 0-9, . _ - with a letter or digit first")
    return text


def _word(value: object, allowed: tuple[str, ...], key: str, late: dict[str, str], mistaken: dict[str, str]) -> str:
    text = _text(value)
    if text in late:
        raise wrong(words.later(f'{key} = "{text}"', late[text]))
    if text in mistaken:
        raise wrong(f"{shown(text)} is no class; the one that is meant is {shown(mistaken[text])}")
    if text not in allowed:
        *most, last = (shown(word) for word in allowed)
        listed = f"{', '.join(most)} or {last}" if most else last
        raise wrong(f"must be {listed}, not {shown(text)}")
    return text


def _duration(value: object, low: int, high: int) -> int:
    try:
        us = instant.parse_duration(_text(value))
    except ValueError as error:
        raise wrong(str(error)) from None
    if not low <= us <= high:
        empty = "; that window is empty" if us == 0 else ""
        raise wrong(f"must be from {instant.duration_text(low)} to {instant.duration_text(high)}, not {value}{empty}")
    return us


def _horizon(value: object) -> int:
    if value in ("unlimited", "none", "never", "infinity", "inf", "forever"):
        raise wrong("can't be unlimited: a firing is skipped when it is older; at most 3650d, at least 0s")
    return _duration(value, 0, HORIZON_LIMIT)


def _whole_second(value: object) -> int:
    """Microseconds of an RFC 3339 text or a TOML date-time with an offset (whole seconds: an anchor names firings)."""
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        us = microseconds(value)
    else:
        try:
            us = instant.parse(_text(value))
        except ValueError as error:
            raise wrong(str(error)) from None
    if not instant.FIRST <= us <= instant.LAST:
        raise wrong("is outside the years 1970 to 2200")
    if us % instant.SECOND:
        raise wrong("must be a whole second")
    return us


def _cron(value: object) -> grammar.Cron:
    try:
        return grammar.parse_cron(_text(value))
    except grammar.BadCadence as error:
        raise wrong(str(error)) from None


def _oncalendar(value: object) -> OnCalendar:
    try:
        return parse_oncalendar(_text(value))
    except grammar.BadCadence as error:
        raise wrong(str(error)) from None


def _excluded(value: object) -> tuple[tuple[int, int], ...]:
    texts = value if isinstance(value, list) else []
    if not texts or not all(isinstance(text, str) for text in texts):
        raise wrong('must be an array of dates and ranges, as in ["2026-12-24..2026-12-26", "2027-01-01"]')
    try:
        return date_ranges(texts)
    except ValueError as error:
        raise wrong(str(error)) from None


def _listed(key: str) -> BeforeValidator:
    """A list of a calendar said in keys, judged apart from the others (CAL-09)."""

    def judged(value: object) -> list[object]:
        if not isinstance(value, list) or not value:
            raise wrong(f"must be an array, as in {_LISTS[key]}")
        try:
            said: dict[str, list[Any]] = {"times": ["00:00"], "days": [], "dates": [], key: value}
            structured.structured(times=said["times"], days=said["days"], dates=said["dates"])
        except grammar.BadCadence as error:
            raise wrong(str(error)) from None
        return value

    return BeforeValidator(judged)


_LISTS = {"times": '["02:00", "14:30"]', "days": '["mon..fri"]', "dates": '[1, 15, -1, "12-24"]'}


def _zone(value: object) -> str:
    name = _text(value)
    try:
        zone.parse(zones.rules(name))
    except zones.UnknownZone as error:
        raise wrong(str(error)) from None
    except zone.BadZone as error:
        raise wrong(f"the rules of zone {shown(name)} can't be used: {error}") from None
    return name


def _zone_rules(value: object) -> str:
    text = _text(value)
    if text in ("keep", "host"):
        return text
    if not re.fullmatch(r"sha256:[0-9a-f]{64}", text):
        raise wrong(f'must be "keep", "host" or "sha256:" and 64 hex digits in lower case, not {shown(text)}')
    return text.removeprefix("sha256:")


def _version(value: object) -> str:
    """An exact ``key@revision`` (CFG-3): no range, no newest."""
    text = _text(value)
    key, at, revision = text.partition("@")
    if not at or revision == "latest":
        raise wrong(f'must name one exact revision, as in "{key or "nightly"}@3"')
    for part in (key, revision):
        if fault := pattern.name_fault(part):
            raise wrong(f"must be key@revision; {shown(part)} {fault}")
    return text


def _argv(value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise wrong('must be an array of strings, as in ["/usr/bin/rsync", "-a"]; a command line goes into shell')
    if not value or not value[0]:
        raise wrong("must name a program first")
    if "/" in value[0] and not value[0].startswith("/"):
        raise wrong("must name its program by an absolute path, or by a plain name that is looked up on the fixed PATH")
    return value


def _directory(value: object) -> str:
    text = _text(value)
    if not text.startswith("/"):
        raise wrong(f"must be an absolute path, not {shown(text)}")
    return text


def _script(value: object) -> str:
    if not _text(value).strip():
        raise wrong("must hold a command")
    return _text(value)


def _exit_codes(value: object) -> list[int]:
    if not isinstance(value, list) or not value or not all(type(code) is int and 0 <= code <= 255 for code in value):
        raise wrong("must be an array of exit codes from 0 to 255, as in [0]")
    return sorted(set(value))


def _user(value: object) -> str:
    if not re.fullmatch(USER, _text(value)):
        raise wrong('must be the name of an account, as in "backup"; a number is none')
    return _text(value)


def _umask(value: object) -> int:
    text = _text(value)
    if not re.fullmatch(UMASK, text):
        raise wrong(f'must be three octal digits, as in "077" or "022", not {shown(text)}')
    return int(text, 8)


def _reference(value: object) -> str:
    """Where a secret stands; the secret itself belongs in no file of ours (CFG-5)."""
    if not re.fullmatch(REFERENCE, _text(value)):
        raise wrong('must say where the value stands: "file:/absolute/path" or "credential:NAME"; never the value')
    return _text(value)


def _within(low: int, high: int) -> BeforeValidator:
    """A duration from ``low`` to ``high`` microseconds."""
    return BeforeValidator(lambda value: _duration(value, low, high))


def _one_of(key: str, allowed: tuple[str, ...], late: dict[str, str], mistaken: dict[str, str]) -> BeforeValidator:
    """One of the ``allowed`` words; ``late`` ones are refused by name, ``mistaken`` ones with the right word."""
    return BeforeValidator(lambda value: _word(value, allowed, key, late, mistaken))


def _words(*allowed: str) -> WithJsonSchema:
    return WithJsonSchema({"enum": list(allowed)})


_SECONDS = WithJsonSchema(_DURATION_SCHEMA)
Text = Annotated[str, BeforeValidator(_text), WithJsonSchema({"type": "string"})]
Name = Annotated[str, BeforeValidator(_name), WithJsonSchema({"type": "string", "pattern": f"^{NAME}$"})]
Version = Annotated[str, BeforeValidator(_version), WithJsonSchema({"type": "string", "pattern": "^[^@]+@[^@]+$"})]
Instant = Annotated[int, BeforeValidator(_whole_second), WithJsonSchema(_INSTANT_SCHEMA)]
Horizon = Annotated[int, BeforeValidator(_horizon), _SECONDS]
MonthOrLess = Annotated[int, _within(instant.SECOND, 30 * instant.DAY), _SECONDS]
DecadeOrLess = Annotated[int, _within(instant.SECOND, HORIZON_LIMIT), _SECONDS]
User = Annotated[str, BeforeValidator(_user), WithJsonSchema({"type": "string", "pattern": f"^{USER}$"})]
Umask = Annotated[int, BeforeValidator(_umask), WithJsonSchema({"type": "string", "pattern": f"^{UMASK}$"})]
Reference = Annotated[
    str, BeforeValidator(_reference), WithJsonSchema({"type": "string", "pattern": "^(file:/|credential:)."})
]
Table = dict[str, Any]


class Shape(BaseModel):
    """A table that takes the keys of its fields, as they are typed, and no other."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, arbitrary_types_allowed=True)


class FileShape(Shape):
    """The top of a file. Each object is checked apart, against the shape of its own kind (CFG-4)."""

    format: Annotated[int, Field(ge=1, le=1)]
    pattern: list[Table] = []
    binding: dict[str, dict[str, Table]] = {}
    schedule: list[Table] = []
    policy: Table | None = None


class StationShape(Shape):
    key: Text
    label: Text
    kind: Annotated[Text, _words(*pattern.KINDS)]


class EdgeShape(Shape):
    source: Text
    target: Text
    relation: Text


class PatternShape(Shape):
    key: Text
    revision: Text
    implementation_revision: Text | None = None
    checkpoint_schema: Text | None = None
    entry: Text | None = None
    station: list[StationShape] | None = None
    edge: list[EdgeShape] | None = None


class BindingShape(Shape):
    argv: Annotated[list[str] | None, BeforeValidator(_argv)] = None
    shell: Annotated[str | None, BeforeValidator(_script)] = None
    timeout: MonthOrLess | None = None
    success: Annotated[list[int], BeforeValidator(_exit_codes)] = [0]
    cwd: Annotated[str, BeforeValidator(_directory)] = "/"
    env: dict[str, Text] = {}
    env_from: dict[str, Reference] = {}
    user: User | None = None
    umask: Umask = DEFAULT_UMASK
    nice: Annotated[int, Field(ge=-20, le=19)] = 0


class JitterShape(Shape):
    mode: Annotated[
        JitterMode, _one_of("jitter.mode", ("none", "deterministic"), words.JITTER, {}), _words("none", "deterministic")
    ]
    max: MonthOrLess | None = None


class CalendarShape(Shape):
    cron: Annotated[grammar.Cron | None, BeforeValidator(_cron), WithJsonSchema({"type": "string"})] = None
    oncalendar: Annotated[OnCalendar | None, BeforeValidator(_oncalendar), WithJsonSchema({"type": "string"})] = None
    times: Annotated[list[str] | None, _listed("times")] = None
    days: Annotated[list[str] | None, _listed("days")] = None
    dates: Annotated[list[int | str] | None, _listed("dates")] = None
    day_match: Annotated[
        str | None, _one_of("day_match", structured.DAY_MATCHES, {}, {}), _words(*structured.DAY_MATCHES)
    ] = None
    every: DecadeOrLess | None = None
    anchor: Instant | None = None
    at: list[Instant] | None = None
    zone: Annotated[str | None, BeforeValidator(_zone), WithJsonSchema({"type": "string"})] = None
    fold: Annotated[Fold | None, _one_of("fold", FOLDS, {}, {}), _words(*FOLDS)] = None
    gap: Annotated[Gap | None, _one_of("gap", GAPS, {}, {}), _words(*GAPS)] = None
    excluded: Annotated[
        tuple[tuple[int, int], ...],
        BeforeValidator(_excluded),
        WithJsonSchema({"type": "array", "items": {"type": "string"}}),
        Field(alias="except"),
    ] = ()
    cycle: Annotated[Cycle | None, _one_of("cycle", CYCLES, {}, {}), _words(*CYCLES)] = None
    jitter: JitterShape | None = None
    zone_rules: Annotated[str | None, BeforeValidator(_zone_rules), WithJsonSchema({"type": "string"})] = None


_CATCH_UP = ("none", "newest")


class RecoveryShape(Shape):
    misfire_horizon: Horizon | None = None
    catch_up: Annotated[CatchUp, _one_of("catch_up", _CATCH_UP, words.CATCH_UP, {}), _words(*_CATCH_UP)] = "newest"
    while_paused: Annotated[WhilePaused, _one_of("while_paused", WHILE_PAUSED, {}, {}), _words(*WHILE_PAUSED)] = "skip"


_CLASSES = ("foreground", "deadline_windowed")


class ScheduleShape(Shape):
    name: Name
    authority: Name = "local"
    pattern: Version
    service_class: Annotated[
        ServiceClass, _one_of("class", _CLASSES, words.CLASS, MISTAKEN_CLASSES), _words(*_CLASSES), Field(alias="class")
    ] = "foreground"
    allowed_delay: DecadeOrLess | None = None
    overlap: Annotated[Overlap, _one_of("overlap", ("forbid",), words.OVERLAP, {}), _words("forbid")] = "forbid"
    input: Table = {}
    labels: dict[str, Text] = {}
    from_at: Annotated[Instant | None, Field(alias="from")] = None
    calendar: CalendarShape | None = None
    recovery: RecoveryShape = RecoveryShape()


class ClockShape(Shape):
    tick: Annotated[int, _within(instant.SECOND, instant.HOUR), _SECONDS] = instant.SECOND
    step: Annotated[int, _within(instant.SECOND, instant.DAY), _SECONDS] = 5 * instant.MINUTE
    settle: Annotated[int, _within(0, instant.HOUR), _SECONDS] = 15 * instant.SECOND


class PolicyShape(Shape):
    workers: Annotated[int, Field(ge=1, le=1024)] = 4
    misfire_horizon: Horizon = instant.DAY
    clock: ClockShape = ClockShape()


KINDS: dict[str, type[Shape]] = {
    "pattern": PatternShape,
    "binding": BindingShape,
    "schedule": ScheduleShape,
    "policy": PolicyShape,
}
