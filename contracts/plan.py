"""Plan: a configuration with its reasons, its predicted cost and its launch."""

from typing import Literal

from contracts.amendment import Amendment
from contracts.base import Contract
from contracts.launch import LaunchRequest
from contracts.memory import MemoryEstimate
from contracts.recipe import Recipe
from contracts.scale import Scale


class Decision(Contract):
    """One choice of the plan and why it was made."""

    choice: str
    """Setting and value, such as "reshard_after_forward=True"."""
    because: str
    """The reason, with numbers where there are any."""
    cards: tuple[str, ...] = ()
    """Slugs of the knowledge cards that it rests on."""


class Throughput(Contract):
    """Predicted speed."""

    tokens_per_s_per_gpu: float
    """Tokens per second and GPU."""
    mfu_pct: float
    """Model FLOPs utilisation in percent."""
    bound_by: str
    """What limits it: compute, communication or memory."""
    error_pct: float
    """Stated error, plus or minus, in percent."""
    step_s: float | None = None
    """Seconds of one optimizer step."""
    breakdown_s: dict[str, float] = {}
    """Seconds of a step by part; collectives overlap with compute, `exposed` is what the GPU waits."""
    assumptions: tuple[str, ...] = ()
    """What was assumed."""


class Alternative(Contract):
    """A configuration that was considered, with what it gives up."""

    settings: dict[str, str | int | float | bool]
    """Settings in which it differs from the chosen configuration."""
    reserved_gib: float
    """Predicted peak of the reserved memory of one rank, in GiB."""
    fits: bool
    """Whether it fits with the margin that was asked for."""
    tokens_per_s_per_gpu: float
    """Predicted speed."""
    gives_up: tuple[str, ...]
    """What it costs beside the chosen configuration, and what it wins."""
    built_in: bool
    """Whether the built-in recipe trains it; otherwise a script of your own has to."""
    cards: tuple[str, ...] = ()
    """Slugs of the knowledge cards that it rests on."""


class Bill(Contract):
    """What training takes in time and money, at the predicted speed."""

    tokens: int
    """Tokens trained on in all."""
    hours: float
    """Hours of wall time, without loading, checkpoints and evaluation."""
    gpu_hours: float
    """The same times the GPUs."""
    cost: float | None = None
    """GPU hours times the stated price; None where no price was stated."""
    arithmetic: str
    """How it was worked out."""


class Plan(Contract):
    """What to run, on what, and what it will take."""

    plan_id: str
    """First 12 hex digits of the hash of the plan's inputs."""
    verdict: Literal["use_fsdp", "not_needed", "does_not_fit", "needs_more_than_fsdp"]
    """Whether it can be done this way."""
    fits: bool | None
    """Whether the prediction fits the device; None where its memory is not known."""
    memory: MemoryEstimate | None
    """Predicted peak memory per rank; None for a script of the user's own whose model is not named."""
    throughput: Throughput | None = None
    """Predicted speed; None where it was not predicted."""
    recipe: Recipe
    """The settings, resolved; a script of the user's own has its own and reads none of these."""
    world_size: int
    """Ranks in all."""
    decisions: tuple[Decision, ...]
    """Every choice with its reason."""
    alternatives: tuple[str, ...] = ()
    """Other configurations that were considered, with what each gives up."""
    ranked: tuple[Alternative, ...] = ()
    """The same with their numbers: those of the built-in recipe first, the fastest first."""
    bill: Bill | None = None
    """Time and cost; None where the tokens or the speed are not known."""
    scale: Scale | None = None
    """Mesh, expected scaling, checkpoints and failures; None on one machine, or where the GPU is not known."""
    artifacts: tuple[str, ...] = ()
    """Absolute paths of the files that were written for this plan."""
    launch: LaunchRequest | None = None
    """What would be started; None where there is nothing to run."""
    assumptions: tuple[str, ...] = ()
    """What was assumed."""
    warnings: tuple[str, ...] = ()
    """What is unusual but allowed, such as more ranks than cores."""
    amendment: Amendment | None = None
    """What was changed after a run that failed, and why; None where this is the first launch."""
