"""A run's events as a file for TensorBoard, written by TensorBoard's own library (extra `tensorboard`)."""

import contextlib
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from contracts.errors import CannotBeKnown, InputError
from contracts.event import Event
from contracts.run import TERMINAL_STATES
from contracts.settings import Settings
from interfaces.results_tensorboard import TensorboardFile
from interfaces.service_jobs import POLL_S, open_runner

_PAGE_EVENTS = 1000
_FILE_VERSION = "brain.Event:2"
"""First record of every event file: the form of those that follow."""
_STEP_FIELDS = ("loss", "grad_norm", "lr", "tokens_per_s", "memory_gib")


def write_tensorboard(settings: Settings, run_id: str, folder: Path, *, follow: bool = False) -> TensorboardFile:
    """Write a run's curves into `folder/<run_id>/`, in place of an earlier file of this run.

    Args:
        settings: The home folder.
        run_id: Id of the run.
        folder: Folder of runs as TensorBoard wants it; made where it is missing.
        follow: Go on until the run ends; TensorBoard may read meanwhile.

    Raises:
        UnknownRun: There is no such run.
        CannotBeKnown: The library is not installed.
        InputError: The file cannot be written.
    """
    record = open_runner(settings).status(run_id)
    place = folder.absolute() / run_id
    # the same name again: a second file of one run would draw every curve twice
    path = place / f"events.out.tfevents.{int(record.created_at)}.{run_id}"
    fresh = path if follow else path.with_name(f".{path.name}.{os.getpid()}")
    try:
        place.mkdir(parents=True, exist_ok=True)
        with open(fresh, "wb") as stream:
            count, tags = _write(stream, _pages(settings, run_id, follow), record.created_at)
        fresh.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error
    finally:
        if fresh != path:
            with contextlib.suppress(OSError):
                fresh.unlink()
    return TensorboardFile(run_id=run_id, path=str(path), events=count, tags=tuple(sorted(tags)))


def scalars_of(event: Event) -> dict[str, float]:
    """Return the points that an event adds to the curves: tag -> value."""
    if event.kind == "step":
        named = {f"train/{name}": getattr(event, name) for name in _STEP_FIELDS}
    elif event.kind == "eval":
        named = {"eval/loss": event.loss}
    elif event.kind == "checkpoint":
        named = {"checkpoint/seconds": event.data.get("seconds")}
    else:
        return {}
    return {tag: float(value) for tag, value in named.items() if isinstance(value, int | float)}


def _pages(settings: Settings, run_id: str, follow: bool) -> Iterator[Iterable[Event]]:
    runner, cursor = open_runner(settings), 0
    while True:
        # status first: events that came before the end are then all read after it
        ended = runner.status(run_id).state in TERMINAL_STATES
        while (page := runner.events(run_id, cursor, _PAGE_EVENTS)).cursor > cursor:
            cursor = page.cursor
            yield page.events
        if ended or not follow:
            return
        time.sleep(POLL_S)


def _write(stream: BinaryIO, pages: Iterable[Iterable[Event]], created_at: float) -> tuple[int, set[str]]:
    """Write all events and return how many there were, and the names of the curves."""
    library = _library()
    records = library.RecordWriter(stream)
    records.write(library.Event(wall_time=created_at, file_version=_FILE_VERSION).SerializeToString())
    count, attempt, tags = 0, 1, set[str]()
    for page in pages:
        for event in page:
            if event.attempt > attempt and event.step is not None and event.kind in ("resume", "step"):
                attempt = event.attempt
                # steps since the checkpoint come again: TensorBoard drops what it has from this step on
                first = event.step + (event.kind == "resume")
                log = library.SessionLog(status=library.SessionLog.START)
                restart = library.Event(wall_time=event.time, step=first, session_log=log)
                records.write(restart.SerializeToString())
            points = scalars_of(event)
            if points and event.step is not None:
                values = [library.Summary.Value(tag=tag, simple_value=value) for tag, value in points.items()]
                summary = library.Summary(value=values)
                point = library.Event(wall_time=event.time, step=event.step, summary=summary)
                records.write(point.SerializeToString())
                tags |= points.keys()
            count += 1
        stream.flush()
    return count, tags


class _Library:
    """The few parts of TensorBoard that are used; none of them needs TensorFlow or torch."""

    def __init__(self) -> None:
        from tensorboard.compat.proto import event_pb2, summary_pb2
        from tensorboard.summary.writer.record_writer import RecordWriter

        self.Event: Any = event_pb2.Event
        self.SessionLog: Any = event_pb2.SessionLog
        self.Summary: Any = summary_pb2.Summary
        self.RecordWriter: Any = RecordWriter


def _library() -> _Library:
    try:
        return _Library()
    except ImportError as error:
        raise CannotBeKnown(
            f"TensorBoard's library is not installed: {error}",
            code="tensorboard_missing",
            hint='pip install "fsdp-agent[tensorboard]"',
        ) from error
