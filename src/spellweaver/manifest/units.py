"""systemd's timers with the services that they start, and what becomes of each line here.

Each ``OnCalendar`` is a Schedule of its own; the service is the binding of them all. What counts from a boot or from
the last run is no calendar, and what shuts a service in has no key here: both are answered as dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import ParamSpec

from spellweaver.core import instant
from spellweaver.manifest import zones
from spellweaver.manifest.drafts import environment_fault
from spellweaver.manifest.proposal import (
    RUN_NOTHING_MISSED,
    TIMEOUT,
    UMASK,
    Answer,
    Job,
    Names,
    Note,
    Proposal,
)
from spellweaver.manifest.unit_text import (
    NotKept,
    Setting,
    Unit,
    as_shell,
    names_variables,
    plain,
    read_unit,
    span,
    specified,
    truth,
    words,
)
from spellweaver.manifest.write import fault_of_job

P = ParamSpec("P")
EVER = "3650d"  # systemd makes up for a run however old it is; this is the longest horizon
LONGEST = 30 * instant.DAY
EVERYWHERE = (
    Note("kept", "a firing that falls due while the run before it goes on makes no second one"),
    Note("changed", f"a run without a limit of its own ends after {TIMEOUT}"),
    Note("changed", "starts are exact: systemd may shift each within AccuracySec, a minute by default"),
    Note("changed", "a time that the clock repeats fires the first time, one that it skips is recorded as skipped"),
    Note("changed", "output goes to a log that `spellweaver logs` shows; the environment is built from nothing"),
)
_INSTALL = Note("changed", "`spellweaver define --bind --activate` takes the place of enabling it")
_FROM_SOMETHING = (
    "OnActiveSec", "OnBootSec", "OnStartupSec", "OnUnitActiveSec", "OnUnitInactiveSec", "OnClockChange",
    "OnTimezoneChange",
)  # fmt: skip
_NOT_KEPT = {
    "EnvironmentFile": "write its variables into env, and secrets into env_from",
    "Group": "a command has the groups of its user",
    "Restart": "a failed run stays failed; the next firing starts another",
}
_OUTPUT = ("StandardOutput", "StandardError", "SyslogIdentifier")


@dataclass(slots=True)
class _Service:
    """What the lines of a service add up to. ``faults``: why it can't be started here at all."""

    commands: dict[str, list[str]] = field(default_factory=dict)
    argv: list[str] | None = None
    env: dict[str, str] = field(default_factory=dict)
    keys: dict[str, object] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def binding(self, zone: str) -> dict[str, object]:
        steps = [step for key in ("ExecStartPre", "ExecStart", "ExecStartPost") for step in self.commands.get(key, ())]
        only = len(steps) == 1 and self.argv is not None
        how: dict[str, object] = {"argv": self.argv} if only else {"shell": " && ".join(steps)}
        env = ({} if zone in ("UTC", "Etc/UTC") else {"TZ": zone}) | self.env
        return {**how, "timeout": TIMEOUT, "umask": UMASK, **self.keys, **({"env": env} if env else {})}


def read_units(files: Sequence[tuple[str, bytes]], *, zone: str) -> Proposal:
    """Exactly one answer for each line of each file (path, bytes), in their order. Raises nothing.

    ``zone`` is the host's, read where an OnCalendar names none.
    """
    units = [read_unit(path, data.decode(errors="backslashreplace").replace("\0", "\\x00")) for path, data in files]
    services = {unit.name: _Service() for unit in units}
    started = {_started(unit) for unit in units if unit.name.endswith(".timer")}
    notes = {id(unit): _service_notes(unit, services[unit.name], started) for unit in units if not _is_timer(unit)}
    names = Names()
    answers: list[Answer] = []
    for unit in units:
        jobs: dict[int, Job] = {}
        if _is_timer(unit):
            notes[id(unit)] = _timer_notes(unit, services, zone, names, jobs)
        answers += _answers(unit, notes[id(unit)], jobs)
    return Proposal(", ".join(unit.path for unit in units), EVERYWHERE, tuple(answers))


def _is_timer(unit: Unit) -> bool:
    return unit.name.endswith(".timer")


def _started(timer: Unit) -> str:
    return timer.last("Timer", "Unit", f"{timer.name.removesuffix('.timer')}.service")


def _answers(unit: Unit, notes: Sequence[tuple[Note, ...]], jobs: dict[int, Job]) -> Iterable[Answer]:
    """In the order of lines; a line that only continues another has the answer of that."""
    found: dict[int, Answer] = {}
    for number, what in unit.others.items():
        unread = (Note("unreadable", "it is neither a section, a comment nor Key=value below a section"),)
        text = unit.texts[number - 1]
        found[number] = Answer(unit.path, number, text, what or "setting", () if what else unread)
    for at, (setting, said) in enumerate(zip(unit.settings, notes, strict=True)):
        first, *rest = setting.lines
        job = jobs.get(at)
        what = "job" if setting.key == "OnCalendar" else "setting"
        found[first] = Answer(unit.path, first, unit.texts[first - 1], what, said, (job,) if job else ())
        for number in rest:
            goes_on = (Note(found[first].word, f"it continues line {first}"),)
            found[number] = Answer(unit.path, number, unit.texts[number - 1], "setting", goes_on)
    return (found[number] for number in sorted(found))


# services


def _service_notes(unit: Unit, service: _Service, started: set[str]) -> list[tuple[Note, ...]]:
    if unit.name not in started:
        said = "no timer among these files starts it" if unit.name.endswith(".service") else "no timer and no service"
        return [(Note("dropped", said),)] * len(unit.settings)
    oneshot = unit.last("Service", "Type", "simple") == "oneshot"
    found = [_kept_or_not(_service_note, unit, service, setting, oneshot) for setting in unit.settings]
    if not service.commands.get("ExecStart"):
        service.faults.append("it has no ExecStart")
    return found


def _kept_or_not(note: Callable[P, Note], *of: P.args, **by: P.kwargs) -> tuple[Note, ...]:
    try:
        return (note(*of, **by),)
    except NotKept as error:
        return (Note("dropped", str(error)),)


def _service_note(unit: Unit, service: _Service, setting: Setting, oneshot: bool) -> Note:
    if setting.section == "Install":
        return _INSTALL
    if setting.section == "Unit":
        return _about(setting)
    if setting.section != "Service":
        raise NotKept(f"[{setting.section}] means nothing to a service")
    key = setting.key
    if key in ("ExecStart", "ExecStartPre", "ExecStartPost"):
        try:
            return _command(service, key, specified(setting.value, unit.name))
        except NotKept as error:
            service.faults.append(f"{key}: {error}")
            raise
    if key in ("TimeoutStartSec", "TimeoutSec", "RuntimeMaxSec"):
        return _limit(service, key, setting.value, oneshot)
    if key in _OUTPUT:
        return Note("changed", "output goes to the run's own log")
    if key not in _KEYS:
        raise NotKept(_NOT_KEPT.get(key, "a binding has nothing like it"))
    return _KEYS[key](service, specified(setting.value, unit.name))


def _about(setting: Setting) -> Note:
    if setting.key in ("Description", "Documentation"):
        return Note("kept", "as this comment")
    raise NotKept("a Schedule waits for its time and for nothing else")


def _command(service: _Service, key: str, value: str) -> Note:
    steps = service.commands.setdefault(key, [])
    if not value:
        steps.clear()
        return Note("kept", "the lines before it are void")
    prefix, rest = re.fullmatch(r"([@:+!|-]*)\s*(.*)", value, re.DOTALL).groups()  # type: ignore[union-attr]
    if prefix.strip("-"):
        raise NotKept(f"the prefix {prefix} has nothing like it here")
    command = words(rest)
    if not command or ";" in command:
        raise NotKept("it holds no command" if not command else "it holds several commands; give each its own line")
    if "/" in command[0] and not command[0].startswith("/"):
        raise NotKept("a program is named by its absolute path or by a plain name")
    shell = bool(prefix) or names_variables(command) or key != "ExecStart" or bool(steps)
    steps.append(f"{{ {as_shell(command)} || :; }}" if prefix else as_shell(command))
    service.argv = None if shell else plain(command)
    if prefix:
        return Note("kept", "whatever it ends with is taken for success, by a shell")
    return Note("kept", "by a shell, in order with the others" if shell else "as the command")


def _environment(service: _Service, value: str) -> Note:
    if not value:
        service.env.clear()
        return Note("kept", "the lines before it are void")
    refused = []
    for word in words(value):
        name, equals, said = word.partition("=")
        if fault := environment_fault(name) if equals else "is no NAME=value":
            refused.append(f"{name!r} {fault}")
        else:
            service.env[name] = said
    if refused:
        raise NotKept("; ".join(refused))
    return Note("kept", "as env")


def _user(service: _Service, value: str) -> Note:
    service.keys["user"] = value
    return Note("kept", "only a daemon that is root's may change the user")


def _folder(service: _Service, value: str) -> Note:
    if not value.startswith("/"):
        raise NotKept("only an absolute path is taken, so commands start in /")
    service.keys["cwd"] = value
    return Note("kept", "as cwd")


def _umask(service: _Service, value: str) -> Note:
    if not re.fullmatch("0?[0-7]{3}", value):
        raise NotKept(f"it is no mask of three octal digits; it stays {UMASK}")
    service.keys["umask"] = value
    return Note("kept", "as umask")


def _nice(service: _Service, value: str) -> Note:
    if not re.fullmatch("[+-]?[0-9]{1,2}", value) or not -20 <= int(value) <= 19:
        raise NotKept("it is no number from -20 to 19")
    service.keys["nice"] = int(value)
    return Note("kept", "as nice")


def _success(service: _Service, value: str) -> Note:
    codes = value.split()
    if not codes or not all(re.fullmatch("[0-9]{1,3}", code) and int(code) < 256 for code in codes):
        raise NotKept("only exit codes by number are taken")
    service.keys["success"] = sorted({0, *map(int, codes)})
    return Note("kept", "as success")


def _type(service: _Service, value: str) -> Note:
    if value == "forking":
        raise NotKept("a run is over when its command ends; what that leaves behind is not watched")
    known = value in ("oneshot", "simple", "exec")
    return Note("kept" if known else "changed", "a run is over when its command ends")


_KEYS: dict[str, Callable[[_Service, str], Note]] = {
    "Environment": _environment, "User": _user, "WorkingDirectory": _folder, "UMask": _umask, "Nice": _nice,
    "SuccessExitStatus": _success, "Type": _type,
}  # fmt: skip


def _limit(service: _Service, key: str, value: str, oneshot: bool) -> Note:
    """A oneshot is starting as long as it runs; any other has started at once, and RuntimeMaxSec bounds it."""
    if oneshot == (key == "RuntimeMaxSec"):
        raise NotKept("it doesn't bound a run of this Type")
    limit = span(value)
    if not limit or limit > LONGEST:
        return Note("changed", f"a run has a limit here, of 30d at most; it is {TIMEOUT}")
    whole = max(1, -(-limit // instant.SECOND)) * instant.SECOND
    service.keys["timeout"] = instant.duration_text(whole)
    return Note("kept", "as timeout")


# timers


def _timer_notes(
    unit: Unit, services: dict[str, _Service], zone: str, names: Names, jobs: dict[int, Job]
) -> list[tuple[Note, ...]]:
    """Also puts into ``jobs`` the Schedule of each OnCalendar, by the place of its setting."""
    rest: dict[str, object] = {"recovery": dict(RUN_NOTHING_MISSED)}
    found = [_kept_or_not(_timer_note, unit, setting, rest) for setting in unit.settings]
    empty = (at for at, each in enumerate(unit.settings) if (each.key, each.value) == ("OnCalendar", ""))
    voided = max(empty, default=-1)
    for at, setting in enumerate(unit.settings):
        if (setting.section, setting.key) == ("Timer", "OnCalendar") and at > voided:
            try:
                job, note = _job(unit, setting.value, services, zone, rest)
            except NotKept as error:
                found[at] = (Note("dropped", str(error)),)
                continue
            jobs[at] = Job(names.give(unit.name.removesuffix(".timer")), job.binding, job.calendar, job.recovery)
            found[at] = (note,)
    return found


def _timer_note(unit: Unit, setting: Setting, rest: dict[str, object]) -> Note:
    """What a line says beside the calendar; ``rest`` gathers jitter and recovery."""
    if setting.section == "Install":
        return _INSTALL
    if setting.section == "Unit":
        return _about(setting)
    if setting.section != "Timer":
        raise NotKept(f"[{setting.section}] means nothing to a timer")
    key, value = setting.key, setting.value
    if key in _FROM_SOMETHING:
        raise NotKept("it counts from something other than a calendar; every with an anchor is the nearest to it")
    if key == "OnCalendar":
        return Note("kept", "void: a later empty OnCalendar takes it back")
    if key == "Unit":
        return Note("kept", f"{specified(value, unit.name)} is what it starts")
    if key == "Persistent":
        return _persistent(truth(value), rest)
    if key == "RandomizedDelaySec":
        return _delay(unit, value, rest)
    if key in ("FixedRandomDelay", "RemainAfterElapse"):
        return Note("kept", "a firing has the same jitter after a restart" if key[0] == "F" else "a Schedule stays")
    if key == "AccuracySec":
        return Note("changed", "starts are exact; a jitter spreads them")
    raise NotKept("a Schedule has nothing like it")


def _persistent(wanted: bool, rest: dict[str, object]) -> Note:
    rest["recovery"] = {"catch_up": "newest", "misfire_horizon": EVER} if wanted else dict(RUN_NOTHING_MISSED)
    return Note("kept", "the newest missed firing is made up for" if wanted else "nothing missed is made up for")


def _delay(unit: Unit, value: str, rest: dict[str, object]) -> Note:
    delay = span(value)
    if delay is None or delay > LONGEST:
        raise NotKept("a jitter is at most 30d")
    rest.pop("jitter", None)
    if delay < instant.SECOND:
        return Note("kept", "no jitter")
    rest["jitter"] = {"mode": "deterministic", "max": instant.duration_text(delay // instant.SECOND * instant.SECOND)}
    fixed = unit.last("Timer", "FixedRandomDelay", "no").lower() in ("1", "yes", "true", "on", "y", "t")
    return Note("kept" if fixed else "changed", "as jitter; each firing has its own, the same after a restart")


def _job(
    unit: Unit, value: str, services: dict[str, _Service], host_zone: str, rest: dict[str, object]
) -> tuple[Job, Note]:
    started = _started(unit)
    if started not in services or not started.endswith(".service"):
        raise NotKept(f"{started}, which it starts, is not among the files; name that too")
    service = services[started]
    if service.faults:
        raise NotKept(f"{started} can't be started here: {'; '.join(service.faults)}")
    event, zone = _event(value, host_zone)
    calendar: dict[str, object] = {"oncalendar": event, "zone": zone}
    if "jitter" in rest:
        calendar["jitter"] = rest["jitter"]
    recovery = rest["recovery"]
    assert isinstance(recovery, dict)
    job = Job("line", service.binding(host_zone), calendar, recovery)
    if fault := fault_of_job(job):
        raise NotKept(fault)
    return job, Note("kept", f"as systemd reads it, in zone {zone}")


def _event(value: str, host_zone: str) -> tuple[str, str]:
    """A calendar event and its zone: the one that it ends with, else the host's."""
    event, blank, last = value.rpartition(" ")
    if blank and last in zones.names():
        return event.strip(), last
    return value, host_zone
