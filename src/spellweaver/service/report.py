"""What the service says while it runs: the journal's new events, a line each, to standard error.

Under systemd a line begins with its level and bears no time, since the journal has both (systemd.exec(5)); elsewhere
it begins with RFC 3339 and the level. Then the event's type and its facts as ``key=value``.
"""

from __future__ import annotations

import json
from typing import TextIO

from spellweaver.core.identity import InvocationId, OccurrenceId
from spellweaver.core.instant import show

_LEVELS = {"failed": 4, "missed": 4, "timed_out": 4, "refused": 4, "contained": 3, "stopped": 3, "never_started": 4}
_WORDS = {3: "error", 4: "warning", 6: "info"}
_QUIET = ("occurrence.stored", "occurrence.pending")


class Reporter:
    """Writes lines; ``journal``: standard error is the systemd journal."""

    def __init__(self, out: TextIO, *, journal: bool) -> None:
        self._out = out
        self._journal = journal

    def event(self, row: tuple[object, ...]) -> None:
        """A journal row (seq, at, type, schedule name, occurrence, invocation, data)."""
        seq, at, type_, schedule, occurrence, invocation, data = row
        if type_ in _QUIET:
            return
        facts: dict[str, object] = {"schedule": schedule}
        facts["occurrence"] = OccurrenceId(int(str(occurrence))) if occurrence is not None else None
        facts["invocation"] = InvocationId(int(str(invocation))) if invocation is not None else None
        facts |= json.loads(str(data))
        facts["event"] = seq
        self.say(str(type_), int(str(at)), _LEVELS.get(str(type_).partition(".")[2], 6), facts)

    def say(self, what: str, at: int, level: int = 6, facts: dict[str, object] | None = None) -> None:
        """One line. ``level`` is syslog's: 3 error, 4 warning, 6 info."""
        pairs = [f"{key}={_value(value)}" for key, value in (facts or {}).items() if value is not None]
        head = f"<{level}>" if self._journal else f"{show(at)} {_WORDS[level]} "
        self._out.write(f"{head}{' '.join([what, *pairs])}\n")
        self._out.flush()


def _value(value: object) -> str:
    text = value if isinstance(value, str) else str(value) if isinstance(value, int) else json.dumps(value)
    plain = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
    return json.dumps(plain, ensure_ascii=False) if not plain or any(c in ' "=' for c in plain) else plain
