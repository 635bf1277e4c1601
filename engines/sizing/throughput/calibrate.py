"""Fitting the rates to recorded runs, with priors, so that a few runs do not carry them away."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engines.sizing.throughput.rates import Rates
from engines.sizing.throughput.recorded import RecordedRun
from engines.sizing.throughput.speed import assemble
from engines.sizing.throughput.traffic import Volume, exchange, volume
from engines.sizing.throughput.work import Work, step_work

SPREAD = 0.06
"""Scatter of a measurement's logarithm: equal configurations differ by as much between records."""

_MATMUL = "matmul:"

_NUDGE = 1e-3
"""Step of the numerical derivatives, in logarithms."""


@dataclass(frozen=True)
class Prior:
    """What is believed of a rate before any run was seen."""

    centre: float
    """Most likely value."""
    spread: float
    """Standard deviation of its logarithm."""
    most: float = 2.0
    """Largest value allowed."""


PRIORS = {
    "matmul_elsewhere": Prior(0.55, 0.15, 1.0),
    "attention": Prior(0.55, 0.25, 1.0),
    "memory": Prior(0.75, 0.20, 1.0),
    "overlap": Prior(0.75, 0.25, 0.95),
    "between_steps_ms": Prior(2.0, 0.7, 20.0),
    "node_reach": Prior(0.75, 0.15, 1.0),
    "network_reach": Prior(0.75, 0.25, 1.0),
    "float8": Prior(1.5, 0.20),
    "float8_rowwise": Prior(1.3, 0.20),
    "deterministic": Prior(0.92, 0.08, 1.0),
    "recent": Prior(1.10, 0.12),
    "tuned": Prior(1.0, 0.10),
}
"""Priors of the rates that all GPUs share."""

GPU_SPREAD = 0.25
"""How far a GPU's attained share strays from the others', as a standard deviation of logarithms."""


@dataclass(frozen=True)
class _Case:
    run: RecordedRun
    work: Work
    moved: Volume
    target: float


def fit_rates(runs: Sequence[RecordedRun], start: Rates | None = None, rounds: int = 12) -> Rates:
    """Return the rates under which recorded runs are most likely.

    Gauss-Newton on logarithms; a residual weighs the less the larger it is (square root of
    1 + r^2), so that one odd record does not bend the others' prediction.

    Args:
        runs: Measured runs.
        start: Where the search starts; the priors' centres where None.
        rounds: Iterations at most.
    """
    cases = [
        _Case(run, step_work(run.shape, run.setup), volume(run.shape, run.setup), math.log(run.tokens_per_s_per_gpu))
        for run in runs
        if run.tokens_per_s_per_gpu
    ]
    point = _start(cases, start)
    residuals = _residuals(point, cases)
    best, damping = _loss(residuals, len(cases)), 0.1
    for _ in range(rounds):
        step = _direction(point, cases, residuals, damping)
        moved = {name: _bounded(name, value * math.exp(step[name])) for name, value in point.items()}
        found = _residuals(moved, cases)
        loss = _loss(found, len(cases))
        if loss < best:
            gain, best, point, residuals, damping = best - loss, loss, moved, found, damping / 5
            if gain < 1e-4:
                break
        else:
            damping *= 8
    return _rates(point)


def _direction(
    point: dict[str, float], cases: Sequence[_Case], residuals: list[float], damping: float
) -> dict[str, float]:
    """Return the damped Gauss-Newton step in logarithms."""
    names = list(point)
    columns = []
    for name in names:
        nudged = _residuals(point | {name: _bounded(name, point[name] * math.exp(-_NUDGE))}, cases)
        columns.append([(before - after) / _NUDGE for before, after in zip(residuals, nudged, strict=True)])
    soft = [1 / math.sqrt(1 + r * r) if index < len(cases) else 1.0 for index, r in enumerate(residuals)]
    normal = [
        [sum(w * a * b for w, a, b in zip(soft, left, right, strict=True)) for right in columns] for left in columns
    ]
    for index in range(len(names)):
        normal[index][index] *= 1 + damping
        normal[index][index] += 1e-9
    slope = [-sum(w * a * r for w, a, r in zip(soft, column, residuals, strict=True)) for column in columns]
    return dict(zip(names, _solved(normal, slope), strict=True))


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solve a small positive definite system by elimination."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for pivot in range(size):
        for lower in range(pivot + 1, size):
            factor = rows[lower][pivot] / rows[pivot][pivot]
            for column in range(pivot, size + 1):
                rows[lower][column] -= factor * rows[pivot][column]
    found = [0.0] * size
    for index in reversed(range(size)):
        known = sum(rows[index][column] * found[column] for column in range(index + 1, size))
        found[index] = (rows[index][size] - known) / rows[index][index]
    return found


def _start(cases: Sequence[_Case], start: Rates | None) -> dict[str, float]:
    point = {name: prior.centre for name, prior in PRIORS.items()}
    if start is not None:
        point = {name: getattr(start, name) for name in PRIORS}
    for device in sorted({case.run.device.name for case in cases}):
        point[_MATMUL + device] = start.matmul_share(device) if start else point["matmul_elsewhere"]
    return point


def _bounded(name: str, value: float) -> float:
    most = 1.0 if name.startswith(_MATMUL) else PRIORS[name].most
    return min(most, value)


def _rates(point: dict[str, float]) -> Rates:
    shared = {name: value for name, value in point.items() if not name.startswith(_MATMUL)}
    matmul = {name.removeprefix(_MATMUL): value for name, value in point.items() if name.startswith(_MATMUL)}
    return Rates(matmul=matmul, **shared)


def _residuals(point: dict[str, float], cases: Sequence[_Case]) -> list[float]:
    """Return what is off, in standard deviations: every run first, then every rate against its prior."""
    rates = _rates(point)
    found = []
    for case in cases:
        run = case.run
        links = exchange(case.moved, run.setup, run.fabric, rates.reach)
        speed = assemble(case.work, links, run.setup, run.device, rates, run.conditions)
        found.append((math.log(speed.tokens_per_s_per_gpu) - case.target) / SPREAD)
    for name, value in point.items():
        if name.startswith(_MATMUL):
            found.append(math.log(value / point["matmul_elsewhere"]) / GPU_SPREAD)
        else:
            found.append(math.log(value / PRIORS[name].centre) / PRIORS[name].spread)
    return found


def _loss(residuals: list[float], runs: int) -> float:
    measured = sum(math.sqrt(1 + r * r) - 1 for r in residuals[:runs])
    return measured + sum(r * r for r in residuals[runs:]) / 2
