"""Some training steps as allocations, replayed through the model of the caching allocator."""

from dataclasses import dataclass

from engines.sizing.buffers import DEFAULT_STREAM, GATHER_STREAM, REDUCE_STREAM
from engines.sizing.layout import Stage, lay_out, stages
from engines.sizing.pipeline import PipelineStep
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.step import Peak, Step

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


def replay(shape: ModelShape, setup: TrainingSetup, steps: int = STEPS) -> Replay:
    """Replay some steps of a run and return the peaks of its fullest rank."""
    found = [_replay_stage(shape, setup, stage, steps) for stage in stages(shape, setup)]
    return max(found, key=lambda result: result.reserved)


def _replay_stage(shape: ModelShape, setup: TrainingSetup, stage: Stage, steps: int) -> Replay:
    run = (Step if setup.pp == 1 else PipelineStep)(shape, setup, lay_out(shape, setup, stage))
    first = 0
    for index in range(steps):
        run.step()
        if index == 0:
            first = run.allocator.reserved
    names = {"default": DEFAULT_STREAM, "all_gather": GATHER_STREAM, "reduce_scatter": REDUCE_STREAM}
    pools = {name: run.allocator.reserved_by(stream) for name, stream in names.items()}
    return Replay(run.allocator.peak_active, run.allocator.reserved, first, run.peak, pools)
