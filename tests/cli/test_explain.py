"""``explain``: the verdict first, every number of the journal, and never a word that today's ledger would change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spellweaver.cli import sentences
from spellweaver.cli.screens.explain import VERDICTS
from spellweaver.core import instant, lifecycle
from spellweaver.core.identity import InvocationId
from spellweaver.core.launch import Contained, Ended, Lost, NeverStarted
from spellweaver.engine.cancel import cancel
from spellweaver.engine.resolve import resolve
from spellweaver.manifest import zones
from tests.support.engine import World, draft, policy
from tests.support.program import Done, at_terminal, call

HEADINGS = {heading for _, heading in VERDICTS.values()}


def explain(world: World, ref: str, *more: str) -> Done:
    return call("explain", ref, *more, ledger=world.path, clock=world.clock)


def item(world: World, ref: str) -> dict[str, object]:
    (found,) = explain(world, ref, "--json").items
    return found


def lines(world: World, ref: str) -> list[str]:
    done = explain(world, ref)
    assert done.status == 0, done.err
    return done.out.splitlines()


def hourly(folder: Path, **more: str) -> World:
    """An hourly Schedule, activated at 00:30."""
    world = World(folder, now="2026-01-01T00:30:00Z")
    world.add(draft("job", "0 * * * *", **more))
    return world


def test_the_verdict_comes_first_and_the_ways_to_name_a_firing_agree(tmp_path: Path) -> None:
    world = hourly(tmp_path)
    world.at("2026-01-01T01:00:00Z")
    (launch,) = world.launches
    world.start(launch)
    world.clock.advance(41 * instant.SECOND)
    world.end(launch, 3)
    said = lines(world, "occ_1")
    assert said[0] == "occ_1  local/job  c1:2026-01-01T01:00  revision 1"
    assert said[1] == "RAN AND FAILED: exit status 3 after 41s."
    for ref in (
        "inv_1",
        "run_1",
        "att_1",
        "job@latest",
        "job@2026-01-01",
        "job@2026-01-01T01:00",
        "local/job@2026-01-01T01:00Z",
    ):
        assert lines(world, ref) == said, ref
    assert f"log {world.path.removesuffix('/ledger.db')}/attempts/att_1/log" in "\n".join(said)
    assert explain(world, "occ_1").err == f"next: spellweaver logs inv_1 --ledger {world.path}\n"


def after_overlap(world: World) -> str:
    world.at("2026-01-01T01:00:00Z")
    world.at("2026-01-01T02:00:00Z")
    return "occ_2"


def after_horizon(world: World) -> str:
    world.at("2026-01-01T01:00:00Z")
    world.at("2026-01-03T10:00:30Z")
    return "job@2026-01-01T02:00"


def after_missed(world: World) -> str:
    world.add(draft("windowed", "30 1 * * *", allowed_delay="10m"))
    world.at("2026-01-01T03:00:00Z")
    return "windowed@2026-01-01"


def after_wait(world: World) -> str:
    world.apply(policy(workers=0))
    world.at("2026-01-01T01:00:00Z")
    return "job@latest"


def after_contained(world: World) -> str:
    world.at("2026-01-01T01:00:00Z")
    world.start(world.launches[0])
    world.see(Contained(world.launches[0].attempt, "escaped", "a process left its session"))
    return "job@latest"


def after_lost(world: World) -> str:
    ref = after_contained(world)
    world.see(Lost(world.launches[0].attempt, "other_boot"))
    return ref


def after_exec_failed(world: World) -> str:
    world.at("2026-01-01T01:00:00Z")
    world.see(NeverStarted(world.launches[0].attempt, "exec", 2, "'/bin/x' can't be used: No such file or directory"))
    return "job@latest"


def after_timeout(world: World) -> str:
    world.at("2026-01-01T01:00:00Z")
    world.start(world.launches[0])
    world.clock.advance(31 * instant.MINUTE)
    world.see(Ended(world.launches[0].attempt, "timed_out", signal=15))
    return "job@latest"


def after_signal(world: World) -> str:
    world.at("2026-01-01T01:00:00Z")
    world.start(world.launches[0])
    world.see(Ended(world.launches[0].attempt, "signalled", signal=9))
    return "job@latest"


def after_cancel(world: World) -> str:
    world.at("2026-01-01T01:00:00Z")
    world.start(world.launches[0])
    with world.ledger.decide() as tx:
        cancel(tx, InvocationId(1), why="not tonight")
    return "job@latest"


def after_resolve(world: World) -> str:
    ref = after_contained(world)
    with world.ledger.decide() as tx:
        resolve(tx, InvocationId(1), outcome="failed", why="killed by hand")
    return ref


@pytest.mark.parametrize(
    ("happen", "verdict"),
    [
        (
            after_overlap,
            "DID NOT RUN: skipped (overlap): inv_1 of the same Schedule was not over, and without a window",
        ),
        (after_horizon, "DID NOT RUN: skipped (horizon): older than the misfire horizon of 1d."),
        (after_missed, "DID NOT RUN: missed (latest start): its window was closed."),
        (after_wait, "WAITS: pending (capacity): 1 of account workers is wanted, 0 free."),
        (
            after_contained,
            "NOT SETTLED: not proved gone, so it goes on blocking: a process left its session (escaped).",
        ),
        (after_lost, "RAN AND FAILED: it is gone without a result: the machine has been booted since."),
        (after_exec_failed, "DID NOT RUN: its command could not be started: '/bin/x' can't be used: No such file"),
        (after_timeout, "RAN TOO LONG: ended after 31min; the timeout is 30min."),
        (after_signal, "RAN AND FAILED: ended by signal 9 after 0s."),
        (after_cancel, "IS BEING STOPPED: an operator asked it to stop."),
        (after_resolve, "RAN AND FAILED: what became of it is not known; proved over by operator: killed by hand."),
    ],
)
@pytest.mark.rule("OCC-18")
def test_each_outcome_has_its_verdict(tmp_path: Path, happen: object, verdict: str) -> None:
    world = hourly(tmp_path)
    ref = happen(world)
    assert lines(world, ref)[1].startswith(verdict)
    assert explain(world, ref, "--json").document["kind"] == "explain"


@pytest.mark.parametrize(
    "happen", [after_overlap, after_horizon, after_missed, after_wait, after_contained, after_resolve, after_timeout]
)
@pytest.mark.rule("OCC-18")
def test_every_number_of_the_journal_is_told(tmp_path: Path, happen: object) -> None:
    world = hourly(tmp_path)
    ref = happen(world)
    events = item(world, ref)["events"]
    assert isinstance(events, list) and events
    told = explain(world, ref).out
    for event in events:
        assert event["sentence"] in told
        for key, value in event["data"].items():
            if value is None or key == "reason":
                continue
            assert (
                sentences.shown(key, value, None if not key.endswith(("_at", "_by")) else _utc()) in event["sentence"]
            ), (key, event)


def _utc() -> object:
    from spellweaver.cli.screens.readings import UTC

    return UTC


@pytest.mark.rule("OCC-18")
def test_every_closed_reason_has_words_and_no_word_is_made_up() -> None:
    known = {
        (state, word) for machine in lifecycle.REASONS.values() for state, words in machine.items() for word in words
    }
    for state, reason in known:
        said = sentences.of_event(f"occurrence.{state}", {"reason": reason}, None)
        assert said.startswith(state.replace("_", " ")) and (reason == "none" or reason.replace("_", " ") in said)
    made_up = {"never_started", "clock_stepped_back"}  # events that are no state
    assert {
        key for key in {**sentences.CAUSES, **sentences.BRIEF} if key[1] and key not in known and key[0] not in made_up
    } == set()
    assert set(VERDICTS) == {*lifecycle.TRANSITIONS["occurrence"], *lifecycle.TRANSITIONS["invocation"]} - {"admitted"}


def test_a_number_that_no_sentence_knows_is_told_all_the_same() -> None:
    said = sentences.of_event(
        "occurrence.skipped", {"reason": "moonlight", "tide_us": 1_500_000, "seen_at": 0, "who": ["a", "b"]}, _utc()
    )
    assert said == "skipped (moonlight): seen Thu 1970-01-01 00:00 UTC; tide 1.5s; who a, b"


@pytest.mark.rule("CAT-08")
def test_ordinary_lateness_and_missed_at_discovery_are_told_apart_with_both_numbers(tmp_path: Path) -> None:
    world = hourly(tmp_path)
    world.clock.advance(30 * instant.MINUTE + 700_000)
    world.look()
    assert "found 0.7s after its due instant, within the allowance of 1s: ordinary" in explain(world, "job@latest").out
    world.end(world.launches[0])
    world.clock.advance(instant.HOUR + 500_000)
    world.look()
    assert (
        "found 1.2s after its due instant, beyond the allowance of 1s: missed at discovery"
        in explain(world, "job@latest").out
    )


@pytest.mark.rule("OCC-13")
def test_a_firing_inside_a_range_is_answered_by_its_range(tmp_path: Path) -> None:
    world = hourly(tmp_path)
    world.at("2026-01-05T00:10:00Z")
    found = item(world, "job@2026-01-02T05:00")
    assert (found["id"], found["asked"], found["state"], found["reason"]) == (
        None,
        "c1:2026-01-02T05:00",
        "skipped",
        "horizon",
    )
    (count,) = world.row("SELECT count FROM firing_range WHERE reason = 'horizon'")
    assert found["count"] == count == 72
    said = lines(world, "job@2026-01-02T05:00")
    assert (
        said[0]
        == "local/job  c1:2026-01-02T05:00  revision 1  one of 72 firings from 2026-01-01T01:00 to 2026-01-04T00:00"
    )
    assert said[1] == "DID NOT RUN: skipped (horizon): older than the misfire horizon of 1d."
    assert sum(line.startswith("    evt_") for line in said) == 1
    assert "72 firings from c1:2026-01-01T01:00 to c1:2026-01-04T00:00" in "\n".join(said)
    for outside in ("job@2026-01-02T05:30", "job@2026-01-01T00:00"):
        done = explain(world, outside)
        assert done.status == 4 and "had no firing at" in done.err


def quarterly(folder: Path, gap: str) -> World:
    """Every ten minutes of 02 in the night that Rome's clock goes from 02:00 to 03:00."""
    world = World(folder, now="2026-03-28T20:00:00Z")
    world.add(draft("job", "*/10 2 * * *", zone="Europe/Rome", gap=gap))
    world.at("2026-03-29T01:00:00Z")
    return world


@pytest.mark.rule("CAL-03")
def test_a_missing_time_is_told_as_one_and_an_absorbed_one_finds_its_taker(tmp_path: Path) -> None:
    advanced = quarterly(tmp_path / "a", "advance")
    (only,) = advanced.rows("SELECT id FROM occurrence")
    for time in ("02:00", "02:10", "02:50"):
        found = item(advanced, f"job@2026-03-29T{time}")
        assert (found["id"], found["firing"], found["nominal_at"]) == (
            f"occ_{only[0]}",
            "c1:2026-03-29T02:00",
            "2026-03-29T01:00:00Z",
        )
    skipped = quarterly(tmp_path / "s", "skip")
    said = lines(skipped, "job@2026-03-29T02:10")
    assert said[1] == "DID NOT RUN: skipped (gap): the clock never showed that time."
    assert (
        "Sun 2026-03-29 02:10 (no such time), zone Europe/Rome; the clock was set forward at 2026-03-29T01:00:00Z"
        in said[3]
    )
    assert item(skipped, "job@2026-03-29T02:10")["offset"] is None


@pytest.mark.rule("CAL-03")
def test_a_nominal_firing_at_the_gap_s_end_takes_the_missing_ones_in(tmp_path: Path) -> None:
    world = World(tmp_path, now="2026-03-28T20:00:00Z")
    world.add(
        draft("job", "30 2,3 * * *", zone="Europe/Rome", gap="advance"),
        draft("both", "0 2,3 * * *", zone="Europe/Rome", gap="advance"),
    )
    world.at("2026-03-29T01:00:00Z")
    assert item(world, "both@2026-03-29T02:00")["firing"] == "c1:2026-03-29T03:00"
    assert item(world, "job@2026-03-29T02:30")["firing"] == "c1:2026-03-29T02:30"


def test_the_two_showings_of_a_repeated_time_are_named_apart(tmp_path: Path) -> None:
    world = World(tmp_path, now="2026-10-24T20:00:00Z")
    world.add(draft("job", "30 2 * * *", zone="Europe/Rome", fold="both"))
    world.live("2026-10-25T03:00:00Z")
    assert lines(world, "job@2026-10-25T02:30")[0].startswith("occ_1")
    done = explain(world, "job@2026-10-25")
    assert done.status == 4
    assert "names 2 firings: 2026-10-25T02:30 (occ_1), 2026-10-25T02:30+1 (occ_2)" in done.err
    assert lines(world, "job@2026-10-25T02:30+1")[0].startswith("occ_2")
    assert (
        "Sun 2026-10-25 02:30 CET 2nd, 2026-10-25T01:30:00Z, zone Europe/Rome, second of two showings"
        in lines(world, "occ_2")[3]
    )
    assert (
        "Sun 2026-10-25 02:30 CEST 1st, 2026-10-25T00:30:00Z, zone Europe/Rome, first of two showings"
        in lines(world, "job@2026-10-25T00:30:00Z")[3]
    )


def test_later_policy_definitions_and_bindings_change_no_word_of_it(tmp_path: Path) -> None:
    world = hourly(tmp_path, allowed_delay="30m", horizon="2h")
    after_overlap(world)
    world.end(world.launches[0], 7)
    world.at("2026-01-02T10:00:30Z")
    refs = ["occ_1", "occ_2", "job@latest", "job@2026-01-01T05:00"]
    before = [(explain(world, ref).out, item(world, ref)) for ref in refs]
    world.apply(policy(workers=1, horizon="5d"))
    world.define(draft("job", "0 * * * *", allowed_delay="5m", horizon="9d", labels='{"team":"ops"}'))
    world.activate("job")
    world.bind("job@1", success=(7,), timeout="1m")
    world.add(draft("other", "0 0 * * *"))
    assert [(explain(world, ref).out, item(world, ref)) for ref in refs] == before


@pytest.mark.rule("CAL-04")
def test_times_are_read_by_the_rules_that_the_revision_keeps_whatever_the_host_has(tmp_path: Path) -> None:
    world = World(tmp_path, now="2026-01-01T00:30:00Z")
    world.add(draft("job", "0 12 * * *", zone="Europe/Rome", host_rules=zones.rules("Asia/Tokyo")))
    world.at("2026-01-01T03:00:00Z")
    assert "Thu 2026-01-01 12:00 JST, 2026-01-01T03:00:00Z, zone Europe/Rome" in lines(world, "job@2026-01-01T12:00")[3]
    assert item(world, "occ_1")["offset"] == "+09:00"
    utc = explain(world, "occ_1", "--utc").out
    assert "Thu 2026-01-01 03:00 UTC" in utc and "JST" not in utc


def test_at_a_terminal_lines_break_between_words_and_times_are_also_relative(tmp_path: Path) -> None:
    world = hourly(tmp_path)
    ref = after_overlap(world)
    done = at_terminal("explain", ref, ledger=world.path, clock=world.clock, width=80)
    assert max(map(len, done.out.splitlines())) <= 80
    assert "zone UTC, now" in done.out and "\x1b" not in done.out
    wide = explain(world, ref).out
    assert " ".join(done.out.replace(", now", "").split()) == " ".join(wide.split())


def test_what_a_job_or_a_person_wrote_moves_no_cursor(tmp_path: Path) -> None:
    world = hourly(tmp_path)
    world.at("2026-01-01T01:00:00Z")
    world.start(world.launches[0])
    world.see(Contained(world.launches[0].attempt, "escaped", "left \x1b[2J its\rsession\u202e"))
    for done in (
        explain(world, "occ_1"),
        at_terminal("explain", "occ_1", ledger=world.path, clock=world.clock, width=200),
    ):
        assert not set("\x1b\r\u202e") & set(done.out)
        assert r"left \x1b[2J its\x0dsession\u202e" in done.out
    assert "\x1b" in json.loads(explain(world, "occ_1", "--json").out)["items"][0]["events"][-1]["data"]["detail"]
