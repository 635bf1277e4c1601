"""SlurmOptions: what a job asks of Slurm, and what it may do there without asking again."""

from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from contracts.base import Contract

Word = Annotated[str, Field(pattern=r"^[^\s'\"\\`$;\x00-\x1f\x7f]{1,200}$")]
"""A value on an #SBATCH line: one word, without quotes, dollar signs and semicolons."""

ModuleName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_./+@-]{0,199}$")]
"""An environment module such as "cuda/12.4"."""

_OURS = frozenset(
    {"array", "chdir", "clusters", "dependency", "error", "export", "get-user-env", "job-name", "no-requeue", "nodes"}
    | {"ntasks", "ntasks-per-node", "open-mode", "output", "requeue", "signal", "wait", "wrap"}
    | {"account", "constraint", "exclude", "gres", "mem", "partition", "qos", "reservation", "time"}
)
"""Options that have a field of their own, or on which it rests that a job is found and can save."""


def _not_ours(option: str) -> str:
    name = option.removeprefix("--").partition("=")[0]
    if name in _OURS:
        raise ValueError(f"--{name} is set by the runner, or has a field of its own")
    return option


SbatchOption = Annotated[
    str, Field(pattern=r"^--[a-z][a-z-]*(=[^\s'\"\\`$;\x00-\x1f\x7f]+)?$"), AfterValidator(_not_ours)
]
"""An option of sbatch such as "--licenses=scratch"."""


class SlurmOptions(Contract):
    """Where a launch has these, it runs as a Slurm job. What is None is left to the site."""

    partition: Word | None = None
    """Partition (`--partition`), or several with commas between."""
    account: Word | None = None
    """Account that is charged (`--account`)."""
    qos: Word | None = None
    """Quality of service (`--qos`)."""
    constraint: Word | None = None
    """Features that the nodes must have (`--constraint`), such as "h100&ib"."""
    reservation: Word | None = None
    """Reservation (`--reservation`)."""
    exclude: tuple[Word, ...] = ()
    """Nodes that are not used, by name or range (`--exclude`)."""
    gpu_type: Word | None = None
    """Type of the GPUs as the site calls it (`--gres=gpu:TYPE:N`)."""
    memory_gib_per_node: float | None = Field(default=None, gt=0)
    """Host memory of each node in GiB (`--mem`)."""
    time_limit_minutes: int | None = Field(default=None, ge=1)
    """Time limit of each job in minutes (`--time`)."""
    sbatch_options: tuple[SbatchOption, ...] = ()
    """Further options of sbatch, each `--name` or `--name=value`."""
    modules: tuple[ModuleName, ...] = ()
    """Environment modules that are loaded before the job starts; it sees what they set."""
    container_image: Word | None = None
    """Container in which the ranks run (`srun --container-image`, of the pyxis plugin). The
    interpreter is then looked for in it."""
    container_mounts: tuple[Word, ...] = ()
    """Further folders that the container sees, as pyxis writes them (`SRC:DST`)."""
    interface: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:@-]{0,63}$")] | None = None
    """Network interface of ranks and rendezvous, such as "ib0": it sets NCCL_SOCKET_IFNAME and
    GLOO_SOCKET_IFNAME. Where None, the libraries choose, and ranks meet at the address by which
    Slurm knows the first node."""
    save_before_s: int = Field(default=120, ge=10, le=3600)
    """Seconds before the time limit, or after the notice of a preemption, that a job needs to
    save and stop (`--signal=B:USR1@N`)."""
    max_continuations: int = Field(default=20, ge=0, le=1000)
    """Jobs that may follow the first one, each where the time limit ended the one before."""
    max_requeues: int = Field(default=100, ge=0, le=10_000)
    """How often one job may go back into the queue, by a preemption or for a bad node."""
    preflight: bool = True
    """Whether the nodes are examined before each first start in a new allocation."""
    max_excluded_nodes: int = Field(default=1, ge=0, le=1000)
    """Nodes that may be left out because they cannot start ranks or failed the preflight: the
    job then goes back into the queue without them. 0: it ends, and the node is named."""

    @model_validator(mode="after")
    def _time_to_train(self) -> Self:
        """Refuse a limit within which the job would be told to save before it has begun."""
        if self.time_limit_minutes is not None and self.time_limit_minutes * 60 <= self.save_before_s:
            limit_s = self.time_limit_minutes * 60
            raise ValueError(
                f"time_limit_minutes {self.time_limit_minutes} is {limit_s} s, and save_before_s {self.save_before_s} "
                f"asks to save {self.save_before_s} s before its end: {limit_s} - {self.save_before_s} = "
                f"{limit_s - self.save_before_s} s are left to train; give more time, or a smaller save_before_s"
            )
        return self

    @property
    def words(self) -> str:
        """Every field that says something, as `name=value`, for a person who approves it."""
        said = self.model_dump(mode="json")
        shown = {name: value for name, value in said.items() if value not in (None, [])}
        return ", ".join(f"{name}={' '.join(map(str, v)) if isinstance(v, list) else v}" for name, v in shown.items())
