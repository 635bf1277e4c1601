"""A dry run's figures, beside the prediction's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engines.sizing.closed_form import GIB
from engines.sizing.dryrun import Replayed
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.trace import Replay, replay

QUICK_ERROR_PCT = 12.0
"""Stated error of the reserved memory that two short runs extrapolate: holes in the pools do not
grow evenly (Llama-3-70B on 32 ranks: 75.2 GiB, where all layers reach 67.8). Of the active memory
it is below 0.5 %."""


@dataclass(frozen=True)
class Figures:
    """Peaks in GiB."""

    active: float
    reserved: float
    first_step: float
    phase: str
    """Phase of the peak."""
    parts: Mapping[str, float]
    """Components at the peak."""
    host: float = 0.0
    """Peak in host memory (CPU offload)."""


def figures_of(found: Replayed) -> Figures:
    """Return the figures of one run."""
    parts = {name: size / GIB for name, size in found.peak.parts.items()}
    return Figures(
        found.active / GIB, found.reserved / GIB, found.first_step / GIB, found.peak.phase, parts, found.host / GIB
    )


def extrapolated(runs: Sequence[tuple[int, Replayed]], layers: int) -> Figures:
    """Return the figures for all layers from two runs with fewer.

    Each phase's peak is linear in the layers, and so is each other stream's pool; the
    holes in the default stream's pool are taken from the larger run.

    Args:
        runs: Number of layers and what was found, the smaller first.
        layers: Layers of the model.
    """
    (low, small), (high, large) = runs

    def along(first: float, second: float) -> float:
        return second + (second - first) * (layers - high) / (high - low)

    def highest(first: Mapping[str, int], second: Mapping[str, int]) -> tuple[float, str]:
        return max((along(first.get(name, 0), size), name) for name, size in second.items())

    active, phase = highest(small.phase_peaks, large.phase_peaks)
    default = highest(small.default_peaks, large.default_peaks)[0]
    holes = large.pools["default"] - max(large.default_peaks.values())
    others = sum(along(small.pools.get(name, 0), size) for name, size in large.pools.items() if name != "default")
    reserved = default + holes + others
    parts = {name: along(small.peak.parts.get(name, 0), size) / GIB for name, size in large.peak.parts.items()}
    same = small.peak.phase == large.peak.phase == phase
    host = along(small.host, large.host) / GIB
    first = min(reserved, along(small.first_step, large.first_step))
    return Figures(active / GIB, reserved / GIB, first / GIB, phase, parts if same else {}, host)


def predicted(shape: ModelShape, setup: TrainingSetup) -> Figures:
    """Return the prediction in the same form."""
    found: Replay = replay(shape, setup)
    parts = {name: size / GIB for name, size in found.peak.parts.items()}
    return Figures(found.active / GIB, found.reserved / GIB, found.first_step / GIB, found.peak.phase, parts)


def difference_pct(guess: float, truth: float) -> float:
    """Return how far a prediction is above the dry run, in percent of the dry run."""
    return 100 * (guess - truth) / truth if truth else 0.0
