"""Request: what a person or another agent asks for."""

from typing import Literal, Self

from pydantic import Field, model_validator

from contracts.aim import Aim
from contracts.base import Contract
from contracts.launch import ResourceLimits, RestartPolicy, WatchLimits
from contracts.recipe import Recipe
from contracts.slurm import SlurmOptions
from contracts.trials import MOST_TRIALS

Intent = Literal["plan", "diagnose", "review", "ask", "run", "none"]
"""What the caller wants back; `none` is nothing that this specialist does."""

Language = Literal["en", "da"]
"""Language in which the answer is written."""


PlannedOptimizer = Literal["adamw", "adamw_8bit", "adafactor", "muon", "sgd", "sgd_momentum"]
"""Optimizers whose state the memory model knows."""


class ModelRef(Contract):
    """Which model is trained: a folder, or a shape that is known by name."""

    path: str | None = None
    """Hugging Face folder: config.json, *.safetensors and tokenizer files."""
    name: str | None = None
    """A named shape of `knowledge/models`, or free text such as "Llama-3-8B"."""
    params_b: float | None = Field(default=None, gt=0)
    """Parameters in billions (1e9), where nothing better is known."""


class DataRef(Contract):
    """Where the examples are."""

    train: str
    """JSONL file: `{"prompt", "response"}` or `{"text"}` on each line."""
    eval: str | None = None
    """JSONL file of held-out examples."""


class Hardware(Contract):
    """What the job runs on."""

    nodes: int = Field(default=1, ge=1)
    """Machines."""
    gpus: int | None = Field(default=None, ge=0)
    """GPUs in all, over all nodes; unknown where absent."""
    ranks: int | None = Field(default=None, ge=1)
    """Processes in all (world size); one for each GPU where absent."""
    cores: int | None = Field(default=None, ge=1)
    """Cores that a job takes of this machine: others wait for them. Where absent one for each
    rank, on CPU ranks all."""
    device: Literal["cpu", "cuda"] = "cuda"
    """Device type of the ranks."""
    gpu_type: str | None = None
    """A name of `knowledge/hardware`, such as "H100"."""
    gpu_mem_gb: float | None = Field(default=None, gt=0)
    """Memory of one GPU as the vendor states it, in GB (1e9 bytes)."""
    network: str | None = None
    """Link between machines: a name of `knowledge/links` such as "RoCE 400", or what one machine
    has in all, as "800 Gb/s"."""


class UserScript(Contract):
    """The user's own training script, for a review or a `script` job."""

    path: str | None = None
    """Python file."""
    module: str | None = Field(default=None, pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$")
    """Module in place of a file, such as "torchtitan.train"; needs `workdir`."""
    args: tuple[str, ...] = ()
    """Arguments, as a list; no shell reads them."""
    launcher: Literal["torchrun", "accelerate", "direct"] = "torchrun"
    """torchrun, accelerate: starts the ranks; direct: the interpreter runs it as it is, and
    it starts ranks itself where it wants some."""
    launcher_args: tuple[str, ...] = ()
    """Options of the launcher (direct: of the interpreter), as a list."""
    inputs: tuple[str, ...] = ()
    """Further files whose content is approved with it, such as data; files that arguments
    name are, up to 64 MiB each."""
    workdir: str | None = None
    """Working folder; that of the file where absent."""
    first_step_check: bool = False
    """Look once, at the first optimizer step, whether everything is sharded and the optimizer holds it."""

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.path is None) == (self.module is None):
            raise ValueError("give path, a Python file, or module, not both")
        words = (self.path, self.workdir, *self.args, *self.launcher_args, *self.inputs)
        if any("\0" in word for word in words if word):
            raise ValueError("a NUL character cannot be a part of an argument or a path")
        if self.first_step_check and self.path is None:
            raise ValueError("first_step_check runs a script by its path; in a module write: import fsdp_first_step")
        return self


class Request(Contract):
    """A structured request; a request file holds exactly these keys."""

    intent: Intent | None = None
    """What is wanted; read from `text` where absent."""
    text: str = Field(default="", max_length=200_000)
    """Free text, in English or Danish."""
    language: Language | None = None
    """Language of the answer; that of `text` where absent."""
    method: Literal["full", "lora", "qlora"] | None = None
    """Which weights are trained; only `full` can be run by the built-in recipe."""
    optimizer: PlannedOptimizer | None = None
    """Optimizer that is planned for; AdamW where absent, the only one that the built-in recipe trains with."""
    model: ModelRef | None = None
    """The model."""
    data: DataRef | None = None
    """The data; needed for a run."""
    hardware: Hardware = Hardware()
    """The machines."""
    recipe: Recipe = Recipe()
    """The training settings."""
    aim: Aim = Aim()
    """What a plan is chosen by."""
    study: bool | None = None
    """Take the question apart, estimate the configurations that it weighs, and conclude; where None,
    a question that weighs two or more is a study."""
    dry_runs: bool = True
    """Whether a study may run what is close, or what it would take, dry: steps without memory, a minute or two each."""
    trials: int = Field(default=0, ge=0, le=MOST_TRIALS)
    """How many of the plan's configurations are run for a few steps each, to measure them; 0: none."""
    store_calibration: bool = False
    """Keep what trials measured, for later predictions of such runs."""
    script: UserScript | None = None
    """The user's own script, where there is one."""
    paths: tuple[str, ...] = ()
    """Files and folders to review or to diagnose."""
    interpreter: str | None = None
    """Python of the training environment; the agent's own where absent."""
    torch: str | None = None
    """Version of torch that the question is about, such as "2.6"."""
    env_passed: tuple[str, ...] = ()
    """Names of environment variables that the job may see; never their values."""
    restart: RestartPolicy | None = None
    """When a job that failed is started again; that of its kind where absent."""
    limits: ResourceLimits | None = None
    """What a process of the job may not exceed; nothing is limited where absent."""
    watch: WatchLimits | None = None
    """When a job counts as hung; what its model and predicted speed allow where absent."""
    slurm: SlurmOptions | None = None
    """Run it as a Slurm job, with these options (`slurm: {}` leaves all to the site); on this
    machine where absent."""
