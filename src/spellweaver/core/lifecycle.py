"""Every state machine as a table, and every closed word. What is not in a table never happens.

``TRANSITIONS[machine][state]`` are the states that may follow; a state without any is terminal and never changes
(OCC-12). ``REASONS[machine][state]`` are the words that may stand beside a state (OCC-18). The CHECK lists of
``schema.sql`` say the same; a test compares them.
"""

from __future__ import annotations

_OCCURRENCE_ENDS = ("admitted", "missed", "skipped", "refused", "coalesced")
_INVOCATION_ENDS = ("completed", "failed", "cancelled", "timed_out")
_ATTEMPT_ENDS = ("never_started", "exited", "signalled", "timed_out", "lost")

TRANSITIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "schedule": {
        "defined": ("active", "retired"),
        "active": ("paused", "stopped", "retired"),
        "paused": ("active", "stopped", "retired"),
        "stopped": ("active", "paused", "retired"),
        "retired": (),
    },
    "occurrence": {"pending": _OCCURRENCE_ENDS, **dict.fromkeys(_OCCURRENCE_ENDS, ())},
    "invocation": {
        "queued": ("running", "suspended", "cancelling", "contained", *_INVOCATION_ENDS),
        "running": ("queued", "suspended", "cancelling", "contained", *_INVOCATION_ENDS),
        "suspended": ("queued", "cancelling", "contained", *_INVOCATION_ENDS),
        "cancelling": ("contained", *_INVOCATION_ENDS),
        "contained": _INVOCATION_ENDS,
        **dict.fromkeys(_INVOCATION_ENDS, ()),
    },
    "delivery": {
        "held": ("pending", "settled"),
        "pending": ("claimed", "settled"),
        "claimed": ("pending", "settled"),
        "settled": (),
    },
    "attempt": {
        "granted": ("launching", "never_started"),
        "launching": ("running", "contained", *_ATTEMPT_ENDS),
        "running": ("contained", *_ATTEMPT_ENDS),
        "contained": _ATTEMPT_ENDS,
        **dict.fromkeys(_ATTEMPT_ENDS, ()),
    },
}

REASONS: dict[str, dict[str, tuple[str, ...]]] = {
    "occurrence": {
        "pending": (
            "not_yet", "overlap", "capacity", "capability", "budget", "paused", "clock_settling", "catch_up_limit",
            "quiet_window", "stopped",
        ),
        "admitted": ("foreground", "window_open", "spare_free"),
        "missed": (
            "latest_start", "finish_by", "overlap", "capacity", "capability", "budget", "paused", "clock_settling",
            "catch_up_limit", "stopped",
        ),
        "skipped": (
            "gap", "horizon", "superseded", "catch_up_none", "max_age", "max_count", "budget", "paused", "overlap",
            "replaced", "cutover",
            "retired", "operator",
        ),
        "refused": ("gap", "revoked", "policy", "budget", "impossible", "unavailable"),
        "coalesced": ("carrier",),
    },
    "invocation": {
        "queued": ("none", "worker", "upstream_wait"),
        "running": ("none",),
        "suspended": ("gate", "delegate", "timer", "slice"),
        "cancelling": ("operator", "replaced", "revoked", "shutdown"),
        "contained": ("settling",),
        "completed": ("none",),
        "failed": (
            "exit", "signal", "upstream", "guard", "no_edge", "hop_cap", "denied", "expired", "finish_by",
            "unavailable", "retention",
            "interrupted", "lost",
        ),
        "cancelled": ("operator", "replaced", "revoked", "shutdown"),
        "timed_out": ("timeout",),
    },
}  # fmt: skip

DISPOSITIONS = ("none", "timely", "unmet")


def terminal(machine: str) -> tuple[str, ...]:
    """The states of a machine that nothing follows."""
    return tuple(state for state, after in TRANSITIONS[machine].items() if not after)


def open_states(machine: str) -> tuple[str, ...]:
    """The states of a machine that something may follow (OVL-04: all of an Invocation's count as overlap)."""
    return tuple(state for state, after in TRANSITIONS[machine].items() if after)
