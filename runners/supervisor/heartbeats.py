"""Heartbeats as the ranks leave them. A job is not trusted: what is read is bounded."""

import os
from pathlib import Path
from typing import NamedTuple

from runners.cleaning import printable
from runners.files import read_object

_LIMIT_BYTES = 4 << 10
_MOST_RANKS = 4096
_PHASE_LIMIT_CHARS = 40


class Beat(NamedTuple):
    """One sign of life."""

    time: float
    """The rank's own clock, in seconds since the epoch; only told apart, never compared."""
    step: int | None
    """Optimizer steps done."""
    phase: str
    """What the rank was about to do: boot, step, eval, checkpoint, export."""


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
        )
    return beats
