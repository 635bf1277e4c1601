"""The predicted peak by component as a PNG. matplotlib is imported when a picture is drawn, not before."""

import io

from contracts.memory import MemoryEstimate

_SIZE_INCHES = (7.0, 2.2)
_DOTS_PER_INCH = 120


def draw_memory_bar(memory: MemoryEstimate, title: str) -> bytes:
    """Draw the components of one rank's peak side by side, and the device's limit.

    Args:
        memory: The prediction; GiB = 2**30 bytes.
        title: One line above the picture.

    Returns:
        The bytes of a PNG.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE_INCHES, dpi=_DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    left = 0.0
    for name, gib in sorted(memory.breakdown_gib.items(), key=lambda part: -part[1]):
        axes.barh(0, gib, left=left, label=f"{name.replace('_', ' ')} {gib:.3g}")
        left += gib
    axes.axvline(memory.reserved_gib, color="black", linestyle=":", label=f"reserved {memory.reserved_gib:.3g}")
    if memory.capacity_gib is not None:
        axes.axvline(memory.capacity_gib, color="red", label=f"device {memory.capacity_gib:.3g}")
    axes.set_yticks([])
    axes.set_xlabel("GiB of one rank, at the peak")
    # parse_math off: a title with "$" in a model's name is text, not a formula
    axes.set_title(title, fontsize=10, parse_math=False)
    axes.legend(fontsize=7, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.35))
    picture = io.BytesIO()
    figure.savefig(picture, format="png", metadata={"Software": None})
    return picture.getvalue()
