"""What a run's commands said."""

from __future__ import annotations

from spellweaver.cli.mark import command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import Ref
    from spellweaver.cli.values import Item


@command("spellweaver logs nightly-backup@latest", "spellweaver logs inv_12 -f")
def logs(
    ctx: typer.Context,
    ref: Ref,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on until the run's present attempt is over.")
    ] = False,
) -> int:
    """The output of a run, standard output and errors as they came.

    The first and the last MiB are kept; a line says how much is missing between them.
    """
    from spellweaver.cli import references
    from spellweaver.cli.screens import find
    from spellweaver.cli.screens.output import Attempt, Sink
    from spellweaver.errors import NotFound, Usage

    frame: Frame = ctx.obj
    if follow and (frame.json or frame.jsonl):
        raise Usage("json_of_stream", "-f has no end, and --json gives one document")
    reference = references.parse(ref)
    with frame.observe() as view:
        id_, head = find.invocation(view, reference), view.head()
    if id_ is None:
        raise NotFound(
            "no_invocation", f"{ref} made no run, so nothing was said", hint=f"spellweaver explain {ref}"
        )  # fmt: skip
    tried = _launched(frame, id_) if follow else _tries(frame, id_)
    meant = [each for each in tried if reference.kind != "attempt" or each["attempt"] == f"att_{reference.id}"]
    attempts = [Attempt(each, frame.places.attempts) for each in meant]
    if frame.document("logs", [attempt.item(f"inv_{id_}") for attempt in attempts], head=head):
        return 0
    for at, attempt in enumerate(attempts):
        if len(attempts) > 1:
            frame.say(f"{attempt.name}, station {attempt.tried['station']}, attempt {attempt.tried['nth']}:")
        sink = Sink(frame)
        for data in attempt.follow() if follow and at == len(attempts) - 1 else (attempt.whole(),):
            sink.take(data)
        sink.end()
        if not sink.taken:
            frame.say(f"{attempt.name} has said nothing{' yet' if attempt.open else ''}")
    return 0


def _tries(frame: Frame, invocation: int) -> list[Item]:
    from spellweaver.cli.screens import invocations
    from spellweaver.cli.screens.readings import Readings

    with frame.observe() as view:
        reading = Readings(view).of_invocation(invocation)
        return invocations.tries(view, reading, invocation, attempts_at=frame.places.attempts)


def _launched(frame: Frame, invocation: int) -> list[Item]:
    """The attempts, once the last of them has been launched; until then there is no log to follow."""
    from spellweaver.cli.screens.output import LOOK_US
    from spellweaver.clock import pause

    while (tried := _tries(frame, invocation)) and tried[-1]["state"] in ("granted", "launching"):
        pause(LOOK_US)
    return tried
