"""Notice: something that the supervisor saw or did, worth a person's attention."""

from typing import Literal

from contracts.base import Contract

NoticeKind = Literal[
    "queued",
    "adopted",
    "warning",
    "straggler",
    "hang",
    "stopping",
    "ending",
    "restart",
    "give_up",
    "refused",
]
"""queued: a start waits for cores or GPUs; adopted: another supervisor took over; warning:
memory or disk run low; straggler: a rank holds the others up; hang: a rank gave no sign of
life; stopping: the run was asked to stop; ending: what hangs is ended; restart and give_up:
the decision on a failed start; refused: the approval does not hold."""


class Notice(Contract):
    """One such entry of a run's journal, in words."""

    kind: NoticeKind
    """What it is."""
    time: float
    """Seconds since the epoch."""
    attempt: int
    """Start of the job that it concerns, counted from 1."""
    message: str
    """The same for a person."""
