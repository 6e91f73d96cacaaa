"""A binding: the host's own answer to how a station is done here (CFG-4). It is never part of a pattern or a
Schedule.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from spellweaver.core import instant

DEFAULT_TIMEOUT = 30 * instant.MINUTE
DEFAULT_UMASK = 0o077


@dataclass(frozen=True, slots=True)
class Binding:
    """``argv`` is executed without a shell; ``shell``, where given instead, is run by ``/bin/sh -c``. ``env`` are
    sorted pairs.

    ``success`` are the exit codes that count as done; ``timeout_us`` is counted by the shim's own monotonic clock.
    ``user`` None: whoever the daemon is. ``nice`` 0: as the daemon. ``env_from`` are sorted pairs of a name and where
    its value stands: the value itself is never part of a binding (CFG-5).
    """

    pattern_key: str
    pattern_revision: str
    station: str
    argv: tuple[str, ...]
    shell: str | None = None
    timeout_us: int = DEFAULT_TIMEOUT
    success: tuple[int, ...] = (0,)
    cwd: str = "/"
    env: tuple[tuple[str, str], ...] = ()
    user: str | None = None
    umask: int = DEFAULT_UMASK
    nice: int = 0
    env_from: tuple[tuple[str, str], ...] = ()

    @property
    def command(self) -> tuple[str, ...]:
        """The argument list that is executed."""
        return ("/bin/sh", "-c", self.shell) if self.shell is not None else self.argv

    @property
    def grace_us(self) -> int:
        """Between TERM and KILL: a tenth of the timeout, 500 ms at least and 30 s at most."""
        return max(500_000, min(30 * instant.SECOND, self.timeout_us // 10))

    def canonical(self) -> dict[str, object]:
        """A key that came later stands in it only where it says something, so digests of older bindings stay."""
        later = {
            "user": self.user,
            "umask": None if self.umask == DEFAULT_UMASK else f"{self.umask:03o}",
            "nice": self.nice or None,
            "env_from": dict(self.env_from) or None,
        }
        return {
            "pattern": f"{self.pattern_key}@{self.pattern_revision}",
            "station": self.station,
            "argv": list(self.argv),
            "shell": self.shell,
            "timeout_us": self.timeout_us,
            "success": list(self.success),
            "cwd": self.cwd,
            "env": dict(self.env),
            **{key: value for key, value in later.items() if value is not None},
        }

    def body(self) -> str:
        return json.dumps(self.canonical(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    def digest(self) -> str:
        """Lowercase hex SHA-256 of ``body``; the Run records it."""
        return sha256(self.body().encode()).hexdigest()


@lru_cache(maxsize=1024)
def binding(body: str) -> Binding:
    """The inverse of ``Binding.body``. Kept: each claim and each settlement asks for the one in force."""
    b = json.loads(body)
    key, _, revision = b["pattern"].rpartition("@")
    return Binding(
        key,
        revision,
        b["station"],
        tuple(b["argv"]),
        b["shell"],
        b["timeout_us"],
        tuple(b["success"]),
        b["cwd"],
        tuple(sorted(b["env"].items())),
        b.get("user"),
        int(b["umask"], 8) if "umask" in b else DEFAULT_UMASK,
        b.get("nice", 0),
        tuple(sorted(b.get("env_from", {}).items())),
    )
