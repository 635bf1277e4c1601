"""Estimates for recorded runs, one JSON object in and one out."""

from statistics import mean, median
from typing import Any

from contracts.errors import InputError
from engines.sizing.estimate import estimate_memory
from engines.sizing.row_reading import Reading, read_row
from engines.sizing.throughput.fitted import FITTED
from engines.sizing.throughput.recorded import recorded_run
from engines.sizing.throughput.speed import predict_speed

Json = dict[str, Any]

MEASURED = ("active_gib", "reserved_gib", "step1_reserved_gib")
"""Measured memory with which the prediction is compared."""

SPEED = "tokens_per_s_per_gpu"
"""Measured speed, likewise."""


DECISIVE_PCT = 10.0
"""A setting that a record leaves open and that moves the prediction by more than this decides it."""


def estimate_row(row: object) -> Json:
    """Predict one recorded run; what was measured is compared, never read before that.

    Args:
        row: Inputs at the top level, `settings` where they are known, `measured` perhaps.

    Returns:
        `id`, the predictions (None where unsupported), `assumptions`, `unsupported` with
        reasons, and `error_pct` (signed) where something was measured.

    Raises:
        RequestInvalid: The row is no object, or its sizes contradict each other.
    """
    inputs = {name: value for name, value in row.items() if name != "measured"} if isinstance(row, dict) else row
    reading = read_row(inputs)
    result = _predicted(reading) | _speed(inputs)
    measured = row.get("measured") if isinstance(row, dict) else None
    if isinstance(measured, dict):
        result["error_pct"] = _errors(result, measured)
    return result


def summarize(results: list[Json]) -> Json:
    """Return the last line of a run over many rows: how many, and how far off."""
    errors = sorted(
        abs(result["error_pct"]["reserved_gib"]) for result in results if "reserved_gib" in result.get("error_pct", {})
    )
    summary: Json = {
        "kind": "summary",
        "rows": len(results),
        "predicted": sum(result["reserved_gib"] is not None for result in results),
        "compared": len(errors),
    }
    if errors:
        summary["reserved_abs_error_pct"] = _figures(errors)
    if speeds := sorted(abs(result["error_pct"][SPEED]) for result in results if SPEED in result.get("error_pct", {})):
        summary["tokens_per_s_abs_error_pct"] = _figures(speeds)
    return summary


def _figures(errors: list[float]) -> dict[str, float]:
    """Return mean, median, nine-tenths and maximum of sorted errors."""
    ninth = errors[min(len(errors) - 1, int(0.9 * len(errors)))]
    figures = {"mean": mean(errors), "median": median(errors), "p90": ninth, "max": errors[-1]}
    return {name: round(value, 2) for name, value in figures.items()}


def _predicted(reading: Reading) -> Json:
    result: Json = {"id": reading.id} | dict.fromkeys(MEASURED) | {SPEED: None}
    unsupported, assumptions = list(reading.unsupported), list(reading.assumptions)
    if reading.shape is not None and reading.setup is not None:
        memory = estimate_memory(reading.shape, reading.setup, limit_gib=reading.limit_gib)
        if reading.open_setting:
            other = reading.setup.model_copy(update={reading.open_setting: True})
            less = estimate_memory(reading.shape, other, limit_gib=reading.limit_gib)
            worth = memory.reserved_gib - less.reserved_gib
            if worth > DECISIVE_PCT / 100 * memory.reserved_gib:
                between = f"{less.reserved_gib:.1f} GiB with it, {memory.reserved_gib:.1f} without"
                return result | {"assumptions": [], "unsupported": [f"{reading.open_setting} is not stated: {between}"]}
            assumptions.append(f"{reading.open_setting} False (not stated; worth {worth:.2f} GiB)")
        result |= {name: getattr(memory, name) for name in MEASURED}
        limit = reading.limit_gib
        if limit is not None and 0.95 * limit < memory.reserved_gib <= limit:
            assumptions.append(f"the device gives the allocator {limit:.2f} GiB; beyond, cached memory is given back")
        assumptions += [line for line in memory.assumptions if line not in assumptions]
        unsupported += memory.unsupported
    return result | {"assumptions": assumptions, "unsupported": unsupported}


def _speed(inputs: object) -> Json:
    """Predict the tokens per second and GPU; None where the GPU or the settings are not known."""
    run = recorded_run(inputs) if isinstance(inputs, dict) else None
    if run is None:
        return {}
    speed = predict_speed(run.shape, run.setup, run.device, run.fabric, FITTED, run.conditions)
    return {SPEED: round(speed.tokens_per_s_per_gpu, 2)}


def _errors(result: Json, measured: Json) -> Json:
    errors = {}
    for name in (*MEASURED, SPEED):
        truth, guess = measured.get(name), result[name]
        if isinstance(truth, int | float) and not isinstance(truth, bool) and truth > 0 and guess is not None:
            errors[name] = round(100 * (guess - truth) / truth, 3)
    return errors


def failed_row(row: object, problem: InputError) -> Json:
    """Return the line of a row that cannot be read: no prediction, and the reason."""
    name = row.get("id") if isinstance(row, dict) else None
    values = dict.fromkeys(MEASURED) | {SPEED: None}
    return {"id": name} | values | {"assumptions": [], "unsupported": [problem.message]}
