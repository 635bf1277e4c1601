"""SlurmRunner: the same runs as jobs of Slurm, on one machine or many.

Scheduling stays with Slurm: sbatch, squeue, scontrol, scancel and sacct are called, and
nothing of ours stays in memory. The run folder is shared with the nodes; the supervisor
runs in the job's batch step (`runners.batch`).
"""

import contextlib
from collections.abc import Iterator
from typing import Any

from contracts.approval import Approval
from contracts.errors import RequestInvalid, RunFolderUnwritable, RunnerError, WrongState
from contracts.launch import LaunchRequest
from contracts.run import TERMINAL_STATES, RunRecord
from runners.batch.calls import call
from runners.batch.handing_over import SlurmRefused, hand_over
from runners.batch.jobs import let_go, look_for
from runners.batch.record import asked_of_slurm, read_batch_record
from runners.batch.submissions import FIRST, RESUME, SubmissionDir, newest
from runners.files import read_object, write_json
from runners.home import Home
from runners.publishing import publish, remove_old_drafts, withdraw
from runners.record import read_submission
from runners.run_folders import RunFolders
from runners.rundir import RunDir
from runners.stopfile import StopOrder, clear_stop, read_stop
from runners.verify import verify_decision, verify_launch

_POLLING = ("train", "trials")


class SlurmRunner(RunFolders):
    """The Runner of a cluster."""

    backend = "slurm"

    def __init__(self, home: Home, *, stop_grace_s: float | None = None, kill_after_s: float = 40.0) -> None:
        """Name the home folder, which all nodes see; nothing is created.

        Args:
            home: Where runs and secrets are.
            stop_grace_s: Seconds that a cancelled job has to save and stop by itself. By
                default what the launch allows for saving (`save_before_s`) where the job polls
                the stop file, and none for others.
            kill_after_s: Seconds from SIGTERM to SIGKILL.
        """
        super().__init__(home)
        self._stop_grace_s = stop_grace_s
        self._kill_after_s = kill_after_s

    def submit(self, launch: LaunchRequest, approval: Approval | None, key: str) -> RunRecord:
        """Hand a launch to Slurm once for each key; see `Runner.submit`.

        Raises:
            SlurmSilent: Slurm does not answer; the same call later goes on where this one ended.
            SlurmRefused: Slurm will not have the job; nothing is left of it.
            SlurmAbsent: Slurm's programs are not installed here.
        """
        spec = launch.model_dump(mode="json")
        decision = None if approval is None else approval.model_dump(mode="json")
        verify_decision(spec, decision, self._key())
        if launch.slurm is None:
            raise RequestInvalid("the launch has no slurm options; it is one for this machine")
        run = self._named(key)
        if read_submission(run) is None:
            # a run that exists needs no second look at its files: its first node takes one
            verify_launch(spec, decision, self._key())
            publish(run, launch, decision or {}, key)
        self._check_same(run, launch, key)
        if newest(run) <= 1 and SubmissionDir(run, 1).job_id() is None:
            self._hand_over(run, 1, FIRST)
        return self.status(run.run_id)

    def status(self, run_id: str) -> RunRecord:
        """Return what the run folder and Slurm say now; see `Runner.status`.

        A job that went back into the queue is let go at once: Slurm would hold it back for two minutes.
        """
        run, submission = self._mine(run_id)
        job_id = asked_of_slurm(run)
        seen = look_for([] if job_id is None else [job_id])
        if job_id in seen.jobs:
            let_go(seen.jobs[job_id])
        return read_batch_record(run, submission, seen)

    def runs(self) -> Iterator[RunRecord]:
        """Yield every run in Slurm, the newest first, with one question to Slurm; see `Runner.runs`."""
        known = self._known()
        jobs = [asked_of_slurm(run) for run, _ in known]
        seen = look_for(job for job in jobs if job is not None)
        for run, submission in known:
            yield read_batch_record(run, submission, seen)

    def cancel(self, run_id: str) -> RunRecord:
        """Ask a run to save and stop, or take it out of the queue; see `Runner.cancel`.

        Raises:
            UnknownRun: There is no such run.
            RunFolderUnwritable: The request to stop cannot be written.
        """
        run, _ = self._mine(run_id)
        record = self.status(run_id)
        if record.state in TERMINAL_STATES:
            return record
        order = StopOrder(None, self._grace_s(run, record), self._kill_after_s)
        standing = read_stop(run)
        try:
            # a person's word goes before one that Slurm gave, which would go on in a further job
            if standing is None or standing.by != order.by:
                write_json(run.stop, order._asdict())
        except OSError as error:
            raise RunFolderUnwritable(f"cannot ask {run_id} to stop: {run.stop}: {error.strerror}") from error
        job_id = SubmissionDir(run, newest(run)).job_id()
        if job_id is not None:
            # only what waits: a job that has begun meanwhile reads the stop file and saves
            call(["scancel", "--state=PENDING", str(job_id)])
        return self.status(run_id)

    def resume(self, run_id: str) -> RunRecord:
        """Submit an ended run again, from its newest checkpoint; see `Runner.resume`.

        Raises:
            SlurmSilent: Slurm does not answer.
            SlurmRefused: Slurm will not have the job.
        """
        run, _ = self._mine(run_id)
        record = self.status(run_id)
        if record.state == "done":
            raise WrongState(f"{run_id} has finished; there is nothing to resume")
        if record.state not in TERMINAL_STATES:
            raise WrongState(f"{run_id} is {record.state}", hint=f"fsdp-agent jobs cancel {run_id}, then resume")
        verify_launch(read_object(run.spec) or {}, read_object(run.approval), self._key())
        clear_stop(run)
        self._hand_over(run, newest(run) + 1, RESUME)
        return self.status(run_id)

    def reconcile(self) -> list[RunRecord]:
        """Finish what a client that was killed had begun to hand over, and keep what Slurm will forget.

        Returns:
            The runs that were taken care of, as they stand now.
        """
        remove_old_drafts(self._home.runs)
        cared = []
        for run, _ in self._known():
            number = newest(run)
            made = SubmissionDir(run, number)
            if number and made.job_id() is None:
                # it was asked for and is approved: found by its name, or submitted now
                with contextlib.suppress(RunnerError, OSError):
                    hand_over(run, number, made.kind())
                    cared.append(run.run_id)
            elif asked_of_slurm(run) is not None and self.status(run.run_id).state in TERMINAL_STATES:
                cared.append(run.run_id)
        return [self.status(run_id) for run_id in cared]

    def _hand_over(self, run: RunDir, number: int, kind: str) -> None:
        try:
            hand_over(run, number, kind)
        except SlurmRefused:
            if number == 1:
                withdraw(run)
            raise
        except OSError as error:
            raise RunFolderUnwritable(f"cannot write {run.path}/slurm: {error.strerror}") from error

    def _grace_s(self, run: RunDir, record: RunRecord) -> float:
        if self._stop_grace_s is not None:
            return self._stop_grace_s
        if record.kind not in _POLLING:
            return 0.0
        options: dict[str, Any] = (read_object(run.spec) or {}).get("slurm") or {}
        return float(options.get("save_before_s", StopOrder(None).grace_s))
