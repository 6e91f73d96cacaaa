"""A job's environment, built from nothing: the same under any shell, service manager or login that started the daemon
(RP-49).

Fixed names first, then what the binding declares and the secrets it refers to, then ``SPELLWEAVER_…``, which nobody
can declare away. Ids are the texts that JSON shows. ``_ATTEMPT`` and ``_INPUT`` also tell whose a process is when its
shim is dead: see ``carriers``.
"""

from __future__ import annotations

from spellweaver.core import instant
from spellweaver.host import handover, process, user

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from spellweaver.core.identity import AttemptId
    from spellweaver.core.launch import Launch
    from spellweaver.host.user import Account

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def build(
    launch: Launch, place: str, who: Account | None = None, secrets: Mapping[str, str] | None = None
) -> dict[str, str]:
    """``place`` is where the attempt's input and result are; ``who`` runs it, without it whoever runs this.

    ``_FENCE`` is the attempt's number: a later attempt of anything has a higher one.
    """
    return {
        **_fixed(who or user.account()),
        **dict(launch.binding.env),
        **(secrets or {}),
        **_told(launch, place),
    }


def carriers(which: AttemptId, folder: str) -> list[int]:
    """The living processes that still have this environment, as far as this uid may look. ``folder`` is the attempt's
    own.
    """
    ends = (f"{folder}/input", f"/{handover.name(folder)}/input")
    return process.carriers(exactly=f"SPELLWEAVER_ATTEMPT={which}", name="SPELLWEAVER_INPUT", ends=ends)


def _fixed(who: Account) -> dict[str, str]:
    return {
        "PATH": PATH,
        "HOME": who.home,
        "USER": who.name,
        "LOGNAME": who.name,
        "SHELL": "/bin/sh",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }


def _told(launch: Launch, place: str) -> dict[str, str]:
    told = {
        "OCCURRENCE": str(launch.occurrence),
        "INVOCATION": str(launch.invocation),
        "RUN": str(launch.run),
        "ATTEMPT": str(launch.attempt),
        "SCHEDULE": launch.schedule,
        "NOMINAL": instant.show(launch.nominal_at),
        "FIRING": launch.firing,
        "FENCE": str(int(launch.attempt)),
        "INPUT": f"{place}/input",
        "RESULT": f"{place}/result",
    }
    if launch.finish_by is not None:
        told["FINISH_BY"] = instant.show(launch.finish_by)
    return {f"SPELLWEAVER_{name}": value for name, value in told.items()}
