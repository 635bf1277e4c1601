"""What planning returns: the JSON object of `plan`."""

from typing import Literal, Self

from contracts.amendment import Amendment
from contracts.base import Contract
from contracts.launch import LaunchRequest
from contracts.plan import Alternative, Bill, Decision, Plan, Throughput
from contracts.recipe import Recipe
from contracts.scale import Scale
from contracts.whatif import WhatIf
from interfaces.results_dryrun import DryRunAnswer
from interfaces.results_sizing import CalibrationUsed, Memory


class PlanCalibrated(Contract):
    """A plan in the light of what was measured; `fits` of the plan goes by it."""

    file: str
    """File of the measurements."""
    reserved_gib: float | None
    """Predicted peak times the mean of measured / predicted; null: no measured run is of this kind."""
    tokens_per_s_per_gpu: float | None
    """Predicted speed likewise; null: none was measured, or none predicted."""
    used: tuple[CalibrationUsed, ...]
    """The measured peaks of runs of the same kind, each with its source."""


class PlanAnswer(Contract):
    """A plan in the form of the command line."""

    plan_id: str
    """Id of the plan."""
    verdict: Literal["use_fsdp", "not_needed", "does_not_fit", "needs_more_than_fsdp"]
    """Whether it can be done this way."""
    fits: bool | None
    """Whether the prediction fits the device; null where its memory is not known."""
    memory: Memory | None
    """Predicted peak memory of one rank; null for a script of the user's own whose model is not named."""
    throughput: Throughput | None
    """Predicted speed; null where it was not predicted."""
    config: Recipe
    """The settings, resolved."""
    world_size: int
    """Ranks in all."""
    decisions: tuple[Decision, ...]
    """Every choice with its reason."""
    alternatives: tuple[str, ...]
    """Other configurations that were considered."""
    ranked: tuple[Alternative, ...]
    """The same with their numbers: those of the built-in recipe first, the fastest first."""
    bill: Bill | None
    """Time and cost; null where the tokens or the speed are not known."""
    scale: Scale | None
    """Mesh, expected scaling, checkpoints and failures; null on one machine, or where the GPU is not known."""
    artifacts: tuple[str, ...]
    """Absolute paths of the files that were written for this plan."""
    launch: LaunchRequest | None
    """What would be started; null where there is nothing to run."""
    assumptions: tuple[str, ...]
    """What was assumed."""
    warnings: tuple[str, ...]
    """What is unusual but allowed."""
    amendment: Amendment | None
    """What was changed after a run that failed, and why; null where this is the first launch."""
    varied: WhatIf | None = None
    """A prediction for each value of the setting that was varied."""
    dry_run: DryRunAnswer | None = None
    """The chosen configuration in a dry run, beside the prediction."""
    calibrated: PlanCalibrated | None = None
    """The plan in the light of measurements, where a file of them was named."""

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """Return a plan in the form of the command line."""
        fields = {
            name: getattr(plan, name) for name in Plan.model_fields if name in cls.model_fields and name != "memory"
        }
        return cls(**fields, memory=Memory.of(plan.memory) if plan.memory else None, config=plan.recipe)
