"""Jobs over two emulated nodes: the small trainer under torchrun, one rank on each."""

import contextlib
import json
import os
import signal
from pathlib import Path
from typing import Any

from contracts.launch import LaunchRequest, LaunchResources
from contracts.run import RunRecord
from contracts.slurm import SlurmOptions
from runners import SlurmRunner
from runners.batch.submissions import SubmissionDir
from runners.launching import torchrun_arguments
from runners.rundir import RunDir
from tests.job_shop import TRAINER, JobShop, variable
from tests.slurm_cluster import Cluster

PATIENCE_S = 240.0


class TwoNodes:
    """A job shop whose jobs run in Slurm."""

    def __init__(self, shop: JobShop, cluster: Cluster) -> None:
        self.shop, self.cluster = shop, cluster
        self.runner = shop.runner = SlurmRunner(shop.home, stop_grace_s=30.0, kill_after_s=20.0)
        shop.patience_s = PATIENCE_S

    def launch(
        self, steps: int, pause_s: float = 0.05, *, options: dict[str, Any] | None = None, **changes: Any
    ) -> LaunchRequest:
        """The small trainer, one rank on each of two nodes."""
        argv = [*torchrun_arguments(1, nodes=2), str(self.shop.script), str(steps), str(pause_s)]
        facts = {
            "argv": tuple(argv),
            "resources": LaunchResources(nodes=2, ranks_per_node=1, device="cpu"),
            "slurm": SlurmOptions.model_validate({"preflight": False, "interface": "lo"} | (options or {})),
        }
        return self.shop.launch(TRAINER, **facts | changes)

    def start(self, launch: LaunchRequest, key: str = "key") -> RunRecord:
        """Approve and submit."""
        return self.runner.submit(launch, self.shop.approve(launch), key)

    def run_dir(self, run_id: str) -> RunDir:
        """The run folder."""
        return RunDir(self.shop.run_dir(run_id))

    def job_names(self, run_id: str) -> list[str]:
        """Names of the jobs that Slurm has had for a run of this very home."""
        marker = json.loads(self.run_dir(run_id).submission.read_text())["marker"]
        prefix = SubmissionDir(self.run_dir(run_id), 0).name(marker).removesuffix("0")
        return [name for name in self.cluster.jobs() if name.startswith(prefix)]

    def nodes(self, run_id: str) -> list[str]:
        """Names of the nodes that a run has now."""
        job = self.cluster.call("squeue", "-h", "-t", "RUNNING", "-o", "%j %N").split()
        found = [job[at + 1] for at in range(0, len(job) - 1, 2) if run_id in job[at]]
        return self.cluster.call("scontrol", "show", "hostnames", found[0]).split() if found else []

    def kill(self, run_id: str, *needles: str, without: str = "\0") -> list[int]:
        """Kill the processes of a run whose command line has all of these words."""
        folder = str(self.shop.run_dir(run_id))
        pids = [
            pid
            for pid, command in self.shop.processes().items()
            if all(needle in command for needle in needles)
            and without not in command
            and (folder in command or variable(pid, "FSDP_RUN_DIR") == folder)
        ]
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):  # a child may go with its parent
                os.kill(pid, signal.SIGKILL)
        return pids

    def steps(self, run_id: str) -> list[int]:
        """Steps that were reported, in order."""
        return [event.step or 0 for event in self.runner.events(run_id, limit=10_000).events if event.kind == "step"]

    def output(self, run_id: str, submission: int = 1) -> str:
        """What the batch steps of a submission said."""
        folder = Path(self.shop.run_dir(run_id)) / "slurm" / f"{submission:04d}"
        return "".join(path.read_text() for path in sorted(folder.glob("job-*.out")))
