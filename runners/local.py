"""LocalRunner: runs on this machine, each with a supervisor process of its own."""

from collections.abc import Iterator

from contracts.approval import Approval
from contracts.errors import RequestInvalid, RunFolderUnwritable, WrongState
from contracts.launch import LaunchRequest
from contracts.run import TERMINAL_STATES, RunRecord
from runners.capacity import owner_table
from runners.files import read_object
from runners.home import Home
from runners.journal import fold, read_journal
from runners.publishing import publish, remove_old_drafts, withdraw
from runners.record import Liveness, read_record, read_submission, supervised
from runners.run_folders import RunFolders
from runners.rundir import RunDir
from runners.spawn import send_supervisor
from runners.stopfile import StopOrder, ask_to_stop
from runners.verify import verify_decision, verify_launch

_POLLING = ("train", "trials")
"""Kinds that poll the stop file themselves."""


class LocalRunner(RunFolders):
    """The Runner of one machine. It holds nothing: files and processes are the state."""

    backend = "local"

    def __init__(self, home: Home, *, stop_grace_s: float | None = None, kill_after_s: float = 40.0) -> None:
        """Name the home folder; nothing is created.

        Args:
            home: Where runs and secrets are.
            stop_grace_s: Seconds that a cancelled job has to save and stop by itself. By
                default 30 for a `train` or `trials` job, which polls the stop file, and none for
                others, which need not know of it.
            kill_after_s: Seconds from SIGTERM to SIGKILL; torchrun gives its ranks 30.
        """
        super().__init__(home)
        self._stop_grace_s = stop_grace_s
        self._kill_after_s = kill_after_s

    def submit(self, launch: LaunchRequest, approval: Approval | None, key: str) -> RunRecord:
        """Start a launch once for each key; see `Runner.submit`."""
        spec = launch.model_dump(mode="json")
        decision = None if approval is None else approval.model_dump(mode="json")
        verify_decision(spec, decision, self._key())
        owner_table(self._home)  # a slip in machine.toml is told here, not in the end of a run
        if launch.slurm is not None:
            raise RequestInvalid("the launch is one for Slurm; this runner has one machine")
        run = self._named(key)
        run_id = run.run_id
        if read_submission(run) is None:
            # a run that exists needs no second look at its files: its supervisor has taken one
            verify_launch(spec, decision, self._key())
            publish(run, launch, decision or {}, key)
        self._check_same(run, launch, key)
        record = self.status(run_id)
        forgotten = record.state == "queued" and not supervised(fold(read_journal(run.journal)))
        if record.attempt == 0 and (forgotten or record.state in ("submitted", "lost")):
            try:
                send_supervisor(run, 1, may_start=True)
            except RunFolderUnwritable:
                withdraw(run)
                raise
        return self.status(run_id)

    def status(self, run_id: str) -> RunRecord:
        """Return what the run folder says now; see `Runner.status`."""
        run, submission = self._mine(run_id)
        return read_record(run, submission)

    def runs(self) -> Iterator[RunRecord]:
        """Yield every run, the newest first; see `Runner.runs`."""
        known = self._known()
        liveness = Liveness(frozenset(str(submission["marker"]) for _, submission in known))
        for run, submission in known:
            yield read_record(run, submission, liveness)

    def cancel(self, run_id: str) -> RunRecord:
        """Ask a run to save and stop; see `Runner.cancel`.

        Raises:
            UnknownRun: There is no such run.
            RunFolderUnwritable: The request to stop cannot be written.
        """
        run, submission = self._mine(run_id)
        record = read_record(run, submission)
        if record.state in TERMINAL_STATES:
            return record
        standing = fold(read_journal(run.journal))
        grace_s = self._stop_grace_s
        if grace_s is None:
            grace_s = StopOrder(None).grace_s if record.kind in _POLLING else 0.0
        order = StopOrder(standing.pending or standing.attempt or 1, grace_s, self._kill_after_s)
        try:
            ask_to_stop(run, order)
        except OSError as error:
            raise RunFolderUnwritable(f"cannot ask {run_id} to stop: {run.stop}: {error.strerror}") from error
        if not supervised(standing):
            # nobody is there to see it through: an adopter, which starts nothing, is sent
            send_supervisor(run, standing.pending or standing.attempt or 1, may_start=False)
        return self.status(run_id)

    def resume(self, run_id: str) -> RunRecord:
        """Start an ended run again from its newest checkpoint; see `Runner.resume`."""
        run, submission = self._mine(run_id)
        record = read_record(run, submission)
        if record.state == "done":
            raise WrongState(f"{run_id} has finished; there is nothing to resume")
        if record.state not in TERMINAL_STATES:
            raise WrongState(f"{run_id} is {record.state}", hint=f"fsdp-agent jobs cancel {run_id}, then resume")
        verify_launch(read_object(run.spec) or {}, read_object(run.approval), self._key())
        send_supervisor(run, record.attempt + 1, may_start=True)
        return self.status(run_id)

    def reconcile(self) -> list[RunRecord]:
        """Give every run that lost its supervisor a new one, which starts nothing.

        What still runs is adopted and followed to its end; what does not is closed in the
        journal. What was queued waits on in its place, and starts when there is room: that
        was asked for, and is approved. Drafts of clients that were killed are removed.

        Returns:
            The runs that were taken care of, as they stand now.
        """
        remove_old_drafts(self._home.runs)
        cared = []
        for record in list(self.runs()):
            run = RunDir(record.run_dir)
            standing = fold(read_journal(run.journal))
            if supervised(standing) or record.state == "submitted":
                continue
            if standing.queued:
                send_supervisor(run, standing.pending or standing.attempt + 1, may_start=True)
            elif standing.state is None:
                send_supervisor(run, standing.attempt or 1, may_start=False)
            else:
                continue
            cared.append(record.run_id)
        return [self.status(run_id) for run_id in cared]
