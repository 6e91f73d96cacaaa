"""What the journal says, as sentences. Only the numbers of an event are read; nothing is reckoned or asked of the
ledger again.

``skipped (overlap): inv_9 of the same Schedule was not over …``: what happened, its closed reason, and a cause that
names the numbers it tells. What the cause did not tell is appended, so no number of the journal is kept from the
reader; an event of a later program, with a word or a number unknown here, is still told in full.
"""

from __future__ import annotations

from spellweaver.cli import times

TYPE_CHECKING = False
if TYPE_CHECKING:
    from spellweaver.core.zone import Zone

    Data = dict[str, object]

# (what happened, reason): cause. A reason "" stands for every one that is not listed
CAUSES: dict[tuple[str, str], str] = {
    ("pending", "overlap"): "{blockers} of the same Schedule is not over",
    ("pending", "capacity"): "{demand} of account {account} is wanted, {free} free",
    ("pending", "paused"): "its Schedule is paused",
    ("pending", "clock_settling"): "the clock was stepped and has not settled",
    ("admitted", "foreground"): "after waiting {waited_us}, with {free} workers free",
    ("admitted", "window_open"): "after waiting {waited_us}, with {free} workers free",
    ("missed", "latest_start"): "its window was closed",
    ("missed", "overlap"): "{blockers} of the same Schedule was not over when the window closed at {latest_start_at}",
    ("missed", "capacity"): "no worker was free until the window closed at {latest_start_at}",
    ("missed", "clock_settling"): "the window closed before the clock had settled",
    ("missed", "paused"): "its Schedule was paused until the window closed at {latest_start_at}",
    ("skipped", "paused"): "its Schedule was paused",
    ("skipped", "retired"): "its Schedule was retired while it waited",
    ("skipped", "operator"): "an operator settled that it shall not run: {why}",
    ("skipped", "gap"): "the clock never showed that time",
    ("skipped", "horizon"): "older than the misfire horizon of {horizon_us}",
    ("skipped", "superseded"): "a newer firing of the Schedule was offered in its place",
    ("skipped", "catch_up_none"): "the Schedule catches nothing up",
    (
        "skipped",
        "overlap",
    ): "{blockers} of the same Schedule was not over, and without a window there is nothing to wait in",
    ("refused", "gap"): "the clock never showed that time",
    ("refused", "unavailable"): "its workflow has a station that nothing is bound to",
    ("conflict", ""): "event {event_id} of {source} came again with other content; it was not taken",
    ("completed", "none"): "exit status {code} after {took_us}",
    ("failed", "exit"): "exit status {code} after {took_us}",
    ("failed", "upstream"): "exit status {code} after {took_us}; it says that another try may go well",
    ("failed", "guard"): "exit status {code} after {took_us}; it says that the input was refused",
    ("failed", "signal"): "ended by signal {signal} after {took_us}",
    ("failed", "unavailable"): "its command could not be started: {detail}",
    ("failed", "lost"): "it is gone without a result: {detail}",
    ("failed", "interrupted"): "what became of it is not known",
    ("timed_out", "timeout"): "ended after {took_us}; the timeout is {timeout_us}",
    ("cancelled", "operator"): "by an operator",
    ("cancelled", "shutdown"): "the service stopped",
    ("cancelling", "operator"): "an operator asked it to stop",
    ("cancelling", "shutdown"): "asked to stop, for the service stops",
    ("contained", ""): "not proved gone, so it goes on blocking: {detail} ({why})",
    ("never_started", "worker"): "attempt {nth} ran nothing; the work is offered again",
    ("clock_stepped_back", ""): "by {size_us}, from {before_at} to {after_at}",
    ("clock_stepped", ""): "by {size_us}, from {before_at} to {after_at}; nothing is decided until it has settled",
    ("clock_settled", ""): "the clock is believed again after a step of {size_us}, seen at {opened_at}",
    ("paused", ""): "because: {why}",
    ("resumed", ""): "the pause from {begins_at} ended at {ended_at}",
    ("retired", ""): "for good; it was {before}, and {waited} firings waited",
    ("adopted", ""): "taken on as it is, by machine {machine_after}",
    ("network_accepted", ""): "the ledger stays on {file_system}, whose locks are taken on trust",
    ("clock_suspended", ""): "the machine slept for {size_us}",
}

OF_RANGE = "{count} firings from {first} to {last}"

# the same where there is room for a few words only
BRIEF: dict[tuple[str, str], str] = {
    ("pending", "overlap"): "an earlier run is not over",
    ("pending", "capacity"): "no worker is free",
    ("pending", "paused"): "its Schedule is paused",
    ("pending", "clock_settling"): "the clock has not settled",
    ("missed", "latest_start"): "its window closed before it could start",
    ("missed", "overlap"): "an earlier run was not over when its window closed",
    ("missed", "capacity"): "no worker was free until its window closed",
    ("missed", "clock_settling"): "the clock had not settled when its window closed",
    ("missed", "paused"): "its Schedule was paused until its window closed",
    ("skipped", "paused"): "its Schedule was paused",
    ("skipped", "retired"): "its Schedule was retired",
    ("skipped", "operator"): "by an operator",
    ("skipped", "gap"): "the clock never showed that time",
    ("skipped", "horizon"): "found too late: older than the misfire horizon",
    ("skipped", "superseded"): "a newer firing was offered in its place",
    ("skipped", "catch_up_none"): "found too late, and nothing is caught up",
    ("skipped", "overlap"): "an earlier run was not over",
    ("refused", "gap"): "the clock never showed that time",
    ("refused", "unavailable"): "nothing is bound to a station of its workflow",
    ("queued", "worker"): "waits for a worker",
    ("cancelling", "operator"): "an operator asked it to stop",
    ("cancelling", "shutdown"): "asked to stop, for the service stops",
    ("contained", "settling"): "not proved gone",
    ("failed", "signal"): "ended by a signal",
    ("failed", "upstream"): "it says that another try may go well",
    ("failed", "guard"): "it says that the input was refused",
    ("failed", "unavailable"): "its command could not be started",
    ("failed", "lost"): "lost: gone without a result",
    ("failed", "interrupted"): "what became of it is not known",
    ("timed_out", "timeout"): "it ran longer than its timeout",
    ("cancelled", "operator"): "by an operator",
    ("cancelled", "shutdown"): "the service stopped",
}  # fmt: skip


def brief(state: str, reason: str) -> str:
    """A few words for why something is in its state; empty where the state says all."""
    return BRIEF.get((state, reason)) or (
        "" if reason in ("none", "exit", "not_yet", "foreground", "window_open") else spaced(reason)
    )


def of_event(type_: str, data: Data, zone: Zone | None) -> str:
    """An event as one sentence without a full stop, every number of ``data`` in it; ``zone`` reads its instants."""
    numbers = _Numbers(data, zone)
    causes = [
        numbers.fill(OF_RANGE) if type_.startswith("range.") else "",
        _cause(type_, numbers),
        *numbers.lateness(),
        *numbers.rest(),
    ]
    said = "; ".join(cause for cause in causes if cause)
    return f"{_named(type_, data)}: {said}" if said else _named(type_, data)


def in_short(type_: str, data: Data, zone: Zone | None) -> tuple[str, str]:
    """(what happened with its reason, the cause alone) of an event: ``skipped (overlap)`` and ``inv_9 … was not over
    …``.
    """
    return _named(type_, data), _cause(type_, _Numbers(data, zone))


def _cause(type_: str, numbers: _Numbers) -> str:
    what, reason = type_.rpartition(".")[2], str(numbers.data.get("reason") or "")
    numbers.told.add("reason")
    return numbers.fill(CAUSES.get((what, reason), "") or CAUSES.get((what, ""), ""))


def _named(type_: str, data: Data) -> str:
    """``skipped (overlap)``; an event of something else than a firing or its run names that too."""
    kind, _, what = type_.rpartition(".")
    word = spaced(what if kind in ("occurrence", "range", "invocation") else type_)
    reason = data.get("reason")
    return f"{word} ({spaced(reason)})" if isinstance(reason, str) and reason != "none" else word


def spaced(word: str) -> str:
    """A closed word for people."""
    return word.replace(".", " ").replace("_", " ")


class _Numbers:
    """The numbers of one event, each told once."""

    def __init__(self, data: Data, zone: Zone | None) -> None:
        self.data = data
        self.zone = zone
        self.told: set[str] = set()

    def __getitem__(self, key: str) -> str:
        """For ``format_map``. Raises KeyError for a number that the event does not have."""
        text = shown(key, self.data[key], self.zone)
        self.told.add(key)
        return text

    def fill(self, template: str) -> str:
        """The template with its numbers; empty when one is missing, and then nothing counts as told."""
        before = set(self.told)
        try:
            return template.format_map(self)
        except KeyError:
            self.told = before
            return ""

    def lateness(self) -> list[str]:
        """CAT-08: ordinary lateness, or missed at discovery, with both numbers."""
        late, allowed = self.data.get("late_us"), self.data.get("allowance_us")
        if not isinstance(late, int) or not isinstance(allowed, int):
            return []
        self.told |= {"late_us", "allowance_us"}
        which = "the first was found" if "first" in self.data else "found"
        if late < 0:
            return [f"{which} {times.exact(-late)} before its due instant (allowance {times.exact(allowed)})"]
        found = f"{which} {times.exact(late)} after its due instant"
        if late <= allowed:
            return [f"{found}, within the allowance of {times.exact(allowed)}: ordinary"]
        return [f"{found}, beyond the allowance of {times.exact(allowed)}: missed at discovery"]

    def rest(self) -> list[str]:
        """Every number that has not been told, in the order of its name."""
        left = [key for key in sorted(self.data) if key not in self.told and self.data[key] is not None]
        return [f"{_name(key)} {shown(key, self.data[key], self.zone)}" for key in left]


def shown(key: str, value: object, zone: Zone | None) -> str:
    """A number of the journal by the unit that its key ends in."""
    if isinstance(value, list):
        return ", ".join(shown(key, each, zone) for each in value)
    if isinstance(value, dict):
        return ", ".join(f"{_name(inner)} {shown(inner, each, zone)}" for inner, each in sorted(value.items()))
    if isinstance(value, int) and not isinstance(value, bool):
        if key.endswith("_us"):
            return times.exact(value)
        if key.endswith(("_at", "_by")) or key in ("before", "after"):
            return times.reading(value, zone)
    return str(value)


def _name(key: str) -> str:
    """A key as words, without its unit, which stands in the value."""
    for unit in ("_us", "_at", "_by"):
        key = key.removesuffix(unit)
    return spaced(key)
