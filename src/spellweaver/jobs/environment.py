"""A job's environment, built from nothing: the same under any shell, service manager or login that started the daemon
(RP-49).

Fixed names first, then what the binding declares, then ``SPELLWEAVER_…``, which nobody can declare away. Ids are the
texts that JSON shows.
"""

from __future__ import annotations

from spellweaver.core import instant
from spellweaver.host import user

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.core.launch import Launch

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def build(launch: Launch, folder: str) -> dict[str, str]:
    """``folder`` is the attempt's own.

    ``_FENCE`` is the attempt's number: a later attempt of anything has a higher one.
    """
    return {**_fixed(), **dict(launch.binding.env), **_told(launch, folder)}


def _fixed() -> dict[str, str]:
    me = user.account()
    return {
        "PATH": PATH,
        "HOME": me.home,
        "USER": me.name,
        "LOGNAME": me.name,
        "SHELL": "/bin/sh",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }


def _told(launch: Launch, folder: str) -> dict[str, str]:
    told = {
        "OCCURRENCE": str(launch.occurrence),
        "INVOCATION": str(launch.invocation),
        "RUN": str(launch.run),
        "ATTEMPT": str(launch.attempt),
        "SCHEDULE": launch.schedule,
        "NOMINAL": instant.show(launch.nominal_at),
        "FIRING": launch.firing,
        "FENCE": str(int(launch.attempt)),
        "INPUT": f"{folder}/input",
        "RESULT": f"{folder}/result",
    }
    if launch.finish_by is not None:
        told["FINISH_BY"] = instant.show(launch.finish_by)
    return {f"SPELLWEAVER_{name}": value for name, value in told.items()}
