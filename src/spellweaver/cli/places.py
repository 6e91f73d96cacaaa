"""Where things live, and why there. Nothing is made or opened here.

The ledger: ``--ledger``, else SPELLWEAVER_LEDGER, else $STATE_DIRECTORY, else /var/lib/spellweaver for root, else
$XDG_STATE_HOME/spellweaver. Its directory is the state directory; all else that is kept stands beside it.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "ledger.db"
SOCKET_LIMIT = 107  # bytes of an AF_UNIX path


class Places:
    """``ledger``, and ``why`` it is there; ``usual`` where it would be if nobody had said anything on the command
    line.
    """

    __slots__ = ("_environ", "ledger", "usual", "why")

    def __init__(self, said: str | None, environ: Mapping[str, str], uid: int) -> None:
        self._environ = environ
        self.usual, self.why = _usual(environ, uid)
        if said is not None:
            self.why = "--ledger"
        self.ledger = absolute(said) if said is not None else self.usual

    @property
    def state(self) -> str:
        """The state directory."""
        return os.path.dirname(self.ledger)

    @property
    def lock(self) -> str:
        return f"{self.ledger}.lock"

    @property
    def witness(self) -> str:
        return f"{os.path.splitext(self.ledger)[0]}.witness"

    @property
    def attempts(self) -> str:
        return f"{self.state}/attempts"

    @property
    def demo(self) -> str:
        return f"{self.state}/demo/{NAME}"

    @property
    def socket(self) -> tuple[str, str]:
        """(path of the daemon's socket, why): where the next ``run`` will listen."""
        runtime = _first(self._environ.get("RUNTIME_DIRECTORY"))
        if runtime:
            return f"{runtime}/socket", "RUNTIME_DIRECTORY"
        return f"{self.state}/socket", "the state directory"


def _usual(environ: Mapping[str, str], uid: int) -> tuple[str, str]:
    if named := environ.get("SPELLWEAVER_LEDGER"):
        return absolute(named), "SPELLWEAVER_LEDGER"
    if state := _first(environ.get("STATE_DIRECTORY")):
        return f"{state}/{NAME}", "STATE_DIRECTORY"
    if uid == 0:
        return f"/var/lib/spellweaver/{NAME}", "the usual place for root"
    if (base := environ.get("XDG_STATE_HOME", "")).startswith("/"):
        return f"{base}/spellweaver/{NAME}", "XDG_STATE_HOME"
    home = environ.get("HOME") or os.path.expanduser("~")
    return f"{home}/.local/state/spellweaver/{NAME}", "the usual place for a user"


def absolute(path: str) -> str:
    """``path`` from the root on."""
    try:
        return os.path.abspath(path)
    except FileNotFoundError:  # the working directory is gone; what opens the path says the rest
        return path


def _first(listed: str | None) -> str | None:
    """systemd hands over a list with colons; the first one is ours."""
    return listed.split(":")[0] if listed else None
