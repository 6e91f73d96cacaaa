"""TOML that ``new``, ``init --example`` and ``import`` print. Values are written by tomli-w, comments by us; what
comes out can be read.

Every text made from an operator's words is read back before it is handed on: nobody is given a file that ``check``
refuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import tomli_w

from spellweaver.errors import BadFile, Usage
from spellweaver.manifest.problems import Problem, visible
from spellweaver.manifest.proposal import Answer, Job, Proposal
from spellweaver.manifest.read import read_text

TIMEOUT = "1h"  # what `new` gives to a command whose length nobody has said

_EXAMPLE = """\
format = 1

# Every five minutes, counted from an anchor: no clock change moves it.
[[pattern]]
key = "probe"
revision = "1"

[binding."probe@1".main]        # how it is done on this host
argv = ["date", "-u"]
timeout = "1m"

[[schedule]]
name = "probe"
pattern = "probe@1"
[schedule.calendar]
every = "5m"
anchor = "2026-01-01T00:00:00Z"
[schedule.recovery]
misfire_horizon = "15m"         # older ones are skipped, with the reason on record
catch_up = "newest"

# Every night by the clock on the wall. It may start until three hours after it fell due; then it is missed.
[[pattern]]
key = "nightly"
revision = "1"

[binding."nightly@1".main]
shell = "echo the night of $SPELLWEAVER_NOMINAL; sleep 1"
timeout = "10m"

[[schedule]]
name = "nightly"
pattern = "nightly@1"
class = "deadline_windowed"
allowed_delay = "3h"
[schedule.calendar]
cron = "30 2 * * *"
zone = "Europe/Bratislava"
fold = "earlier"                # 02:30 twice in October: the first one
gap = "skip"                    # no 02:30 in March: that night is skipped
jitter = { mode = "deterministic", max = "10m" }
[schedule.recovery]
misfire_horizon = "24h"
catch_up = "newest"
"""


def example_toml() -> str:
    """Two harmless schedules: a five-minute probe, and a nightly one with a window and a zone."""
    return _EXAMPLE


def new_schedule_toml(
    name: str, *, command: Sequence[str], cron: str | None = None, zone: str | None = None, at: str | None = None
) -> str:
    """The file of one command on a calendar (``cron`` with ``zone``) or once (``at``, an RFC 3339 instant).

    The command becomes a pattern with no station of its own and its binding. Raises Usage naming each wrong word.
    """
    if (cron is None) == (at is None):
        raise Usage("calendar_needed", "say when: --cron with --zone, or --at")
    if at is not None and zone is not None:
        raise Usage("zone_with_at", "--at is an instant with its own offset; leave --zone out")
    calendar = {"at": None if at is None else [at], "cron": cron, "zone": zone}
    text = "".join(
        (
            "format = 1\n\n",
            _table("[[pattern]]", {"key": name, "revision": "1"}),
            "\n# how it is done on this host; `define --bind` takes it too\n",
            _table(f"[binding.{_quoted(f'{name}@1')}.main]", {"argv": list(command), "timeout": TIMEOUT}),
            "\n",
            _table("[[schedule]]", {"name": name, "pattern": f"{name}@1"}),
            _table("[schedule.calendar]", {key: value for key, value in calendar.items() if value is not None}),
        )
    )
    try:
        read_text(text, "new")
    except BadFile as error:
        raise Usage("new_wrong", "\n".join(_said(problem) for problem in error.problems)) from None
    return text


def job_toml(job: Job) -> str:
    """The three tables of an imported job."""
    return "\n".join((
        _table("[[pattern]]", {"key": job.name, "revision": "1"}),
        _table(f"[binding.{_quoted(f'{job.name}@1')}.main]", job.binding),
        _table("[[schedule]]", {"name": job.name, "pattern": f"{job.name}@1"})
        + _table("[schedule.calendar]", job.calendar)
        + _table("[schedule.recovery]", job.recovery),
    ))  # fmt: skip


def fault_of_job(job: Job) -> str | None:
    """Why the reader would refuse an imported job, in its own words; None where it takes it."""
    try:
        read_text(f"format = 1\n{job_toml(job)}", "import")
    except BadFile as error:
        return "; ".join(_brief(problem) for problem in error.problems)
    return None


def proposal_toml(proposal: Proposal) -> str:
    """A whole import as one file: every answer as comment lines where its line stood, its jobs below them.

    Raises BadFile where it is more than one file may hold.
    """
    head = [f"# Proposed from {visible(proposal.source)}. For every job below:"]
    head += [f"#   {note.word}: {note.sentence}" for note in proposal.everywhere]
    text = "\n".join((*head, "format = 1\n", *_all_answered(proposal.answers)))
    text = re.sub(r"\n{3,}", "\n\n", text).rstrip("\n") + "\n"
    try:
        read_text(text, proposal.source)
    except BadFile as error:
        said = "; ".join(_said(problem) for problem in error.problems)
        hint = "split the file and import its parts one by one"
        raise BadFile("import_too_large", f"what came of {proposal.source} is no file: {said}", hint=hint) from None
    return text


def _all_answered(answers: Sequence[Answer]) -> Iterator[str]:
    """Each answer; where there are several files, each file under its name."""
    several = len({answer.path for answer in answers}) > 1
    for before, answer in zip((None, *answers), answers, strict=False):
        if several and (before is None or before.path != answer.path):
            yield f"\n# {visible(answer.path)}\n"
        yield _answered(answer)


def _answered(answer: Answer) -> str:
    if answer.what == "blank":
        return ""
    if answer.what == "comment" and not answer.notes:
        return f"# {visible(answer.text.lstrip(' #;')).rstrip()}".rstrip()
    said = [f"# line {answer.line}: {visible(answer.text)}"]
    said += [f"#   {note.word}: {visible(note.sentence)}" for note in answer.notes]
    return "\n".join((*said, *map(job_toml, answer.jobs)))


def _table(header: str, values: Mapping[str, object]) -> str:
    return f"{header}\n" + "".join(_pair(key, value) for key, value in values.items())


def _pair(key: str, value: object) -> str:
    """A key on a line of its own: tables inline, texts of several lines as such."""
    if isinstance(value, Mapping):
        inside = ", ".join(tomli_w.dumps({name: said}).removesuffix("\n") for name, said in value.items())
        return f"{key} = {{ {inside} }}\n"
    lines = isinstance(value, str) and "\n" in value and "\r" not in value
    return tomli_w.dumps({key: value}, multiline_strings=lines)


def _quoted(key: str) -> str:
    """A key as tomli-w writes it, in quotes where it needs them."""
    return tomli_w.dumps({key: 0}).removesuffix(" = 0\n")


def _brief(problem: object) -> str:
    """The same without the way to the value: its file is not written yet."""
    assert isinstance(problem, Problem)
    key = problem.key.rpartition(".")[2]
    return problem.message if problem.message.startswith(key) else f"{key} {problem.message}"


def _said(problem: object) -> str:
    assert isinstance(problem, Problem)
    return f"{problem.key}: {problem.message}{f'; {problem.hint}' if problem.hint else ''}"
