"""Laws of whole courses: equal inputs give equal bytes, and whatever happens every firing has one lawful fate."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spellweaver.core.instant import HOUR, MINUTE, SECOND, show
from spellweaver.core.schedule import ScheduleDraft
from spellweaver.simulate.run import Plan, simulate
from spellweaver.simulate.scenario import ClockStep, Outage, Scenario
from spellweaver.simulate.script import Runtime
from tests.support.audit import audit
from tests.support.engine import draft, policy, us
from tests.support.program import SRC, call
from tests.support.simulated import Item, instant, manifest, simulation

EXAMPLES = int(os.environ.get("SPELLWEAVER_TEST_COURSES", "40"))
BEGIN = us("2026-10-24T22:00:00Z")  # the clocks of Europe go back in the night that follows
LENGTH = 8 * HOUR
CRONS = ("*/4 * * * *", "0,30 * * * *", "30 2 * * *", "15 0-6 * * *", "59 * * * *", "0 0 1 1 *")
ZONES = ("Europe/Rome", "UTC", "Australia/Lord_Howe")


@st.composite
def drafts(some: st.DrawFn) -> tuple[ScheduleDraft, ...]:
    def one(number: int) -> ScheduleDraft:
        delay = some(st.sampled_from((None, "5m", "45m", "3h")))
        jitter = some(st.sampled_from((None, "2m", "4m")))
        return draft(
            f"s{number}", some(st.sampled_from(CRONS)), zone=some(st.sampled_from(ZONES)),
            fold=some(st.sampled_from(("earlier", "later", "both"))),
            gap=some(st.sampled_from(("skip", "advance", "fail"))), jitter=jitter, allowed_delay=delay,
            horizon=some(st.sampled_from((None, "0s", "40m"))),
        )  # fmt: skip

    return tuple(one(number) for number in range(some(st.integers(1, 3))))


def moments() -> st.SearchStrategy[int]:
    return st.integers(0, LENGTH // MINUTE - 1).map(lambda minute: BEGIN + minute * MINUTE)


def _outage(at: int, minutes: int) -> Outage:
    return Outage(at, at + minutes * MINUTE)


outages = st.lists(st.builds(_outage, moments(), st.integers(1, 200)), max_size=2)
steps = st.lists(
    st.builds(lambda at, by: ClockStep(at, by * MINUTE), moments(), st.integers(-120, 120).filter(bool)), max_size=2
)
runtimes = st.sampled_from(
    ((), *((Runtime("*", minutes * MINUTE),) for minutes in (0, 10, 25, 200)), (Runtime("*", fails=True),))
)
COURSES = settings(
    max_examples=EXAMPLES, deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)  # fmt: skip


def course(
    found: tuple[ScheduleDraft, ...], *, workers: int, takes: tuple[Runtime, ...], down: list[Outage],
    stepped: list[ClockStep],
) -> list[Item]:  # fmt: skip
    scenario = Scenario(BEGIN, BEGIN + LENGTH, tuple(down), tuple(stepped))
    done = simulate(Plan(scenario, manifest=manifest(*found, policy=policy(workers=workers)), runtimes=takes))
    assert audit(done.ledger.connection) == []
    return simulation.items(done)


@pytest.mark.rule("OCC-03", "OCC-14", "WIN-05")
@COURSES
@given(found=drafts(), workers=st.integers(1, 3), takes=runtimes, down=outages, stepped=steps)
def test_no_firing_is_early_late_or_doubled_whatever_happens(
    found: tuple[ScheduleDraft, ...], workers: int, takes: tuple[Runtime, ...], down: list[Outage],
    stepped: list[ClockStep],
) -> None:  # fmt: skip
    items = course(found, workers=workers, takes=takes, down=down, stepped=stepped)
    names = [(item["schedule"], item["firing"]) for item in items]
    assert len(names) == len(set(names))
    for item in items:
        if item["decided_at"] is None:
            continue
        decided, bound = instant(item["decided_at"]), item["latest_start_at"]
        assert decided >= instant(item["nominal_at"])
        if item["state"] == "admitted":
            assert decided >= instant(item["due_at"])
            assert bound is None or decided < instant(bound)
        if item["state"] == "missed":
            assert item["invocation"] is None
            assert bound is None or decided >= instant(bound)
        assert (item["state"] == "admitted") == (item["invocation"] is not None)


@pytest.mark.rule("OCC-15")
@COURSES
@given(found=drafts(), takes=runtimes, down=outages)
def test_every_candidate_of_the_calendar_has_one_fate(
    found: tuple[ScheduleDraft, ...], takes: tuple[Runtime, ...], down: list[Outage]
) -> None:
    down = [outage for outage in down if outage.ends_at <= BEGIN + LENGTH]
    scenario = Scenario(BEGIN, BEGIN + LENGTH, tuple(down))
    done = simulate(Plan(scenario, manifest=manifest(*found), runtimes=takes))
    fates: dict[object, int] = {}
    for item in simulation.items(done):
        many = item["count"]
        fates[item["schedule"]] = fates.get(item["schedule"], 0) + (many if isinstance(many, int) else 1)
    for (id_,) in done.ledger.connection.execute("SELECT id FROM revision").fetchall():
        revision = done.ledger.revisions.get(done.ledger.connection, id_)
        walked = sum(1 for _ in revision.calendar.walk(BEGIN // SECOND, (BEGIN + LENGTH) // SECOND))
        assert fates.get(f"local/{revision.definition.name}", 0) == walked


def file_of(found: tuple[ScheduleDraft, ...], workers: int) -> str:
    """The drafts as an operator would have written them."""
    lines = ["format = 1", "[policy]", f"workers = {workers}", "[[pattern]]", 'key = "job"', 'revision = "1"']
    for each in found:
        calendar = each.calendar
        assert calendar is not None
        lines += ["[[schedule]]", f'name = "{each.name}"', 'pattern = "job@1"']
        if each.allowed_delay_us is not None:
            lines += ['class = "deadline_windowed"', f'allowed_delay = "{each.allowed_delay_us // SECOND}s"']
        lines += [
            "[schedule.calendar]", f'cron = "{calendar.cadence.text}"', f'zone = "{calendar.zone}"',
            f'fold = "{calendar.fold}"', f'gap = "{calendar.gap}"',
        ]  # fmt: skip
        if calendar.jitter.max_us:
            lines += [f'jitter = {{ mode = "deterministic", max = "{calendar.jitter.max_us // SECOND}s" }}']
        if each.misfire_horizon_us is not None:
            lines += ["[schedule.recovery]", f'misfire_horizon = "{each.misfire_horizon_us // SECOND}s"']
    return "\n".join(lines) + "\n"


def words(file: Path, takes: tuple[Runtime, ...], down: list[Outage], stepped: list[ClockStep]) -> list[str]:
    line = ["simulate", str(file), "--from", show(BEGIN), "--for", "8h", "--json"]
    for outage in down:
        line += ["--outage", f"{show(outage.begins_at)}/{show(outage.ends_at)}"]
    for step in stepped:
        line += ["--clock-step", f"{show(step.at)}={'+' if step.by_us > 0 else '-'}{abs(step.by_us) // SECOND}s"]
    for each in takes:
        line += ["--runtime", f"{each.station}={'fail' if each.fails else f'{(each.runs_us or 0) // SECOND}s'}"]
    return line


@pytest.mark.rule("SIM-02")
@settings(COURSES, max_examples=EXAMPLES // 2)
@given(found=drafts(), workers=st.integers(1, 3), takes=runtimes, down=outages, stepped=steps)
def test_equal_inputs_give_equal_bytes(
    tmp_path: Path, found: tuple[ScheduleDraft, ...], workers: int, takes: tuple[Runtime, ...], down: list[Outage],
    stepped: list[ClockStep],
) -> None:  # fmt: skip
    file = tmp_path / "some.toml"
    file.write_text(file_of(found, workers))
    line = words(file, takes, down, stepped)
    once, twice = call(*line), call(*line)
    assert once.status == 0, once.err
    assert once.out == twice.out
    assert len(once.items) == len(course(found, workers=workers, takes=takes, down=down, stepped=stepped))


ENVIRON = {"PYTHONPATH": str(SRC), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
_EACH = """
import sys
from spellweaver.cli.main import main
for line in sys.stdin:
    sys.argv[1:] = line.split()
    status = main()
    assert status == 0, line
"""


@pytest.mark.rule("SIM-02")
def test_neither_hash_seed_nor_host_zone_changes_a_byte(tmp_path: Path) -> None:
    lines = []
    for number in range(6):
        found = tuple(
            draft(f"s{n}-{number}", CRONS[(n + number) % 5], zone=ZONES[n % 3], fold="both", jitter="3m",
                  allowed_delay=(None, "45m")[(n + number) % 2]) for n in range(4)
        )  # fmt: skip
        file = tmp_path / f"{number}.toml"
        file.write_text(file_of(found, 1 + number % 3))
        down = [Outage(BEGIN + 3 * HOUR, BEGIN + 5 * HOUR)] if number % 2 else []
        lines.append(" ".join(words(file, (Runtime("*", number * 10 * MINUTE),), down, [])))
    outputs = [
        subprocess.run(
            [sys.executable, "-c", _EACH], input="\n".join(lines), capture_output=True, text=True, timeout=120,
            env={**ENVIRON, "PYTHONHASHSEED": seed, "TZ": zone},
        ) for seed, zone in (("1", "Pacific/Auckland"), ("4242", "America/St_Johns"))
    ]  # fmt: skip
    assert [done.returncode for done in outputs] == [0, 0], outputs[0].stderr
    assert outputs[0].stdout == outputs[1].stdout
    assert outputs[0].stdout.count('"kind": "simulate"') == len(lines)
