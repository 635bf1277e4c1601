"""Diagnosis: the root cause of a failure, with the lines that prove it."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract


class Evidence(Contract):
    """A line that supports a cause."""

    file: str
    """Path as given; `<stdin>` for standard input."""
    line: int = Field(ge=1)
    """1-based line."""
    text: str
    """The line, shortened, with control characters removed."""


class Cause(Contract):
    """One possible root cause."""

    cause: str
    """Slug of the cause."""
    confidence: float = Field(ge=0, le=1)
    """Probability that this is the root cause."""
    summary: str
    """What happened."""
    fix: str
    """What to change, and how to confirm it."""
    evidence: tuple[Evidence, ...] = ()
    """The lines that prove it."""
    cards: tuple[str, ...] = ()
    """Slugs of the knowledge cards."""
    cost: str = ""
    """What the fix costs; empty where it costs nothing worth a word."""
    confirm: str = ""
    """How to see that it was this cause and that the fix holds."""


class RankState(Contract):
    """What is known of one rank, in the order in which it happened."""

    rank: str
    """Global rank, as digits."""
    last_progress: str | None = None
    """The last sign of work, such as the last step that it printed."""
    last_progress_at: float | None = None
    """When, in seconds since the epoch; None where no time stamp tells."""
    first_abnormal: str | None = None
    """Its first line of trouble, with the place."""
    first_abnormal_at: float | None = None
    """When, in seconds since the epoch; None where no time stamp tells."""
    exit: str | None = None
    """How it ended, such as "exit code 1" or "signal 9 (SIGKILL)"."""
    waits_in: str | None = None
    """The collective that it waits in: sequence number, operation, shape and process group."""
    stands_at: str | None = None
    """Where its main thread is: the innermost frames of the job's own code."""


class ChainLink(Contract):
    """One event on the way from the first failure to the last message."""

    rank: str | None = None
    """Global rank, as digits; None where no rank is named."""
    at: float | None = None
    """When, in seconds since the epoch; None where no time stamp tells."""
    role: Literal["first", "consequence", "last"]
    """What it is in the chain."""
    text: str
    """What happened, with its place."""


class Hang(Contract):
    """What keeps the ranks waiting for each other."""

    kind: Literal["missing", "mismatch", "crossed", "behind"]
    """missing: a rank never came to the collective; mismatch: the ranks are in different ones; crossed: they wait
    for each other in different groups; behind: a rank is still at work elsewhere."""
    collective: str | None = None
    """The collective at which they parted: sequence number, operation, shape and process group."""
    waiting: tuple[str, ...] = ()
    """Ranks that wait."""
    culprits: tuple[str, ...] = ()
    """Ranks that others wait for, or that are in another collective."""
    stands_at: str | None = None
    """Where the first of the culprits is."""
    text: str
    """The finding in one sentence."""


class Diagnosis(Contract):
    """The answer to "why did it fail"."""

    verdict: Literal["diagnosed", "unknown", "not_fsdp", "no_failure"]
    """`unknown` says in `needed` what would decide it; no_failure: a run that did not fail has no cause."""
    causes: tuple[Cause, ...] = ()
    """Best first."""
    first_failure: str | None = None
    """The first abnormal event, with its rank and place."""
    ranks: dict[str, str] = {}
    """What is known of each rank's end."""
    needed: tuple[str, ...] = ()
    """What to collect, as exact commands or environment variables."""
    rank_states: tuple[RankState, ...] = ()
    """What is known of each rank, in the order of the ranks."""
    first_diverged: str | None = None
    """The rank that left the others first, as digits."""
    chain: tuple[ChainLink, ...] = ()
    """From the first failure to the last message."""
    hang: Hang | None = None
    """Where the ranks wait for each other, as far as flight recorders or stacks tell."""
    remark: str | None = None
    """How a run ended that did not fail."""
