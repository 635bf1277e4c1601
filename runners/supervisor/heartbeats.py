"""Heartbeats as the ranks leave them. A job is not trusted: what is read is bounded."""

import math
import os
from pathlib import Path
from typing import NamedTuple

from runners.cleaning import printable
from runners.files import read_object

_LIMIT_BYTES = 4 << 10
_MOST_RANKS = 16_384
_PHASE_LIMIT_CHARS = 40


class Spent(NamedTuple):
    """What a rank has spent of its own since the attempt began; see `payload/fsdp_sft_pace.py`."""

    steps: int
    """Optimizer steps over which it was added up."""
    host_s: float
    """Seconds in which it prepared its batches."""
    forward_s: float
    """Seconds in the forward of its innermost FSDP units, of the first micro-step of each step."""


class Beat(NamedTuple):
    """One sign of life."""

    time: float
    """The rank's own clock, in seconds since the epoch; only told apart, never compared."""
    step: int | None
    """Optimizer steps done."""
    phase: str
    """What the rank was about to do: boot, step, eval, checkpoint, export."""
    spent: Spent | None = None
    """Its own time so far, where it says."""


def read_heartbeats(folder: Path) -> dict[int, Beat]:
    """Return the newest heartbeat of each rank that wrote one."""
    beats: dict[int, Beat] = {}
    try:
        names = sorted(entry.name for entry in os.scandir(folder))
    except OSError:
        return beats
    for name in names:
        rank, _, ending = name.partition(".")
        if ending != "json" or not (rank.isascii() and rank.isdecimal()) or len(beats) >= _MOST_RANKS:
            continue
        found = read_object(folder / name, _LIMIT_BYTES)
        if found is None:
            continue
        moment, step, phase = found.get("time"), found.get("step"), found.get("phase")
        beats[int(rank)] = Beat(
            float(moment) if isinstance(moment, int | float) else 0.0,
            step if isinstance(step, int) else None,
            printable(phase, _PHASE_LIMIT_CHARS) if isinstance(phase, str) else "step",
            _spent(found.get("spent")),
        )
    return beats


def _spent(found: object) -> Spent | None:
    if not isinstance(found, dict):
        return None
    named = [found.get(name) for name in Spent._fields]
    values = [float(value) for value in named if isinstance(value, int | float) and math.isfinite(value) and value >= 0]
    return Spent(int(values[0]), values[1], values[2]) if len(values) == len(named) else None
