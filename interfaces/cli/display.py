"""How a run is followed: a live panel in a terminal, plain lines elsewhere."""

import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from contracts.event import Event
from contracts.run import RunRecord
from interfaces.cli.jobs_text import notice_line
from interfaces.cli.output import Output
from interfaces.cli.text import one_line
from interfaces.progress import Progress, clock, sparkline
from interfaces.service_jobs import Snapshot, Until

if TYPE_CHECKING:
    from rich.console import RenderableType

_STEP_LINE_EVERY_S = 5.0
_SPARK_COLUMNS = 40
_BAR_COLUMNS = 40
_WARNINGS_SHOWN = 3
_PLAIN = (str, int, float)


def watch(out: Output, snapshots: Iterator[Snapshot], until: Until) -> Snapshot:
    """Show a run until it ends or the condition holds, and return the last look at it."""
    looks = _stopping(snapshots, until)
    return _watch_live(out, looks) if out.interactive else _watch_lines(out, looks)


def _stopping(snapshots: Iterator[Snapshot], until: Until) -> Iterator[Snapshot]:
    for snapshot in snapshots:
        yield snapshot
        if until(snapshot):
            return


def _watch_live(out: Output, snapshots: Iterable[Snapshot]) -> Snapshot:
    from rich.live import Live

    seen: Snapshot | None = None
    warnings: list[str] = []
    with Live(console=out.console, auto_refresh=False) as live:
        for seen in snapshots:
            warnings += [_event_line(event, seen.progress) for event in seen.fresh if event.kind == "warning"]
            warnings += [notice_line(notice) for notice in seen.notices]
            warnings = warnings[-_WARNINGS_SHOWN:]
            live.update(panel(seen.record, seen.progress, warnings), refresh=True)
    assert seen is not None
    return seen


def _watch_lines(out: Output, snapshots: Iterable[Snapshot]) -> Snapshot:
    seen: Snapshot | None = None
    lines = _Lines(out)
    for seen in snapshots:
        for event in seen.fresh:
            lines.take(event, seen.progress)
        for notice in seen.notices:
            lines.release()
            out.progress(notice_line(notice))
        lines.state(seen.record)
    lines.release()
    assert seen is not None
    return seen


class _Lines:
    """Plain lines: every event but steps, and of these the first, the last and one in 5 s."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._state = ""
        self._shown_at = float("-inf")
        self._held: str | None = None

    def take(self, event: Event, progress: Progress) -> None:
        """Print an event, or hold it back where its next one says it all."""
        line = _event_line(event, progress)
        if event.kind == "step" and event.time - self._shown_at < _STEP_LINE_EVERY_S:
            self._held = line
            return
        if event.kind == "step":
            self._shown_at, self._held = event.time, None
        self.release()
        self._out.progress(line)

    def state(self, record: RunRecord) -> None:
        """Print a run's state where it has changed."""
        if record.state != self._state:
            self.release()
            self._state = record.state
            self._out.progress(f"{record.run_id} {record.state}" + (f": {record.reason}" if record.reason else ""))

    def release(self) -> None:
        """Print the line that was held back, if any."""
        if self._held is not None:
            self._out.progress(self._held)
            self._held = None


def _event_line(event: Event, progress: Progress) -> str:
    words = [time.strftime("%H:%M:%S", time.localtime(event.time)), event.kind]
    if event.step is not None:
        of = f"/{progress.steps}" if progress.steps else ""
        words.append(f"{event.step}{of}")
    words += _measures(event.loss, event.grad_norm, event.tokens_per_s, event.memory_gib)
    if event.kind == "step" and event.step == progress.step and (left := progress.seconds_left()) is not None:
        words.append(f"{clock(left)} left")
    words += [f"{name}={_short(value)}" for name, value in list(event.data.items())[:6] if isinstance(value, _PLAIN)]
    return one_line("  ".join(words))


def _short(value: str | int | float) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.3g}"


def _measures(loss: float | None, norm: float | None, tokens_per_s: float | None, gib: float | None) -> list[str]:
    named = (("loss {:.4f}", loss), ("grad norm {:.3g}", norm), ("{:,.0f} tokens/s", tokens_per_s), ("{:.2f} GiB", gib))
    return [form.format(value) for form, value in named if value is not None]


def panel(record: RunRecord, progress: Progress, warnings: list[str]) -> "RenderableType":
    """Return the live display of a run: step, loss, speed, memory, time left, checkpoints, restarts."""
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column()
    done, left = progress.step, progress.seconds_left()
    grid.add_row("step", Text(f"{_bar(done, progress.steps)}{done}/{progress.steps or '?'}"))
    loss = "-" if progress.loss is None else f"{progress.loss:.4f}"
    grid.add_row("loss", Text(f"{loss}  {sparkline(progress.losses, _SPARK_COLUMNS)}"))
    if progress.eval_loss is not None:
        grid.add_row("eval loss", Text(f"{progress.eval_loss:.4f}"))
    rest = _measures(None, progress.grad_norm, progress.tokens_per_s, progress.memory_gib)
    grid.add_row("now", Text("  ".join(rest) or "-"))
    grid.add_row("left", Text("-" if left is None or record.ended_at else clock(left)))
    saved = "none yet" if progress.checkpoint_step is None else f"step {progress.checkpoint_step}"
    grid.add_row("checkpoint", Text(saved))
    # a start that has not reported anything yet counts too
    grid.add_row("restarts", Text(str(max(progress.restarts, record.attempt - 1))))
    for warning in warnings:
        grid.add_row("notice", Text(warning, style="yellow"))
    if record.reason:
        grid.add_row("reason", Text(one_line(record.reason)))
    return Panel(grid, title=Text(f"{record.run_id} {record.state}"), title_align="left", expand=False)


def _bar(done: int, of: int | None) -> str:
    if not of:
        return ""
    filled = min(_BAR_COLUMNS, done * _BAR_COLUMNS // of)
    return "█" * filled + "░" * (_BAR_COLUMNS - filled) + "  "
