"""Backends: every run of one home folder, each where its launch says that it runs."""

import heapq
from collections.abc import Iterator

from contracts.approval import Approval
from contracts.launch import LaunchRequest
from contracts.run import RunRecord
from runners.home import Home
from runners.local import LocalRunner
from runners.run_folders import RunFolders
from runners.slurm import SlurmRunner


class Backends(RunFolders):
    """The Runner that hands each launch and each run to its own runner."""

    def __init__(self, home: Home) -> None:
        """Name the home folder; nothing is created.

        Args:
            home: Where runs and secrets are.
        """
        super().__init__(home)
        self._local, self._slurm = LocalRunner(home), SlurmRunner(home)

    def submit(self, launch: LaunchRequest, approval: Approval | None, key: str) -> RunRecord:
        """Start a launch once for each key; see `Runner.submit`."""
        return (self._local if launch.slurm is None else self._slurm).submit(launch, approval, key)

    def status(self, run_id: str) -> RunRecord:
        """Return where a run stands now; see `Runner.status`."""
        return self._of(run_id).status(run_id)

    def runs(self) -> Iterator[RunRecord]:
        """Yield every run, the newest first; see `Runner.runs`."""
        yield from heapq.merge(self._local.runs(), self._slurm.runs(), key=lambda record: -record.created_at)

    def cancel(self, run_id: str) -> RunRecord:
        """Ask a run to save and stop; see `Runner.cancel`."""
        return self._of(run_id).cancel(run_id)

    def resume(self, run_id: str) -> RunRecord:
        """Start an ended run again from its newest checkpoint; see `Runner.resume`."""
        return self._of(run_id).resume(run_id)

    def reconcile(self) -> list[RunRecord]:
        """Take care of every run that lost whoever saw it through; return those."""
        return [*self._local.reconcile(), *self._slurm.reconcile()]

    def _of(self, run_id: str) -> LocalRunner | SlurmRunner:
        return self._slurm if self.backend_of(run_id) == "slurm" else self._local
