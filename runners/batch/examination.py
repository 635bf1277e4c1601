"""Preflight of an allocation: every node is examined before the job takes it. Standard library only."""

from typing import Any

from runners.batch.allocation import Allocation
from runners.rundir import RunDir


class BadNodes(Exception):
    """Nodes that are not fit for the job."""

    def __init__(self, nodes: dict[str, str]) -> None:
        """Name them, each with the reason."""
        super().__init__("; ".join(f"{name}: {reason}" for name, reason in nodes.items()))
        self.nodes = nodes


class Examination:
    """The examination of one allocation."""

    def __init__(self, run: RunDir, submission: int, allocation: Allocation, options: dict[str, Any]) -> None:
        """Nothing was examined yet.

        Args:
            run: The run folder.
            submission: The submission that this job is.
            allocation: Its nodes.
            options: The approved Slurm options.
        """
        self._run, self._submission, self._allocation, self._options = run, submission, allocation, options
        self.done = True
        """Whether this allocation needs no (further) examination."""

    def examine(self, number: int, launch: dict[str, Any], marker: str) -> None:
        """Examine every node."""
