"""Writes the heartbeats of a job of many ranks, as its ranks leave them."""

import json
from pathlib import Path


def write_beats(folder: Path, ranks: int, step: int, silent: int | None = None) -> None:
    """Write one heartbeat for each rank.

    Args:
        folder: Where a run keeps them.
        ranks: Ranks of the job.
        step: Optimizer steps done.
        silent: A rank whose file is left as it is.
    """
    for rank in range(ranks):
        if rank != silent:
            spent = {"steps": step, "host_s": 0.01 * step, "forward_s": 0.1 * step}
            body = {"time": 1.8e9 + step, "step": step, "phase": "step", "spent": spent}
            (folder / f"{rank}.json").write_text(json.dumps(body))
