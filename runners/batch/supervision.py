"""A supervisor inside an allocation: Slurm stands where the machine's queue is. Standard library only."""

import os
import signal
from typing import Any

from runners.batch.allocation import Allocation, free_port, meeting_address
from runners.batch.examination import BadNodes, Examination
from runners.batch.launcher import as_started
from runners.batch.leaving import Why, ask_slurm, go_on, put_back, why_told, without
from runners.batch.submissions import SubmissionDir, exclude_nodes, excluded_nodes
from runners.batch.verdict import failed_nodes
from runners.capacity import demand_of
from runners.files import read_object, read_tail
from runners.journal import read_journal
from runners.outcome import Outcome
from runners.process import identity
from runners.rundir import RunDir
from runners.slots import Claim
from runners.stopfile import StopOrder, clear_stop, read_stop
from runners.supervisor.policy import Decision
from runners.supervisor.starting import approved_launch
from runners.supervisor.supervision import Supervision
from runners.supervisor.watching import ORDERS

_POLLING = ("train", "trials")
"""Kinds that look at the stop file themselves."""
_LOG_TAIL_BYTES = 64 << 10
_BY_SLURM = "Slurm ("


class BatchSupervision(Supervision):
    """The work of the batch step of one job."""

    def __init__(self, run: RunDir, submission: int, allocation: Allocation) -> None:
        """Read what was submitted.

        Args:
            run: The run folder.
            submission: Which submission this job is.
            allocation: Its nodes.
        """
        super().__init__(run)
        self._submission, self._allocation = submission, allocation
        self._options: dict[str, Any] = (read_object(run.spec) or {}).get("slurm") or {}
        self._told: int | None = None
        place = SubmissionDir(run, submission).path / f"preflight-{allocation.job_id}-{allocation.restarts}"
        self._examination = Examination(run, place, allocation, self._recorder)

    def work(self) -> bool:
        """Bring the run on as far as this job can; return whether all went well.

        Raises:
            OSError: The journal cannot be written; nothing was started.
        """
        standing = self._recorder.standing()
        if standing.state is not None and not standing.pending and self._was_ours():
            return standing.state == "done"  # Slurm started again what had ended
        number = standing.attempt + 1
        me = identity(os.getpid())
        assert me is not None, "a process that runs is alive"
        where = {"submission": self._submission, "job_id": self._allocation.job_id}
        place = {"nodes": list(self._allocation.nodes), "requeues": self._allocation.restarts}
        self._recorder.must("supervisor", attempt=number, process=me.as_json(), **where, **place)
        if standing.attempt and standing.state is None:
            self._close_cut_off(standing.attempt)
        for heeded in (signal.SIGUSR1, signal.SIGTERM):
            ORDERS[heeded] = self._order
        self._starts(number)
        self._recorder.flush_patiently()
        after = self._recorder.standing()
        return after.pending > 0 or after.state in ("done", "cancelled")

    def _was_ours(self) -> bool:
        supervisors = [entry for entry in read_journal(self._run.journal) if entry["kind"] == "supervisor"]
        return bool(supervisors) and supervisors[-1].get("submission") == self._submission

    def _close_cut_off(self, number: int) -> None:
        """Write the end of a start whose nodes were taken without a word."""
        entries = [entry for entry in read_journal(self._run.journal) if entry["kind"] == "supervisor"]
        before = entries[-2].get("nodes") if len(entries) > 1 else None
        lost = [name for name in before or () if name not in self._allocation.nodes]
        words = "Slurm ended the job and started it again" + (f", without {', '.join(lost)}" if lost else "")
        self._hand_on(number, Outcome("lost", None, words), words)

    def _order(self, _number: int, received: int) -> StopOrder:
        """Return how the job is asked to stop on a signal from Slurm."""
        self._told = received
        save_s = float(self._options.get("save_before_s", 120))
        grace_s = save_s / 2 if self._kind in _POLLING else 0.0
        return StopOrder(None, grace_s, save_s, by=f"{_BY_SLURM}{signal.Signals(received).name})")

    def _admitted(self, number: int) -> tuple[dict[str, Any], Claim | None]:
        launch = approved_launch(self._run)
        if not self._examination.done and read_stop(self._run) is None:
            self._examination.examine(number, launch, self._marker)
            launch = approved_launch(self._run)
        me = identity(os.getpid())
        assert me is not None, "a process that runs is alive"
        return launch, Claim(self._run.run_id, 0.0, self._marker, me, demand_of(launch), holds=True)

    def _start(self, number: int, asked_for: int) -> Decision | None:
        try:
            return super()._start(number, asked_for)
        except BadNodes as bad:
            good, words = self._without(bad.nodes)
            if good:
                self._recorder.note("restart", attempt=number, reason=words)
            else:
                self._recorder.note("attempt", attempt=number)
                self._end(number, Outcome("failed", None, words), 0, 0)
            return None

    def _as_started(self, number: int, launch: dict[str, Any]) -> dict[str, Any]:
        address = meeting_address(self._allocation, self._options.get("interface"))
        return as_started(self._run, number, launch, address, free_port(self._allocation.job_id, number))

    def _leave(self, number: int, outcome: Outcome, swept: int, left: int) -> bool:
        """Go on elsewhere where Slurm wants the nodes back, or a node is no good."""
        order = read_stop(self._run)
        if self._told is not None and outcome.state != "done" and (order is None or order.by.startswith(_BY_SLURM)):
            self._obey(number, outcome, swept, left)
            return True
        bad = self._bad_nodes(number) if outcome.state == "failed" else {}
        if not bad:
            return False
        good, words = self._without(bad)
        ended = outcome._replace(state="failed", reason=words)
        if good:
            self._hand_on(number, ended, words)
        else:
            self._end(number, ended, swept, left)
        return True

    def _close_unstarted(self, number: int) -> None:
        """Close a start that was to begin when the job was asked to stop; where Slurm asked, it begins elsewhere."""
        order = read_stop(self._run)
        if self._told is None or order is None or not order.by.startswith(_BY_SLURM):
            return super()._close_unstarted(number)
        self._obey(number, Outcome("cancelled", None, "cancelled: nothing had begun"), 0, 0, begun=False)
        return None

    def _obey(self, number: int, outcome: Outcome, swept: int, left: int, *, begun: bool = True) -> None:
        assert self._told is not None, "only who was told obeys"
        job = ask_slurm(self._allocation.job_id)
        save_s = float(self._options.get("save_before_s", 120))
        why = why_told(job, self._told, save_s, self._allocation.restarts)
        saved = outcome.reason.removeprefix("cancelled: ")
        if why == "cancelled":
            clear_stop(self._run)
            self._end(number, outcome._replace(state="cancelled", reason=f"ended in Slurm: {saved}"), swept, left)
            return
        good, words = go_on(self._run, self._submission, self._allocation, self._options, why)
        if why == "requeued" and (bad := self._bad_nodes(number)):
            saved = _named(bad)
            if self._may_leave_out(bad):
                words += without(self._allocation, self._left_out(bad))
        clear_stop(self._run)
        ended = outcome._replace(state="failed", reason=f"{_WHY[why]}: {saved}; {words}")
        if good and not begun:
            self._recorder.note("restart", attempt=number, reason=ended.reason)
        elif good:
            self._hand_on(number, ended, ended.reason)
        else:
            self._end(number, ended._replace(reason=f"{ended.reason}; a resume goes on from there"), swept, left)

    def _hand_on(self, number: int, ended: Outcome, words: str) -> None:
        """Write that another start follows, then the end of this one: between the two nobody takes it for the end."""
        self._recorder.note("restart", attempt=number + 1, reason=words)
        self._recorder.note("end", attempt=number, swept=0, unkillable=0, **ended._asdict())

    def _bad_nodes(self, number: int) -> dict[str, str]:
        log = read_tail(self._run.attempt(number).launcher_log, _LOG_TAIL_BYTES).decode("utf-8", "replace")
        return failed_nodes(log, self._allocation.nodes)

    def _without(self, bad: dict[str, str]) -> tuple[bool, str]:
        """Leave nodes out and go back into the queue; return whether that was done, and in words what."""
        named = _named(bad)
        if not self._may_leave_out(bad):
            known, most = excluded_nodes(self._run), self._options.get("max_excluded_nodes", 0)
            return False, f"{named}; {most} nodes may be left out (max_excluded_nodes), {len(known)} are"
        if self._allocation.restarts >= int(self._options.get("max_requeues", 0)):
            return False, f"{named}; the job went back into the queue {self._allocation.restarts} times already"
        good, words = put_back(self._allocation, self._left_out(bad))
        return good, f"{named}; {words}"

    def _may_leave_out(self, bad: dict[str, str]) -> bool:
        return len(excluded_nodes(self._run) | bad) <= int(self._options.get("max_excluded_nodes", 0))

    def _left_out(self, bad: dict[str, str]) -> list[str]:
        return [*self._options.get("exclude", ()), *sorted(exclude_nodes(self._run, bad))]


def _named(bad: dict[str, str]) -> str:
    return "; ".join(f"node {name}: {reason}" for name, reason in sorted(bad.items()))


_WHY: dict[Why, str] = {
    "cancelled": "cancelled",
    "time_limit": "the time limit is near",
    "preempted": "preempted by another job",
    "requeued": "put back into the queue",
    "asked": "asked by SIGUSR1 to save and go back into the queue",
}
