"""What planning returns: the JSON object of `plan`."""

from typing import Literal, Self

from contracts.amendment import Amendment
from contracts.base import Contract
from contracts.launch import LaunchRequest
from contracts.plan import Alternative, Bill, Decision, Plan, Throughput
from contracts.recipe import Recipe
from contracts.scale import Scale
from interfaces.results_sizing import Memory


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

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """Return a plan in the form of the command line."""
        fields = {name: getattr(plan, name) for name in cls.model_fields if name not in ("memory", "config")}
        return cls(**fields, memory=Memory.of(plan.memory) if plan.memory else None, config=plan.recipe)
