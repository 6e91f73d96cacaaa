"""Simulate: what would become of every firing of a span, with nothing run."""

from __future__ import annotations

from spellweaver.cli.mark import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Optional

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.values import Item
    from spellweaver.simulate.run import Plan, Simulated


@command(
    "spellweaver simulate --from 2027-03-27 --for 3d --outage 2027-03-28T01:00:00Z/2027-03-28T06:00:00Z",
    "spellweaver simulate nightly.toml --for 7d --runtime main=25m",
)
def simulate(
    ctx: typer.Context,
    files: Annotated[
        Optional[list[str]], typer.Argument(metavar="[FILE]...", help="TOML files, simulated alone.")
    ] = None,
    on_ledger: Annotated[
        bool, typer.Option("--on-ledger", help="Bring the files to a copy of the ledger, at --from.")
    ] = False,
    from_: Annotated[
        Optional[str], typer.Option("--from", metavar="T", help="Where the span begins; now, if not said.")
    ] = None,
    for_: Annotated[str, typer.Option("--for", metavar="DUR", help="How long the span is.")] = "1d",
    outage: Annotated[
        Optional[list[str]], typer.Option("--outage", metavar="A/B", help="The scheduler is down from A to B.")
    ] = None,
    clock_step: Annotated[
        Optional[list[str]], typer.Option("--clock-step", metavar="T=+2h", help="At T the clock is set by so much.")
    ] = None,
    runtime: Annotated[
        Optional[list[str]],
        typer.Option("--runtime", metavar="STATION=DUR|fail", help="How long a station takes, or that it fails."),
    ] = None,
    until_quiet: Annotated[
        bool, typer.Option("--until-quiet", help="Past the end, let what waits or runs come to its end.")
    ] = False,
    all_: Annotated[bool, typer.Option("--all", help="Show each firing, however many are alike.")] = False,
    save: Annotated[
        Optional[str], typer.Option("--save", metavar="PATH", help="Write the JSON document there too.")
    ] = None,
    expect: Annotated[
        Optional[str], typer.Option("--expect", metavar="FILE", help="Compare with a saved one; 1 if a firing differs.")
    ] = None,
) -> int:
    """Shows what would become of every firing of a span, by the same engine under a virtual clock. Nothing is run.

    Without a FILE it goes on from a copy of the ledger, as if `run` began now; the ledger itself is only read. With
    FILEs they alone are simulated: defined, bound and activated at --from, their `[policy]` in force, and no ledger is
    touched; --on-ledger brings them to a copy of it.

    The span is from < T <= end. A command takes 1s and succeeds unless --runtime says otherwise, by station (main),
    workflow and station (nightly@3.main) or '*'; its timeout ends it all the same. --outage, --clock-step and
    --runtime may be given more than once. Instants are of true time, which no step of the clock moves.
    """
    from spellweaver.cli.screens import planning
    from spellweaver.cli.screens.progress import Progress
    from spellweaver.simulate.run import simulate as carry_out

    frame: Frame = ctx.obj
    plan = planning.plan(
        files or [], ledger=frame.places.ledger, on_ledger=on_ledger, now=frame.as_of, from_=from_, for_=for_,
        outages=outage or [], steps=clock_step or [], runtimes=runtime or [], until_quiet=until_quiet,
    )  # fmt: skip
    began = frame.clock.monotonic()
    with Progress(frame, plan.scenario) as progress:
        done = carry_out(plan, on_moment=progress.at)
    return _tell(frame, plan, done, took_us=frame.clock.monotonic() - began, folded=not all_, save=save, expect=expect)


def _tell(
    frame: Frame, plan: Plan, done: Simulated, *, took_us: int, folded: bool, save: str | None, expect: str | None
) -> int:
    """Data to stdout; to a terminal with all that a person wants beside it. Returns the exit status."""
    from spellweaver.cli.screens import simulation

    found = simulation.items(done)
    more: Item = {"summary": simulation.summary(found, done, plan.scenario)}
    frame.as_of = done.ends_at
    if not frame.document("simulate", found, head=done.head, more=more):
        _screen(frame, plan, done, found, more["summary"], took_us=took_us, folded=folded)
    if save is None and expect is None:
        return 0
    from spellweaver.cli.render.document import envelope

    return _pin(frame, envelope("simulate", found, as_of=frame.as_of, head=done.head, more=more), save, expect)


def _screen(
    frame: Frame, plan: Plan, done: Simulated, found: list[Item], told: object, *, took_us: int, folded: bool
) -> None:
    from spellweaver.cli import times
    from spellweaver.cli.screens import simulation
    from spellweaver.cli.screens.timeline import timeline
    from spellweaver.manifest.zones import source

    assert isinstance(told, dict)
    people, scenario = frame.out.isatty(), plan.scenario
    say = frame.line if people else frame.say
    rules = "rules as kept in the ledger" if plan.copy_of else f"rules {source()}"
    span = times.exact(scenario.until_at - scenario.from_at)
    say(f"simulated {span} in {took_us / 1e6:.2f} s, virtual clock, nothing was run, {rules}")
    for note in simulation.notes(told, scenario, found, utc=frame.utc):
        say(note)
    if people:
        frame.table(simulation.folded(found) if folded else found, simulation.PEOPLE)
        until = max(done.ends_at, scenario.until_at)
        for text in timeline(found, scenario.from_at, until, width=frame.width, unicode=frame.unicode):
            frame.line(text)
    elif found:
        frame.table(found, simulation.programs(found[0]))
    for text in simulation.sentences_of(told):
        say(text)


def _pin(frame: Frame, text: str, save: str | None, expect: str | None) -> int:
    """Compares first, so that one path may be given to both."""
    import json

    from spellweaver.cli import saving
    from spellweaver.cli.screens import expectation

    wrong: list[str] = []
    if expect is not None:
        wrong += expectation.differences(expectation.read(expect), expectation.firings(json.loads(text)))
    for sentence in wrong:
        frame.warn(f"differs: {sentence}")
    if save is not None:
        saving.save(save, f"{text}\n")
    return 1 if wrong else 0
