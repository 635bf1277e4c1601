"""What a probe job returns."""

from contracts.base import Contract
from contracts.probe import CardVerdict
from contracts.run import RunRecord


class ProbeRun(Contract):
    """What probes, run as a job, said about their cards."""

    run: RunRecord
    """The run."""
    torch: str
    """Version of torch that was asked, without its build; empty where the job did not end by itself."""
    counts: dict[str, int]
    """Cards by verdict."""
    verdicts: tuple[CardVerdict, ...]
    """Of each card, by slug; none where the job did not end by itself."""
