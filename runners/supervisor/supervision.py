"""See one start of a run through to its end, whoever began it."""

import os
import time
from collections.abc import Callable
from typing import Any

from contracts.errors import NotAllowed
from runners.files import read_object
from runners.journal import read_journal
from runners.outcome import Outcome, outcome_of, read_result
from runners.process import Identity, identity
from runners.rundir import RunDir
from runners.slots import Claim
from runners.stopfile import clear_stop, read_stop
from runners.supervisor.complaining import complain
from runners.supervisor.failures import evidence_of, failed_starts, failure_of, history_of, started_at
from runners.supervisor.limiting import limit_met
from runners.supervisor.policy import Decision, decide, policy_of
from runners.supervisor.queueing import NoRoom, Queue
from runners.supervisor.recorder import Recorder
from runners.supervisor.starting import approved_launch, prepare_attempt, start_shim
from runners.supervisor.sweeping import belonging, sweep
from runners.supervisor.watching import Watch, back_off


class Supervision:
    """The work of a supervisor that holds the lock."""

    def __init__(self, run: RunDir) -> None:
        """Read what was submitted."""
        submission = read_object(run.submission) or {}
        self._run = run
        self._recorder = Recorder(run)
        self._marker = str(submission["marker"])
        self._kind = str(submission["kind"])
        self._queue = Queue(run, self._recorder, self._marker)

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
        never = not may_start and (standing.queued or (standing.attempt == 0 and standing.state is None))
        if not (open_start or never or (may_start and fresh)):
            return ready()
        self._announce(number)
        alive = open_start and bool(belonging(self._marker))
        ready()
        try:
            if never:
                self._close_unstarted(number)
            elif open_start:
                # what does not run any more is only closed: nothing is started that nobody expects
                self._adopt(standing.attempt, standing.shim, resume=may_start and fresh, restarts=alive)
            else:
                self._starts(number)
        finally:
            self._queue.give_back()
        return self._recorder.flush_patiently()

    def _adopt(self, number: int, shim: Identity | None, *, resume: bool, restarts: bool) -> None:
        launch = read_object(self._run.spec) or {}
        self._queue.adopt(launch)
        state, decision = self._follow(number, shim, launch, adopted=True, restarts=restarts and not resume)
        if resume and state in ("failed", "lost"):
            self._starts(number + 1)
        elif decision is not None and decision.restart:
            back_off(self._run, number + 1, decision.pause_s)
            self._starts(number + 1, asked_for=self._history_start())

    def _announce(self, number: int) -> None:
        me = identity(os.getpid())
        assert me is not None
        self._recorder.must("supervisor", attempt=number, process=me.as_json())

    def _starts(self, number: int, asked_for: int | None = None) -> None:
        """Start, and start again as the policy says.

        Args:
            number: The first start, counted from 1.
            asked_for: The start that somebody asked for, where this one restarts it.
        """
        asked_for = asked_for or number
        while (decision := self._start(number, asked_for)) is not None and decision.restart:
            number += 1
            back_off(self._run, number, decision.pause_s)

    def _start(self, number: int, asked_for: int) -> Decision | None:
        """Start and follow; None where it may not or cannot be started, or nothing is to follow."""
        self._recorder.flush_patiently()  # while the disk is full a restart would fail at once
        order = read_stop(self._run)
        if order is not None and order.attempt is not None and order.attempt < asked_for:
            clear_stop(self._run)  # meant for a start that had ended before this one was asked for
        try:
            launch, claim = self._admitted(number)
        except NotAllowed as error:
            self._recorder.note("refused", attempt=number, code=error.code, reason=error.message)
            return None
        except NoRoom as error:
            self._recorder.note("attempt", attempt=number)
            self._end(number, Outcome("failed", None, f"the job cannot be started: {error}"), 0, 0)
            return None
        if claim is None or read_stop(self._run) is not None:
            self._close_unstarted(number)
            return None
        sweep(self._marker)
        shim = None
        try:
            started = self._as_started(number, launch)
            prepare_attempt(self._run, number, started)
            self._recorder.must("attempt", attempt=number, cores=claim.demand.cores, gpus=list(claim.gpus))
            shim = start_shim(self._run, number, started, self._marker)
        except OSError as error:
            self._recorder.note("attempt", attempt=number)
            self._end(number, Outcome("failed", None, f"the job could not be started: {error}"), 0, 0)
            return None
        self._recorder.note("started", attempt=number, process=shim.as_json() if shim else None)
        return self._follow(number, shim, launch, adopted=False, restarts=True)[1]

    def _admitted(self, number: int) -> tuple[dict[str, Any], Claim | None]:
        """Wait for room, and return the approved launch and what it was given; None where it is to stop instead.

        Raises:
            NotAllowed: It may not start: asked before it takes room, and again after it had to wait.
            NoRoom: This machine does not have what it takes.
        """
        launch = approved_launch(self._run)
        claim = self._queue.take(number, launch)
        if self._queue.waited:
            launch = approved_launch(self._run)
        if claim is not None and claim.gpus:
            launch = launch | {"env": launch["env"] | {"CUDA_VISIBLE_DEVICES": ",".join(claim.gpus)}}
        return launch, claim

    def _as_started(self, number: int, launch: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002 - for other places
        """Return a launch as it is started in this place.

        Raises:
            OSError: It cannot be started here.
        """
        return launch

    def _leave(self, number: int, outcome: Outcome, swept: int, left: int) -> bool:  # noqa: ARG002 - likewise
        """Tell whether a start that has ended is followed in another place; its end is then written."""
        return False

    def _follow(
        self, number: int, shim: Identity | None, launch: dict[str, Any], *, adopted: bool, restarts: bool
    ) -> tuple[str, Decision | None]:
        """Wait for the end and write it down; return the state, and what is to follow a failure."""
        watch = Watch(self._run, number, self._marker, self._recorder, launch)
        exit_code = watch.until_end(shim, adopted=adopted)
        # a quick job stops before the watch has seen the stop file
        stopping = watch.stopping or self._recorder.standing().stopping or read_stop(self._run) is not None
        swept, left = self._sweep(number, stopping)
        outcome = outcome_of(self._run, self._run.attempt(number), self._kind, exit_code, stopping=stopping)
        if watch.hang is not None and outcome.state in ("failed", "lost"):
            evidence = self._run.attempt(number).diagnosis.relative_to(self._run.path)
            outcome = Outcome("failed", exit_code, f"hung: {watch.hang.words}; evidence is in {evidence}")
        elif outcome.state == "failed" and (
            met := watch.exceeded or limit_met(launch.get("limits") or {}, outcome.reason)
        ):
            outcome = outcome._replace(reason=f"{outcome.reason}; it met its {met}")
        if self._leave(number, outcome, swept, left):
            return outcome.state, None
        if outcome.state not in ("failed", "lost") or not restarts:
            self._end(number, outcome, swept, left)
            return outcome.state, None
        return outcome.state, self._decide(number, outcome, launch, swept, left, hung=watch.hang is not None)

    def _sweep(self, number: int, stopping: bool) -> tuple[int, int]:
        """End what is left of a start; return how many there were, and how many are left."""
        said = read_result(self._run.result)
        counts = sweep(self._marker)
        if not (said or stopping) and read_result(self._run.result).get("status") == "stopped":
            # orphaned ranks that this very sweep asked to end saved first: that is not how the start ended
            self._run.result.replace(self._run.attempt(number).old_result)
        return counts

    def _decide(
        self, number: int, outcome: Outcome, launch: dict[str, Any], swept: int, left: int, *, hung: bool
    ) -> Decision:
        """Write down what follows a failure, then the failure: between the two nobody takes it for the end."""
        self._recorder.flush_patiently()  # the history is read from the disk
        policy, now = policy_of(launch), time.time()
        failure = failure_of(self._run, number, outcome, hung=hung, lasted_s=now - started_at(self._run, number))
        if left:
            failure = failure._replace(hopeless=f"{left} processes of start {number} could not be killed")
        history = history_of(read_journal(self._run.journal))
        decision = decide(policy, history, failure, now)
        if decision.restart:
            self._recorder.note("restart", attempt=number + 1, reason=decision.reason, pause_s=decision.pause_s)
        else:
            starts = failed_starts(history, number, failure)
            facts = {"starts": starts, "evidence": evidence_of(self._run, number)}
            self._recorder.note("give_up", attempt=number, reason=decision.reason, **facts)
            if policy.max_restarts:
                outcome = outcome._replace(reason=f"{outcome.reason}; not restarted: {decision.reason}")
        self._end(number, outcome, swept, left, keep_stop=decision.restart, error=failure.error, place=failure.place)
        return decision

    def _history_start(self) -> int:
        return history_of(read_journal(self._run.journal)).first

    def _close_unstarted(self, number: int) -> None:
        if read_stop(self._run) is not None:
            outcome = Outcome("cancelled", None, "cancelled before it was started")
        else:
            outcome = Outcome("lost", None, "it was submitted, but its supervisor ended before it started anything")
        self._recorder.note("attempt", attempt=number)
        self._end(number, outcome, 0, 0)

    def _end(
        self, number: int, outcome: Outcome, swept: int, left: int, *, keep_stop: bool = False, **facts: Any
    ) -> None:
        if not keep_stop:  # else a request that came after the failure stops the next start
            clear_stop(self._run)
        if left:
            complain(f"{left} processes of start {number} could not be killed")
        self._recorder.note("end", attempt=number, swept=swept, unkillable=left, **outcome._asdict(), **facts)
