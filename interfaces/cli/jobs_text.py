"""Runs as text for a person."""

import time
from typing import TYPE_CHECKING

from contracts.checkpoint import CheckpointFolder
from contracts.run import RunRecord
from interfaces.cli.tables import plain_table
from interfaces.cli.text import one_line

if TYPE_CHECKING:
    from rich.table import Table

_RESULT_CHARACTERS = 200


def runs_table(records: list[RunRecord]) -> "Table":
    """Return one line for each run."""
    from rich.text import Text

    table = plain_table("run", "kind", "state", "started", "attempt", "step", "loss", "reason")
    for record in records:
        step = "-" if record.step is None else f"{record.step}/{record.steps or '?'}"
        loss = "-" if record.loss is None else f"{record.loss:.4f}"
        started = _local_time(record.created_at)
        cells = (record.run_id, record.kind, record.state, started, str(record.attempt), step, loss, record.reason)
        table.add_row(*(Text(one_line(cell)) for cell in cells))
    return table


def checkpoints_table(folders: tuple[CheckpointFolder, ...]) -> "Table":
    """Return one line for each step folder."""
    from rich.text import Text

    table = plain_table("checkpoint", "step", "MiB", "ranks", "verdict", "reason")
    for folder in folders:
        ranks = "-" if folder.world_size is None else str(folder.world_size)
        mib = f"{folder.size_bytes / 2**20:.1f}"
        cells = (folder.name, str(folder.step), mib, ranks, folder.verdict, folder.reason)
        table.add_row(*(Text(one_line(cell)) for cell in cells))
    return table


def run_text(record: RunRecord) -> str:
    """Return all that is known of a run, a line for each field that has a value."""
    lines = []
    for name, value in record.model_dump(mode="json").items():
        if value in (None, "", {}):
            continue
        shown = _local_time(value) if name in ("created_at", "ended_at") else one_line(str(value))
        lines.append(f"{name:<12} {shown[:_RESULT_CHARACTERS]}")
    return "\n".join(lines)


def _local_time(epoch_s: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(epoch_s))
