"""init, check, define, bind, activate and new: what they write, what they say, and that a dry run writes nothing."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from spellweaver.clock import VirtualClock
from spellweaver.core import instant
from spellweaver.host.door import WAKE, Door
from tests.support.program import Done, at_terminal, call, process

NOW = instant.parse("2026-01-01T00:30:00Z")
FILE = """format = 1
[[pattern]]
key = "job"
revision = "1"

[binding."job@1".main]
argv = ["/bin/true"]
timeout = "1m"

[[schedule]]
name = "nightly"
pattern = "job@1"
class = "deadline_windowed"
allowed_delay = "3h"
[schedule.calendar]
cron = "0 2 * * *"
zone = "Europe/Rome"
"""

MISTAKEN = {
    "immediate": "foreground", "cron": "foreground", "opportunistic": "spare_capacity", "remote": "deadline_windowed",
}  # fmt: skip


class Place:
    """A ledger of its own, files beside it, and the clock at half past midnight."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ledger = folder / "state" / "ledger.db"
        self.clock = VirtualClock(NOW)

    def call(self, *words: str) -> Done:
        return call(*words, ledger=self.ledger, clock=self.clock)

    def file(self, text: str = FILE, name: str = "a.toml") -> str:
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def rows(self) -> str:
        """Everything that a reader can see, as one digest."""
        lines = ("events", "schedule list", "pattern list", "policy show")
        return hashlib.sha256("".join(self.call(*line.split()).out for line in lines).encode()).hexdigest()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def made(place: Place) -> Place:
    assert place.call("init").status == 0
    return place


def test_init_makes_a_private_ledger_and_names_what_comes_next(place: Place) -> None:
    done = place.call("init")
    assert (done.status, done.out) == (0, f"MADE\t{place.ledger}\nWHY THERE\t--ledger\n")
    assert done.err.endswith(
        f"next: spellweaver new NAME --cron '30 2 * * *' --zone ZONE -- COMMAND --ledger {place.ledger}\n"
    ), "a hint that can be copied"
    assert place.ledger.stat().st_mode & 0o777 == 0o600
    assert place.ledger.parent.stat().st_mode & 0o777 == 0o700
    assert sorted(path.name for path in place.ledger.parent.iterdir()) == [
        "ledger.db",
        "ledger.db-shm",
        "ledger.db-wal",
        "ledger.witness",
    ]


def test_init_never_touches_a_ledger_that_is_there(made: Place) -> None:
    before = made.ledger.read_bytes()
    for line in (("init",), ("init", "--dry-run"), ("init", "--example")):
        done = made.call(*line)
        assert done.status == 3
        assert "there is a ledger at" in done.err
    assert made.ledger.read_bytes() == before


def test_init_refuses_a_directory_that_others_may_write(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    done = call("init", ledger=tmp_path / "ledger.db")
    assert done.status == 78
    assert "chmod go-w" in done.err
    assert list(tmp_path.iterdir()) == []


def test_init_dry_run_reports_the_same_and_makes_nothing(place: Place) -> None:
    tried = place.call("init", "--example", "--dry-run", "--json")
    assert not place.ledger.parent.exists()
    done = place.call("init", "--example", "--json")

    def undated(text: str) -> object:
        return json.loads(text.replace('"dry_run": true', '"dry_run": false'))

    assert undated(tried.out) == undated(done.out)
    assert tried.document["items"] != done.document["items"], "dry_run says which is which"


def test_init_example_is_ready_to_run_and_harmless(place: Place) -> None:
    done = place.call("init", "--example")
    assert done.out.splitlines()[2:] == [
        "pattern\tprobe@1\tnew\t", "pattern\tnightly@1\tnew\t", "schedule\tlocal/probe\tnew\t",
        "schedule\tlocal/nightly\tnew\t",
        "binding\tprobe@1 main\tbound\tgeneration 1", "binding\tnightly@1 main\tbound\tgeneration 1",
        "activation\tlocal/probe@1\tactivated\tnext 2026-01-01T00:35:00Z",
        "activation\tlocal/nightly@1\tactivated\tnext 2026-01-01T01:30:00Z",
    ]  # fmt: skip
    types = [item["type"] for item in place.call("events", "--json").items]
    assert types.count("schedule.activated") == types.count("schedule.defined") == 2
    assert types.count("bound") == 2, "definition, binding and activation are recorded acts of their own"


def test_check_needs_no_ledger_and_names_what_a_file_holds(place: Place) -> None:
    done = place.call("check", place.file())
    assert done.status == 0
    assert [line.split("\t")[:2] for line in done.out.splitlines()] == [
        ["pattern", "job@1"], ["binding", "job@1 main"], ["schedule", "local/nightly"],
    ]  # fmt: skip
    assert not place.ledger.parent.exists()
    assert {item["kind"] for item in place.call("check", place.file(), "--json").items} == {
        "pattern",
        "binding",
        "schedule",
    }


def test_check_tells_all_problems_of_all_files_at_once(place: Place) -> None:
    one = place.file(FILE.replace('cron = "0 2', 'cron = "61 2').replace("allowed_delay", "alowed_delay"), "one.toml")
    other = place.file("format = 1\n[[schedule]]\nname = 7\n", "other.toml")
    done = place.call("check", one, other, str(place.folder / "absent.toml"))
    assert (done.status, done.out) == (65, "")
    for said in (
        f"{one}:14:1: ",
        "did you mean 'allowed_delay'?",
        f"{one}:16:8: ",
        f"{other}:3:8: ",
        "absent.toml: no such",
    ):
        assert said in done.err
    assert place.call("check", str(place.folder / "absent.toml")).status == 66


def test_check_says_what_its_author_may_not_expect(place: Place) -> None:
    done = place.call("check", place.file(FILE.replace("0 2 * * *", "0 2 13 * FRI")))
    assert done.status == 0
    assert "local/nightly: day of month and weekday are both restricted" in done.err
    assert "2026-01-02" in done.err, "the next dates are those after now"
    assert place.call("check", "-q", place.file(FILE.replace("0 2 * * *", "0 2 13 * FRI"))).err == ""


@pytest.mark.rule("CLS-01")
@pytest.mark.parametrize(("word", "meant"), MISTAKEN.items())
def test_a_class_by_another_name_is_refused_with_the_right_one(place: Place, word: str, meant: str) -> None:
    done = place.call("check", place.file(FILE.replace("deadline_windowed", word)))
    assert done.status == 65
    assert f"{word!r} is no class; the one that is meant is {meant!r}" in done.err
    assert f'class = "{word}"' in done.err, "the line is shown"


def test_define_reports_new_then_unchanged_then_what_changed(made: Place) -> None:
    file = made.file()
    assert made.call("define", file).out == "pattern\tjob@1\tnew\t\nschedule\tlocal/nightly\tnew\t\n"
    assert made.call("define", file).out == "pattern\tjob@1\tunchanged\t\nschedule\tlocal/nightly\tunchanged\t\n"
    file = made.file(FILE.replace('allowed_delay = "3h"', 'allowed_delay = "4h"'))
    assert (
        made.call("define", file).out.splitlines()[1]
        == "schedule\tlocal/nightly\trevision 2\tchanged: allowed_delay_us"
    )
    (_, item) = made.call("define", made.file(FILE.replace("3h", "5h")), "--json").items
    assert (item["status"], item["revision"], item["changes"]) == ("revision", "3", ["allowed_delay_us"])


@pytest.mark.rule("CUT-01")
def test_an_equal_definition_or_activation_changes_nothing_and_says_so(made: Place) -> None:
    file = made.file()
    made.call("define", file, "--bind", "--activate")
    before = made.rows()
    again = made.call("define", file, "--bind", "--activate")
    assert again.status == 0
    assert [line.split("\t")[2] for line in again.out.splitlines()] == ["unchanged"] * 4
    assert made.call("activate", "nightly").out.split("\t")[2] == "unchanged"
    assert made.call("bind", file).out.split("\t")[2] == "unchanged"
    assert made.rows() == before, "and nothing was written"


def test_define_activates_and_binds_only_when_told(made: Place) -> None:
    done = made.call("define", made.file())
    assert "left alone: bindings; next: spellweaver bind" in done.err
    assert f"next: spellweaver activate local/nightly --ledger {made.ledger}\n" in done.err
    assert made.call("schedule", "list", "--json").items[0]["state"] == "defined"
    refused = made.call("activate", "nightly")
    assert refused.status == 3 and "main of job@1 is not bound" in refused.err
    assert made.call("activate", "--unbound", "nightly").status == 0


def test_one_refusal_undoes_the_whole_call(made: Place) -> None:
    before = made.rows()
    body = FILE.partition("[[schedule]]")[2]
    text = f"{FILE}[[schedule]]{body.replace('nightly', 'other').replace('job@1', 'absent@9')}"
    done = made.call("define", made.file(text), "--bind", "--activate")
    assert done.status == 3
    assert "absent@9" in done.err
    assert made.rows() == before


@pytest.mark.parametrize(
    "line",
    [("define", "a.toml"), ("define", "a.toml", "--bind", "--activate"), ("bind", "a.toml"), ("activate", "nightly")],
)
def test_a_dry_run_says_would_and_writes_nothing(made: Place, line: tuple[str, ...]) -> None:
    file = made.file()
    if line[0] != "define":
        made.call("define", file)
        made.call("bind", file) if line[0] == "activate" else None
    words = [file if word == "a.toml" else word for word in line]
    before = made.rows()
    tried = made.call(*words, "--dry-run")
    assert made.rows() == before
    assert tried.status == 0
    done = made.call(*words)
    assert made.rows() != before
    assert tried.out.replace("would be ", "") == done.out
    assert "would be " in tried.out


def test_define_never_takes_the_policy_and_says_so(made: Place) -> None:
    done = made.call("define", made.file(FILE + "\n[policy]\nworkers = 9\n"))
    assert done.status == 0
    assert (
        f"left alone: the policy; next: spellweaver policy apply {made.folder}/a.toml --ledger {made.ledger}"
        in done.err
    )
    assert made.call("policy", "show", "--json").items[0]["workers"] == 4


def test_wrong_by_the_file_alone_is_65_and_only_against_the_ledger_3(made: Place) -> None:
    assert made.call("define", made.file(FILE.replace("0 2 *", "0 99 *"))).status == 65
    assert made.call("define", made.file(FILE.replace('pattern = "job@1"', 'pattern = "job@2"'))).status == 3


def test_activate_takes_many_a_revision_or_none(made: Place) -> None:
    made.call("define", made.file(), "--bind")
    made.call("define", made.file(FILE.replace("3h", "4h")))
    assert (
        made.call("activate", "nightly@1").out == "activation\tlocal/nightly@1\tactivated\tnext 2026-01-01T01:00:00Z\n"
    )
    (item,) = made.call("activate", "local/nightly", "--json").items
    assert (item["revision"], item["replaced"], item["next_at"]) == (2, 1, "2026-01-01T01:00:00Z")
    before = made.rows()
    for word, status in (("nightly@9", 4), ("nigthly", 4), ("nightly@x", 4)):
        done = made.call("activate", "nightly@1", word)
        assert done.status == status, done.err
    assert "near it: local/nightly" in made.call("activate", "nigthly").err
    assert made.rows() == before, "all of them or none"


def test_a_revision_that_reads_the_calendar_differently_is_refused_with_the_reason(made: Place) -> None:
    made.call("define", made.file(), "--bind", "--activate")
    done = made.call("define", made.file(FILE.replace("0 2 * * *", "0 3 * * *")), "--activate")
    assert done.status == 3
    assert "reads the calendar differently" in done.err and "cadence" in done.err


def test_people_see_the_next_firing_in_their_words(made: Place) -> None:
    made.call("define", made.file(), "--bind")
    done = at_terminal(
        "activate", "nightly", "--utc", ledger=made.ledger, clock=made.clock, width=100, env={"NO_COLOR": "1"}
    )
    assert done.out.splitlines()[0].split() == ["WHAT", "NAME", "STATUS", "DETAIL"]
    assert "next Thu 2026-01-01 01:00 UTC" in done.out


def test_new_prints_a_file_that_check_takes(place: Place) -> None:
    line = (
        "new",
        "backup",
        "--cron",
        "30 2 * * *",
        "--zone",
        "Europe/Rome",
        "--",
        "/usr/bin/rsync",
        "-a",
        "/a b",
        "it's",
    )
    done = place.call(*line)
    assert done.status == 0
    assert place.call("check", place.file(done.out)).status == 0
    (item,) = place.call("--json", *line).items
    assert item["toml"] == done.out
    once = place.call("new", "once", "--at", "2026-02-01T00:00:00Z", "--", "date")
    assert 'at = [\n    "2026-02-01T00:00:00Z",\n]' in once.out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("new", "a", "--", "ls"), "say when"),
        (("new", "a", "--cron", "0 2 * * *", "--", "ls"), "zone"),
        (("new", "Bad Name", "--at", "2026-02-01T00:00:00Z", "--", "ls"), "must be 1 to 63"),
        (("new", "a", "--at", "tomorrow", "--", "ls"), "tomorrow"),
        (("new", "a", "--at", "2026-02-01T00:00:00Z"), "missing argument"),
    ],
)
def test_new_refuses_what_no_file_could_say(place: Place, line: tuple[str, ...], said: str) -> None:
    done = place.call(*line)
    assert (done.status, done.out) == (2, "")
    assert said in done.err


def test_a_writer_wakes_the_daemon_that_the_lock_file_names(made: Place) -> None:
    path = str(made.ledger.parent / "socket")
    door = Door(path)
    try:
        Path(f"{made.ledger}.lock").write_text(json.dumps({"pid": os.getpid(), "socket": path}))
        made.call("define", made.file(), "--dry-run")
        assert door.requests() == [], "a dry run is no news"
        assert made.call("define", made.file()).status == 0
        assert [request.word for request in door.requests()] == [WAKE]
    finally:
        door.close()
    assert made.call("bind", made.file()).status == 0, "a daemon that is gone is no trouble"


def test_hostile_text_of_a_file_reaches_the_terminal_as_an_escape(made: Place) -> None:
    text = FILE.replace('argv = ["/bin/true"]', 'argv = ["/bin/\\u001b[2J\\u202e"]')
    for done in (made.call("check", made.file(text)), at_terminal("check", made.file(text))):
        assert "\\x1b[2J\\u202e" in done.out and "\x1b[2J" not in done.out
    wrong = made.call("check", made.file(FILE.replace('name = "nightly"', 'name = "\\u001b]0;x\\u0007"')))
    assert wrong.status == 65 and "\x1b" not in wrong.err


def test_the_real_program_sets_up_a_host(tmp_path: Path) -> None:
    env = {"XDG_STATE_HOME": str(tmp_path), "STATE_DIRECTORY": str(tmp_path / "spellweaver")}
    done = process("init", "--example", env=env)
    assert done.returncode == 0, done.stderr
    assert "next: python3 -m spellweaver.cli.main run\n" in done.stderr, "the usual ledger needs no --ledger"
    assert process("activate", "nightly", env=env).stdout.split("\t")[2] == "unchanged"
