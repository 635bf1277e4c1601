"""Event: one line of a run's event log, written by the job."""

from typing import Any, Literal

from pydantic import ConfigDict, Field

from contracts.base import Contract

EventKind = Literal["boot", "step", "eval", "checkpoint", "resume", "export", "warning", "end"]
"""What happened."""


class Event(Contract):
    """A fact that the job reports. Kinds that a reader does not know are kept as they are."""

    model_config = ConfigDict(extra="allow")

    kind: EventKind | str
    """What happened."""
    time: float = Field(ge=0)
    """Seconds since the epoch."""
    attempt: int = Field(default=1, ge=1)
    """Start of the job that wrote it, counted from 1."""
    step: int | None = None
    """Optimizer steps done."""
    loss: float | None = None
    """Mean cross-entropy in nats per token, over the tokens of all ranks."""
    grad_norm: float | None = None
    """Global gradient norm before clipping."""
    lr: float | None = None
    """Learning rate used."""
    tokens_per_s: float | None = None
    """Tokens per second over all ranks."""
    memory_gib: float | None = None
    """Peak device memory reserved on rank 0 in GiB (on CPU: resident set size)."""
    data: dict[str, Any] = {}
    """What belongs to this kind alone."""


class EventPage(Contract):
    """Some events and where to go on."""

    events: tuple[Event, ...]
    """In the order in which they were written."""
    cursor: int
    """Byte offset after the last whole line that was read."""
    skipped: int = 0
    """Lines that were passed over because they are no events: broken, binary or too long."""
