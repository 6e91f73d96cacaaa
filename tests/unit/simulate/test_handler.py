"""Commands as ends to come."""

from __future__ import annotations

from spellweaver.clock import VirtualClock
from spellweaver.core.binding import Binding
from spellweaver.core.identity import AttemptId, InvocationId, OccurrenceId, RunId
from spellweaver.core.instant import MINUTE, SECOND
from spellweaver.core.launch import Ended, Identity, Launch, NeverStarted, OpenAttempt, Report, Sighting, Started
from spellweaver.simulate.handler import Scripted
from spellweaver.simulate.script import Job, Takes

WHO = Identity(7, 0, "simulated", 0)


class Scene:
    """Commands take as many minutes as their attempt's number says, and attempt 9 exits with 3."""

    def __init__(self, left: dict[AttemptId, tuple[Job, int]] | None = None) -> None:
        self.clock = VirtualClock(1_000_000_000)
        self.seen: list[Sighting] = []
        self.handler = Scripted(self.clock, self.takes, left=left or {})

    def takes(self, job: Job) -> Takes:
        number = int(job.station)
        return Takes(number * MINUTE, 3 if number == 9 else 0)

    def start(self, number: int, timeout_us: int = 30 * MINUTE, report: Report | None = None) -> None:
        binding = Binding("p", "1", str(number), ("/bin/true",), timeout_us=timeout_us)
        n = number
        self.handler.start(
            Launch(AttemptId(n), RunId(n), InvocationId(n), OccurrenceId(n), "local/s", "c1:x", 0, str(n), "p@1", 1,
                   binding, "{}"), report or self.seen.append,
        )  # fmt: skip

    def adopt(self, number: int, state: str) -> None:
        left = OpenAttempt(AttemptId(number), state, WHO, WHO)
        self.handler.adopt(left, self.seen.append)

    def after(self, minutes: int) -> list[Sighting]:
        """What is told so many minutes later."""
        self.clock.advance(minutes * MINUTE)
        self.seen.clear()
        self.handler.tell_ends()
        return list(self.seen)


def test_a_start_is_reported_at_once_and_ends_come_in_their_order() -> None:
    scene = Scene()
    for number in (9, 2, 4):
        scene.start(number)
    assert [type(seen) for seen in scene.seen] == [Started] * 3
    assert (scene.handler.running, scene.handler.peak, scene.handler.next_end) == (3, 3, 2 * MINUTE)
    assert scene.after(1) == []
    assert scene.after(3) == [Ended(AttemptId(2), "exited", code=0), Ended(AttemptId(4), "exited", code=0)]
    assert scene.after(5) == [Ended(AttemptId(9), "exited", code=3)]
    assert (scene.handler.running, scene.handler.peak, scene.handler.next_end) == (0, 3, None)


def test_the_timeout_of_a_binding_ends_what_runs_longer() -> None:
    scene = Scene()
    scene.start(5, timeout_us=5 * MINUTE)
    scene.start(6, timeout_us=2 * MINUTE)
    assert scene.after(2) == [Ended(AttemptId(6), "timed_out", signal=15)]
    assert scene.after(3) == [Ended(AttemptId(5), "exited", code=0)]


def test_what_ended_unseen_is_told_to_who_adopts_it() -> None:
    scene = Scene()
    dead: list[Sighting] = []
    scene.start(2, report=dead.append)
    scene.clock.advance(10 * MINUTE)
    scene.adopt(2, "running")
    assert scene.after(0) == [Ended(AttemptId(2), "exited", code=0)]
    assert [type(seen) for seen in dead] == [Started]


def test_what_a_copy_left_runs_on_by_its_script_less_what_it_ran() -> None:
    def job(number: int) -> Job:
        return Job("local/s", 0, "p@1", str(number), 30 * MINUTE)

    scene = Scene({AttemptId(5): (job(5), 2 * MINUTE), AttemptId(3): (job(3), 7 * MINUTE)})
    scene.adopt(5, "running")
    scene.adopt(3, "running")
    scene.adopt(7, "contained")
    assert scene.after(0) == [Ended(AttemptId(3), "exited", code=0)]
    assert scene.after(3) == [Ended(AttemptId(5), "exited", code=0)]
    assert scene.after(600) == []
    assert scene.handler.running == 1, "what is contained ends by no script"


def test_a_gate_that_its_driver_left_shut_never_opens() -> None:
    scene = Scene()
    scene.adopt(4, "launching")
    assert scene.seen == [NeverStarted(AttemptId(4), "gate")]
    assert scene.handler.next_end is None


def test_a_cancel_ends_it_now() -> None:
    scene = Scene()
    scene.start(2)
    scene.start(9)
    scene.clock.advance(SECOND)
    scene.handler.cancel(AttemptId(9))
    scene.handler.cancel(AttemptId(77))
    assert scene.after(0) == [Ended(AttemptId(9), "signalled", signal=15, asked=True)]
    assert scene.after(2) == [Ended(AttemptId(2), "exited", code=0)]
