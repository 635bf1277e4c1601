"""Reading the allocation trace that a dry run wrote, and telling what each allocation is.

The form of the trace is told in `runners/payload/fsdp_dryrun_recorder.py`. What a tensor
is follows from when it begins and ends, not from a name: optimizer state begins in the
optimizer and stays, a sharded gradient begins in the backward and outlives it, a kept
activation begins in the blocks' forward and is there when they have run, a gathered
parameter is emptied and grows again.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from contracts.errors import FileUnreadable, RequestInvalid
from contracts.regular import open_regular

FORMAT = 1
"""Version of the trace's form that is read here."""

MAX_TRACE_BYTES = 1 << 30
"""A trace of the largest known decoder has some 40 MiB; a larger one is something else."""

HOST_STREAM = -1
"""Stands for a stream in the trace: host memory."""


class Event(NamedTuple):
    """One line of the trace."""

    kind: str
    """a, f, r: a storage begins, ends, is emptied; m: a phase begins; s: a step ends; w: a thread's first product."""
    number: int = 0
    """Storage."""
    size: int = 0
    """Bytes, where a storage begins."""
    stream: int = 0
    """Its stream."""
    phase: str = ""
    """Phase that begins."""


@dataclass
class DryrunTrace:
    """A whole trace."""

    head: dict[str, Any]
    """What was run."""
    events: list[Event]
    """In order."""
    streams: dict[int, str]
    """Names of streams by number."""
    kinds: dict[int, str] = field(default_factory=dict)
    """What an allocation is, by its place among the events; absent: the phase's own work."""


def read_trace(path: Path) -> DryrunTrace:
    """Read a trace and classify its allocations.

    Raises:
        FileUnreadable: It cannot be read.
        RequestInvalid: It is no trace, or was cut.
    """
    try:
        size = path.stat().st_size
        if size > MAX_TRACE_BYTES:
            raise RequestInvalid(f"{path} has {size} bytes; a trace has {MAX_TRACE_BYTES} at most")
        with open_regular(path) as stream:
            lines = [json.loads(line) for line in stream]
        head, foot = lines[0], lines[-1]
        events = [_event(line) for line in lines[1:-1]]
        streams = {int(number): str(name) for number, name in foot["streams"].items()}
    except OSError as problem:
        raise FileUnreadable(f"cannot read {path}: {problem.strerror}") from None
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise RequestInvalid(f"{path} is no whole allocation trace: {problem}") from None
    if head.get("format") != FORMAT:
        raise RequestInvalid(f"{path} has form {head.get('format')}; form {FORMAT} is read here")
    trace = DryrunTrace(head, events, streams)
    trace.kinds = _Classifier().classify(events)
    return trace


def _event(line: Any) -> Event:
    kind, *rest = line
    if kind == "m":
        return Event("m", phase=str(rest[0]))
    if kind not in ("a", "f", "r", "s", "w") or not all(type(value) is int for value in rest):
        raise ValueError(f"{str(line)[:60]} is no event")
    return Event(kind, *rest)


@dataclass
class _Life:
    """A storage that is there."""

    place: int
    phase: str
    stream: int


class _Classifier:
    """Tells what allocations are, from their lives."""

    def __init__(self) -> None:
        self._kinds: dict[int, str] = {}
        self._alive: dict[int, _Life] = {}
        self._phase = "start"

    def classify(self, events: list[Event]) -> dict[int, str]:
        """Return the kind of each allocation that has one, by its place among the events."""
        emptied = {event.number for event in events if event.kind == "r"}
        for place, event in enumerate(events):
            if event.kind == "a":
                self._begin(place, event, regrown=event.number in emptied)
            elif event.kind in ("f", "r"):
                self._alive.pop(event.number, None)
            elif event.kind == "m":
                self._enter(event.phase)
        self._settle("optimizer", "optimizer_state")
        return self._kinds

    def _begin(self, place: int, event: Event, *, regrown: bool) -> None:
        if regrown:
            self._kinds[place] = "unsharded_groups"
        elif self._phase == "start":
            self._kinds[place] = "parameters"
        else:
            self._alive[event.number] = _Life(place, self._phase, event.stream)

    def _enter(self, phase: str) -> None:
        if phase == "blocks_done":
            # what other streams hold is FSDP's; it comes and goes by itself
            self._settle("forward", "activations", stream=0)
        elif phase in ("forward", "optimizer"):
            self._settle("backward", "gradients")
            # the state of the steps before
            self._settle("optimizer", "optimizer_state")
        self._phase = phase

    def _settle(self, phase: str, kind: str, stream: int | None = None) -> None:
        """Name what began in a phase and is still there."""
        for life in self._alive.values():
            if life.phase == phase and (stream is None or life.stream == stream):
                self._kinds.setdefault(life.place, kind)
