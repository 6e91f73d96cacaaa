"""What the words of ``simulate`` mean: a plan for the room that carries it out. All that is wrong with a word is said
here.
"""

from __future__ import annotations

from spellweaver.cli.spoken import duration, instant
from spellweaver.core.instant import SECOND
from spellweaver.errors import Usage
from spellweaver.ledger import simulation
from spellweaver.ledger.observe import observe
from spellweaver.manifest.read import Manifest, read
from spellweaver.simulate.run import Plan
from spellweaver.simulate.scenario import ClockStep, Outage, Scenario
from spellweaver.simulate.script import Runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def plan(
    files: Sequence[str], *, ledger: str, on_ledger: bool, now: int, from_: str | None, for_: str,
    outages: Sequence[str], steps: Sequence[str], runtimes: Sequence[str], until_quiet: bool,
) -> Plan:  # fmt: skip
    """``now`` (µs) is where a copy of the ledger begins, and what ``from_`` None means. Raises Usage, BadFile or
    NoInput of the files, and as ``observe``.
    """
    copy_of = ledger if on_ledger or not files else None
    manifest = read(files) if files else Manifest()
    if copy_of is None:
        now = now // SECOND * SECOND
    elif from_ is None:
        now = max(now, _last_instant(copy_of))
    from_at = now if from_ is None else instant("--from", from_)
    scenario = Scenario(
        from_at, from_at + duration("--for", for_),
        tuple(outage(text) for text in outages), tuple(clock_step(text) for text in steps), until_quiet,
    )  # fmt: skip
    starts_at = now if copy_of is not None and from_at > now else from_at
    return Plan(scenario, copy_of, starts_at, manifest, tuple(runtime(text) for text in runtimes))


def _last_instant(ledger: str) -> int:
    """The last instant on record: of a clock that went back since, a simulation begins there and not before it."""
    with observe(ledger) as view:
        return simulation.mark(view).last_at


def outage(text: str) -> Outage:
    """Of ``A/B``."""
    begin, slash, end = text.partition("/")
    if not slash:
        like = "2027-03-29T01:30:00Z/2027-03-29T06:00:00Z"
        raise Usage("bad_outage", f"--outage {text}: two instants are needed, as {like}")
    return Outage(instant("--outage", begin), instant("--outage", end))


def clock_step(text: str) -> ClockStep:
    """Of ``T=+2h`` or ``T=-30m``."""
    at, equals, by = text.partition("=")
    if not equals or by[:1] not in ("+", "-"):
        like = "2027-03-29T03:00:00Z=+2h, or …=-30m"
        raise Usage("bad_clock_step", f"--clock-step {text}: say when and by how much, as {like}")
    size = duration("--clock-step", by[1:])
    return ClockStep(instant("--clock-step", at), size if by[0] == "+" else -size)


def runtime(text: str) -> Runtime:
    """Of ``STATION=90s`` or ``STATION=fail``."""
    station, equals, takes = text.rpartition("=")
    if not equals or not station:
        like = "main=90s, nightly@3.snapshot=fail or '*=2m'"
        raise Usage("bad_runtime", f"--runtime {text}: say which station, and how long or fail, as {like}")
    return Runtime(station, fails=True) if takes == "fail" else Runtime(station, duration("--runtime", takes))
