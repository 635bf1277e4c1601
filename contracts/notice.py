"""Notice: something that the supervisor saw or did, worth a person's attention."""

from typing import Literal

from contracts.base import Contract

NoticeKind = Literal[
    "placed",
    "preflight",
    "adopted",
    "queued",
    "watched",
    "warning",
    "straggler",
    "hang",
    "limit",
    "stopping",
    "ending",
    "restart",
    "give_up",
    "refused",
]
"""placed: a job of a cluster has nodes; preflight: they are fit; adopted: another supervisor took
over; queued: it waits for room; watched: by what a hang would be noticed; warning: memory or disk
run low, or a log was shortened; straggler: a rank holds the others up; hang: a rank gave no sign of
life; limit: it took more than was approved; stopping: the run was asked to stop; ending: what hangs
or takes too much is ended; restart and give_up: the decision on a failed start; refused: the
approval does not hold."""


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
