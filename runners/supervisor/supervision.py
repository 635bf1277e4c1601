"""See one start of a run through to its end, whoever began it."""

import os
import sys
import time
from collections.abc import Callable

from contracts.errors import NotAllowed
from runners.files import read_object
from runners.outcome import Outcome, outcome_of
from runners.process import Identity, identity
from runners.rundir import RunDir
from runners.stopfile import clear_stop, read_stop
from runners.supervisor.policy import pause_before_next_start
from runners.supervisor.recorder import Recorder
from runners.supervisor.starting import approved_launch, prepare_attempt, start_shim
from runners.supervisor.sweeping import sweep
from runners.supervisor.watching import Watch


class Supervision:
    """The work of a supervisor that holds the lock."""

    def __init__(self, run: RunDir) -> None:
        """Read what was submitted."""
        submission = read_object(run.submission) or {}
        self._run = run
        self._recorder = Recorder(run)
        self._marker = str(submission["marker"])
        self._kind = str(submission["kind"])

    def see_through(self, number: int, *, may_start: bool, ready: Callable[[], None]) -> None:
        """Bring start `number` to its end; do nothing where it has ended.

        Args:
            number: Start, counted from 1.
            may_start: Whether it may be started; else only what runs is adopted and what
                does not is closed.
            ready: Called as soon as the journal knows of this supervisor.

        Raises:
            OSError: The journal cannot be written; nothing was started.
        """
        standing = self._recorder.standing()
        open_start = standing.attempt > 0 and standing.state is None
        fresh = number == standing.attempt + 1 and standing.state != "done"
        never = not may_start and standing.attempt == 0 and standing.state is None
        if not (open_start or never or (may_start and fresh)):
            return ready()
        self._announce(number)
        ready()
        if never:
            self._close_unstarted(number)
        elif open_start:
            outcome: Outcome | None = self._follow(standing.attempt, standing.shim, adopted=True)
            if may_start and fresh and outcome is not None and outcome.state in ("failed", "lost"):
                self._starts(number)
        else:
            self._starts(number)
        return self._recorder.flush_patiently()

    def _announce(self, number: int) -> None:
        me = identity(os.getpid())
        assert me is not None
        self._recorder.must("supervisor", attempt=number, process=me.as_json())

    def _starts(self, number: int) -> None:
        while (outcome := self._start(number)) is not None:
            pause_s = pause_before_next_start(outcome, number)
            if pause_s is None:
                return
            time.sleep(pause_s)
            number += 1

    def _start(self, number: int) -> Outcome | None:
        """Start and follow; None where it may not or cannot be started."""
        order = read_stop(self._run)
        if order is not None and order.attempt is not None and order.attempt < number:
            clear_stop(self._run)  # meant for a start that has ended since
            order = None
        try:
            launch = approved_launch(self._run)
        except NotAllowed as error:
            self._recorder.note("refused", attempt=number, code=error.code, reason=error.message)
            return None
        if order is not None or read_stop(self._run) is not None:
            return self._close_unstarted(number)
        sweep(self._marker)
        shim = None
        try:
            prepare_attempt(self._run, number, launch)
            self._recorder.must("attempt", attempt=number)
            shim = start_shim(self._run, number, launch, self._marker)
        except OSError as error:
            self._recorder.note("attempt", attempt=number)
            self._end(number, Outcome("failed", None, f"the job could not be started: {error}"), 0, 0)
            return None
        self._recorder.note("started", attempt=number, process=shim.as_json() if shim else None)
        return self._follow(number, shim, adopted=False)

    def _follow(self, number: int, shim: Identity | None, *, adopted: bool) -> Outcome:
        watch = Watch(self._run, number, self._marker, self._recorder)
        exit_code = watch.until_end(shim, adopted=adopted)
        # a quick job stops before the watch has seen the stop file
        stopping = watch.stopping or self._recorder.standing().stopping or read_stop(self._run) is not None
        swept, left = sweep(self._marker)
        outcome = outcome_of(self._run, self._run.attempt(number), self._kind, exit_code, stopping=stopping)
        self._end(number, outcome, swept, left)
        return outcome

    def _close_unstarted(self, number: int) -> Outcome:
        if read_stop(self._run) is not None:
            outcome = Outcome("cancelled", None, "cancelled before it was started")
        else:
            outcome = Outcome("lost", None, "it was submitted, but its supervisor ended before it started anything")
        self._recorder.note("attempt", attempt=number)
        self._end(number, outcome, 0, 0)
        return outcome

    def _end(self, number: int, outcome: Outcome, swept: int, left: int) -> None:
        clear_stop(self._run)
        if left:
            print(f"{left} processes of start {number} could not be killed", file=sys.stderr)
        self._recorder.note("end", attempt=number, swept=swept, unkillable=left, **outcome._asdict())
