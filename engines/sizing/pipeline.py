"""A pipeline rank's steps: several micro-batches in flight, one reduction at the end.

Torch's schedules gather each FSDP group once for all micro-batches where it is not
resharded, and let the gradients of all but the last wait unsharded in the reduce dtype.
"""

from engines.sizing.allocator import Block
from engines.sizing.away import Slots
from engines.sizing.step import Step


class PipelineStep(Step):
    """The 1F1B schedule of the first or the last stage."""

    def micro_steps(self) -> None:
        """Run warm-up forwards, then one backward for each forward."""
        batches = min(self.setup.grad_accum, self.setup.pp + 2)  # more of them repeat the steady state
        ahead = min(batches, self.setup.pp) if self.layout.head is None else 1
        flying: list[tuple[list[Slots], Block]] = []
        started = 0
        for done in range(batches):
            while started < batches and len(flying) < ahead:
                flying.append(self.forward())
                started += 1
            lives, result = flying.pop(0)
            grad, root_grads = self._output_gradient(result)
            self.backward(lives, grad, root_grads, reduce=done == batches - 1)

    def _output_gradient(self, result: Block) -> tuple[Block, list[Block]]:
        """Compute the gradient of the stage's result, or receive it from the next stage."""
        if self.layout.head is not None:
            return self.head(result)
        received = self.allocator.malloc(result.size)
        self.allocator.release(result)
        return received, []
