"""Some training steps as allocations, replayed through the model of the caching allocator."""

from dataclasses import dataclass

from engines.sizing.buffers import DEFAULT_STREAM, GATHER_STREAM, REDUCE_STREAM
from engines.sizing.layout import Stage, lay_out, stages_by_rank
from engines.sizing.peak import Peak
from engines.sizing.pipeline import PipelineStep
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.step import Step

STEPS = 2
"""Steps that are replayed: the first creates optimizer state, the second meets the pools
that the first left; from the third on nothing grows any more (there is a test)."""


@dataclass(frozen=True)
class Replay:
    """What the replay found, in bytes."""

    active: int
    """Peak of the allocated bytes."""
    reserved: int
    """Peak of the reserved bytes."""
    first_step: int
    """Reserved bytes at the end of the first step."""
    peak: Peak
    """Where the allocated bytes peak."""
    pools: dict[str, int]
    """Reserved bytes by stream."""
    host: int = 0
    """Peak of what is offloaded to host memory."""


def replay(shape: ModelShape, setup: TrainingSetup, steps: int = STEPS, limit: int | None = None) -> Replay:
    """Replay some steps of a run and return the peaks of its fullest rank.

    Args:
        shape: The model.
        setup: How it is trained.
        steps: Optimizer steps.
        limit: Bytes that the device can give to the allocator, which gives cached memory back
            before it asks for more; None, or more is needed even so: without limit.
    """
    found = [_replay_rank(shape, setup, rank, steps, limit) for rank in stages_by_rank(shape, setup)]
    fullest = max(found, key=lambda result: result.reserved)
    if limit is not None and fullest.reserved > limit:
        return replay(shape, setup, steps)
    return fullest


def _replay_rank(
    shape: ModelShape, setup: TrainingSetup, rank: tuple[Stage, ...], steps: int, limit: int | None
) -> Replay:
    layout, *more = (lay_out(shape, setup, stage) for stage in rank)
    run = (Step if setup.pp == 1 else PipelineStep)(shape, setup, layout, limit, more=more)
    first = 0
    for index in range(steps):
        run.step()
        if index == 0:
            first = run.allocator.peak_reserved
    names = {"default": DEFAULT_STREAM, "all_gather": GATHER_STREAM, "reduce_scatter": REDUCE_STREAM}
    pools = {name: run.allocator.reserved_by(stream) for name, stream in names.items()}
    return Replay(run.allocator.peak_active, run.allocator.peak_reserved, first, run.peak, pools, run.host)
