"""What becomes of each line of a timer and its service; and what comes out can be read."""

from __future__ import annotations

import subprocess

import pytest

from spellweaver.core import instant
from spellweaver.core.calendar import Calendar, Interpretation
from spellweaver.core.zone import parse
from spellweaver.manifest.proposal import Answer, Proposal
from spellweaver.manifest.read import Manifest, read_text
from spellweaver.manifest.unit_text import NotKept, as_shell, span, specified, words
from spellweaver.manifest.units import read_units
from spellweaver.manifest.write import proposal_toml

ZONE = "Europe/Bratislava"
TIMER = "[Timer]\nOnCalendar=*-*-* 02:30\n"
SERVICE = "[Service]\nType=oneshot\nExecStart=/bin/a b\n"


def units(timer: str = TIMER, service: str | None = SERVICE, zone: str = ZONE, **more: str) -> Proposal:
    files = [("/etc/a.timer", timer)] + ([("/etc/a.service", service)] if service is not None else [])
    files += [(f"/etc/{name.replace('_', '.')}", text) for name, text in more.items()]
    return read_units([(path, text.encode()) for path, text in files], zone=zone)


def taken(proposal: Proposal) -> Manifest:
    return read_text(proposal_toml(proposal), "units.toml")


def of(proposal: Proposal, text: str) -> Answer:
    (found,) = (answer for answer in proposal.answers if answer.text.startswith(text))
    return found


def said(answer: Answer) -> str:
    return "; ".join(note.sentence for note in answer.notes)


def fires(proposal: Proposal) -> list[str]:
    """The first firing of each Schedule after Saturday, 2026-12-05T12:00:00Z."""
    found = []
    for draft in taken(proposal).schedules:
        assert draft.calendar is not None and draft.calendar.host_rules is not None
        each, rules = draft.calendar, parse(draft.calendar.host_rules)
        calendar = Calendar(Interpretation(each.zone, rules.digest, each.cadence, each.fold, each.gap), rules)
        first = calendar.first(instant.parse("2026-12-05T12:00:00Z") // instant.SECOND)
        assert first is not None and first.instant_s is not None
        found.append(instant.show(first.instant_s * instant.SECOND))
    return found


def test_a_pair_becomes_a_workflow_a_binding_and_a_schedule() -> None:
    service = (
        "[Unit]\nDescription=Nightly\n[Service]\nType=oneshot\nUser=backup\nWorkingDirectory=/srv\nUMask=0077\nNice=10\n"
        'Environment="A=x y" B=2\nExecStart=/bin/a "b c" \\\n  d 100%%\nTimeoutStartSec=1h 30min\n'
        "SuccessExitStatus=3 5\n"
    )
    proposal = units(service=service)
    (binding,), (draft,) = taken(proposal).bindings, taken(proposal).schedules
    assert binding.argv == ("/bin/a", "b c", "d", "100%")
    assert (binding.user, binding.cwd, binding.umask, binding.nice) == ("backup", "/srv", 0o077, 10)
    assert binding.env == (("A", "x y"), ("B", "2"), ("TZ", ZONE))
    assert (binding.timeout_us, binding.success) == (90 * instant.MINUTE, (0, 3, 5))
    assert draft.name == "a" and draft.catch_up == "none" and draft.service_class == "foreground"
    assert draft.calendar is not None and draft.calendar.zone == ZONE
    assert {answer.word for answer in proposal.answers} == {"kept"}


def test_what_nobody_says_is_as_systemd_has_it() -> None:
    (binding,) = taken(units(zone="UTC")).bindings
    assert (binding.cwd, binding.umask, binding.env, binding.user) == ("/", 0o022, (), None)
    assert binding.timeout_us == 24 * instant.HOUR


def test_each_event_is_a_schedule_of_its_own_with_its_own_zone() -> None:
    timer = "[Timer]\nOnCalendar=daily\nOnCalendar=\nOnCalendar=Mon..Fri 09:00\nOnCalendar=*-*-1 12:00 Asia/Tokyo\n"
    proposal = units(timer)
    assert [draft.name for draft in taken(proposal).schedules] == ["a", "a-2"]
    assert fires(proposal) == ["2026-12-07T08:00:00Z", "2027-01-01T03:00:00Z"]
    assert "void" in said(of(proposal, "OnCalendar=daily"))


@pytest.mark.parametrize("fixed", [True, False])
def test_persistence_and_delay(fixed: bool) -> None:
    timer = f"{TIMER}Persistent=yes\nRandomizedDelaySec=90s\nFixedRandomDelay={fixed}\nAccuracySec=1h\n"
    proposal = units(timer)
    (draft,) = taken(proposal).schedules
    assert (draft.misfire_horizon_us, draft.catch_up) == (3650 * instant.DAY, "newest")
    assert draft.calendar is not None and draft.calendar.jitter.max_us == 90 * instant.SECOND
    assert of(proposal, "RandomizedDelaySec").word == ("kept" if fixed else "changed")
    assert of(proposal, "AccuracySec").word == "changed"
    (plain,) = taken(units(f"{TIMER}Persistent=no\nRandomizedDelaySec=0\n")).schedules
    assert plain.catch_up == "none" and plain.calendar is not None and plain.calendar.jitter.mode == "none"


@pytest.mark.parametrize(
    ("line", "word", "why"),
    [
        ("OnBootSec=5min", "dropped", "something other than a calendar"),
        ("OnUnitActiveSec=1h", "dropped", "every with an anchor"), ("WakeSystem=true", "dropped", "nothing like it"),
        ("Persistent=maybe", "dropped", "neither yes nor no"), ("RandomizedDelaySec=1y", "dropped", "no unit of time"),
        ("RandomizedDelaySec=infinity", "dropped", "at most 30d"), ("what", "unreadable", "neither a section"),
        ("OnCalendar=Feb 30", "dropped", "oncalendar"), ("OnCalendar=12:00 Mars/Base", "dropped", "Mars/Base"),
        ("[Install]\nWantedBy=timers.target", "changed", "takes the place of enabling"),
        ("[Unit]\nAfter=x", "dropped", "waits for its time"), ("[X]\nA=b", "dropped", "means nothing to a timer"),
    ],
)  # fmt: skip
def test_a_line_of_a_timer_that_is_not_simply_kept_is_answered(line: str, word: str, why: str) -> None:
    proposal = units(f"{TIMER}{line}\n")
    found = of(proposal, line.rpartition("\n")[2])
    assert found.word == word and why in said(found)
    assert len(taken(proposal).schedules) == 1, "and the rest is taken"


@pytest.mark.parametrize(
    ("line", "word", "why"),
    [
        ("ProtectSystem=strict", "dropped", "nothing like it"), ("Group=x", "dropped", "groups of its user"),
        ("EnvironmentFile=-/x", "dropped", "env_from"), ("Environment=LD_X=1 A=b", "dropped", "'LD_X' may not"),
        ("Environment=A", "dropped", "no NAME=value"), ("WorkingDirectory=~", "dropped", "absolute path"),
        ("UMask=99", "dropped", "octal"), ("Nice=40", "dropped", "-20 to 19"),
        ("Type=forking", "dropped", "not watched"),
        ("RuntimeMaxSec=5", "dropped", "doesn't bound a run"), ("TimeoutStartSec=infinity", "changed", "24h"),
        ("SuccessExitStatus=SIGKILL", "dropped", "by number"), ("StandardOutput=journal", "changed", "own log"),
        ('Environment="A=b', "dropped", "no end"), ("User=%i", "dropped", "%i"),
        ("Restart=always", "dropped", "next firing"),
    ],
)  # fmt: skip
def test_a_line_of_a_service_that_is_not_simply_kept_is_answered(line: str, word: str, why: str) -> None:
    service = f"{SERVICE.replace('Type=oneshot', '') if line.startswith('Type') else SERVICE}{line}\n"
    proposal = units(service=service)
    assert of(proposal, line).word == word and why in said(of(proposal, line))
    assert len(taken(proposal).schedules) == 1


@pytest.mark.parametrize(
    ("service", "why"),
    [
        (None, "a.service, which it starts, is not among the files"),
        ("[Service]\nType=oneshot\n", "no ExecStart"),
        ("[Service]\nExecStart=+/bin/a\n", "the prefix +"), ("[Service]\nExecStart=/bin/a %h\n", "%h"),
        ("[Service]\nExecStart=bin/a\n", "absolute path"),
        ("[Service]\nExecStart=/bin/a ; /bin/b\n", "several commands"),
        ("[Service]\nExecStart=/bin/a 'b\n", "no end"),
    ],
)  # fmt: skip
def test_without_a_command_there_is_no_schedule_and_the_event_says_why(service: str | None, why: str) -> None:
    proposal = units(service=service)
    assert not taken(proposal).schedules and of(proposal, "OnCalendar").word == "dropped"
    assert why in said(of(proposal, "OnCalendar"))


def test_a_timer_may_start_another_service_and_one_that_nothing_starts_is_told() -> None:
    proposal = units(f"{TIMER}Unit=b.service\n", b_service="[Service]\nExecStart=/bin/b\n")
    assert [binding.argv for binding in taken(proposal).bindings] == [("/bin/b",)]
    assert "no timer among these files starts it" in said(of(proposal, "ExecStart=/bin/a b"))


def test_commands_in_order_and_failures_that_do_not_count() -> None:
    lines = "ExecStart=/bin/void\nExecStart=\nExecStartPre=-/bin/false x\nExecStart=/bin/echo one ${A} '$$' $B\n"
    (binding,) = taken(units(service=f"[Service]\nType=oneshot\n{lines}ExecStart=/bin/echo two\n")).bindings
    assert binding.shell is not None
    env = {"A": "a  'b", "B": "x  y"}
    done = subprocess.run(["/bin/sh", "-c", binding.shell], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "one a  'b $ x y\ntwo\n"
    (failing,) = taken(units(service="[Service]\nExecStart=-/bin/false\n")).bindings
    assert subprocess.run(["/bin/sh", "-c", str(failing.shell)], check=False).returncode == 0


def test_words_escapes_specifiers_and_spans() -> None:
    assert words(r"""a "b c"d 'e "f' \x41\101\s\n  "" """) == ["a", "b cd", 'e "f', "AA \n", ""]
    for wrong in ("'a", r"\q", r"\xff", "\\"):
        with pytest.raises(NotKept):
            words(wrong)
    assert specified("%n %N %p 5%%", "a@b.service") == "a@b.service a@b a 5%"
    assert as_shell(["a", "$B", "x$B", '`${C}"$$', "$$"]) == "a $B 'x$B' \"\\`${C}\\\"\\$\" '$'"
    assert [span(text) for text in ("90", "1h 30min", "2d3s", "500ms", "infinity")] == [
        90_000_000, 5_400_000_000, 172_803_000_000, 500_000, None,
    ]  # fmt: skip
