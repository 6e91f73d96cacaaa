"""Bad input, one line each: what was put in, the status, the words of the answer. Nothing is ever a traceback, and
nothing is ever written.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spellweaver.clock import SystemClock
from tests.support.hostile import Contents, contents, refused, state
from tests.support.operator_files import CRON, binding, pattern, schedule, whole
from tests.support.program import SRC, at_terminal, call

EXAMPLES = SRC.parent / "examples"


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return state(tmp_path_factory.mktemp("bad"))


@pytest.fixture(autouse=True)
def untouched(ledger: Path) -> Iterator[Contents]:
    """Every test of this module leaves the state directory as it was."""
    before = contents(ledger.parent)
    yield before
    assert contents(ledger.parent) == before


def every(**keys: str) -> str:
    """A file whose Schedule has ``every``, with some keys of its calendar replaced."""
    said = {"every": '"1h"', "anchor": '"2026-01-01T00:00:00Z"', **keys}
    return whole(schedule(calendar="\n".join(f"{key} = {value}" for key, value in said.items())))


def cron(text: str, zone: str = "UTC") -> str:
    return whole(schedule(calendar=f'cron = "{text}"\nzone = "{zone}"'))


def named(name: str) -> str:
    return whole(schedule(name=name))


def keyed(keys: str) -> str:
    return whole(schedule(keys))


def with_input(value: str) -> str:
    return keyed(f"input = {{ x = {value} }}")


FILES: list[tuple[str, str | bytes, str]] = [
    # the file as a whole
    ("257 KiB", b"#" * (257 << 10), "has 257 KiB; the limit is 256 KiB"),
    ("1001 objects", whole(*(pattern(key=f"p{n}") for n in range(1001))), "has 1001 objects; the limit is 1000"),
    ("a key of 9 parts", "a.b.c.d.e.f.g.h.i = 1", "a key may have 8 parts"),
    ("a key of 50000 parts", ".".join("a" * 50_000) + " = 1", "a key may have 8 parts"),
    ("deep brackets", "x = " + "[" * 20_000, "nested too deeply"),
    ("many tables", "[a]\n" * 20_000, "more than 10000 tables"),
    ("NUL", b'format = 1\nx = "\0"', "a NUL character"),
    ("NUL by escape", with_input('"a\\u0000b"'), "may not hold a NUL"),
    ("NUL in a key", keyed('input = { "a\\u0000b" = 1 }'), "may not hold a NUL"),
    ("byte order mark", b"\xef\xbb\xbfformat = 1", "byte order mark"),
    ("UTF-16", "format = 1".encode("utf-16"), "not UTF-8"),
    ("a lone surrogate", with_input('"\\ud800"'), "a.toml:5:"),
    ("no UTF-8", b'format = 1\nx = "\xff"', "not UTF-8 here (byte 0xff)"),
    ("no TOML", "format 1", "a.toml:1:8"),
    ("an unterminated string", 'format = "1', "a.toml:1:"),
    ("a key twice", "format = 1\nformat = 1", "a.toml:2:"),
    ("nothing at all", "", "begin the file with format = 1"),
    ("another format", "format = 2", "write format = 1"),
    ("a leap second", every(anchor="2016-12-31T23:59:60Z"), "a.toml:8:"),
    # numbers
    ("5000 digits", with_input("9" * 5000), "too many digits"),
    ("2^70", with_input(str(2**70)), "outside the whole numbers"),
    ("-2^63", with_input(str(-(2**63))), "outside the whole numbers"),
    ("nan", with_input("nan"), "must be a finite number"),
    ("inf", with_input("-inf"), "must be a finite number"),
    ("1e400", with_input("1e400"), "must be a finite number"),
    # times
    ("a time without a zone", every(anchor="2026-01-01T00:00:00"), "give an offset or Z"),
    ("a text without a zone", every(anchor='"2026-01-01T00:00:00"'), "needs an offset or Z"),
    ("a date alone", every(anchor="2026-01-01"), "is no instant"),
    ("a time of day alone", every(anchor="02:00:00"), "is no instant"),
    ("the year 1", every(anchor="0001-01-01T00:00:00Z"), "outside the years 1970 to 2200"),
    ("the year 1 in a far zone", every(anchor="0001-01-01T00:00:00+14:00"), "outside the years 1970 to 2200"),
    ("the year 1969", every(anchor='"1969-12-31T23:59:59Z"'), "outside the years 1970 to 2200"),
    ("the year 2201", every(anchor='"2201-01-01T00:00:00Z"'), "outside the years 1970 to 2200"),
    ("the year 9999", every(anchor="9999-12-31T23:59:59-14:00"), "outside the years 1970 to 2200"),
    ("half a second", every(anchor='"2026-01-01T00:00:00.5Z"'), "must be a whole second"),
    ("no such date", every(anchor='"2026-02-30T00:00:00Z"'), "there is no date"),
    # durations and windows
    ("a negative duration", every(every='"-1h"'), "is not a duration"),
    ("no duration", every(every='"0s"'), "must be from 1s"),
    ("10^12 s", every(every='"1000000000000s"'), "is not a duration"),
    ("999999999d", every(every='"999999999d"'), "must be from 1s to 3650d"),
    ("a duration in other digits", every(every='"١h"'), "is not a duration"),
    ("a duration as a number", every(every="3600"), "must be a string"),
    ("a negative horizon", whole(schedule(recovery='misfire_horizon = "-1s"')), "is not a duration"),
    ("an unlimited horizon", whole(schedule(recovery='misfire_horizon = "unlimited"')), "can't be unlimited"),
    ("an empty window", keyed('class = "deadline_windowed"\nallowed_delay = "0s"'), "that window is empty"),
    ("jitter beyond the window",
     whole(schedule('class = "deadline_windowed"\nallowed_delay = "5m"',
                    calendar=f'{CRON}\njitter = {{ mode = "deterministic", max = "5m" }}')), "jitter"),
    # keys and types
    ("an unknown key", keyed("prority = 1"), "did you mean 'priority'?"),
    ("a key of a later version", keyed("priority = 1"), "`priority` is not available in this version"),
    ("a key of another table", keyed('cron = "0 2 * * *"'), "it belongs in [schedule.calendar]"),
    ("true for a text", keyed("class = true"), "must be a string in quotes, not true"),
    ("a table for a text", keyed("class = {}"), "must be a string in quotes, not a table"),
    ("a text for a table", keyed('labels = "x"'), "must be a table"),
    ("1 for true", whole("[policy]\nworkers = true"), "must be a whole number, not true"),
    ("a number out of bounds", whole("[policy]\nworkers = 0"), "must be at least 1"),
    ("the same object twice", whole(schedule(), schedule()), "one input may hold it once"),
    ("a table that must be an array", whole('[schedule]\nname = "x"'), "must be written as [[schedule]]"),
    # names (RP-53)
    ("no name", named(""), "1 to 63 of a-z"),
    ("64 letters", named("a" * 64), "1 to 63 of a-z"),
    ("128 letters", named("a" * 128), "1 to 63 of a-z"),
    ("300 letters", named("a" * 300), "1 to 63 of a-z"),
    ("..", named(".."), "a letter or digit first"),
    ("a slash", named("a/b"), "write the authority apart"),
    ("a way up", named("../../etc/passwd"), "write the authority apart"),
    ("blanks", named("   "), "1 to 63 of a-z"),
    ("a leading dash", named("-rf"), "a letter or digit first"),
    ("capitals", named("Nightly"), "1 to 63 of a-z"),
    ("a Cyrillic a", named("nightly-bаckup"), "1 to 63 of a-z"),
    ("a full-width letter", named("ｎightly"), "1 to 63 of a-z"),
    ("a decomposed accent", named("e\u0301te"), "1 to 63 of a-z"),
    ("a line end in a name", named("a\\nb"), "1 to 63 of a-z"),
    ("SQL in a name", named("x'); DROP TABLE schedule; --"), "1 to 63 of a-z"),
    ("markup in a name", named("[link=http://x]y[/link]"), "write the authority apart"),
    ("a pattern key of 300", whole(pattern(key="a" * 300)), "must be 1 to 128 letters"),
    ("a pattern key with a way up", whole(pattern(key="../x")), "pattern"),
    ("a pattern without revision", whole('[[schedule]]\nname = "a"\npattern = "x"\n'), "exact revision"),
    ("the latest revision", whole('[[schedule]]\nname = "a"\npattern = "x@latest"\n'), "exact revision"),
    # texts that somebody will read
    ("ESC in a label", keyed('labels = { team = "a\\u001b[31mb" }'), "control"),
    ("a line end in a label", keyed('labels = { team = "a\\nb" }'), "control"),
    ("bidi in a label", keyed('labels = { team = "a\\u202eb" }'), "control"),
    ("ESC in a key of a label", keyed('labels = { "a\\u001b" = "b" }'), "is no name for a label"),
    ("ESC in a station's label",
     whole(pattern('entry = "a"\nstation = [{ key = "a", label = "x\\u001b[2J", kind = "task" }]')), "control"),
    # zones
    ("no zone", whole(schedule(calendar='cron = "0 2 * * *"')), "zone"),
    ("a zone by path", cron("0 2 * * *", "/etc/localtime"), "means something else on each host"),
    ("a zone by a way up", cron("0 2 * * *", "../zoneinfo/UTC"), "means something else on each host"),
    ("a zone with NUL", cron("0 2 * * *", "UTC\\u0000"), "may not hold a NUL"),
    ("a directory of zones", cron("0 2 * * *", "Europe"), "zone 'Europe' is unknown"),
    ("a zone in other case", cron("0 2 * * *", "europe/rome"), "did you mean Europe/Rome?"),
    ("localtime", cron("0 2 * * *", "localtime"), "means something else on each host"),
    ("posixrules", cron("0 2 * * *", "posixrules"), "means something else on each host"),
    ("Factory", cron("0 2 * * *", "Factory"), "means something else on each host"),
    ("posix/", cron("0 2 * * *", "posix/UTC"), "means something else on each host"),
    ("right/", cron("0 2 * * *", "right/UTC"), "means something else on each host"),
    ("a POSIX zone", cron("0 2 * * *", "CET-1CEST"), "is unknown"),
    ("an empty zone", cron("0 2 * * *", ""), "zone"),
    # calendars
    ("February 30", cron("0 0 30 2 *"), "never fires"),
    ("the 31st of short months", cron("0 0 31 2,4,6,9,11 *"), "never fires"),
    ("R", cron("R * * * *"), "is not understood"),
    ("H", cron("H * * * *"), "give the Schedule a jitter"),
    ("@reboot", cron("@reboot"), "is unknown"),
    ("a step of nought", cron("*/0 * * * *"), "a step outside 1 to 59"),
    ("minute 99", cron("99 * * * *"), "outside 0 to 59"),
    ("four fields", cron("* * * *"), "has 4 fields"),
    ("seven fields", cron("* * * * * * *"), "has 7 fields"),
    ("a zone inside", cron("TZ=UTC 0 2 * * *"), "does not carry the zone"),
    ("a backward range", cron("50-10 * * * *"), "runs backwards"),
    ("a list without an element", cron("1,,2 * * * *"), "empty list element"),
    ("other digits", cron("١ * * * *"), "printable ASCII"),
    ("50000 fields", cron("* " * 50_000), "fields"),
    ("50000 elements", cron(",".join(["61"] * 50_000) + " * * * *"), "outside 0 to 59"),
    ("fold with at", whole(schedule(calendar='at = ["2026-01-01T00:00:00Z"]\nfold = "both"')), "fold"),
    ("at without an instant", whole(schedule(calendar="at = []")), "lists no instant"),
    # commands
    ("no command", whole(binding("argv = []")), "must name a program first"),
    ("a relative program", whole(binding('argv = ["./x"]')), "absolute path"),
    ("a line for argv", whole(binding('argv = "rm -rf /"')), "a command line goes into shell"),
    ("argv and shell", whole(binding('argv = ["/bin/true"]\nshell = "true"')), "shell"),
    ("an exit code of 256", whole(binding('argv = ["/bin/true"]\nsuccess = [256]')), "from 0 to 255"),
    ("a relative folder", whole(binding('argv = ["/bin/true"]\ncwd = "x"')), "must be an absolute path"),
    ("LD_PRELOAD", whole(binding('argv = ["/bin/true"]\nenv = { LD_PRELOAD = "/x.so" }')), "LD_PRELOAD"),
    ("= in a variable", whole(binding('argv = ["/bin/true"]\nenv = { "A=B" = "c" }')), "A=B"),
    ("a binding of no station", whole(pattern(), binding(station="other")), "names no station"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), [each[1:] for each in FILES], ids=[each[0] for each in FILES])
def test_a_wrong_file_is_65_with_its_place(text: str | bytes, words: str, ledger: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    clock = SystemClock()
    began = clock.monotonic()
    for command in (("check",), ("define", "--bind", "--activate")):
        refused(call(*command, str(path), ledger=ledger), 65, words, "nothing was taken")
    assert clock.monotonic() - began < 2_000_000, "a second each at most"


LATER: list[tuple[str, str]] = [
    ("spare work", keyed('class = "spare_capacity"')),
    ("overlap hold", keyed('overlap = "hold"')),
    ("finish_by", keyed('finish_by = { after = "6h" }')),
    ("a gate", keyed('gate.consent = { approvers = ["uid:0"], quorum = 1 }')),
    ("catch-up all", whole(schedule(recovery='catch_up = "all"'))),
    ("random jitter", whole(schedule(calendar=CRON + '\njitter = { mode = "random", max = "5m" }'))),
    ("external firings", whole(schedule(calendar=None))),
    ("retries", whole(binding('argv = ["/bin/true"]\nretries = 3'))),
    ("needs", whole(binding('argv = ["/bin/true"]\nneeds = { iron = 1 }'))),
    ("retention", whole("[policy]\nretention = { runs = '30d' }")),
    ("a capability", whole("[policy.capability.iron]\nslots = 1")),
]


@pytest.mark.rule("RCP-03")
@pytest.mark.parametrize("text", [each[1] for each in LATER], ids=[each[0] for each in LATER])
def test_what_this_version_does_not_do_is_refused_by_name(text: str, ledger: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text)
    refused(call("define", "--bind", str(path), ledger=ledger), 65, "is not available in this version")


JSON = [
    ("a key twice", '{"format": 1, "format": 1}', "stands twice in one object"),
    ("a lone surrogate", '{"format": 1, "schedule": [{"name": "\\ud800"}]}', "half of a surrogate pair"),
    ("NaN", '{"format": 1, "schedule": [{"name": "a", "pattern": "a@1", "input": {"x": NaN}}]}', "finite number"),
    ("null", '{"format": null}', "null is no value here"),
    ("deep brackets", "[" * 20_000, "nested too deeply"),
    ("no object", "[1]", "must hold one JSON object"),
    ("half an object", '{"format": 1', "a.json:1:"),
]


@pytest.mark.parametrize(("text", "words"), [each[1:] for each in JSON], ids=[each[0] for each in JSON])
def test_the_same_as_json(text: str, words: str, ledger: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    refused(call("check", str(path), ledger=ledger), 65, words)


def good(path: Path) -> Path:
    path.write_bytes((EXAMPLES / "probe.toml").read_bytes())
    path.chmod(0o644)
    return path


def _symlink(path: Path) -> None:
    path.symlink_to(good(path.with_name("real.toml")))


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _directory(path: Path) -> None:
    path.mkdir()


def _hard_link(path: Path) -> None:
    os.link(good(path.with_name("real.toml")), path)


def _writable(path: Path) -> None:
    good(path).chmod(0o666)


def _endless(path: Path) -> None:
    with open(path, "wb") as file:
        file.truncate(1 << 40)


HOSTILE = [
    ("a symbolic link", _symlink, 66, "is a symbolic link; name the file itself"),
    ("a FIFO", _fifo, 66, "is not a regular file"),
    ("a directory", _directory, 66, "is not a regular file"),
    ("a second name", _hard_link, 66, "has 2 names (hard links)"),
    ("others write it", _writable, 66, "is writable by others (mode 0666); chmod go-w"),
    ("a terabyte", _endless, 65, "the limit is 256 KiB"),
    ("nothing there", lambda path: None, 66, "no such file"),
]


@pytest.mark.parametrize(("make", "status", "words"), [h[1:] for h in HOSTILE], ids=[h[0] for h in HOSTILE])
def test_what_is_no_ordinary_file_is_not_read(
    make: Callable[[Path], None], status: int, words: str, ledger: Path, tmp_path: Path
) -> None:
    make(tmp_path / "a.toml")
    for command in (("check",), ("define",), ("bind",), ("simulate",), ("policy", "apply")):
        refused(call(*command, str(tmp_path / "a.toml"), ledger=ledger), status, words)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/tty", "/proc/self/mem", "/proc/kmsg"])
def test_a_device_is_not_read(device: str, ledger: Path) -> None:
    if os.path.exists(device):
        done = call("check", device, ledger=ledger)
        assert done.status in (65, 66) and "fault" not in done.err


def test_a_file_that_changes_while_it_is_read_is_not_believed(
    ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, read = good(tmp_path / "a.toml"), os.read

    def slow(fd: int, size: int) -> bytes:
        data = read(fd, size)
        if data.startswith((b"#", b"format")):
            with open(path, "ab") as file:
                file.write(b"x = 1")
        return data

    monkeypatch.setattr(os, "read", slow)
    refused(call("check", str(path), ledger=ledger), 66, "changed while it was read")


def test_a_group_of_one_may_write_a_file(ledger: Path, tmp_path: Path) -> None:
    """Where each user has a group of his own, his files are writable by it."""
    import grp
    import pwd

    path = good(tmp_path / "a.toml")
    path.chmod(0o664)
    owner, group = pwd.getpwuid(os.getuid()).pw_name, grp.getgrgid(path.stat().st_gid)
    alone = group.gr_name == owner and set(group.gr_mem) <= {owner}
    assert call("check", str(path), ledger=ledger).status == (0 if alone else 66)


ESC, LONG = "a\x1b[2Jb", "x" * 300
LINES: list[tuple[tuple[str, ...], int, str]] = [
    # numbers
    (("next", "-n", "-1"), 2, "must be from 0"),
    (("next", "-n", "0"), 2, "at least 1 is needed"),
    (("next", "-n", "1000000"), 2, "at most 100000"),
    (("next", "-n", "9" * 400), 2, "--count must be from 0"),
    (("next", "-n", "1e3"), 2, "'--count'"),
    (("next", "-n", "١x"), 2, "'--count'"),
    (("events", "--after-seq", "-1"), 2, "--after-seq must be from 0"),
    (("events", "--after-seq", str(2**63)), 2, "--after-seq must be from 0"),
    (("events", "-n", str(2**70)), 2, "must be from 0"),
    (("occurrence", "list", "-n", "-5"), 2, "must be from 0"),
    (("invocation", "list", "-n", "0"), 2, "at least 1 is needed"),
    (("demo", "--seconds", "-1"), 2, "--seconds"),
    # instants and durations
    (("next", "--from", "99999-01-01T00:00:00Z"), 2, "--from"),
    (("next", "--from", "2026-02-30T00:00:00Z"), 2, "there is no date"),
    (("next", "--from", "2026-01-01T00:00:00"), 2, "needs an offset or Z"),
    (("next", "--until", "2201-01-01T00:00:00Z"), 2, "outside the years 1970 to 2200"),
    (("next", "--until", "now"), 2, "--until"),
    (("next", "--every", "0s", "--anchor", "2026-01-01T00:00:00Z"), 2, "at least one second"),
    (("next", "--every", "1h"), 2, "anchor"),
    (("next", "--cron", "@reboot", "--zone", "UTC"), 2, "is unknown"),
    (("next", "--cron", "* * * * *"), 2, "needs --zone"),
    (("next", "--cron", "* * * * *", "--zone", "localtime"), 2, "means something else on each host"),
    (("next", "--cron", "* * * * *", "--zone", "Europe"), 2, "is unknown"),
    (("next", "--cron", "0 0 30 2 *", "--zone", "UTC"), 2, "never fires"),
    (("next", "--cron", "", "--zone", "UTC"), 2, "--cron is empty"),
    (("next", "--oncalendar", "daily"), 2, "--oncalendar needs --zone"),
    (("next", "--oncalendar", "10:00 Europe/Rome", "--zone", "UTC"), 2, "does not carry the zone"),
    (("next", "--oncalendar", "daily", "--cron", "* * * * *", "--zone", "UTC"), 2, "one of them"),
    (("next", "--oncalendar", "daily", "--zone", "UTC", "--anchor", "2026-01-01T00:00:00Z"), 2, "belongs to --every"),
    (("next", "--cron", ESC, "--zone", "UTC"), 2, "control character ('\\x1b')"),
    (("run", "--for", "-1s"), 2, "--for"),
    (("run", "--for", "999999999d"), 2, "at most 3650d"),
    (("run", "--drain", "1 h"), 2, "--drain"),
    (("tick", "--period", "1000000000000s"), 2, "--period"),
    (("tick", "--period", ""), 2, "--period is empty"),
    (("simulate", "--for", "-1s"), 2, "--for"),
    (("simulate", "--from", "99999-12-01"), 2, "--from"),
    (("simulate", "--outage", "x"), 2, "two instants are needed"),
    (("simulate", "--clock-step", "x"), 2, "say when and by how much"),
    (("simulate", "--runtime", "x"), 2, "say which station"),
    # what is empty, and what a terminal or a log would obey
    (("explain", ""), 2, "REF is empty"),
    (("schedule", "show", ""), 2, "SCHEDULE is empty"),
    (("check", ""), 2, "FILE is empty"),
    (("backup", ""), 2, "FILE is empty"),
    (("status", "--ledger", ""), 2, "--ledger is empty"),
    (("explain", "a\nb"), 2, "control character ('\\n')"),
    (("explain", ESC), 2, "control character ('\\x1b')"),
    (("explain", "a\0b"), 2, "may not hold a NUL"),
    (("explain", "a\u202eb"), 2, "control character ('\\u202e')"),
    (("explain", "\udcff"), 2, "is not UTF-8"),
    (("activate", "a\tb"), 2, "control character ('\\t')"),
    (("cancel", "inv_1", "--reason", "one\ntwo"), 2, "--reason may not hold a control character"),
    (("cancel", "inv_1", "--reason", ""), 2, "--reason is empty"),
    (("new", "x", "--cron", "* * * * *", "--zone", "UTC", "--", "/bin/\udcff"), 2, "COMMAND is not UTF-8"),
    (("events", "--type", "\x00"), 2, "may not hold a NUL"),
    (("check", "a\0b"), 2, "may not hold a NUL"),
    # names and references of every wrong kind
    (("explain", "x"), 4, "names a Schedule, not one of its firings"),
    (("explain", "occ_"), 4, "no reference"),
    (("explain", "occ_0"), 4, "no reference"),
    (("explain", "occ_-1"), 4, "no reference"),
    (("explain", "occ_1x"), 4, "no reference"),
    (("explain", "occ_١"), 4, "no reference"),
    (("explain", "occ_99"), 4, "there is no occ_99"),
    (("explain", f"occ_{10**30}"), 4, "no reference"),
    (("explain", f"occ_{2**63}"), 4, "no reference"),
    (("explain", f"evt_{2**59}"), 4, f"there is no evt_{2**59}"),
    (("explain", "sch_1"), 4, "names a Schedule, not one of its firings"),
    (("explain", "@latest"), 4, "no reference"),
    (("explain", "nightly@"), 4, "nightly@"),
    (("explain", "nightly@0"), 4, "nightly@0"),
    (("explain", "nightly@1"), 4, "revision"),
    (("explain", "nightly@2026-02-30"), 4, "there is no date"),
    (("explain", "nightly@2026-01-01T25:00"), 4, "there is no time"),
    (("explain", "nightly@9999-12-31"), 4, "nightly"),
    (("explain", "nightly@0000-01-01"), 4, "nightly"),
    (("explain", f"nightly@c{'9' * 40}:2026-01-01T00:00"), 4, "nightly"),
    (("explain", "nightly@latest@latest"), 4, "nightly"),
    (("explain", "noone@latest"), 4, "there is no Schedule noone"),
    (("explain", "a" * 300 + "@latest"), 4, "there is no Schedule"),
    (("explain", "../../etc/passwd@latest"), 4, "there is no Schedule"),
    (("explain", "nightlу@latest"), 4, "no reference"),
    (("logs", "nightly@latest"), 4, "nightly"),
    (("invocation", "show", "occ_1"), 4, "occ_1"),
    (("occurrence", "show", "inv_1"), 4, "inv_1"),
    (("cancel", "occ_1", "--reason", "x"), 4, "there is no occ_1"),
    (("resolve", "inv_1", "--reason", "x", "--outcome", "maybe"), 2, "--outcome"),
    (("activate", "nobody"), 4, "there is no Schedule nobody"),
    (("activate", "nightly@99"), 4, "has no revision 99"),
    (("activate", "nightly@x"), 4, "names no revision"),
    (("schedule", "show", "nightly@x"), 4, "revisions are numbers"),
    (("schedule", "show", ".."), 4, "there is no Schedule"),
    (("schedule", "show", "local/"), 4, "there is no Schedule"),
    (("pattern", "show", "'; DROP TABLE event; --"), 4, "there is no pattern"),
    (("schema", "../paths"), 4, "../paths"),
    (("schema", "nonsense"), 4, "nonsense"),
    (("completions", "tcsh"), 2, "tcsh"),
    (("nonsense",), 2, "there is no command"),
    (("status", "--nonsense"), 2, "no such option"),
    (("status", "x"), 2, "unexpected"),
    (("check",), 2, "missing argument"),
    # names of new things (RP-53)
    (("new", "..", "--cron", "* * * * *", "--zone", "UTC", "--", "/bin/true"), 2, ".."),
    (("new", "a/b", "--cron", "* * * * *", "--zone", "UTC", "--", "/bin/true"), 2, "a/b"),
    (("new", "A", "--cron", "* * * * *", "--zone", "UTC", "--", "/bin/true"), 2, "1 to 63"),
    (("new", "a" * 64, "--cron", "* * * * *", "--zone", "UTC", "--", "/bin/true"), 2, "1 to 63"),
    (("new", LONG, "--cron", "* * * * *", "--zone", "UTC", "--", "/bin/true"), 2, "1 to 63"),
    (("new", "   ", "--cron", "* * * * *", "--zone", "UTC", "--", "/bin/true"), 2, "1 to 63"),
    (("new", "а", "--cron", "* * * * *", "--zone", "UTC", "--", "/bin/true"), 2, "1 to 63"),
    (("new", "x", "--cron", "99 * * * *", "--zone", "UTC", "--", "/bin/true"), 2, "outside 0 to 59"),
    (("new", "x", "--cron", "* * * * *", "--", "/bin/true"), 2, "zone"),
    (("new", "x", "--at", "2026-01-01", "--", "/bin/true"), 2, "needs an offset or Z"),
    (("new", "x", "--cron", "* * * * *", "--zone", "UTC", "--", "relative/x"), 2, "absolute path"),
    (("new", "x", "--cron", "* * * * *", "--zone", "UTC", "--", ""), 2, "program"),
]


@pytest.mark.parametrize(("line", "status", "words"), LINES, ids=[" ".join(line[0])[:60] for line in LINES])
def test_a_wrong_line_says_what_is_wrong(line: tuple[str, ...], status: int, words: str, ledger: Path) -> None:
    where = {} if "--ledger" in line else {"ledger": ledger}
    refused(call(*line, **where), status, words)
    error = call(*line, "--json", **where) if "--" not in line else None
    assert error is None or error.error["exit_status"] == status


def test_names_of_every_lawful_length_come_through(tmp_path: Path) -> None:
    """RP-53: what is taken also fires and is shown; 64 letters were refused above."""
    ledger = tmp_path / "state" / "ledger.db"
    assert call("init", "-q", ledger=ledger).status == 0
    for name in ("a", "b" * 63):
        file = tmp_path / f"{name}.toml"
        made = call("new", name, "--cron", "* * * * *", "--zone", "UTC", "--", "/bin/true")
        file.write_text(made.out)
        assert call("define", "--bind", "--activate", str(file), ledger=ledger).status == 0
        assert call("next", name, "-n", "1", ledger=ledger).status == 0
        assert call("schedule", "show", name, "--json", ledger=ledger).items[0]["schedule"] == f"local/{name}"


def test_what_looks_like_sql_or_markup_is_text(tmp_path: Path) -> None:
    ledger = tmp_path / "state" / "ledger.db"
    assert call("init", "-q", ledger=ledger).status == 0
    label = "x'); DROP TABLE schedule; -- [bold red]loud[/] [link=http://x]y[/link]"
    file = tmp_path / "a.toml"
    file.write_text(whole(pattern(), schedule(f'labels = {{ team = "{label}" }}'), binding()))
    assert call("define", "--bind", "--activate", str(file), ledger=ledger).status == 0
    shown = call("schedule", "show", "nightly", "--json", ledger=ledger)
    assert shown.items[0]["definition"]["labels"] == {"team": label}
    seen = at_terminal("schedule", "show", "nightly", ledger=ledger, width=300)
    assert label in seen.out
    assert all(ord(c) < 128 for c in call("schedule", "show", "nightly", "--jsonl", ledger=ledger).out)


# where the output goes


TERMINALS: list[dict[str, str]] = [
    {"LANG": "C"}, {"LC_ALL": "POSIX"}, {"LANG": "xx_YY.nonsense"}, {"NO_COLOR": "1"}, {"CLICOLOR_FORCE": "1"},
    {"TERM": "dumb"}, {"TERM": ""}, {"COLUMNS": "0"}, {"COLUMNS": "-1"}, {"COLUMNS": "x"}, {"COLUMNS": "9" * 50},
    {"COLUMNS": "1"}, {"COLUMNS": "2"}, {"COLUMNS": "1", "LANG": "C", "TERM": "dumb"},
]  # fmt: skip


@pytest.mark.parametrize("env", TERMINALS, ids=str)
@pytest.mark.parametrize("line", [("status",), ("schedule", "list"), ("next",), ("events",), ("doctor",), ("--help",)])
def test_every_terminal_gets_its_screen(line: tuple[str, ...], env: dict[str, str], ledger: Path) -> None:
    seen = at_terminal(*line, ledger=ledger, env=env)
    assert seen.status in (0, 1), seen.err
    assert "fault" not in seen.err
    if "NO_COLOR" in env or env.get("TERM") == "dumb":
        assert "\x1b[" not in seen.out
    if env.get("LANG") == "C" or "LC_ALL" in env:
        assert seen.out.isascii()


STREAMS = [
    ("stdout closed", ">&-", 0, ""),
    ("both closed", ">&- 2>&-", 0, ""),
    ("stderr closed", "2>&-", 0, None),
    ("a full disk", ">/dev/full", 74, "the output can't be written: no space left on device"),
    ("a full disk for what is said", "2>/dev/full", 0, None),
    ("a reader that has gone", "> >(true)", 0, ""),
    ("no input", "<&-", 0, None),
]


@pytest.mark.parametrize(("where", "status", "words"), [s[1:] for s in STREAMS], ids=[s[0] for s in STREAMS])
@pytest.mark.parametrize("line", ["status", "events --jsonl", "schedule list --json", "completions bash"])
def test_every_stream_may_be_closed_or_full(
    line: str, where: str, status: int, words: str | None, ledger: Path
) -> None:
    done = shell(f"PROGRAM {line} --ledger {ledger} {where}")
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr
    if words:
        assert words in done.stderr


def test_an_error_that_can_not_be_said_still_has_its_status(ledger: Path) -> None:
    for where in ("2>/dev/full", "2>&-", ">&- 2>&-"):
        for more in ("", "--json"):
            assert shell(f"PROGRAM explain occ_99 {more} --ledger {ledger} {where}").returncode == 4


def test_the_working_directory_may_be_gone(ledger: Path, tmp_path: Path) -> None:
    gone = f"mkdir {tmp_path}/gone && cd {tmp_path}/gone && rmdir {tmp_path}/gone"
    assert shell(f"{gone} && PROGRAM status --ledger {ledger}").returncode == 0
    for line, status in (("status --ledger x.db", 4), ("backup x.db", 74), ("check a.toml", 66)):
        done = shell(f"{gone} && PROGRAM {line}")
        assert (done.returncode, "Traceback" in done.stderr) == (status, False), done.stderr


def test_zone_rules_come_from_no_variable_of_other_programs(ledger: Path) -> None:
    line = ("next", "--cron", "30 2 * * *", "--zone", "Europe/Rome", "--from", "2027-03-27T00:00:00Z", "-n", "3")
    plain = call(*line).out
    for name in ("PYTHONTZPATH", "TZDIR", "TZ"):
        assert call(*line, env={name: "/nonexistent"}).out == plain
        assert call(*line, env={name: "Asia/Tokyo"}).out == plain


def shell(script: str) -> subprocess.CompletedProcess[str]:
    program = f"PYTHONPATH={SRC} {sys.executable} -m spellweaver.cli.main"
    return subprocess.run(
        ["bash", "-c", script.replace("PROGRAM", program)], text=True, capture_output=True, timeout=60,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8"},
    )  # fmt: skip
