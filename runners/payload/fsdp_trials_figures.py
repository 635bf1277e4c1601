"""What a trial's events say of its speed and memory. Standard library only."""

import json
from itertools import pairwise
from pathlib import Path
from statistics import median, quantiles
from typing import Any


def figures_of(folder: Path, warmup: int, ranks: int) -> dict[str, Any]:
    """Return the measurements of a trial, in the words of `contracts.trials.TrialResult`.

    Args:
        folder: Its run folder.
        warmup: First steps that are left out, one at least: allocator and caches settle in them.
        ranks: Ranks in all; rates of events are over all of them.
    """
    events = _events(folder / "events.jsonl")
    steps = [event for event in events if event.get("kind") == "step"]
    kept = steps[warmup:]
    # a step lasts from the report of the one before to its own
    lasted = [after["time"] - before["time"] for before, after in pairwise(steps[warmup - 1 :])]
    rates = [event["tokens_per_s"] for event in kept if event.get("tokens_per_s")]
    end = next((event["data"] for event in reversed(events) if event.get("kind") == "end"), {})
    boot = next((event["data"] for event in events if event.get("kind") == "boot"), {})
    peak = end.get("peak_gib")
    return {
        "steps": len(rates),
        "tokens_per_s_per_gpu": median(rates) / ranks if rates else None,
        "spread_pct": _spread_pct(rates),
        "step_s": median(lasted) if lasted else None,
        "peak_gib": peak,
        "peak_of": end.get("peak_of") if peak is not None else None,
        "torch": boot.get("torch"),
        "device": end.get("device_name"),
    }


def _spread_pct(rates: list[float]) -> float | None:
    """Return how far the steps lay apart: half of the range between their quartiles, in percent of the median."""
    if len(rates) < 4:
        return None
    low, middle, high = quantiles(rates, n=4)
    return 100 * (high - low) / 2 / middle


def _events(path: Path) -> list[dict[str, Any]]:
    """Return the events of a file; a line that a kill left half written is passed over."""
    events = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    for line in lines:
        try:
            events.append(json.loads(line))
        except ValueError:
            continue
    return events
