"""What follows when a start of the job has ended."""

from runners.outcome import Outcome


def pause_before_next_start(outcome: Outcome, starts: int) -> float | None:  # noqa: ARG001
    """Return the seconds to wait before the next start; None where the run ends here.

    A failed start ends the run: a person, or the agent after its diagnosis, resumes it.

    Args:
        outcome: How the start ended.
        starts: Starts so far.
    """
    return None
