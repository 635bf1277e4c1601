"""The ranks' timeline as a PNG. matplotlib is imported when a picture is drawn, not before."""

import io
from typing import Any

from contracts.diagnosis import Diagnosis, RankState

RANKS_DRAWN_MAX = 128
"""Ranks that are drawn: those with trouble first."""
_WIDTH_INCHES, _ROW_INCHES, _LEAST_INCHES, _MOST_INCHES = 9.0, 0.22, 2.2, 24.0
_DPI = 110
_WORKED, _WAITED, _APART = "#4c78a8", "#b8c4d0", "#d62728"


def timeline_png(found: Diagnosis) -> bytes | None:
    """Draw when each rank last worked and when its trouble began.

    Args:
        found: The diagnosis.

    Returns:
        The picture; None where no two events of the ranks have times.
    """
    states = [state for state in found.rank_states if _times(state)]
    times = [time for state in states for time in _times(state)]
    if len(set(times)) < 2:
        return None
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    states.sort(key=lambda state: (state.rank != found.first_diverged, state.first_abnormal is None, int(state.rank)))
    states = sorted(states[:RANKS_DRAWN_MAX], key=lambda state: int(state.rank))
    height = min(_MOST_INCHES, max(_LEAST_INCHES, 1.2 + _ROW_INCHES * len(states)))
    figure = Figure(figsize=(_WIDTH_INCHES, height), dpi=_DPI, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    _draw(axes, states, found, min(times), max(times))
    axes.set_xlabel("seconds since the first event")
    axes.set_ylabel("rank")
    axes.set_title(f"first to leave the others: rank {found.first_diverged}" if found.first_diverged else "ranks")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def _draw(axes: Any, states: list[RankState], found: Diagnosis, start: float, end: float) -> None:
    for row, state in enumerate(states):
        apart = state.rank == found.first_diverged
        worked = (state.last_progress_at or state.first_abnormal_at or start) - start
        axes.barh(row, max(worked, (end - start) / 200), color=_APART if apart else _WORKED, height=0.6)
        if state.first_abnormal_at is not None and state.last_progress_at is not None:
            waited = max(0.0, state.first_abnormal_at - state.last_progress_at)
            axes.barh(row, waited, left=worked, color=_WAITED, height=0.6)
        if state.first_abnormal_at is not None:
            axes.plot(state.first_abnormal_at - start, row, marker="x", color=_APART if apart else "black")
    axes.set_yticks(range(len(states)), [state.rank for state in states])
    axes.invert_yaxis()


def _times(state: RankState) -> list[float]:
    return [time for time in (state.last_progress_at, state.first_abnormal_at) if time is not None]
