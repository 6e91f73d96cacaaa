"""What an operator's act is about: the Invocation that a reference means, the instant that he wrote."""

from __future__ import annotations

from spellweaver.cli import references
from spellweaver.cli.screens import find
from spellweaver.core import instant
from spellweaver.core.identity import InvocationId
from spellweaver.errors import NotFound, Usage

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


def instant_of(option: str, text: str) -> int:
    """Raises Usage, naming the option."""
    try:
        return instant.parse(text)
    except ValueError as error:
        raise Usage("bad_instant", f"{option}: {error}") from None
