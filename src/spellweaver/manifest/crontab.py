"""Crontabs, read as cronie reads them, and what becomes of each line here.

A setting holds for the lines below it. ``CRON_TZ`` is the zone of the calendars, ``TZ`` only what a command sees. A
command goes to ``SHELL -c``; what follows its first bare ``%`` is its standard input, a newline for each further ``%``,
and ``\\%`` is a percent sign. A line whose minute or hour begins with ``*`` follows the clock as it runs (it fires in
both showings of a repeated hour); all others follow the date (a missing time fires when its gap ends).

No line ends the reading: what can't be read is answered as such, with the place.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field

from spellweaver.core.grammar import MACROS
from spellweaver.manifest import zones
from spellweaver.manifest.drafts import environment_fault
from spellweaver.manifest.problems import shown
from spellweaver.manifest.proposal import TIMEOUT, UMASK, Answer, Job, Names, Note, Proposal, program
from spellweaver.manifest.write import fault_of_job

LIMIT = 64 * 1024  # bytes
SHELL = "/bin/sh"
EVERYWHERE = (
    Note("kept", "what falls due while nothing runs is not made up for (catch_up = none)"),
    Note("changed", "a firing that falls due while the run before it goes on is skipped; cron starts it beside it"),
    Note("changed", f"a run ends after {TIMEOUT}; cron knows no limit"),
    Note(
        "changed",
        "output goes to a log that `spellweaver logs` shows, not to mail; the environment is built from nothing "
        "(PATH with the sbin directories, LANG = C.UTF-8)",
    ),
)
_MAIL = ("MAILTO", "MAILFROM", "CONTENT_TYPE", "CONTENT_TRANSFER_ENCODING")
_SETTING = re.compile(r"""("[^"]*"|'[^']*'|[^\s="']+)[ \t]*=[ \t]*(.*)""", re.DOTALL)
_FIELDS = re.compile(r"((?:\S+[ \t]+){5})(.*)", re.DOTALL)
_MACRO = re.compile(r"(@\S+)[ \t]+(.*)", re.DOTALL)
_USER = re.compile(r"(\S+)[ \t]+(.*)", re.DOTALL)


class Unreadable(ValueError):
    """Why a line can't be read, as a sentence."""


class Impossible(ValueError):
    """Why a line that can be read can't be kept, as a sentence."""


@dataclass(slots=True)
class _Reading:
    """What the lines so far have set. ``zone`` is None below a CRON_TZ that names no zone."""

    path: str
    host_zone: str
    system: bool
    home_of: Callable[[str | None], str | None]
    zone: str | None
    names: Names = field(default_factory=Names)
    env: dict[str, str] = field(default_factory=dict)
    shell: str = SHELL
    delay: str | None = None


def read_crontab(
    data: bytes, path: str, *, zone: str, system: bool, home_of: Callable[[str | None], str | None]
) -> Proposal:
    """Exactly one answer for each line, in their order. Raises nothing, whatever the bytes are.

    ``zone`` is the host's, for lines with no CRON_TZ above. ``system``: each line names its user behind the calendar.
    ``home_of`` gives the home of a user (None: of whose crontab it is), None where there is no such user here.
    """
    reading = _Reading(path, zone, system, home_of, zone)
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    answers = tuple(_answer(reading, number, line) for number, line in enumerate(lines, 1))
    return Proposal(path, EVERYWHERE, answers)


def _answer(reading: _Reading, number: int, line: bytes) -> Answer:
    text = line.decode(errors="backslashreplace")
    notes: list[Note] = []
    if text.endswith("\r"):
        text = text[:-1]
        if text.strip(" \t"):
            notes.append(Note("changed", "the carriage return at its end is left out; to cron it is part of the line"))
    body = text.lstrip(" \t")
    setting = _SETTING.fullmatch(body)
    what = "blank" if not body else "comment" if body.startswith("#") else "setting" if setting else "job"
    jobs: tuple[Job, ...] = ()
    try:
        if what in ("setting", "job") and (not _is_text(line) or "\0" in body):
            raise Unreadable("it is not text: bytes that are no UTF-8, or a NUL")
        if what == "setting" and setting:
            notes += _set(reading, _unquoted(setting[1]), _unquoted(setting[2]))
        elif what == "job":
            jobs = (_job(reading, body, notes),)
    except Unreadable as error:
        notes = [Note("unreadable", str(error))]
    except Impossible as error:
        notes = [Note("dropped", str(error))]
    return Answer(reading.path, number, text, what, tuple(notes), jobs)


def _is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _unquoted(text: str) -> str:
    text = text.strip(" \t")
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


# settings


def _set(reading: _Reading, name: str, value: str) -> list[Note]:
    if name in _MAIL:
        return [_mail(name, value)]
    if name == "CRON_TZ":
        return [_set_zone(reading, value)]
    if name == "RANDOM_DELAY":
        return [_set_delay(reading, value)]
    if name == "LOGNAME":
        raise Impossible("cron doesn't let it be set either; it is the user that runs the command")
    if fault := environment_fault(name):
        raise (Impossible if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) else Unreadable)(f"{shown(name)} {fault}")
    if name == "SHELL":
        if not value.startswith("/"):
            raise Impossible(f"a shell is named by its absolute path; {reading.shell} stays the shell")
        reading.shell = value
    reading.env[name] = value
    said = "for the commands below" + ("; nothing expands the $ in it, as in cron" if "$" in value else "")
    if name == "HOME" and not value.startswith("/"):
        return [Note("changed", f"{said}; it is no absolute path, so commands start in /")]
    return [Note("kept", f"{said}, which start there" if name == "HOME" else said)]


def _mail(name: str, value: str) -> Note:
    if name == "MAILTO" and not value:
        return Note("kept", "no mail is wanted, and none is sent")
    return Note(
        "changed",
        "this version sends no mail and starts no other notifier; read a run's output with `spellweaver logs`, what "
        "failed with `spellweaver status`",
    )


def _set_zone(reading: _Reading, value: str) -> Note:
    try:
        zones.rules(value) if value else None
    except zones.UnknownZone as error:
        reading.zone = None
        raise Impossible(f"{error}; the lines below have no zone, so none of them is taken") from None
    reading.zone = value or reading.host_zone
    return Note("kept", f"zone {reading.zone} for the calendars below")


def _set_delay(reading: _Reading, value: str) -> Note:
    if not re.fullmatch(r"[0-9]{1,4}", value):
        raise Unreadable("RANDOM_DELAY is a number of minutes")
    reading.delay = f"{int(value)}m" if int(value) else None
    return Note("kept", f"a jitter under {int(value)} min; each firing has its own, the same after a restart")


# jobs


def _job(reading: _Reading, body: str, notes: list[Note]) -> Job:
    when, rest = _calendar_text(body, notes)
    user = None
    if reading.system:
        found = _USER.fullmatch(rest)
        if not found:
            raise Unreadable("there is no command behind the user; a system crontab has minute … weekday user command")
        user, rest = found[1], found[2]
    if not rest.strip(" \t"):
        raise Unreadable("there is no command behind the calendar")
    if when == "@reboot":
        raise Impossible("a start of the host is no time of a calendar; a systemd unit can run it")
    if "~" in when:
        raise Impossible(
            f"cron draws the random value of {when!r} anew at each start; write the earliest time, and "
            'jitter = { mode = "deterministic", max = "…" } for the span'
        )
    if reading.zone is None:
        raise Impossible("the CRON_TZ above names no zone")
    calendar = _calendar(reading, when, reading.zone, notes)
    command, given = _percent(rest)
    binding = _binding(reading, command, given, user, notes)
    # judged under a name that is always free, so that a refused line uses up none
    if fault := fault_of_job(Job("line", binding, calendar)):
        raise Unreadable(fault)
    return Job(reading.names.give(program(command)), binding, calendar)


def _calendar_text(body: str, notes: list[Note]) -> tuple[str, str]:
    """The calendar and what follows it."""
    if body.startswith("-"):
        notes.append(Note("kept", "the - before it keeps cron's log still; nothing else is told of it here either"))
        body = body[1:].lstrip(" \t")
    if found := _MACRO.fullmatch(body):
        return found[1].lower(), found[2]
    if found := _FIELDS.fullmatch(body):
        return " ".join(found[1].split()), found[2]
    raise Unreadable("it is neither NAME = value nor five calendar fields with a command")


def _calendar(reading: _Reading, when: str, zone: str, notes: list[Note]) -> dict[str, object]:
    minute, hour, month_day, _, weekday = MACROS.get(when, when if when.count(" ") == 4 else "0 0 0 0 0").split()
    made: dict[str, object] = {"cron": when, "zone": zone}
    if minute.startswith("*") or hour.startswith("*"):
        made["fold"] = "both"
        notes.append(Note("kept", "it fires in both showings of an hour that the clock repeats"))
    else:
        made["gap"] = "advance"
        notes.append(Note("kept", "once where the clock repeats its time; at the end of the gap where it skips it"))
    if month_day[0] not in "*?" and weekday[0] not in "*?":
        notes.append(Note("kept", "both day fields are restricted: a day that matches either of them fires"))
    if reading.delay:
        made["jitter"] = {"mode": "deterministic", "max": reading.delay}
    return made


def _percent(text: str) -> tuple[str, str | None]:
    """The command, and its standard input where a bare ``%`` begins one."""
    command, escaped = "", False
    for at, character in enumerate(text, 1):
        if character == "%" and not escaped:
            return command, re.sub(r"\\%|%", lambda found: "%" if len(found[0]) == 2 else "\n", text[at:])
        command = command[:-1] + "%" if character == "%" else command + character
        escaped = character == "\\" and not escaped
    return command, None


def _binding(
    reading: _Reading, command: str, given: str | None, user: str | None, notes: list[Note]
) -> dict[str, object]:
    made: dict[str, object] = {}
    if not command.strip():
        raise Unreadable("there is no command before the %")
    if given:
        notes.append(Note("kept", "what follows the % is its standard input, as a here-document"))
        end = next(end for n in range(len(given) + 2) if (end := f"END{n or ''}") not in given.split("\n"))
        given += "" if given.endswith("\n") else "\n"
        made["shell"] = f"exec {shlex.quote(reading.shell)} -c {shlex.quote(command)} <<'{end}'\n{given}{end}\n"
    elif reading.shell == SHELL:
        made["shell"] = command
    else:
        made["argv"] = [reading.shell, "-c", command]
    made |= {"timeout": TIMEOUT, "umask": UMASK, "cwd": _folder(reading, user, notes)}
    if user is not None:
        made["user"] = user
        notes.append(Note("kept", f"user {user}; only a daemon that is root's may change it"))
    if env := _environment(reading):
        made["env"] = env
    return made


def _folder(reading: _Reading, user: str | None, notes: list[Note]) -> str:
    """Where cron starts a command: HOME as set above, else the user's."""
    if "HOME" in reading.env:
        return reading.env["HOME"] if reading.env["HOME"].startswith("/") else "/"
    home = reading.home_of(user)
    if home is None:
        notes.append(Note("changed", f"this host has no account {user}, so the command starts in /, not in its home"))
    return home or "/"


def _environment(reading: _Reading) -> dict[str, str]:
    """What a command sees as TZ is the host's zone, unless a line says otherwise: jobs here have UTC by default."""
    zone = {} if reading.host_zone in ("UTC", "Etc/UTC") else {"TZ": reading.host_zone}
    return zone | reading.env
