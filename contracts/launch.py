"""LaunchRequest: exactly what will run, and the hash that a person approves."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.canonical import content_hash
from contracts.slurm import SlurmOptions

JobKind = Literal["train", "script", "dryrun", "probe", "preflight", "export", "trials"]
"""What kind of work the process tree does; trials: several short trainings, one after the other."""

InputRole = Literal[
    "interpreter", "script", "patched", "support", "config", "data_manifest", "data", "model", "checkpoint"
]
"""What a file is to the job; support: a module of ours that a user's script may import; patched: a
copy of a user's script in which a fault was mended, which runs in its place."""


class InputDigest(Contract):
    """A file whose bytes are part of what is approved."""

    role: InputRole
    """What the file is to the job."""
    path: str
    """Absolute path."""
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    """SHA-256 of its bytes."""
    size_bytes: int = Field(ge=0)
    """Its size in bytes."""


class LaunchResources(Contract):
    """What the job takes of the machine."""

    nodes: int = Field(ge=1)
    """Machines."""
    ranks_per_node: int = Field(ge=1)
    """Processes on each."""
    device: Literal["cpu", "cuda"]
    """Device type of the ranks."""
    cores_per_node: int | None = Field(default=None, ge=0)
    """Cores that it takes of each machine, or all where there are fewer; one for each rank
    where None. Runs that together take more than there is wait for each other."""
    gpus_per_node: int | None = Field(default=None, ge=0)
    """GPUs that it takes of each machine; one for each rank of a `cuda` job where None. The
    runner chooses free ones and names them in CUDA_VISIBLE_DEVICES."""


class RestartPolicy(Contract):
    """When a start that failed is followed by another under the same approval.

    What cannot succeed is never restarted, whatever the budget: wrong arguments (exit
    status 2), an error that comes again at the same step, an approval that no longer holds.
    """

    max_restarts: int = Field(default=0, ge=0, le=100)
    """Restarts after the start that a person asked for; 0: a person, or the agent after
    its diagnosis, resumes the run."""
    give_up_after_s: float | None = Field(default=None, gt=0)
    """Seconds after the first start from which on nothing is restarted; None: no limit."""
    backoff_s: float = Field(default=10.0, ge=0)
    """Seconds before the first restart; each further one waits twice as long."""
    backoff_limit_s: float = Field(default=600.0, ge=0)
    """Longest wait before a restart, in seconds."""


class WatchLimits(Contract):
    """How long a rank may give no sign of life before the job counts as hung.

    Each but that of boot is a floor: a phase is given `factor` times the longest that was
    seen of it, where that is more, and one that was not seen yet the boot limit at least.
    """

    boot_s: float = Field(default=1800.0, gt=0)
    """Seconds to the first step: processes, model, rendezvous, compilation."""
    step_s: float = Field(default=600.0, gt=0)
    """Seconds between two heartbeats in training."""
    checkpoint_s: float = Field(default=3600.0, gt=0)
    """Seconds for a checkpoint or an export."""
    eval_s: float = Field(default=1800.0, gt=0)
    """Seconds between two heartbeats in an evaluation."""
    factor: float = Field(default=10.0, ge=1)
    """How many times the longest seen is still no hang."""
    log_s: float | None = Field(default=None, gt=0)
    """Seconds without growth of any log, for jobs that write no heartbeat; None: such
    jobs are not watched."""


class ResourceLimits(Contract):
    """What a job may not exceed. Nothing is limited where a field is None."""

    memory_gib: float | None = Field(default=None, gt=0)
    """Private memory of each process in GiB (RLIMIT_DATA): an allocation beyond it fails.
    The address space (RLIMIT_AS) is not limited, for CUDA reserves far more than it uses."""
    file_gib: float | None = Field(default=None, gt=0)
    """Largest file that a process may write, in GiB (RLIMIT_FSIZE); a log is such a file."""
    processes: int | None = Field(default=None, ge=1)
    """Processes of the whole job, launcher included: looked at every second, and ended beyond
    it. RLIMIT_NPROC counts all processes of the user, and root's not at all."""
    log_gib: float = Field(default=0.25, gt=0)
    """Size from which a log loses its middle: its first and last quarters of this are kept,
    in GiB. The job neither waits nor fails."""


class InnerLaunch(Contract):
    """One of the launches that a job makes itself, so that an approval lists them all."""

    label: str
    """Its name within the job."""
    argv: tuple[str, ...] = Field(min_length=1)
    """Arguments after the same interpreter, with the place holders of the job's own."""
    settings: dict[str, str | int | float | bool]
    """What it does, in the recipe's words."""


class LaunchRequest(Contract):
    """A launch that can be read before it runs. Nothing in it is secret."""

    kind: JobKind
    """What kind of work it is."""
    interpreter: str
    """Absolute path of the training environment's Python."""
    argv: tuple[str, ...] = Field(min_length=1)
    """Arguments after the interpreter; no shell reads them. Place holders are filled in at each
    start: `{run_dir}` and `{attempt_dir}`; in a Slurm job also `{first_node}` and `{port}`, where
    the ranks meet, and on each node `{node_rank}`."""
    workdir: str
    """Absolute working folder."""
    env: dict[str, str] = {}
    """Variables that are set, with their values; the place holders of `argv` are filled in."""
    env_passed: tuple[str, ...] = ()
    """Names of variables that pass from the runner's environment; never their values."""
    launches: tuple[InnerLaunch, ...] = ()
    """What the job starts in turn, one at a time, where it is more than one thing (kind `trials`)."""
    resources: LaunchResources
    """What it takes of the machine."""
    writes: tuple[str, ...]
    """Folders that the job writes; `{run_dir}` among them."""
    inputs: tuple[InputDigest, ...]
    """Every file whose content is approved with the launch."""
    importable: dict[str, tuple[str, ...]] = {}
    """Modules and packages that lay, when this was written, in each folder from which a script imports
    before it does from what is installed; where one more lies there, the job does not start."""
    restart: RestartPolicy = RestartPolicy()
    """When it is started again after a failure."""
    watch: WatchLimits = WatchLimits()
    """When it counts as hung."""
    limits: ResourceLimits = ResourceLimits()
    """What it may not exceed."""
    slurm: SlurmOptions | None = None
    """What it asks of Slurm, in which it then runs; None: it runs on this machine."""
    estimated_peak_gib: float | None = None
    """Predicted peak device memory per rank, in GiB."""
    estimated_minutes: float | None = None
    """Predicted duration in minutes; None where it was not predicted."""

    @property
    def launch_hash(self) -> str:
        """SHA-256 of the canonical JSON form, 64 hex digits."""
        return content_hash(self.model_dump(mode="json"))
