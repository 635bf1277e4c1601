"""The predicted peak by component as a PNG. matplotlib is imported when a picture is drawn, not before."""

import io

from contracts.memory import MemoryEstimate
from contracts.request import Language
from engines.reporting.phrases import phrase

_SIZE_INCHES = (7.0, 2.6)
_MIB_BELOW_GIB = 0.5
_DOTS_PER_INCH = 120


def draw_memory_bar(memory: MemoryEstimate, title: str, language: Language = "en") -> bytes:
    """Draw the components of one rank's peak side by side, and the device's limit.

    Args:
        memory: The prediction; GiB = 2**30 bytes.
        title: One line above the picture.
        language: Language of the labels.

    Returns:
        The bytes of a PNG.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE_INCHES, dpi=_DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    unit, scale = ("MiB", 1024.0) if memory.reserved_gib < _MIB_BELOW_GIB else ("GiB", 1.0)
    left = 0.0
    for name, gib in sorted(memory.breakdown_gib.items(), key=lambda part: -part[1]):
        axes.barh(0, gib * scale, left=left, label=f"{name.replace('_', ' ')} {gib * scale:.3g}")
        left += gib * scale
    limits = [
        ("memory_reserved", memory.reserved_gib, "black", ":"),
        ("memory_device", memory.capacity_gib, "red", "-"),
    ]
    for name, limit_gib, color, style in limits:
        if limit_gib is not None:
            label = f"{phrase(name, language)} {limit_gib * scale:.4g}"
            axes.axvline(limit_gib * scale, color=color, linestyle=style, label=label)
    axes.set_yticks([])
    axes.set_xlabel(phrase("memory_axis", language, unit=unit))
    # parse_math off: a title with "$" in a model's name is text, not a formula
    axes.set_title(title, fontsize=10, parse_math=False)
    figure.legend(fontsize=7, ncols=4, loc="outside lower center")
    picture = io.BytesIO()
    figure.savefig(picture, format="png", metadata={"Software": None})
    return picture.getvalue()
