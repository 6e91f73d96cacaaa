"""The worker pool: a thread per running attempt, and the ``Handler`` that engine drivers see.

How many may run is not decided here: admission has taken a worker for each launch before it comes.
"""

from __future__ import annotations

import errno
import os
import threading

from spellweaver.core.launch import NeverStarted
from spellweaver.jobs.worker import Worker
from spellweaver.safety import owners

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from spellweaver.core.identity import AttemptId
    from spellweaver.core.launch import Identity, Launch, OpenAttempt, Report
    from spellweaver.host.keeper import Keeper, Launching, Order

    Trouble = Callable[[AttemptId, Exception], None]


class Workers:
    """Implements ``core.launch.Handler`` with real processes; each sighting is reported from a worker thread.

    What a ``report`` raises (the ledger is gone) ends that worker, with its gate shut if it was not open yet, and is
    handed to ``trouble``: the next daemon adopts the attempt.
    """

    def __init__(self, keeper: Keeper, folder: str, *, trouble: Trouble) -> None:
        """``folder`` is the place of the attempts' folders, made 0700. Raises Unusable, DiskTrouble."""
        self._keeper = keeper
        self._folder = os.path.abspath(folder)
        self._trouble = trouble
        self._asking = threading.Lock()  # the keeper is asked by one thread at a time
        self._changed = threading.Condition()
        self._working: dict[AttemptId, Worker] = {}
        owners.make_private(self._folder)

    def place(self, which: AttemptId) -> str:
        """The folder of an attempt."""
        return f"{self._folder}/{which}"

    def start(self, launch: Launch, report: Report) -> None:
        """Launches. Where the host has no thread left, says so from the caller's thread (spawn, EAGAIN)."""
        worker = self._worker(launch.attempt)
        self._begin(worker, lambda: worker.launch(launch, self._ask, report), report)

    def adopt(self, left: OpenAttempt, report: Report) -> None:
        """Takes over an attempt that a dead daemon left open; its own result is reported when its shim has ended."""
        worker = self._worker(left.attempt, left.shim)
        self._begin(worker, lambda: worker.adopt(left, report), None)

    def cancel(self, attempt: AttemptId) -> None:
        """Passes a cancel on; nothing happens when the attempt is not at work here.

        Its end is reported as any other.
        """
        with self._changed:
            worker = self._working.get(attempt)
        if worker is not None:
            worker.cancel()

    def terminate(self) -> None:
        """Cancels all: TERM, grace, KILL by each shim. Their ends are still reported; ``join`` waits for them."""
        with self._changed:
            working = list(self._working.values())
        for worker in working:
            worker.cancel()

    def count(self) -> int:
        """Attempts at work, adopted ones too."""
        with self._changed:
            return len(self._working)

    def idle(self) -> bool:
        """Whether nothing is at work."""
        return self.count() == 0

    def join(self, timeout_us: int | None = None) -> bool:
        """Waits until nothing is at work, at most so long; True if so."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._working, None if timeout_us is None else timeout_us / 1e6)

    def _ask(self, order: Order) -> Launching:
        with self._asking:
            return self._keeper.launch(order)

    def _worker(self, which: AttemptId, shim: Identity | None = None) -> Worker:
        return Worker(which, self.place(which), shim, aside=lambda: self._ended(which))

    def _begin(self, worker: Worker, work: Callable[[], None], report: Report | None) -> None:
        with self._changed:
            assert worker.which not in self._working, "an attempt is at work once"
            self._working[worker.which] = worker
        thread = threading.Thread(target=self._work, args=(worker, work), name=str(worker.which), daemon=True)
        try:
            thread.start()
        except RuntimeError:  # can't start new thread
            self._ended(worker.which)
            if report is None:
                raise
            report(NeverStarted(worker.which, "spawn", errno.EAGAIN))

    def _work(self, worker: Worker, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001  # a fault, too, is the driver's to raise: nobody reads a thread
            self._trouble(worker.which, error)
        finally:
            self._ended(worker.which)

    def _ended(self, which: AttemptId) -> None:
        """No longer at work here. One that is contained may be told so before, while its thread watches on."""
        with self._changed:
            self._working.pop(which, None)
            self._changed.notify_all()
