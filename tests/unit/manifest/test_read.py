"""The one door: all kinds of object, all problems of all files at once, nothing twice, nothing of another kind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spellweaver.core import instant
from spellweaver.errors import BadFile, NoInput
from spellweaver.manifest.problems import Problem, render
from spellweaver.manifest.read import read
from tests.support.operator_files import accepted, binding, pattern, problems, refused, schedule, whole


def wrong(paths: list[Path]) -> list[str]:
    with pytest.raises(BadFile) as refusal:
        read([str(path) for path in paths])
    return [render(problem)[0] for problem in refusal.value.problems if isinstance(problem, Problem)]


def test_one_file_may_hold_every_kind() -> None:
    made = accepted(pattern(), binding(), schedule(), "[policy]\nworkers = 2")
    assert [p.version for p in made.patterns] == ["nightly@1"]
    assert [(b.pattern_key, b.pattern_revision, b.station) for b in made.bindings] == [("nightly", "1", "main")]
    assert [(s.full_name, s.origin) for s in made.schedules] == [("local/nightly", "a.toml:11")]
    assert made.policy is not None and made.policy.workers == 2
    assert made.notes == ()


def test_an_empty_file_of_the_format_is_lawful() -> None:
    made = accepted()
    assert (made.patterns, made.bindings, made.schedules, made.policy) == ((), (), (), None)


@pytest.mark.parametrize("line", ["", "format = 2", "format = true", 'format = "1"', "format = 1.0"])
def test_the_format_is_required(line: str) -> None:
    (problem,) = problems(line + "\n")
    assert (problem.key, problem.line, problem.col) == ("format", 1, 10 if line else 1)


def test_every_problem_of_every_file_at_once(tmp_path: Path) -> None:
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    one.write_text(whole(schedule('class = "cron"\nflod = 1', recovery='catch_up = "all"'), "[policy]\nworkers = 0"))
    two.write_text("format = 1\nx = \n")
    said = wrong([two, one])
    assert [line.removeprefix(f"{tmp_path}/").partition(" ")[0] for line in said] == [
        "one.toml:5:9:",
        "one.toml:6:1:",
        "one.toml:11:12:",
        "one.toml:14:11:",
        "two.toml:2:5:",
    ]
    with pytest.raises(BadFile, match="^5 problems in 2 files; nothing was taken$"):
        read([str(two), str(one)])


def test_missing_and_irregular_files_are_all_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("fifo")
    paths = [str(tmp_path / name) for name in ("gone", "fifo", "link", ".")]
    with pytest.raises(NoInput) as refusal:
        read(paths)
    assert refusal.value.message.count("\n") == 3
    assert refusal.value.fields["paths"] == paths
    good = tmp_path / "good.toml"
    good.write_text("format = 1")
    with pytest.raises(NoInput):
        read([str(good), paths[0]])


def test_a_missing_file_is_named_beside_the_problems_of_another(tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text("format = 3")
    said = wrong([bad, tmp_path / "gone.toml"])
    assert said[0].startswith(f"{tmp_path}/gone.toml: no such file")
    assert said[1].startswith(f"{bad}:1:10: format: ")


def test_a_large_file_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    large = tmp_path / "large.toml"
    large.write_bytes(b"# \xff\n" * 80_000)
    (said,) = wrong([large])
    assert "the limit is 256 KiB" in said


def test_a_thousand_objects_and_no_more() -> None:
    many = [pattern(revision=str(number)) for number in range(1_000)]
    assert len(accepted(*many).patterns) == 1_000
    (problem,) = problems(whole(*many, pattern(revision="1000")))
    assert problem.message == "the file has 1001 objects; the limit is 1000"
    assert problem.line > 4_000


@pytest.mark.rule("CTL-2")
@pytest.mark.parametrize(
    ("object_", "key", "what"),
    [
        (pattern(), "pattern.nightly@1", "pattern nightly@1"),
        (schedule(), "schedule.nightly", "schedule local/nightly"),
        (binding(), "binding.nightly@1.main", "the binding of nightly@1 main"),
        ("[policy]\nworkers = 2\n", "policy", "[policy]"),
    ],
    ids=["pattern", "schedule", "binding", "policy"],
)
def test_the_same_object_twice_in_one_input(tmp_path: Path, object_: str, key: str, what: str) -> None:
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    one.write_text(whole(object_))
    two.write_text(whole(object_))
    (said,) = wrong([one, two])
    assert said.startswith(f"{two}:2:")
    assert f": {key}: {what} stands at {one}:2 already" in said
    (again,) = wrong([one, one])
    assert f"{what} stands at {one}:2 already" in again
    read([str(one)])


@pytest.mark.rule("CTL-2")
def test_another_revision_and_another_authority_are_other_objects() -> None:
    made = accepted(pattern(), pattern(revision="2"), schedule(), schedule('authority = "ops"'))
    assert [p.revision for p in made.patterns] == ["1", "2"]
    assert [s.full_name for s in made.schedules] == ["local/nightly", "ops/nightly"]


@pytest.mark.rule("CFG-2", "CFG-4")
@pytest.mark.parametrize(
    ("object_", "key", "home"),
    [
        (schedule('argv = ["/bin/true"]'), "schedule.nightly.argv", "[binding."),
        (schedule('shell = "true"'), "schedule.nightly.shell", "[binding."),
        (schedule("env = { A = '1' }"), "schedule.nightly.env", "[binding."),
        (schedule("callable = {}"), "schedule.nightly.callable", "[binding."),
        (schedule("edge = []"), "schedule.nightly.edge", "[[pattern]]"),
        (schedule("station = []"), "schedule.nightly.station", "[[pattern]]"),
        (schedule("workers = 3"), "schedule.nightly.workers", "[policy]"),
        (schedule('cron = "* * * * *"'), "schedule.nightly.cron", "[schedule.calendar]"),
        (schedule('catch_up = "newest"'), "schedule.nightly.catch_up", "[schedule.recovery]"),
        (pattern('argv = ["/bin/true"]'), "pattern.nightly@1.argv", "[binding."),
        (pattern('timeout = "1m"'), "pattern.nightly@1.timeout", "[binding."),
        (pattern('class = "foreground"'), "pattern.nightly@1.class", "[[schedule]]"),
        (binding('argv = ["/bin/true"]\nrevision = "1"'), "binding.nightly@1.main.revision", "[[pattern]]"),
        (binding('argv = ["/bin/true"]\noverlap = "forbid"'), "binding.nightly@1.main.overlap", "[[schedule]]"),
        ('[policy]\nname = "x"\n', "policy.name", "[[schedule]]"),
        ('[policy]\nargv = ["x"]\n', "policy.argv", "[binding."),
    ],
)
def test_no_kind_of_object_takes_the_keys_of_another(object_: str, key: str, home: str) -> None:
    said = refused(object_)
    assert list(said) == [key]
    assert said[key].startswith("is no key of this table; it belongs in " + home)


@pytest.mark.rule("CFG-2")
@pytest.mark.parametrize(
    "key", ["import", "module", "node_class", "prompt", "source", "token", "password", "handle", "url"]
)
def test_a_selector_holds_nothing_but_identities_and_bounds(key: str) -> None:
    for table in (schedule(f'{key} = "x"'), f'[policy]\n{key} = "x"\n'):
        (said,) = refused(table).values()
        assert said.startswith("is no key of this table")


@pytest.mark.rule("CFG-3")
@pytest.mark.parametrize(
    ("written", "word"),
    [
        ("nightly", "one exact revision"),
        ("nightly@latest", "one exact revision"),
        ("nightly@", "must be key@revision"),
        ("@1", "must be key@revision"),
        ("nightly@1@2", "must be key@revision"),
        ("night ly@1", "must be key@revision"),
        ("nightly@>=1", "must be key@revision"),
        ("nightly@*", "must be key@revision"),
    ],
)
def test_a_pattern_is_selected_exactly(written: str, word: str) -> None:
    said = problems(whole(schedule().replace("nightly@1", written)))
    assert [(p.key, word in p.message) for p in said] == [("schedule.nightly.pattern", True)]


@pytest.mark.rule("CFG-3")
def test_the_nearest_key_is_named_and_never_used() -> None:
    assert refused(schedule('clas = "deadline_windowed"')) == {
        "schedule.nightly.clas": "is no key of this table; did you mean 'class'?"
    }
    said = refused(schedule(calendar='corn = "0 2 * * *"\nzone = "Europe/Rome"'))
    assert said["schedule.nightly.calendar.corn"].endswith("did you mean 'cron'?")
    assert "one of cron, oncalendar, times, every with anchor, at" in said["schedule.nightly.calendar"]
    assert "'fold' in [schedule.calendar]" in refused(schedule('flod = "both"'))["schedule.nightly.flod"]


@pytest.mark.parametrize(
    ("text", "key", "word"),
    [
        ("[pattern]\nkey = 'a'\nrevision = '1'", "pattern", "must be written as [[pattern]]"),
        ("[schedule]\nname = 'a'", "schedule", "must be written as [[schedule]]"),
        ("pattern = 3", "pattern", "must be an array, not 3"),
        ("pattern = [3]", "pattern.1", "must be a table, not 3"),
        ("binding = []", "binding", "must be a table, not an array"),
        ("[binding]\n'a@1' = 3", "binding.a@1", "must be a table, not 3"),
        ("[binding.'a@1']\nargv = ['x']", "binding.a@1.argv", "must be a table, not an array"),
        ("[[policy]]", "policy", "must be a table, not an array"),
        ("[cutover]\nold = 1", "cutover", "stands in a file of its own"),
        ("[shedule]", "shedule", "did you mean 'schedule'?"),
    ],
)
def test_the_top_of_a_file(text: str, key: str, word: str) -> None:
    said = refused(text)
    assert list(said) == [key]
    assert word in said[key]


def test_a_default_timeout_is_said() -> None:
    (note,) = accepted(binding('argv = ["/bin/true"]')).notes
    assert render(note)[0] == "a.toml:2:1: binding.nightly@1.main: timeout is not given: 30m"


@pytest.mark.parametrize(
    ("table", "values"),
    [
        ("[policy]", (4, instant.DAY, 1, 300, 15)),
        (
            '[policy]\nworkers = 1024\nmisfire_horizon = "0s"\nclock = { tick = "2s", step = "1m", settle = "0s" }',
            (1024, 0, 2, 60, 0),
        ),
    ],
)
def test_policy(table: str, values: tuple[int, ...]) -> None:
    policy = accepted(table).policy
    assert policy is not None
    clock = policy.clock
    assert (policy.workers, policy.misfire_horizon_us) == values[:2]
    assert tuple(us // instant.SECOND for us in (clock.tick_us, clock.step_us, clock.settle_us)) == values[2:]


@pytest.mark.parametrize(
    "line",
    [
        "workers = 0",
        "workers = 1025",
        "workers = true",
        "workers = 1.0",
        'workers = "1"',
        'misfire_horizon = "3651d"',
        'clock = { tick = "0s" }',
        'clock = { step = "25h" }',
    ],
)
def test_every_number_of_the_policy_has_bounds(line: str) -> None:
    (said,) = refused(f"[policy]\n{line}").values()
    assert said.startswith("must be ")


@pytest.mark.timeout(20)
def test_thousands_of_problems_on_one_line_are_told_too() -> None:
    found = problems("format = 1\nx = [" + "nan," * 50_000 + "]")
    assert len(found) == 50_001
    assert len({id(problem.text) for problem in found}) <= 2
