"""When a checkpoint is saved, what a failed save costs, and what is said of it.

A save that fails does not cost the job, for the state is in memory: it is said, and tried
again at the next one. Two in a row end the job: then it is no accident, and a resume would
lose more with every step.
"""

from fsdp_sft_checkpoint import Checkpointer, Progress
from fsdp_sft_config import Recipe
from fsdp_sft_rundir import RunDir
from fsdp_sft_space import checkpoint_bytes, shortage
from fsdp_sft_world import World
from fsdp_sft_writing import Saved, WriteFailed, Writer

_FAILURES_IN_A_ROW = 2


class Saving:
    """The saves of one attempt. Every method is a collective; `ended` is not."""

    def __init__(
        self, checkpointer: Checkpointer, rundir: RunDir, world: World, recipe: Recipe, parameters: int
    ) -> None:
        """Save nothing yet.

        Args:
            checkpointer: Gives the state.
            rundir: Where it is reported.
            world: This process among the others.
            recipe: Says how many are kept, and whether the training goes on meanwhile.
            parameters: Elements of the whole model.
        """
        self._checkpointer, self._rundir, self._world, self._parameters = checkpointer, rundir, world, parameters
        self._background = recipe.async_checkpoints
        self._writer = Writer(rundir.checkpoints, world, recipe.keep_checkpoints, background=self._background)
        self._failures = 0
        self.saved_step: int | None = None
        """Step of the newest checkpoint."""

    @property
    def ended(self) -> bool:
        """Whether a save in the background has ended on this rank."""
        return self._writer.ended

    def distrust(self, names: set[str]) -> None:
        """Take note of folders that did not verify: retention does not count them."""
        self._writer.distrusted |= names

    def save(self, progress: Progress, *, last: bool = False) -> str | None:
        """Save, where there is room; what is in flight comes first.

        Args:
            progress: How far the run has come.
            last: Whether the job ends here: then it waits, and a failure is the caller's.

        Returns:
            Why there is no checkpoint of this step; None where there is one or will be.

        Raises:
            RuntimeError: It is the second save in a row that failed.
        """
        step = progress.step
        with self._rundir.phase("checkpoint", step):
            self.settle(step, last=last)
            if self.saved_step == step:
                return None
            needed_bytes = checkpoint_bytes(self._rundir.checkpoints, self._parameters)
            lacking: str | None = self._world.share(shortage(self._rundir.checkpoints, needed_bytes))
            if lacking is not None:
                self._rundir.warn("no_space", f"no checkpoint of this step, {self._kept()}: {lacking}", step)
                return lacking
            state = self._checkpointer.state(progress)
            try:
                if self._background and not last:
                    self._writer.begin(state, step, self._rundir.attempt)
                else:
                    self._report(self._writer.write(state, step, self._rundir.attempt))
            except WriteFailed as error:
                return self._failed(error, step, last)
        return None

    def settle(self, step: int, *, last: bool = False) -> None:
        """Wait for a save in the background, if there is one, and report it.

        Args:
            step: Optimizer steps done by now.
            last: As for `save`.

        Raises:
            RuntimeError: It is the second save in a row that failed.
        """
        try:
            saved = self._writer.settle()
        except WriteFailed as error:
            self._failed(error, step, last)
            return
        if saved is not None:
            self._report(saved)

    def _report(self, saved: Saved) -> None:
        self._failures, self.saved_step = 0, saved.step
        data = {"name": saved.name, "seconds": saved.seconds, "stalled_s": saved.stalled_s, "deleted": saved.deleted}
        self._rundir.event("checkpoint", saved.step, data)
        if saved.trouble:
            self._rundir.warn("retention", f"an outdated checkpoint cannot be deleted: {saved.trouble}", saved.step)

    def _failed(self, error: WriteFailed, step: int, last: bool) -> str:
        self._failures += 1
        self._rundir.warn("save_failed", f"{error}; {self._kept()}", step)
        if self._failures == _FAILURES_IN_A_ROW and not last:
            raise RuntimeError(f"{self._failures} saves in a row failed, up to step {step}: {error}") from error
        return str(error)

    def _kept(self) -> str:
        return "there is none before" if self.saved_step is None else f"that of step {self.saved_step} is kept"
