"""What a binding may ask of this host: another user, a better niceness. Judged when it is bound, since the daemon runs
as who binds, and at each launch, since accounts come and go.
"""

from __future__ import annotations

import os
from typing import Literal

from spellweaver.errors import Refused
from spellweaver.host import user

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from spellweaver.core.binding import Binding

Fault = tuple[Literal["user", "nice"], str]


def fault(how: Binding) -> Fault | None:
    """The key that can't be granted here, and why; None where all can be."""
    root, me = os.geteuid() == 0, user.account()
    if how.user is not None and not root:
        return "user", f"user = {how.user!r}: only root runs commands as others; this is {me.name} (uid {me.uid})"
    if how.user is not None and user.named(how.user) is None:
        return "user", f"user = {how.user!r}: this host has no such account"
    if how.nice < 0 and not root:
        return "nice", f"nice = {how.nice}: only root may go below 0; this is {me.name} (uid {me.uid})"
    return None


def require(bindings: Iterable[Binding]) -> None:
    """Raises Refused, naming the first binding that asks for what this host does not give (RES-7)."""
    for how in bindings:
        if found := fault(how):
            key, said = found
            station = f"{how.pattern_key}@{how.pattern_revision} {how.station}"
            raise Refused(
                f"{key}_not_permitted", f"binding {station}: {said}",
                hint=f"take {key} out, or run the daemon as root, and bind again", station=station, key=key,
            )  # fmt: skip
