"""``simulate`` as an operator meets it: a file or the ledger in, rows and a picture out, nothing run or touched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from spellweaver.clock import VirtualClock
from tests.support.engine import World, draft, us
from tests.support.program import SRC, Done, at_terminal, call

NOW = "2026-10-24T12:00:00Z"
NIGHTLY = """format = 1
[[pattern]]
key = "verify"
revision = "1"
[[schedule]]
name = "verify-backup"
pattern = "verify@1"
[schedule.calendar]
cron = "30 2 * * *"
zone = "Europe/Berlin"
fold = "both"
[[schedule]]
name = "probe"
pattern = "verify@1"
class = "deadline_windowed"
allowed_delay = "15m"
[schedule.calendar]
cron = "*/20 * * * *"
zone = "Europe/Berlin"
"""
SPAN = ("--from", "2026-10-24T23:00:00Z", "--for", "4h")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "nightly.toml"
    path.write_text(NIGHTLY)
    return path


def simulate(file: Path, *words: str) -> Done:
    return call("simulate", str(file), *(words or SPAN), clock=VirtualClock(us(NOW)), ledger=file.parent / "none.db")


def test_a_document_has_a_summary_and_an_item_for_each_firing(file: Path) -> None:
    done = simulate(file, *SPAN, "--json", "--runtime", "main=10m")
    assert done.status == 0 and done.err == ""
    body = done.document
    assert (body["kind"], body["as_of"], body["ledger"]) == ("simulate", "2026-10-25T03:00:00Z", None)
    summary = body["summary"]
    assert isinstance(summary, dict)
    assert summary["from_at"] == "2026-10-24T23:00:00Z" and summary["until_at"] == "2026-10-25T03:00:00Z"
    assert summary["firings"] == sum(o["count"] for o in summary["outcomes"]) == len(done.items) == 11
    assert summary["outcomes"] == [
        {"state": "admitted", "reason": "foreground", "count": 2},
        {"state": "admitted", "reason": "window_open", "count": 9},
    ]
    assert (summary["peak_workers"], summary["workers"], summary["longest_wait_us"]) == (1, 4, 0)
    assert summary["scripted"] == ["verify@1 main"]
    folded = [item for item in done.items if item["schedule"] == "local/verify-backup"]
    assert [(item["firing"], item["nominal_at"], item["offset"], item["fold"]) for item in folded] == [
        ("c1:2026-10-25T02:30", "2026-10-25T00:30:00Z", "+02:00", 0),
        ("c1:2026-10-25T02:30+1", "2026-10-25T01:30:00Z", "+01:00", 1),
    ]
    assert folded[0]["ended_at"] == "2026-10-25T00:40:00Z"


def test_a_stream_has_the_same_items_and_a_pipe_the_same_fields(file: Path) -> None:
    items = simulate(file, *SPAN, "--json").items
    assert [json.loads(line) for line in simulate(file, *SPAN, "--jsonl").out.splitlines()] == items
    piped = simulate(file, *SPAN, "--header")
    head, *rows = (line.split("\t") for line in piped.out.splitlines())
    assert [name.lower() for name in head] == list(items[0])
    assert [row[head.index("FIRING")] for row in rows] == [item["firing"] for item in items]
    assert {len(row) for row in rows} == {len(head)}
    assert piped.err.startswith("simulated 4h in 0.00 s, virtual clock, nothing was run, rules tzdata ")
    assert "not bound, so the script stands in: verify@1 main\n" in piped.err
    assert simulate(file, *SPAN, "--quiet").err == ""


def test_a_person_sees_a_table_a_picture_and_the_counts(file: Path) -> None:
    seen = at_terminal(
        "simulate", str(file), "--from", "2026-10-24", "--for", "2d", "--runtime", "main=fail", "--runtime", "main=15m",
        "--outage", "2026-10-25T03:10:00Z/2026-10-25T04:30:00Z", "--color", "never", width=100,
    )  # fmt: skip
    lines = [line.rstrip() for line in seen.out.splitlines()]
    assert lines[0].startswith("simulated 2d in ") and " nothing was run, rules tzdata" in lines[0]
    assert lines[2] == "outage Sun 2026-10-25 03:10 UTC to Sun 2026-10-25 04:30 UTC: 4 firings fell in it"
    assert lines[3].split() == ["SCHEDULE", "NOMINAL", "OUTCOME", "WHY"]
    table = [" ".join(line.split()) for line in lines[4:]]
    for row in (
        "local/probe Sat 2026-10-24 02:20 CEST ✗ failed on time",
        "local/verify-backup Sun 2026-10-25 02:30 CEST 1st ✗ failed on time",
        "local/verify-backup Sun 2026-10-25 02:30 CET 2nd ✗ failed on time",
        "local/probe Sun 2026-10-25 04:20 CET ! missed its window closed before it could start",
        "local/probe Sun 2026-10-25 05:20 CET ✗ failed caught up, +10min",
    ):
        assert row in table, seen.out
    assert any(row.startswith("local/probe 70 more to Sun 2026-10-25 01:40 CEST ✗ failed") for row in table)
    picture = [line for line in lines if line.endswith("]")]
    assert [line.split()[0] for line in picture] == ["local/probe", "local/verify-backup"]
    assert {"X", "!"} <= set(picture[0])
    assert lines[-2] == "144 firings: 3 admitted (foreground), 138 admitted (window open), 3 missed (latest start)"
    assert lines[-1] == "runs: 140 failed, 1 running; at most 2 of 4 workers busy; longest wait 10min"


def test_a_person_can_ask_for_each_firing(file: Path) -> None:
    words = ("simulate", str(file), "--from", "2026-10-24", "--for", "1d", "--color", "never")
    assert " more to " in at_terminal(*words).out
    shown = at_terminal(*words, "--all").out
    assert " more to " not in shown
    assert shown.count("local/probe") == 72 + 1


def test_a_locale_without_unicode_gets_marks_that_it_has(file: Path) -> None:
    words = ("simulate", str(file), *SPAN, "--color", "never", "--runtime", "*=fail")
    shown = at_terminal(*words, env={"LC_ALL": "C"}).out
    assert shown.isascii() and ". window" in shown and "x failed" in shown
    assert "· window" in at_terminal(*words).out


def test_a_gap_is_named_for_what_it_is(file: Path) -> None:
    file.write_text(NIGHTLY.replace('fold = "both"', 'gap = "fail"'))
    shown = at_terminal("simulate", str(file), "--from", "2027-03-28", "--for", "2h", "--color", "never", width=130)
    rows = [" ".join(line.split()) for line in shown.out.splitlines()]
    missing = "Sun 2027-03-28 02:30 (no such time) - ⊘ refused the clock never showed that time"
    assert f"local/verify-backup {missing}" in rows
    assert "local/probe Sun 2027-03-28 03:00 CEST 01:00Z ✓ completed on time" in rows


def test_saved_and_compared_firing_by_firing(file: Path, tmp_path: Path) -> None:
    saved = tmp_path / "expected.json"
    plain = simulate(file, *SPAN, "--json", "--save", str(saved))
    assert plain.out == saved.read_text() and plain.status == 0
    assert simulate(file, *SPAN, "--expect", str(saved)).status == 0
    changed = simulate(file, *SPAN, "--json", "--expect", str(saved), "--runtime", "main=30s")
    assert changed.status == 1 and json.loads(changed.out)["kind"] == "simulate"
    first = "differs: local/probe c1:2026-10-25T01:20: ended_at was 2026-10-24T23:20:01Z, is 2026-10-24T23:20:30Z"
    assert first in changed.err.splitlines()
    shorter = simulate(file, "--from", SPAN[1], "--for", "3h", "--quiet", "--expect", str(saved))
    assert shorter.status == 1
    last = "differs: local/probe c1:2026-10-25T04:00: expected running (window_open), and not there"
    assert shorter.err.splitlines()[-1] == last
    longer = simulate(file, "--from", SPAN[1], "--for", "260m", "--quiet", "--expect", str(saved))
    assert longer.err.splitlines() == [
        "differs: local/probe c1:2026-10-25T04:00: ended_at was None, is 2026-10-25T03:00:01Z, outcome was running, "
        "is completed",
        "differs: local/probe c1:2026-10-25T04:20: not expected, and running (window_open)",
    ]


def test_row_numbers_make_no_difference(file: Path, tmp_path: Path) -> None:
    saved = tmp_path / "expected.json"
    body = json.loads(simulate(file, *SPAN, "--json").out)
    for number, item in enumerate(body["items"]):
        item |= {"id": f"occ_{number + 700}", "invocation": f"inv_{number + 900}"}
        del item["mode"]
    saved.write_text(json.dumps(body))
    assert simulate(file, *SPAN, "--expect", str(saved)).status == 0


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("--for", "1 week"), 2, "--for: "),
        (("--from", "2026-10-25T02:00:00"), 2, "--from: "),
        (("--from", "yesterday"), 2, "--from: "),
        (("--for", "0s"), 2, "must be longer than nothing"),
        (("--outage", "2026-10-24T13:00:00Z"), 2, "two instants are needed"),
        (("--outage", "2026-10-24T13:00:00Z/2026-10-24T12:30:00Z"), 2, "ends before it begins"),
        (("--outage", "2026-10-26T13:00:00Z/2026-10-26T14:30:00Z"), 2, "does not begin within the simulated span"),
        (("--clock-step", "2026-10-24T13:00:00Z=2h"), 2, "say when and by how much"),
        (("--clock-step", "2026-10-24T13:00:00Z=+2x"), 2, "--clock-step: "),
        (("--clock-step", "2026-10-24T13:00:00Z=-30000d"), 2, "leaves the years 1970 to 2200"),
        (("--runtime", "main"), 2, "say which station"),
        (("--runtime", "man=5m"), 2, "no workflow here has such a station"),
        (("--runtime", "main=soon"), 2, "--runtime: "),
        (("--expect", "/nonexistent/x.json"), 66, "/nonexistent/x.json: no such file"),
        (("--save", "/nonexistent/x.json"), 74, "/nonexistent/x.json can't be written: no such file"),
        (("--seed", "1"), 2, "--seed"),
        (("--scenario", "x.toml"), 2, "--scenario"),
        (("--html", "x.html"), 2, "--html"),
    ],
)
def test_what_is_wrong_is_said_with_the_word_that_is_wrong(
    file: Path, words: tuple[str, ...], status: int, said: str
) -> None:
    done = simulate(file, *words)
    assert done.status == status
    assert said in done.err, done.err


def test_an_expectation_that_is_none_is_a_wrong_file(file: Path, tmp_path: Path) -> None:
    for text in ("{", "[]", '{"kind": "next", "items": []}', '{"kind": "simulate"}'):
        (tmp_path / "x.json").write_text(text)
        done = simulate(file, "--expect", str(tmp_path / "x.json"), "--json")
        assert (done.status, done.error["code"]) == (65, "bad_expectation")


def test_a_wrong_file_is_told_of_as_check_tells_it(file: Path) -> None:
    file.write_text(NIGHTLY.replace("Europe/Berlin", "Europe/Berlim"))
    done = simulate(file)
    assert done.status == 65 and "Europe/Berlin" in done.err and f"{file}:" in done.err


def test_without_a_file_there_must_be_a_ledger(tmp_path: Path) -> None:
    done = call("simulate", ledger=tmp_path / "none.db", clock=VirtualClock(us(NOW)))
    assert done.status == 4 and "there is no ledger at" in done.err
    assert os.listdir(tmp_path) == []


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path / "state", now=NOW)
    made.add(draft("s", "*/10 * * * *"))
    made.live("2026-10-24T12:35:00Z")
    return made


def test_without_a_file_the_ledger_goes_on_from_now(world: World) -> None:
    done = call("simulate", "--for", "30m", "--json", ledger=world.path, clock=world.clock)
    assert [item["nominal_at"] for item in done.items] == [f"2026-10-24T{at}:00Z" for at in ("12:40", "12:50", "13:00")]
    id_, seq = world.row("SELECT l.id, max(e.seq) FROM ledger l, event e")
    assert done.document["ledger"] == {"id": id_, "seq": seq}
    assert "rules as kept in the ledger" in call("simulate", ledger=world.path, clock=world.clock).err


def test_under_a_clock_that_went_back_it_begins_at_the_last_instant_on_record(world: World) -> None:
    behind = VirtualClock(us("2026-10-24T12:30:00Z"))
    done = call("simulate", "--for", "30m", "--json", ledger=world.path, clock=behind)
    assert done.status == 0, done.err
    assert [item["nominal_at"] for item in done.items] == [f"2026-10-24T{at}:00Z" for at in ("12:40", "12:50", "13:00")]


def test_a_past_begin_is_refused_on_a_ledger(world: World) -> None:
    done = call("simulate", "--from", "2026-10-24T12:10:00Z", "--json", ledger=world.path, clock=world.clock)
    assert (done.status, done.error["code"]) == (2, "before_the_record")


def test_files_alone_leave_the_ledger_out_and_on_ledger_brings_them_in(world: World, tmp_path: Path) -> None:
    file = tmp_path / "more.toml"
    file.write_text(NIGHTLY.replace("verify-backup", "s").replace("probe", "t"))
    alone = call("simulate", str(file), "--json", ledger=world.path, clock=world.clock)
    assert {(item["schedule"], item["revision"]) for item in alone.items} == {("local/s", 1), ("local/t", 1)}
    both = call("simulate", str(file), "--on-ledger", "--json", ledger=world.path, clock=world.clock)
    assert (both.status, both.error["code"]) == (3, "needs_cutover")
    file.write_text(NIGHTLY)
    both = call("simulate", str(file), "--on-ledger", "--json", ledger=world.path, clock=world.clock)
    assert {item["schedule"] for item in both.items} == {"local/s", "local/verify-backup", "local/probe"}


_WATCHED = """
import sys
def watch(event, args):
    if event in ("os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn", "subprocess.Popen", "os.kill"):
        raise SystemExit(f"simulate touched the process table: {event}")
    if event == "open" and args[0] and "state/" in str(args[0]) and (args[2] or 0) & 3:
        raise SystemExit(f"simulate opened {args[0]} for writing")
sys.addaudithook(watch)
from spellweaver.cli.main import main
sys.exit(main())
"""


@pytest.mark.rule("SIM-01")
def test_the_real_ledger_and_the_process_table_are_untouched(tmp_path: Path) -> None:
    world = World(tmp_path / "state", now="2024-10-24T12:00:00Z")
    world.add(draft("s", "*/10 * * * *"))
    world.live("2024-10-24T12:35:00Z")
    assert world.path is not None
    world.ledger.close()
    state = Path(world.path).parent
    before = {path.name: path.read_bytes() for path in state.iterdir() if not path.name.endswith("-shm")}
    words = ("simulate", "--from", "2024-10-24T12:36:00Z", "--for", "1d", "--runtime", "main=12m", "--json")
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED, "--ledger", world.path, *words], capture_output=True, text=True, timeout=60,
        env={"PYTHONPATH": str(SRC), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["items"]) == 144
    after = {path.name: path.read_bytes() for path in state.iterdir() if not path.name.endswith("-shm")}
    assert after == before
