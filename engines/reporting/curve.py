"""The loss curve as a PNG. matplotlib is imported when a picture is drawn, not before."""

import io

from engines.reporting.series import TrainingSeries

_SIZE_INCHES = (7.0, 3.6)
_DOTS_PER_INCH = 120


def draw_loss_curve(series: TrainingSeries, title: str) -> bytes:
    """Draw training and evaluation loss over the optimizer steps.

    Args:
        series: What the run reported; at least one step with a loss.
        title: One line above the picture.

    Returns:
        The bytes of a PNG.
    """
    # The object API with its own canvas: pyplot keeps every figure and picks a window system.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=_SIZE_INCHES, dpi=_DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    steps = sorted(series.loss)
    marker = "o" if len(steps) < 3 else None
    axes.plot(steps, [series.loss[step] for step in steps], label="train", linewidth=1.4, marker=marker)
    if series.eval_loss:
        held_out = sorted(series.eval_loss)
        axes.plot(held_out, [series.eval_loss[s] for s in held_out], "o--", label="eval", markersize=4, linewidth=1)
    axes.set_xlabel("optimizer step")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel("loss (nats per token)")
    # parse_math off: a title with "$" in a model's name is text, not a formula
    axes.set_title(title, fontsize=10, parse_math=False)
    axes.grid(alpha=0.3)
    axes.legend()
    picture = io.BytesIO()
    figure.savefig(picture, format="png", metadata={"Software": None})
    return picture.getvalue()
