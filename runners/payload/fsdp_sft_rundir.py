"""What the job writes into its run folder for others to read, and the stop request.

Writers: `events.jsonl` and `result.json` belong to rank 0, `hb/<rank>.json` to that
rank. `cmd/stop` is written by whoever wants the job to stop and only read here.
"""

import contextlib
import errno
import json
import math
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

# USR1 and USR2 are what schedulers send before they take a machine away
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
"""A report is not worth the job: on a full disk it is left out."""


class StopSignals:
    """Turns signals into a request that is obeyed at the next step boundary."""

    def __init__(self) -> None:
        self.seen: str | None = None

    def install(self) -> None:
        """Take over the signals that ask a job to end. Main thread only."""
        for number in _STOP_SIGNALS:
            signal.signal(number, self._note)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self.seen = signal.Signals(number).name


class RunDir:
    """The run folder as one rank sees it."""

    def __init__(self, root: Path, rank: int, attempt: int, signals: StopSignals | None = None) -> None:
        """Name the paths and make the folders that this job writes.

        Args:
            root: The run folder; it must exist.
            rank: Rank of this process.
            attempt: Start of the job, counted from 1.
            signals: Where a signal that asks the job to stop is noted.
        """
        self.root, self.rank, self.attempt = root, rank, attempt
        self.checkpoints = root / "ckpt"
        self.export = root / "export"
        self._events = root / "events.jsonl"
        self._signals = signals or StopSignals()
        self._phase = "boot"
        self.spent: dict[str, float] | None = None
        """This rank's own seconds so far (`fsdp_sft_pace`), for its heartbeats."""
        (root / "hb").mkdir(exist_ok=True)
        self.checkpoints.mkdir(exist_ok=True)
        if rank == 0:
            # a result of an earlier attempt would speak for this one
            (root / "result.json").unlink(missing_ok=True)
            self._close_torn_line()

    def _close_torn_line(self) -> None:
        """End a line that a killed attempt left half written."""
        with contextlib.suppress(FileNotFoundError), open(self._events, "rb+") as stream:
            if stream.seek(0, os.SEEK_END) and stream.seek(-1, os.SEEK_END) >= 0 and stream.read(1) != b"\n":
                stream.write(b"\n")

    def event(self, kind: str, step: int | None = None, data: dict[str, Any] | None = None, **numbers: float) -> None:
        """Append an event (the shape of `contracts.event.Event`); rank 0 only, others pass.

        Args:
            kind: What happened.
            step: Optimizer steps done.
            data: What belongs to this kind alone.
            numbers: loss, grad_norm, lr, tokens_per_s, memory_gib; one that is not
                finite is written as null, since JSON has no NaN.
        """
        if self.rank != 0:
            return
        line: dict[str, Any] = {"kind": kind, "time": time.time(), "attempt": self.attempt, "step": step}
        line |= {name: value if math.isfinite(value) else None for name, value in numbers.items()}
        line["data"] = data or {}
        text = json.dumps(line, allow_nan=False) + "\n"
        # one write of a whole line: a kill leaves it out or in, hardly ever half
        descriptor = os.open(self._events, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(descriptor, text.encode("utf-8"))
        except OSError as error:
            if error.errno not in _DISK_FULL:
                raise
        finally:
            os.close(descriptor)

    def warn(self, code: str, message: str, step: int | None = None) -> None:
        """Append a warning event: a short code and a sentence."""
        self.event("warning", step, {"code": code, "message": message})

    def heartbeat(self, step: int) -> None:
        """Say that this rank lives: steps done and the phase that it is in."""
        beat: dict[str, Any] = {"time": time.time(), "step": step, "phase": self._phase}
        beat |= {"spent": self.spent} if self.spent else {}
        # of no use after a crash of the machine: not worth a wait for the disk in every step
        path = self.root / "hb" / f"{self.rank}.json"
        try:
            write_json(path, beat, durable=False)
        except OSError as error:
            if error.errno not in _DISK_FULL:
                raise
            # over its former self, which takes no room: without it the rank would look dead
            with contextlib.suppress(OSError), open(path, "r+", encoding="utf-8") as stream:
                stream.write(json.dumps(beat))
                stream.truncate()

    @contextlib.contextmanager
    def phase(self, name: str, step: int) -> Iterator[None]:
        """Name the phase in this rank's heartbeats while the block runs.

        Args:
            name: boot, step, eval, checkpoint or export.
            step: Optimizer steps done.
        """
        before, self._phase = self._phase, name
        self.heartbeat(step)
        try:
            yield
        finally:
            self._phase = before

    def stop_reason(self) -> str | None:
        """Return what asks this rank to stop (a signal's name or `cmd/stop`), if anything."""
        if self._signals.seen:
            return self._signals.seen
        return "cmd/stop" if (self.root / "cmd" / "stop").exists() else None

    def result(self, status: str, steps: int, loss: float | None, export: Path | None) -> None:
        """Write the last word on the job; rank 0 only, others pass."""
        if self.rank != 0:
            return
        finite = loss if loss is not None and math.isfinite(loss) else None
        end = {"status": status, "steps": steps, "loss": finite, "export": str(export) if export else None}
        write_json(self.root / "result.json", end)


def write_json(path: Path, value: Any, durable: bool = True) -> None:
    """Write a JSON file so that a reader sees the old or the new content, never a part.

    Args:
        path: The file.
        value: Plain JSON data without NaN.
        durable: Whether the content must be on the disk before the name is.
    """
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    with open(fresh, "w", encoding="utf-8") as stream:
        json.dump(value, stream, allow_nan=False)
        if durable:
            stream.flush()
            os.fsync(stream.fileno())
    fresh.replace(path)
