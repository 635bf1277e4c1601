"""Estimates for recorded runs, one JSON object in and one out."""

from statistics import mean, median
from typing import Any

from contracts.errors import InputError
from engines.sizing.estimate import estimate_memory
from engines.sizing.row_reading import Reading, read_row

Json = dict[str, Any]

MEASURED = ("active_gib", "reserved_gib", "step1_reserved_gib")
"""Measured values with which the prediction is compared."""


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
    result = _predicted(reading)
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
        ninth = errors[min(len(errors) - 1, int(0.9 * len(errors)))]
        figures = {"mean": mean(errors), "median": median(errors), "p90": ninth, "max": errors[-1]}
        summary["reserved_abs_error_pct"] = {name: round(value, 2) for name, value in figures.items()}
    return summary


def _predicted(reading: Reading) -> Json:
    result: Json = {"id": reading.id} | dict.fromkeys(MEASURED) | {"tokens_per_s_per_gpu": None}
    unsupported, assumptions = list(reading.unsupported), list(reading.assumptions)
    if reading.shape is not None and reading.setup is not None:
        memory = estimate_memory(reading.shape, reading.setup)
        result |= {name: getattr(memory, name) for name in MEASURED}
        assumptions += [line for line in memory.assumptions if line not in assumptions]
        unsupported += memory.unsupported
    return result | {"assumptions": assumptions, "unsupported": unsupported}


def _errors(result: Json, measured: Json) -> Json:
    errors = {}
    for name in MEASURED:
        truth, guess = measured.get(name), result[name]
        if isinstance(truth, int | float) and not isinstance(truth, bool) and truth > 0 and guess is not None:
            errors[name] = round(100 * (guess - truth) / truth, 3)
    return errors


def failed_row(row: object, problem: InputError) -> Json:
    """Return the line of a row that cannot be read: no prediction, and the reason."""
    name = row.get("id") if isinstance(row, dict) else None
    values = dict.fromkeys(MEASURED) | {"tokens_per_s_per_gpu": None}
    return {"id": name} | values | {"assumptions": [], "unsupported": [problem.message]}
