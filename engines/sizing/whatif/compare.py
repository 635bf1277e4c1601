"""Rows of a comparison: the same few figures for every variant."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.whatif import Cell, Chart, Column
from engines.sizing.estimate import estimate_memory
from engines.sizing.setup import TrainingSetup
from engines.sizing.throughput.predict import speed_of
from engines.sizing.whatif.case import MARGIN_PCT, Case

FIGURES = (
    Column(name="reserved", unit="GiB"),
    Column(name="active", unit="GiB"),
    Column(name="difference", unit="GiB"),
    Column(name="fits"),
    Column(name="tokens_per_s_per_gpu", unit="tokens/s"),
    Column(name="step", unit="s"),
)
"""Columns behind the variant's own."""


@dataclass(frozen=True)
class Variant:
    """One row before it is worked out."""

    label: str | int
    """Value of the first column."""
    setup: TrainingSetup
    """Its settings."""


@dataclass(frozen=True)
class Figures:
    """What is known of one variant."""

    reserved_gib: float
    """Peak of the reserved memory."""
    active_gib: float
    """Peak of the allocated memory."""
    fits: bool | None
    """Whether it fits with a margin of 8 %; None: capacity unknown."""
    tokens_per_s: float | None
    """Tokens per second and GPU; None: GPU unknown."""
    step_s: float | None
    """Seconds of an optimizer step."""


def figures(case: Case, setup: TrainingSetup) -> Figures:
    """Return the figures of a setup."""
    memory = estimate_memory(case.shape, setup, case.capacity_gib)
    needed = memory.reserved_gib * (1 + MARGIN_PCT / 100) + memory.overhead_gib
    fits = None if case.capacity_gib is None else needed <= case.capacity_gib
    speed = speed_of(case.shape, setup, case.machine) if case.machine else None
    tokens, step = (speed.tokens_per_s_per_gpu, speed.step_s) if speed else (None, None)
    return Figures(memory.reserved_gib, memory.active_gib, fits, tokens, step)


def table(
    case: Case, first: str, variants: Sequence[Variant], unit: str = ""
) -> tuple[tuple[Column, ...], tuple[dict[str, Cell], ...], list[Figures]]:
    """Return columns, rows and figures of some variants; differences are from the first.

    Args:
        case: What is asked about.
        first: Name of the first column.
        variants: The rows.
        unit: Unit of the first column.
    """
    found = [figures(case, variant.setup) for variant in variants]
    rows = [
        row(first, variant.label, this, found[0].reserved_gib) for variant, this in zip(variants, found, strict=True)
    ]
    return (Column(name=first, unit=unit), *FIGURES), tuple(rows), found


def row(first: str, label: str | int, this: Figures, reference_gib: float) -> dict[str, Cell]:
    """Return one row of a comparison."""
    return {
        first: label,
        "reserved": round(this.reserved_gib, 3),
        "active": round(this.active_gib, 3),
        "difference": round(this.reserved_gib - reference_gib, 3),
        "fits": this.fits,
        "tokens_per_s_per_gpu": None if this.tokens_per_s is None else round(this.tokens_per_s, 1),
        "step": None if this.step_s is None else round(this.step_s, 4),
    }


def reserved_chart(case: Case, x: str, kind: str = "bar") -> Chart:
    """Return the picture of reserved memory by the first column, with the limit."""
    return Chart(kind="line" if kind == "line" else "bar", x=x, y="reserved", limit=case.limit_gib)


def speed_text(this: Figures, other: Figures) -> str:
    """Return how much faster or slower the second is; empty where speed is not predicted."""
    if this.tokens_per_s is None or other.tokens_per_s is None:
        return ""
    ratio = other.tokens_per_s / this.tokens_per_s - 1
    if abs(ratio) < 0.005:
        return ", at the same speed"
    return f", {abs(ratio):.1%} {'faster' if ratio > 0 else 'slower'}"
