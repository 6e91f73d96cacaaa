"""What an operator's act is about: the Invocation or the firing that a reference means."""

from __future__ import annotations

from spellweaver.cli import references
from spellweaver.cli.screens import find
from spellweaver.core.identity import InvocationId, OccurrenceId
from spellweaver.errors import NotFound, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.cli.frame import Frame


def invocation_of(frame: Frame, ref: str) -> InvocationId:
    """Raises NotFound for what means none: a firing that was never admitted has no run."""
    with frame.observe() as view:
        number = find.invocation(view, references.parse(ref))
    if number is None:
        raise NotFound(
            "no_invocation", f"{ref} was not admitted; there is no run of it", hint=f"spellweaver explain {ref}"
        )
    return InvocationId(number)


def occurrence_of(frame: Frame, ref: str) -> OccurrenceId:
    """Raises NotFound, and Refused for a firing inside a range, whose outcome stands."""
    with frame.observe() as view:
        found = find.firing(view, references.parse(ref))
    if found.kind != "occurrence":
        raise Refused(
            "already_decided",
            f"{ref} has come to its outcome, with its neighbours; an outcome never changes",
            hint=f"spellweaver explain {ref}",
        )
    return OccurrenceId(found.id)
