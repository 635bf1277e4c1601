"""The answer of `jobs tensorboard`."""

from contracts.base import Contract


class TensorboardFile(Contract):
    """An event file that TensorBoard opens."""

    run_id: str
    """The run."""
    path: str
    """Absolute path of the file; TensorBoard takes its folder as `--logdir`."""
    events: int
    """Events of the run that are in it."""
    tags: tuple[str, ...]
    """Names of the curves, sorted."""
