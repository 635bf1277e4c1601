"""What the operations on runs return where no contract says it: the JSON objects of `jobs` and `reconcile`.

Apart from `results`, so that a list of runs does not pay for the contracts of a plan.
"""

from contracts.base import Contract
from contracts.checkpoint import CheckpointFolder
from contracts.launch import RestartPolicy, WatchLimits
from contracts.notice import Notice
from contracts.run import RunRecord


class RunList(Contract):
    """Runs, the newest first."""

    runs: tuple[RunRecord, ...]
    """As many as were asked for."""


class RunDetail(RunRecord):
    """A run's record, what was approved about its failures, and what its supervisor saw."""

    restart: RestartPolicy | None = None
    """When it is started again; None where the launch cannot be read any more."""
    watch: WatchLimits | None = None
    """When it counts as hung; None likewise."""
    notices: tuple[Notice, ...] = ()
    """The last 50, the oldest first."""


class CheckpointList(Contract):
    """Checkpoints of one run, the newest first."""

    run_id: str
    """Id of the run."""
    bytes_read: bool
    """Whether every file was read again; else presence and sizes were compared."""
    checkpoints: tuple[CheckpointFolder, ...]
    """Every step folder, also those that a resume passes over."""


class RunLogs(Contract):
    """The last lines of a run's newest attempt."""

    run_id: str
    """Id of the run."""
    rank: int | None
    """Rank whose lines these are; None: all ranks, each line with its rank."""
    text: str
    """The lines."""


class Reconciled(Contract):
    """What a reconcile found and closed."""

    runs: tuple[RunRecord, ...]
    """Runs whose state changed, as they are now."""
    threads: tuple[str, ...]
    """Threads that had waited for an ended run and now have gone on."""


class Followed(Contract):
    """How following a run ended."""

    run: RunRecord
    """The run as last seen."""
    thread_id: str | None = None
    """The thread that the run belongs to; None where it belongs to none."""
    phase: str | None = None
    """Where that thread stands now."""
    launch_hash: str | None = None
    """Launch that waits for approval, where the thread has come to a new one."""
    report: str | None = None
    """Absolute path of the thread's report."""
    cursor: int = 0
    """Byte after the last event that was read: `--cursor` goes on from there."""
