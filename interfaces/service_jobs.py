"""Runs: list, show, read, follow, cancel, resume, reconcile. LangGraph is not needed here."""

import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from contracts.errors import InputError
from contracts.event import Event
from contracts.notice import Notice
from contracts.run import TERMINAL_STATES, RunRecord, RunState
from contracts.settings import Settings
from interfaces.progress import Progress
from interfaces.results_jobs import CheckpointList, Reconciled, RunDetail

if TYPE_CHECKING:
    from runners import Backends

POLL_S = 0.5
"""Seconds between two looks at a run folder that is followed."""
THREAD_ID = re.compile(r"t-[0-9a-f]{12}")
"""Form of the ids of the command line's threads."""
_PAGE_EVENTS = 1000
_SHOWN_NOTICES = 50


@dataclass(frozen=True)
class Snapshot:
    """One look at a run that is followed."""

    record: RunRecord
    """What the run folder says."""
    progress: Progress
    """What all events so far amount to."""
    fresh: tuple[Event, ...]
    """Events since the last look, the newest 1000 at most."""
    notices: tuple[Notice, ...] = ()
    """What the supervisor saw and did since the last look."""
    cursor: int = 0
    """Byte after the last event that was read."""

    @property
    def ended(self) -> bool:
        """Whether the run has ended."""
        return self.record.state in TERMINAL_STATES


Until = Callable[[Snapshot], bool]
"""Tells whether following can stop before the run ends."""


def open_runner(settings: Settings) -> "Backends":
    """Return the runner of the agent's home: of all its runs, wherever they run."""
    from runners import Backends, Home

    return Backends(Home(settings.home))


def list_runs(settings: Settings, states: frozenset[str], limit: int) -> list[RunRecord]:
    """Return up to `limit` runs, the newest first, in these states (all where empty)."""
    chosen: list[RunRecord] = []
    for record in open_runner(settings).runs():
        if len(chosen) == limit:
            break
        if not states or record.state in states:
            chosen.append(record)
    return chosen


def parse_until(text: str) -> Until:
    """Read a condition: `end`, `running` (its first step is done), `step=N` or `checkpoint`.

    Raises:
        InputError: It is none of these.
    """
    name, _, number = text.partition("=")
    if name == "step" and number.isdigit():
        wanted = int(number)
        return lambda seen: seen.progress.step >= wanted
    conditions: dict[str, Until] = {
        "end": lambda seen: seen.ended,
        "running": lambda seen: seen.progress.step > 0,
        "checkpoint": lambda seen: seen.progress.checkpoint_step is not None,
    }
    if text not in conditions:
        raise InputError(f"--until {text!r} is not known; allowed: {', '.join(conditions)}, step=N")
    return conditions[text]


def follow_run(settings: Settings, run_id: str, poll_s: float = POLL_S, cursor: int = 0) -> Iterator[Snapshot]:
    """Yield a snapshot at every look, the last one after the run's end.

    Args:
        settings: The home folder.
        run_id: Id of the run.
        poll_s: Seconds between two looks.
        cursor: Byte of the event log from which on events are read; notices of before are
            passed over too where it is not 0.

    Raises:
        UnknownRun: There is no such run.
    """
    runner = open_runner(settings)
    progress = Progress()
    told = len(runner.notices(run_id)) if cursor else 0
    while True:
        # Status first: events that came before the end are then all read after it.
        record = runner.status(run_id)
        progress.steps = record.steps if record.steps is not None else progress.steps
        fresh: deque[Event] = deque(maxlen=_PAGE_EVENTS)
        while (page := runner.events(run_id, cursor, _PAGE_EVENTS)).cursor > cursor:
            cursor = page.cursor
            fresh.extend(page.events)
            for event in page.events:
                progress.add(event)
        notices = runner.notices(run_id)
        yield Snapshot(record, progress, tuple(fresh), tuple(notices[told:]), cursor)
        told = len(notices)
        if record.state in TERMINAL_STATES:
            return
        time.sleep(poll_s)


def known_states(names: Iterable[str]) -> frozenset[str]:
    """Return the states of these names.

    Raises:
        InputError: A name is no state.
    """
    allowed = get_args(RunState)
    for name in names:
        if name not in allowed:
            raise InputError(f"--state {name!r} is not known; allowed: {', '.join(allowed)}")
    return frozenset(names)


def show_run(settings: Settings, run_id: str) -> RunDetail:
    """Return what the run folder says now.

    Raises:
        UnknownRun: There is no such run.
    """
    runner = open_runner(settings)
    record, launch = runner.status(run_id), runner.launch(run_id)
    return RunDetail(
        **dict(record),
        restart=launch.restart if launch else None,
        watch=launch.watch if launch else None,
        notices=tuple(runner.notices(run_id)[-_SHOWN_NOTICES:]),
    )


def read_logs(settings: Settings, run_id: str, rank: int | None, tail_lines: int) -> str:
    """Return the last log lines of a run's newest attempt.

    Raises:
        UnknownRun: There is no such run.
    """
    return open_runner(settings).logs(run_id, rank, tail_lines)


def read_checkpoints(settings: Settings, run_id: str, *, verify: bool) -> CheckpointList:
    """Return the checkpoints of a run, the newest first.

    Args:
        settings: The home folder.
        run_id: Id of the run.
        verify: Read every file again and compare its SHA-256; else presence and sizes.

    Raises:
        UnknownRun: There is no such run.
    """
    found = open_runner(settings).checkpoints(run_id, verify=verify)
    return CheckpointList(run_id=run_id, bytes_read=verify, checkpoints=tuple(found))


def cancel_run(settings: Settings, run_id: str) -> RunRecord:
    """Ask a run to save and stop.

    Raises:
        UnknownRun: There is no such run.
    """
    return open_runner(settings).cancel(run_id)


def resume_run(settings: Settings, run_id: str) -> RunRecord:
    """Start an ended run again from its newest checkpoint; its thread takes note when it has ended.

    Raises:
        UnknownRun: There is no such run.
        NotAllowed: The approval does not cover what is there now.
        WrongState: The run has finished, or still runs.
    """
    return open_runner(settings).resume(run_id)


def thread_of(record: RunRecord) -> str | None:
    """Return the thread that submitted a run: its idempotency key is `thread:launch hash`."""
    thread_id, _, launch_hash = record.key.rpartition(":")
    return thread_id if thread_id and launch_hash == record.launch_hash else None


def reconcile_all(settings: Settings) -> Reconciled:
    """Adopt or close runs that lost their supervisor; let threads go on whose run has ended."""
    from runners import Home

    cared = open_runner(settings).reconcile()
    moved: tuple[str, ...] = ()
    if Home(settings.home).threads.exists():
        from interfaces.service_threads import go_on_all

        moved = go_on_all(settings)
    return Reconciled(runs=tuple(cared), threads=moved)
