"""A chart of predicted memory: one training step by component, and the peak against one setting."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.errors import InputError
from engines.sizing.estimate import KNOWN_ERROR_PCT, OVERHEAD_GIB
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.timeline import moments_of_step, sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMS = (".png", ".svg", ".pdf")
"""Suffixes of files that can be written."""

_NAMES = {"seq_len": "tokens per sequence", "ranks": "ranks (GPUs in all)"}

_COLORS = {
    "parameters": "#4c72b0",
    "optimizer_state": "#64b5cd",
    "gradients": "#8172b3",
    "waiting_gradients": "#937860",
    "activations": "#55a868",
    "unsharded_groups": "#ccb974",
    "working": "#c44e52",
}


def check_form(path: Path) -> None:
    """Refuse a file whose suffix names no form that can be written.

    Raises:
        InputError: It does not.
    """
    if path.suffix.lower() not in FORMS:
        raise InputError(f"{path.name!r} names no form of a picture", hint=f"end it in {', '.join(FORMS)}")


def draw_chart(
    path: Path, shape: ModelShape, setup: TrainingSetup, gpu: str | None, capacity_gib: float | None, over: str
) -> None:
    """Write the chart.

    Args:
        path: File to write.
        shape: The model.
        setup: How it is trained.
        gpu: Name of the GPU, for the legend.
        capacity_gib: Its usable memory; None: no limit is drawn.
        over: Setting of the second panel.

    Raises:
        InputError: The setting cannot be swept, or the file cannot be written.
    """
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    # so that a picture of the same numbers has the same bytes
    matplotlib.rcParams["svg.hashsalt"] = "fsdp-agent"
    limit = None if capacity_gib is None else capacity_gib - OVERHEAD_GIB
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(13, 5.2), layout="constrained")
    try:
        figure.suptitle(f"{shape.name}, {setup.ranks} ranks: predicted memory of one rank")
        _step(left, shape, setup)
        _swept(right, shape, setup, over)
        for axes in (left, right):
            if limit is not None:
                label = f"{gpu}: {capacity_gib:.1f} GiB less {OVERHEAD_GIB:g} for context and NCCL"
                axes.axhline(limit, color="black", linestyle="--", linewidth=1, label=label)
            axes.set_ylabel("GiB")
            axes.set_ylim(bottom=0)
            axes.legend(fontsize=8, loc="upper left")
        metadata: dict[str, Any] = {"Date": None} if path.suffix.lower() == ".svg" else {}
        figure.savefig(path, dpi=120, metadata=metadata)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        pyplot.close(figure)


def _step(axes: "Axes", shape: ModelShape, setup: TrainingSetup) -> None:
    """Stack the components over one steady step."""
    moments = moments_of_step(shape, setup)
    times = list(range(len(moments)))
    names = [name for name in _COLORS if any(moment.parts.get(name) for moment in moments)]
    stacks = [[moment.parts.get(name, 0.0) for moment in moments] for name in names]
    axes.stackplot(times, stacks, labels=names, colors=[_COLORS[name] for name in names])
    axes.plot(times, [moment.reserved for moment in moments], color="black", linewidth=1, label="reserved")
    starts = [0, *(at for at in times[1:] if moments[at].phase != moments[at - 1].phase)]
    axes.set_xticks(starts, [moments[at].phase for at in starts], rotation=30, ha="right", fontsize=8)
    axes.set_title("over one step, by component", fontsize=10)


def _swept(axes: "Axes", shape: ModelShape, setup: TrainingSetup, over: str) -> None:
    """Draw the peak against one setting, with the stated error as a band."""
    points = sweep(shape, setup, over)
    values, error = [point.value for point in points], KNOWN_ERROR_PCT / 100
    reserved = [point.reserved for point in points]
    axes.plot(values, reserved, marker="o", label="reserved")
    axes.fill_between(
        values,
        [size * (1 - error) for size in reserved],
        [size * (1 + error) for size in reserved],
        alpha=0.2,
        label=f"+-{KNOWN_ERROR_PCT:g} %",
    )
    axes.plot(values, [point.active for point in points], marker=".", linestyle=":", label="active")
    axes.axvline(setup.seq_len if over == "seq_len" else setup.ranks, color="grey", linewidth=0.8)
    axes.set_xscale("log", base=2)
    axes.set_xticks(values, [str(value) for value in values], rotation=30)
    axes.set_xlabel(_NAMES[over])
    axes.set_title(f"peak against {_NAMES[over]}", fontsize=10)
