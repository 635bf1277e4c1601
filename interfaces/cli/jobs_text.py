"""Runs as text for a person."""

import time
from textwrap import wrap
from typing import TYPE_CHECKING

from contracts.checkpoint import CheckpointFolder
from contracts.handover import Handover
from contracts.notice import Notice
from contracts.run import RunRecord
from interfaces.cli.policy_text import restart_text, watch_text
from interfaces.cli.tables import plain_table
from interfaces.cli.text import one_line
from interfaces.results_jobs import RunDetail

if TYPE_CHECKING:
    from rich.table import Table

_RESULT_CHARACTERS = 200
_GAP_COLUMNS, _LEAST_REASON_COLUMNS = 2, 30


def run_lines(records: list[RunRecord], width: int | None) -> list[str]:
    """Return a header and one line for each run, or more where its reason is long.

    Args:
        records: The runs.
        width: Columns of the terminal; None where a line may be as long as it is.
    """
    rows = [("run", "kind", "state", "started", "attempt", "step", "loss", "reason")]
    for record in records:
        step = "-" if record.step is None else f"{record.step}/{record.steps or '?'}"
        loss = "-" if record.loss is None else f"{record.loss:.4f}"
        started = _local_time(record.created_at)
        cells = (record.run_id, record.kind, record.state, started, str(record.attempt), step, loss, record.reason)
        rows.append(cells)
    # plain text: rich takes two seconds to lay out a thousand rows
    widths = [max(map(len, column)) for column in zip(*(row[:-1] for row in rows), strict=True)]
    gap, lines = " " * _GAP_COLUMNS, []
    indent = sum(widths) + _GAP_COLUMNS * len(widths)
    beside = width is None or width - indent >= _LEAST_REASON_COLUMNS
    for number, row in enumerate(rows):
        known, reason = gap.join(map(str.ljust, row[:-1], widths)), one_line(row[-1])
        if beside:
            first, *rest = [reason] if width is None else wrap(reason, width - indent) or [""]
            lines.append(f"{known}{gap}{first}".rstrip())
            lines += [" " * indent + line for line in rest]
        else:
            lines.append(known.rstrip())
            below = wrap(reason, max(width - _GAP_COLUMNS, 1)) if width and number else []
            lines += [gap + line for line in below]
    return lines


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


def run_text(detail: RunDetail) -> str:
    """Return all that is known of a run: a line for each field that has a value, then what was seen."""
    lines = []
    for name, value in detail.model_dump(mode="json", exclude={"handover", "restart", "watch", "notices"}).items():
        if value in (None, "", {}):
            continue
        shown = _local_time(value) if name in ("created_at", "ended_at") else one_line(str(value))
        lines.append(f"{name:<12} {shown[:_RESULT_CHARACTERS]}")
    if detail.restart is not None:
        lines.append(f"{'restarts':<12} {restart_text(detail.restart)}")
    if detail.watch is not None:
        lines.append(f"{'hung after':<12} {watch_text(detail.watch)}")
    lines += [notice_line(notice) for notice in detail.notices]
    if detail.handover is not None:
        lines += _handover_lines(detail.handover)
    return "\n".join(lines)


def notice_line(notice: Notice) -> str:
    """Return what a supervisor saw or did, in one line."""
    at = time.strftime("%H:%M:%S", time.localtime(notice.time))
    return one_line(f"{at}  {notice.kind}  start {notice.attempt}: {notice.message}")


def _handover_lines(handover: Handover) -> list[str]:
    """Return the starts that failed, why there is no other, and the files that tell."""
    lines = ["handed over to diagnosis:"]
    for start in handover.starts:
        lines.append(one_line(f"  start {start.attempt}, {start.place or 'place unknown'}: {start.error}"))
    lines.append(one_line(f"  not restarted: {handover.reason}"))
    return lines + [one_line(f"  evidence: {name}") for name in handover.evidence]


def _local_time(epoch_s: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(epoch_s))
