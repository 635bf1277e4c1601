"""RunDir: every file that a run may have, and for each the one that writes it.

Standard library only: client and supervisor share it. The training job knows the few
names that concern it by its environment (FSDP_RUN_DIR).
"""

import re
from pathlib import Path

RUN_ID = re.compile(r"r-[0-9a-f]{12}")
"""Form of a run id, which is also the name of its folder."""

DRAFT_PREFIX = ".new-"
"""How a run folder is called until it is complete and renamed."""

WRITERS: dict[str, str] = {
    "spec.json": "client, once, before the folder has its name",
    "approval.json": "client, once, before the folder has its name",
    "submission.json": "client, once, before the folder has its name",
    "lock": "nobody; the supervisor holds it locked while it lives",
    "journal.jsonl": "supervisor",
    "state.json": "supervisor",
    "supervisor.log": "supervisor",
    "queue.json": "supervisor, while the run waits for room",
    "cmd/stop": "client; the supervisor itself when it is told to end; removed by the supervisor",
    "attempts/NNNN/launch.json": "supervisor",
    "attempts/NNNN/torchrun.pid": "shim",
    "attempts/NNNN/rc": "shim",
    "attempts/NNNN/torchrun.log": "launcher (torchrun), through the shim's output",
    "attempts/NNNN/log/": "launcher: one folder for each rank",
    "attempts/NNNN/diag/": "supervisor: evidence of a hang",
    "attempts/NNNN/diag/stack-<rank>.txt": "rank <rank>: its Python stacks, when the supervisor asks for them",
    "attempts/NNNN/diag/flight_rank_<rank>": "rank <rank>: its flight recorder, likewise",
    "attempts/NNNN/result.json": "supervisor: the attempt's result, moved here by the next start",
    "slurm/lock": "nobody; held while a submission is made",
    "slurm/excluded.json": "supervisor in a Slurm job: nodes that were left out",
    "slurm/NNNN/intent.json": "whoever hands the submission to Slurm: client, or supervisor for a further job",
    "slurm/NNNN/job.sbatch": "likewise",
    "slurm/NNNN/job.json": "whoever learns of the job first: the same, or the job itself; never changes",
    "slurm/NNNN/end.json": "client: what Slurm said of the job's end; never changes",
    "slurm/NNNN/job-<id>.out": "the job's batch step, through Slurm",
    "slurm/NNNN/preflight-<id>-<n>/": "supervisor, and the nodes that it examines",
    "hb/<rank>.json": "rank <rank>; removed by the supervisor before a start",
    "events.jsonl": "rank 0",
    "ckpt/": "all ranks",
    "export/": "rank 0",
    "result.json": "rank 0; moved away by the supervisor before a start",
}
"""Name below the run folder -> its one writer."""


class AttemptDir:
    """Files of one start of the job."""

    def __init__(self, path: Path) -> None:
        """Name the folder; nothing is created."""
        self.path = path

    @property
    def launch(self) -> Path:
        """What was started, place holders filled in."""
        return self.path / "launch.json"

    @property
    def launcher(self) -> Path:
        """Identity of the launcher."""
        return self.path / "torchrun.pid"

    @property
    def exit(self) -> Path:
        """Exit status of the launcher."""
        return self.path / "rc"

    @property
    def launcher_log(self) -> Path:
        """Output of the launcher, and of a job that has no logs for its ranks."""
        return self.path / "torchrun.log"

    @property
    def rank_logs(self) -> Path:
        """Folder into which the launcher puts the output of each rank."""
        return self.path / "log"

    @property
    def diagnosis(self) -> Path:
        """Folder of the evidence that was taken of a hang."""
        return self.path / "diag"

    @property
    def old_result(self) -> Path:
        """The job's word on this start, once a later one has begun."""
        return self.path / "result.json"


class RunDir:
    """Files of one run. Paths are named, nothing is created; `WRITERS` says whose each is."""

    def __init__(self, path: str | Path) -> None:
        """Name the folder."""
        self.path = Path(path)

    @property
    def run_id(self) -> str:
        """Id of the run: the folder's name."""
        return self.path.name

    @property
    def spec(self) -> Path:
        """The LaunchRequest in canonical JSON; never changes."""
        return self.path / "spec.json"

    @property
    def approval(self) -> Path:
        """The Approval under which it may start; never changes."""
        return self.path / "approval.json"

    @property
    def submission(self) -> Path:
        """Key, launch hash, kind, time, planned steps, and the marker of its processes."""
        return self.path / "submission.json"

    @property
    def lock(self) -> Path:
        """Locked by the living supervisor."""
        return self.path / "lock"

    @property
    def journal(self) -> Path:
        """What was done, in order, fsynced: the truth."""
        return self.path / "journal.jsonl"

    @property
    def state(self) -> Path:
        """What the journal amounts to, for other programs; never read here."""
        return self.path / "state.json"

    @property
    def queue(self) -> Path:
        """What the run waits for, while it is queued."""
        return self.path / "queue.json"

    @property
    def supervisor_log(self) -> Path:
        """What went wrong in the supervisor."""
        return self.path / "supervisor.log"

    @property
    def commands(self) -> Path:
        """Folder of what the job is asked to do."""
        return self.path / "cmd"

    @property
    def stop(self) -> Path:
        """There when the run is asked to save and stop."""
        return self.commands / "stop"

    @property
    def attempts(self) -> Path:
        """Folder of all starts."""
        return self.path / "attempts"

    @property
    def heartbeats(self) -> Path:
        """Folder of heartbeats, one file for each rank."""
        return self.path / "hb"

    @property
    def events(self) -> Path:
        """Progress, one JSON object on each line."""
        return self.path / "events.jsonl"

    @property
    def checkpoints(self) -> Path:
        """Folder of step folders."""
        return self.path / "ckpt"

    @property
    def result(self) -> Path:
        """The job's own word on its end."""
        return self.path / "result.json"

    def attempt(self, number: int) -> AttemptDir:
        """Return the files of start `number`, counted from 1."""
        return AttemptDir(self.attempts / f"{number:04d}")
