"""What becomes of each line of a crontab: kept, changed, dropped, unreadable; and what comes out can be read."""

from __future__ import annotations

import subprocess
from dataclasses import replace

import pytest

from spellweaver.core import instant
from spellweaver.core.grammar import Cron
from spellweaver.core.search import search
from spellweaver.errors import BadFile
from spellweaver.manifest.crontab import read_crontab
from spellweaver.manifest.proposal import Answer, Job, Proposal
from spellweaver.manifest.read import Manifest, read_text
from spellweaver.manifest.write import proposal_toml

ZONE = "Europe/Bratislava"
HOMES = {None: "/home/me", "root": "/root", "backup": "/var/backups"}


def crontab(*lines: str, zone: str = ZONE, system: bool = False) -> Proposal:
    data = "".join(f"{line}\n" for line in lines).encode()
    return read_crontab(data, "crontab", zone=zone, system=system, home_of=HOMES.get)


def taken(proposal: Proposal) -> Manifest:
    """What the reader of our own files makes of it."""
    return read_text(proposal_toml(proposal), "crontab.toml")


def job(*lines: str, system: bool = False) -> Job:
    """The job of the last line."""
    (made,) = crontab(*lines, system=system).answers[-1].jobs
    return made


def answer(*lines: str, system: bool = False) -> Answer:
    return crontab(*lines, system=system).answers[-1]


def said(found: Answer) -> str:
    return "; ".join(note.sentence for note in found.notes)


def test_a_line_becomes_a_workflow_a_binding_and_a_schedule() -> None:
    proposal = crontab("# the nightly one", "", "30 2 * * *\t/usr/local/bin/backup --full 'a b'  # why not ")
    manifest = taken(proposal)
    (binding,), (draft,) = manifest.bindings, manifest.schedules
    assert binding.shell == "/usr/local/bin/backup --full 'a b'  # why not ", "as it stands, to its last blank"
    assert (binding.cwd, binding.umask, binding.timeout_us) == ("/home/me", 0o022, 24 * instant.HOUR)
    assert binding.env == (("TZ", ZONE),), "a job of cron's sees the zone of its host"
    assert (draft.name, draft.pattern_key, draft.service_class, draft.overlap) == (
        "backup", "backup", "foreground", "forbid",
    )  # fmt: skip
    assert draft.catch_up == "none", "cron makes up for nothing that it missed"
    assert draft.calendar is not None and draft.calendar.zone == ZONE
    assert draft.calendar.cadence.canonical() == {"cron": "30 2 * * *"}
    assert manifest.notes == () and [each.word for each in proposal.answers] == ["kept"] * 3
    assert "# the nightly one\n" in proposal_toml(proposal)


@pytest.mark.parametrize(
    ("when", "fold", "gap"),
    [
        ("30 2 * * *", None, "advance"), ("0 */2 * * *", "both", None), ("*/20 2 * * *", "both", None),
        ("@hourly", "both", None), ("@daily", None, "advance"), ("0 0-23 * * *", None, "advance"),
    ],
)  # fmt: skip
def test_a_wildcard_follows_the_clock_and_a_fixed_time_the_date(when: str, fold: str | None, gap: str | None) -> None:
    calendar = job(f"{when} true").calendar
    assert (calendar.get("fold"), calendar.get("gap")) == (fold, gap)


def test_rp_48_a_percent_sign_is_what_cron_makes_of_it() -> None:
    assert job(r"0 1 * * * date +\%F-\%T \\x").binding["shell"] == r"date +%F-%T \\x"
    fed = job(r"0 1 * * * cat; printf '\%s|' 'it''s'%one%\%two\x%%four")
    done = subprocess.run(["/bin/sh", "-c", str(fed.binding["shell"])], capture_output=True, text=True, check=True)
    assert done.stdout == "one\n%two\\x\n\nfour\nits|"
    assert job("0 1 * * * cat%").binding["shell"] == "cat", "no input at all"


@pytest.mark.parametrize("given", ["END", "END%END1", "x%END%", "$(date) `date` ' \" \\"])
def test_rp_48_no_input_ends_its_here_document_or_is_expanded(given: str) -> None:
    script = str(job(f"0 1 * * * cat%{given}").binding["shell"])
    done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == given.replace("%", "\n").rstrip("\n") + "\n" and done.stderr == ""


@pytest.mark.rule("CAL-09")
def test_rp_58_both_day_fields_mean_either_as_by_tradition() -> None:
    found = answer("0 0 13 * fri true")
    assert "a day that matches either of them fires" in said(found)
    (draft,) = taken(crontab("0 0 13 * fri true", zone="UTC")).schedules
    assert draft.calendar is not None and isinstance(draft.calendar.cadence, Cron)
    begin, end = (instant.parse(f"{year}-01-01T00:00:00Z") // instant.DAY for year in (2026, 2027))
    assert len(list(search(draft.calendar.cadence).days(begin, end - 1))) == 61
    assert not any("either" in note.sentence for note in answer("0 0 */2 * fri true").notes)


def test_rp_09_a_zone_setting_holds_for_the_calendars_below_it_and_for_nothing_else() -> None:
    lines = (
        "0 1 * * * a", "CRON_TZ=America/New_York", "0 1 * * * b", "TZ=Asia/Tokyo", "0 1 * * * c", "CRON_TZ=",
        "0 1 * * * d",
    )  # fmt: skip
    jobs = crontab(*lines).jobs
    assert [each.calendar["zone"] for each in jobs] == [ZONE, "America/New_York", "America/New_York", ZONE]
    assert [each.binding["env"] for each in jobs] == [{"TZ": ZONE}] * 2 + [{"TZ": "Asia/Tokyo"}] * 2


@pytest.mark.rule("CAL-01")
def test_rp_09_a_zone_that_there_is_not_is_never_replaced_by_another() -> None:
    proposal = crontab("CRON_TZ=europe/rome", "0 1 * * * a", "CRON_TZ=Europe/Rome", "0 1 * * * b")
    assert [each.word for each in proposal.answers] == ["dropped", "dropped", "kept", "kept"]
    assert "did you mean Europe/Rome?" in said(proposal.answers[0])
    assert [each.name for each in proposal.jobs] == ["b"]


def test_settings_hold_for_the_lines_below_them() -> None:
    lines = (
        "0 1 * * * a", 'PATH = "/opt/bin:$PATH"  ', "HOME=/srv/work", "SHELL=/bin/bash", "' A'=x", "B='  y '",
        "0 1 * * * b", "B=", "0 1 * * * c%in",
    )  # fmt: skip
    proposal = crontab(*lines)
    first, second, third = proposal.jobs
    assert (first.binding["shell"], first.binding["cwd"]) == ("a", "/home/me")
    assert second.binding["argv"] == ["/bin/bash", "-c", "b"] and second.binding["cwd"] == "/srv/work"
    path = {"TZ": ZONE, "PATH": "/opt/bin:$PATH", "HOME": "/srv/work", "SHELL": "/bin/bash"}
    assert second.binding["env"] == {**path, "B": "  y "} and third.binding["env"] == {**path, "B": ""}
    assert third.binding["shell"] == "exec /bin/bash -c c <<'END'\nin\nEND\n"
    assert proposal.answers[4].word == "unreadable" and "no name for a variable" in said(proposal.answers[4])
    assert len(taken(proposal).bindings) == 3


@pytest.mark.parametrize(
    ("line", "word", "why"),
    [
        ("MAILTO=root", "changed", "spellweaver logs"), ('MAILTO=""', "kept", "no mail is wanted"),
        ("MAILFROM=cron", "changed", "spellweaver logs"),
        ("LD_PRELOAD=/x.so", "dropped", "may not be set by a binding"),
        ("LOGNAME=x", "dropped", "cron doesn't let it be set either"), ("SHELL=bash", "dropped", "absolute path"),
        ("HOME=work", "changed", "commands start in /"), ("RANDOM_DELAY=x", "unreadable", "number of minutes"),
        ("9A=x", "unreadable", "no name for a variable"),
    ],
)  # fmt: skip
def test_a_setting_that_is_not_simply_kept_is_answered(line: str, word: str, why: str) -> None:
    proposal = crontab(line, "0 1 * * * a")
    assert (proposal.answers[0].word, proposal.answers[0].what) == (word, "setting")
    assert why in said(proposal.answers[0])
    assert len(taken(proposal).schedules) == 1, "and the lines below are read all the same"


def test_a_random_delay_is_a_jitter() -> None:
    jobs = crontab("RANDOM_DELAY=45", "0 1 * * * a", "RANDOM_DELAY=0", "0 1 * * * b").jobs
    assert [each.calendar.get("jitter") for each in jobs] == [{"mode": "deterministic", "max": "45m"}, None]


@pytest.mark.parametrize(
    ("line", "word", "why"),
    [
        ("@reboot a", "dropped", "a start of the host"), ("0~30 * * * * a", "dropped", "jitter"),
        ("99 * * * * a", "unreadable", "cron minute '99' is outside 0 to 59"),
        ("0 22-2 * * * a", "unreadable", "runs backwards"), ("0 0 30 2 * a", "unreadable", "never fires"),
        ("@fortnightly a", "unreadable", "macro '@fortnightly' is unknown"), ("@daily", "unreadable", "neither NAME"),
        ("0 1 * * *", "unreadable", "neither NAME"), ("0 1 * * * %in", "unreadable", "no command before the %"),
        ("hello", "unreadable", "neither NAME"),
    ],
)  # fmt: skip
def test_a_line_that_gives_no_schedule_says_why_and_the_next_one_is_read(line: str, word: str, why: str) -> None:
    proposal = crontab(line, "0 1 * * * b")
    assert proposal.answers[0].word == word and why in said(proposal.answers[0])
    assert [note.word for note in proposal.answers[0].notes] == [word], "nothing is said to be kept of it"
    assert [each.name for each in taken(proposal).schedules] == ["b"]


def test_bytes_that_are_no_text_and_ends_of_other_systems() -> None:
    data = b"0 1 * * * a\xff\r\n0 1 * * * b\r\n\r\n# \xff\n0 1 * * * c\0\n0 1 * * * d\x1b[31m"
    proposal = read_crontab(data, "crontab", zone="UTC", system=False, home_of=HOMES.get)
    assert [each.word for each in proposal.answers] == ["unreadable", "changed", "kept", "kept", "unreadable", "kept"]
    assert [each.shell for each in taken(proposal).bindings] == ["b", "d\x1b[31m"]
    assert "\x1b" not in proposal_toml(proposal)


def test_the_system_form_names_a_user() -> None:
    proposal = crontab("17 * * * * root cd / && run-parts --report /etc/cron.hourly", "@daily backup a%b", system=True)
    first, second = taken(proposal).bindings
    assert (first.user, first.cwd, first.shell) == ("root", "/root", "cd / && run-parts --report /etc/cron.hourly")
    assert (second.user, second.cwd) == ("backup", "/var/backups")
    assert "only a daemon that is root's" in said(proposal.answers[0])
    stranger = answer("0 1 * * * nobody-here a", system=True)
    assert stranger.word == "changed" and "no account nobody-here" in said(stranger)
    assert "no command behind the user" in said(answer("0 1 * * * root", system=True))
    assert "name of an account" in said(answer("0 1 * * * www:daemon a", system=True))


def test_names_are_told_by_the_commands_and_each_is_given_once() -> None:
    commands = (
        "/usr/bin/Backup.sh --full", "backup.sh", "nice -n 10 /opt/x/mirror --all", "A=1 sudo -u x report",
        "cd /srv && ./poll", "timeout 10m job-2", "test -x /usr/sbin/anacron || { cd / && run-parts /etc/cron.daily; }",
        "[ -d /x ] && '/opt/a b/run'", "//", "é", "job", "x" * 90,
    )  # fmt: skip
    proposal = crontab(*(f"0 1 * * * {command}" for command in commands))
    names = [each.name for each in proposal.jobs]
    assert len(set(names)) == len(commands) == len(taken(proposal).schedules)
    assert names[:6] == ["backup.sh", "backup.sh-2", "mirror", "x", "poll", "job-2"]
    assert names[-1] == "x" * 50
    assert names == [each.name for each in crontab(*(f"0 1 * * * {command}" for command in commands)).jobs]


def test_more_jobs_than_a_file_may_hold_are_refused_as_a_whole() -> None:
    (one,) = crontab("0 1 * * * a").answers
    jobs = tuple(replace(one.jobs[0], name=f"a-{number}") for number in range(334))
    with pytest.raises(BadFile) as refusal:
        proposal_toml(Proposal("crontab", (), (replace(one, jobs=jobs),)))
    assert "the limit is 1000" in refusal.value.message and refusal.value.hint is not None
