"""Runner: what every backend can do, and nothing else."""

from collections.abc import Iterator
from typing import Protocol

from contracts.approval import Approval
from contracts.event import EventPage
from contracts.launch import LaunchRequest
from contracts.run import RunRecord


class Runner(Protocol):
    """The process boundary. Every method may be called again without harm."""

    def submit(self, launch: LaunchRequest, approval: Approval, key: str) -> RunRecord:
        """Start a launch once for each key.

        Args:
            launch: What to run.
            approval: A person's sealed decision on exactly this launch.
            key: Idempotency key; the same key with the same launch returns the run that exists.

        Raises:
            NotAllowed: The approval is missing, forged, a rejection, or of other content.
            KeyConflict: The key names a run of another launch.
            RunFolderUnwritable: The run folder cannot be made.
        """
        ...

    def status(self, run_id: str) -> RunRecord:
        """Return what the run folder says now.

        Raises:
            UnknownRun: There is no such run.
        """
        ...

    def runs(self) -> Iterator[RunRecord]:
        """Yield every run, the newest first; folders that are not runs are passed over."""
        ...

    def events(self, run_id: str, cursor: int = 0, limit: int = 1000) -> EventPage:
        """Return up to `limit` events after byte `cursor`.

        Raises:
            UnknownRun: There is no such run.
        """
        ...

    def logs(self, run_id: str, rank: int | None = None, tail_lines: int = 200) -> str:
        """Return the last lines of the newest attempt, each with its rank where `rank` is None.

        Raises:
            UnknownRun: There is no such run.
        """
        ...

    def cancel(self, run_id: str) -> RunRecord:
        """Ask a run to save and stop; a run that has ended is left as it is.

        Raises:
            UnknownRun: There is no such run.
        """
        ...

    def resume(self, run_id: str) -> RunRecord:
        """Start an ended run again from its newest checkpoint, under its first approval.

        Raises:
            UnknownRun: There is no such run.
            NotAllowed: The approval does not cover what is there now.
            WrongState: The run has finished, or still runs.
        """
        ...
