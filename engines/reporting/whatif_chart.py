"""The picture of a what-if table. matplotlib is imported when it is drawn, not before."""

import io

from contracts.whatif import WhatIf

_SIZE_INCHES = (7.0, 3.8)
_DOTS_PER_INCH = 120


def draw_what_if(found: WhatIf) -> bytes:
    """Draw the table's chart as a PNG.

    Args:
        found: The answer; rows without a value on the y axis are left out.

    Returns:
        The bytes of a PNG.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    chart = found.chart
    rows = [row for row in found.rows if isinstance(row.get(chart.y), int | float)]
    labels = [str(row[chart.x]) for row in rows]
    values = [float(row[chart.y]) for row in rows]  # type: ignore[arg-type]  # numbers, see above
    figure = Figure(figsize=_SIZE_INCHES, dpi=_DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    places = range(len(rows))
    if chart.kind == "line":
        axes.plot(places, values, "o-", linewidth=1.4, markersize=4)
    else:
        axes.bar(places, values, width=0.6)
    if chart.limit is not None:
        axes.axhline(chart.limit, color="tab:red", linestyle="--", linewidth=1, label="fits below")
        axes.legend()
    units = {column.name: column.unit for column in found.columns}
    axes.set_xticks(list(places), labels, rotation=20 if max(map(len, labels), default=0) > 8 else 0, fontsize=8)
    axes.set_xlabel(_named(chart.x, units[chart.x]), parse_math=False)
    axes.set_ylabel(_named(chart.y, units[chart.y]), parse_math=False)
    axes.set_title(f"{found.asks} ({found.model})", fontsize=9, parse_math=False)
    axes.grid(alpha=0.3, axis="y")
    picture = io.BytesIO()
    figure.savefig(picture, format="png", metadata={"Software": None})
    return picture.getvalue()


def _named(name: str, unit: str) -> str:
    words = name.replace("_", " ")
    return f"{words} ({unit})" if unit else words
