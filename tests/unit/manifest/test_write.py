"""What ``new`` and ``init --example`` print can be read, and says what was asked for."""

from __future__ import annotations

import tomllib

import jsonschema
import pytest

from spellweaver.core import instant
from spellweaver.core.grammar import At, Cron, Every
from spellweaver.errors import Usage
from spellweaver.manifest.json_schema import json_schema
from spellweaver.manifest.read import read_text
from spellweaver.manifest.shapes import KINDS
from spellweaver.manifest.write import example_toml, new_schedule_toml


def test_one_command_on_a_calendar() -> None:
    command = ["/bin/sh", "-c", "printf \"%s\" 'a'\n", "", "é\t\\"]
    text = new_schedule_toml("a.b", cron="0 2 * * *", zone="Europe/Rome", command=command)
    made = read_text(text, "new")
    assert made.patterns[0].version == "a.b@1"
    assert (made.bindings[0].argv, made.bindings[0].timeout_us) == (tuple(command), instant.HOUR)
    (draft,) = made.schedules
    assert draft.calendar is not None and isinstance(draft.calendar.cadence, Cron)
    assert (draft.name, draft.calendar.cadence.text, draft.calendar.zone) == ("a.b", "0 2 * * *", "Europe/Rome")
    assert made.notes == ()


def test_one_command_once() -> None:
    (draft,) = read_text(new_schedule_toml("once", at="2026-12-01T03:00:00+01:00", command=["date"]), "new").schedules
    assert draft.calendar is not None and draft.calendar.cadence == At((1_796_090_400,))


@pytest.mark.parametrize(
    ("name", "how", "command", "word"),
    [
        ("A", {"at": "2026-12-01T03:00:00Z"}, ["date"], "schedule.A.name: must be 1 to 63"),
        ("a", {"cron": "0 2 * * *"}, ["date"], "schedule.a.calendar.zone: is required by cron"),
        ("a", {"cron": "99 2 * * *", "zone": "UTC"}, ["date"], "outside 0 to 59"),
        ("a", {"at": "tomorrow"}, ["date"], "needs an offset or Z"),
        ("a", {"at": "2026-12-01T03:00:00Z"}, [], "must name a program"),
        ("a", {"at": "2026-12-01T03:00:00Z"}, ["./run"], "absolute path"),
        ("a", {"at": "2026-12-01T03:00:00Z"}, ["date", "\udcff"], "not UTF-8"),
        ("a", {}, ["date"], "say when"),
        ("a", {"cron": "0 2 * * *", "zone": "UTC", "at": "2026-12-01T03:00:00Z"}, ["date"], "say when"),
        ("a", {"zone": "UTC", "at": "2026-12-01T03:00:00Z"}, ["date"], "leave --zone out"),
    ],
)
def test_words_that_would_make_a_file_nobody_can_read(
    name: str, how: dict[str, str], command: list[str], word: str
) -> None:
    with pytest.raises(Usage) as refusal:
        new_schedule_toml(name, command=command, **how)
    assert word in refusal.value.message


def test_the_example() -> None:
    made = read_text(example_toml(), "example.toml")
    probe, nightly = made.schedules
    assert probe.calendar is not None and probe.calendar.cadence == Every(300, 1_767_225_600)
    assert (nightly.service_class, nightly.allowed_delay_us) == ("deadline_windowed", 3 * instant.HOUR)
    assert nightly.calendar is not None and nightly.calendar.zone == "Europe/Bratislava"
    assert [b.pattern_key for b in made.bindings] == ["probe", "nightly"]
    assert made.notes == ()


def test_schemas_accept_what_the_reader_accepts_and_know_the_same_keys() -> None:
    schema = json_schema("file")
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for text in (example_toml(), new_schedule_toml("a", at="2026-12-01T03:00:00Z", command=["date"])):
        assert list(validator.iter_errors(tomllib.loads(text))) == []
    for text in (
        "",
        "format = 2",
        "format = 1\n[[schedule]]\nname = 'a'",
        "format = 1\n[policy]\nworkers = '1'",
        "format = 1\nx = 1",
    ):
        assert list(validator.iter_errors(tomllib.loads(text)))
    for kind, shape in KINDS.items():
        alone = json_schema(kind)
        jsonschema.Draft202012Validator.check_schema(alone)
        assert set(alone["properties"]) == {field.alias or name for name, field in shape.model_fields.items()}
    with pytest.raises(KeyError):
        json_schema("cutover")
