"""A pipeline rank's steps: several micro-batches in flight, one reduction at the end.

Torch's schedules gather each FSDP group once for all micro-batches where it is not
resharded, and let the gradients of all but the last wait unsharded in the reduce dtype.
"""

from collections.abc import Iterator

from contracts.errors import RequestInvalid
from engines.sizing.allocator import Block
from engines.sizing.away import Slots
from engines.sizing.step import Step

MOST_IN_FLIGHT = 512
"""Micro-batches that a gpipe schedule may hold at once; it bounds the work of an estimate."""

Action = tuple[bool, int, int]
"""(forward or backward, stage of the rank, micro-batch)."""


class PipelineStep(Step):
    """The steps of the first or the last rank of a pipeline."""

    def micro_steps(self) -> None:
        """Run forwards and backwards in the order of the schedule."""
        setup, chunks = self.setup, len(self.layouts)
        flying: dict[tuple[int, int], tuple[list[Slots], Block]] = {}
        actions = list(self._actions())
        last = {chunk: index for index, (forward, chunk, _) in enumerate(actions) if not forward}
        for index, (forward, chunk, batch) in enumerate(actions):
            self.layout = self.layouts[chunk]
            if forward:
                flying[chunk, batch] = self.forward()
                continue
            lives, result = flying.pop((chunk, batch))
            grad, root_grads = self._output_gradient(result)
            self.backward(lives, grad, root_grads, reduce=index == last[chunk])
        assert not flying, f"{setup.pp_schedule} with {chunks} stages left work behind"

    def _actions(self) -> Iterator[Action]:
        """Yield the rank's actions; micro-batches that repeat the steady state are left out."""
        setup = self.setup
        is_last = self.layouts[-1].head is not None
        if setup.pp_schedule == "interleaved_1f1b":
            rounds = min(2, -(-setup.grad_accum // setup.pp))
            yield from _interleaved(setup.pp, len(self.layouts), rounds, setup.pp - 1 if is_last else 0)
            return
        if setup.pp_schedule == "gpipe":
            batches = ahead = setup.grad_accum
            if batches > MOST_IN_FLIGHT:
                raise RequestInvalid(f"gpipe holds all {batches} micro-batches at once; at most {MOST_IN_FLIGHT}")
        else:
            batches = min(setup.grad_accum, setup.pp + 2)
            ahead = 1 if is_last else min(batches, setup.pp)
        yield from _one_stage(batches, ahead)

    def _output_gradient(self, result: Block) -> tuple[Block, list[Block]]:
        """Compute the gradient of the stage's result, or receive it from the next stage."""
        if self.layout.head is not None:
            return self.head(result)
        received = self.allocator.malloc(result.size)
        self.allocator.release(result)
        return received, []


def _one_stage(batches: int, ahead: int) -> Iterator[Action]:
    """Yield so many forwards ahead, then one backward for each forward."""
    started = 0
    for done in range(batches):
        while started < batches and started - done < ahead:
            yield True, 0, started
            started += 1
        yield False, 0, done


def _interleaved(pp: int, chunks: int, rounds: int, rank: int) -> Iterator[Action]:
    """Yield a rank's actions in rounds of `pp` micro-batches, which pass its first stage, then its second, ...

    torch/distributed/pipelining/schedules.py (ScheduleInterleaved1F1B): a rank runs
    (chunks - 1) pp + 2 (pp - 1 - rank) forwards before its first backward.
    """
    total = rounds * pp * chunks
    ahead = min(total, (chunks - 1) * pp + 2 * (pp - 1 - rank))

    def place(index: int) -> tuple[int, int]:
        return index // pp % chunks, index // (pp * chunks) * pp + index % pp

    for index in range(ahead):
        yield (True, *place(index))
    for index in range(total):
        if ahead + index < total:
            yield (True, *place(ahead + index))
        chunk, batch = place(index)
        yield False, chunks - 1 - chunk, batch
