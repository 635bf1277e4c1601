"""The picture of a study: peaks with the limit, speeds with their errors. matplotlib is imported when it is drawn."""

import io
from textwrap import fill
from typing import Any

from contracts.study import Study
from contracts.whatif import Chart
from engines.reporting.study import heading

_WIDTH_INCHES = 8.4
_ROW_INCHES = 0.4
_LABEL_CHARACTERS = 34
_FRAME_INCHES = 1.3
_DOTS_PER_INCH = 120
_SHOWN_LIMITS = 3
"""How many times the limit is drawn; longer bars are cut, their numbers stand in them."""

_ERRORS = {"reserved": "reserved_error", "tokens_per_s_per_gpu": "speed_error", "measured": "measured_error"}
"""Columns with the error of a column, in percent."""


def draw_study(study: Study) -> bytes | None:
    """Draw the table of a study as bars, one for each option under each condition; None where there is none.

    Returns:
        The bytes of a PNG.
    """
    charts = [chart for chart in study.charts if any(_is_number(row.get(chart.y)) for row in study.rows)]
    if not charts:
        return None
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    height = _FRAME_INCHES + _ROW_INCHES * len(study.rows)
    figure = Figure(figsize=(_WIDTH_INCHES, height), dpi=_DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    for place, chart in enumerate(charts, start=1):
        _draw(figure.add_subplot(1, len(charts), place), study, chart, named=place == 1)
    figure.suptitle(study.subject, fontsize=9, parse_math=False)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", metadata={"Software": None})
    return picture.getvalue()


def _draw(axes: Any, study: Study, chart: Chart, *, named: bool) -> None:
    rows = list(reversed(study.rows))
    conditions = list(dict.fromkeys(str(row.get("condition") or "") for row in study.rows))
    values = [float(row[chart.y]) if _is_number(row.get(chart.y)) else 0.0 for row in rows]  # type: ignore[arg-type]
    errors = [value * float(row.get(_ERRORS[chart.y]) or 0) / 100 for value, row in zip(values, rows, strict=True)]
    colors = [f"C{conditions.index(str(row.get('condition') or ''))}" for row in rows]
    axes.barh(range(len(rows)), values, xerr=errors, color=colors, height=0.62, capsize=3, ecolor="0.25")
    far = 1.3 * max(values)
    if chart.limit is not None:
        axes.axvline(chart.limit, color="tab:red", linestyle="--", linewidth=1.2)
        far = max(1.1 * chart.limit, min(far, _SHOWN_LIMITS * chart.limit))  # what fits is to be told apart
    axes.set_xlim(0, far or 1.0)
    for place, (value, error) in enumerate(zip(values, errors, strict=True)):
        inside = value - error > 0.2 * far
        at = 0.02 * far if inside else value + error + 0.02 * far
        axes.text(at, place, f"{value:,.4g}", va="center", ha="left", fontsize=7, color="white" if inside else "black")
    names = [", ".join(str(row[key]) for key in ("option", "condition") if row.get(key)) for row in rows]
    shown = [fill(name, _LABEL_CHARACTERS) if named else "" for name in names]
    axes.set_yticks(range(len(rows)), shown, fontsize=6.5)
    units = {column.name: column for column in study.columns}
    axes.set_xlabel(heading(units[chart.y], study.language), fontsize=8, parse_math=False)
    axes.tick_params(axis="x", labelsize=7)
    axes.grid(alpha=0.3, axis="x")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
