"""Keys and words of the file format whose feature this version does not have yet. Each is refused by name, with one
sentence that says what it would have done or what to do instead; none is ever ignored.
"""

from __future__ import annotations

_RETRY = "a failed Run stays failed until somebody asks again"
_CAPACITY = "the workers of [policy] are the one capacity"

SCHEDULE = {
    "latest_start": "state the bound as allowed_delay, counted from the nominal time",
    "not_before": "it needs no key: it is the due instant, the nominal time plus jitter",
    "finish_by": "no finish can be proved yet; the binding's timeout bounds a Run",
    "priority": "work is admitted by its class and in the order it fell due",
    "estimate": "admission doesn't reckon with durations yet",
    "gate": "a pattern with a gate can be stored but not scheduled",
    "delegate": "a pattern with a delegate can be stored but not scheduled",
    "max_parallel": 'it belongs to overlap = "parallel", which is not there either',
    "max_held": 'it belongs to overlap = "hold", which is not there either',
    "budget": "there are no budgets yet",
}
CALENDAR: dict[str, str] = {}
RECOVERY = {
    "max_age": 'it bounds catch_up = "all", which is not there either',
    "max_count": 'it bounds catch_up = "all", which is not there either',
    "max_concurrency": 'it bounds catch_up = "all", which is not there either',
    "budget": "there are no budgets yet",
}
BINDING = {
    "needs": _CAPACITY,
    "effect": "every command counts as a forward effect",
    "cancel": "every command can be cancelled",
    "retries": _RETRY,
    "yields": "no Run is cut into slices yet",
    "finish_proof": "no finish can be proved yet",
    "callable": "a station is done by argv or shell",
    "inline": "a station is done by argv or shell",
    "guards": "inputs and outputs are not checked yet",
}
PATTERN = {"inputs": "the Schedule's input is handed to the command as it stands"}
POLICY = {
    "catch_up_runs": "catch-up admits the newest firing of each Schedule alone",
    "inbox": "there are no external firings yet",
    "hop_cap": "a Run has one station yet",
    "aging": "there are no priorities yet",
    "memory": "admission doesn't reckon with memory yet",
    "callables": "a station is done by argv or shell",
    "account": _CAPACITY,
    "capability": _CAPACITY,
    "quiet": "there are no quiet windows yet",
    "admit": "all requests come from Schedules yet",
    "gate": "a pattern with a gate can't run yet",
    "retention": "nothing is pruned yet",
    "notify": "watch `spellweaver events -f` instead",
}
FILE = {
    "at": "simulate takes its events from its options",
    "station": "simulate takes run times from --runtime; the stations of a pattern stand under [[pattern]]",
}

CLASS = {"spare_capacity": "choose foreground, or deadline_windowed with allowed_delay"}
OVERLAP = dict.fromkeys(
    ("hold", "coalesce", "parallel", "replace"), "forbid waits inside an open window, and skips where there is none"
)
CATCH_UP = {"all": "choose newest, which runs the latest of what was missed, or none"}
JITTER = {"random": "deterministic spreads as well, and gives the same jitter after a restart"}


def later(what: str, why: str) -> str:
    """The sentence of such a refusal."""
    return f"{what} is not available in this version: {why}"
