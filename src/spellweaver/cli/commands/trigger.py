"""Trigger: an outside event for a Schedule, or a run by hand."""

from __future__ import annotations

from spellweaver.cli.mark import command
from spellweaver.cli.values import Column, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated, Literal, Optional

    import typer

    from spellweaver.cli.frame import Frame
    from spellweaver.cli.options import Schedule
    from spellweaver.engine.trigger import Triggered

COLUMNS = (
    Column("OCCURRENCE", "occurrence"),
    Column("STATUS", "status"),
    Column("EVENT ID", "event_id"),
    Column("STATE", "state"),
    Column("REASON", "reason"),
    Column("RUN", "invocation"),
    Column("RUN STATE", "invocation_state"),
)


@command(
    "spellweaver trigger nightly-backup --source me --new",
    "spellweaver trigger mail-order --source shop --event-id order-9 --input order.json",
)
def trigger(
    ctx: typer.Context,
    schedule: Schedule,
    source: Annotated[str, typer.Option("--source", metavar="NAME", help="Who sends events: a name of your choice.")],
    event_id: Annotated[
        Optional[str], typer.Option("--event-id", metavar="ID", help="What the source calls this event.")
    ] = None,
    new: Annotated[bool, typer.Option("--new", help="An event of its own: an id is made and shown.")] = False,
    input_: Annotated[
        Optional[str], typer.Option("--input", metavar="FILE", help="What the job reads as its input; - is stdin.")
    ] = None,
    origin: Annotated[
        Optional[Literal["agent", "peer"]], typer.Option("--origin", help="Who asked, if it was no operator.")
    ] = None,
    principal: Annotated[
        Optional[str], typer.Option("--principal", metavar="WHO", help="The agent or peer that asked; goes on record.")
    ] = None,
) -> int:
    """Takes on an outside event, or answers with what became of it: the same source and id never fire twice.

    Exit 0 once it is on record, whatever becomes of it. The same id with another content: exit 3, and nothing is
    taken. 10,000 events may wait; beyond that: exit 75, send it again later.
    """
    from spellweaver.cli.writing import daemon_socket, deciding
    from spellweaver.engine.trigger import trigger as verb

    frame: Frame = ctx.obj
    id_, content = _event_id(event_id, new=new), _content(input_)
    who = _principal(frame, origin, principal)
    with deciding(frame, dry_run=False) as tx:
        done = verb(
            tx, schedule=schedule, source=source, event_id=id_, content=content, origin=origin or "operator",
            principal=who,
        )  # fmt: skip
    if done.status == "conflict":
        raise _conflict(done, source, id_)
    frame.describe("trigger", _item(done, source, id_), COLUMNS)
    if done.status == "new" and done.state == "pending" and daemon_socket(frame.places.lock) is None:
        frame.say("no daemon is running; the next one starts it")
    frame.next("explain", str(done.occurrence))
    return 0


def _event_id(given: str | None, *, new: bool) -> str:
    """Ruling 5: an event without an id is refused unless one is to be made."""
    import uuid

    from spellweaver.errors import Usage

    if (given is None) != new:
        raise Usage(
            "event_id", "say --event-id ID, by which the event is known when it comes again, or --new for one that "
            "never came before", hint="spellweaver trigger --help",
        )  # fmt: skip
    return str(uuid.uuid4()) if given is None else given


def _content(path: str | None) -> bytes:
    """What ``--input`` names; nothing without it. Raises NoInput, Usage."""
    import sys

    from spellweaver import files
    from spellweaver.core.event import CONTENT_BYTES
    from spellweaver.errors import Usage

    if path is None:
        return b""
    if path != "-":
        return files.read_operator_file(path, limit=CONTENT_BYTES)
    content = sys.stdin.buffer.read(CONTENT_BYTES + 1)
    if len(content) > CONTENT_BYTES:
        raise Usage("input_too_long", f"standard input has more than {CONTENT_BYTES} bytes, the most that is taken")
    return content


def _principal(frame: Frame, origin: str | None, given: str | None) -> str:
    """CLS-03: who asked. An operator is who types."""
    from spellweaver.errors import Usage

    if (origin is None) != (given is None):
        raise Usage(
            "principal", "--origin and --principal go together: which kind of sender, and which one",
            hint="spellweaver trigger --help",
        )  # fmt: skip
    return frame.actor if given is None else given


def _conflict(done: Triggered, source: str, event_id: str) -> Exception:
    from spellweaver.errors import Refused

    return Refused(
        "event_conflict", f"conflict: event {event_id} of {source} is on record for {done.schedule} with other "
        f"content, as {done.occurrence}; this one was not taken", hint=f"spellweaver explain {done.occurrence}",
        schedule=done.schedule, source=source, event_id=event_id, occurrence=str(done.occurrence),
    )  # fmt: skip


def _item(done: Triggered, source: str, event_id: str) -> dict[str, object]:
    from spellweaver.core.event import key

    run = done.invocation_state
    return {
        "schedule": done.schedule, "source": source, "event_id": event_id, "firing": key(source, event_id),
        "status": done.status, "occurrence": str(done.occurrence), "revision": done.revision,
        "state": State(done.state), "reason": done.reason,
        "invocation": None if done.invocation is None else str(done.invocation),
        "invocation_state": None if run is None else State(run),
    }  # fmt: skip
