"""The exit codes, which other programs depend on, and what leads to each."""

ANSWERED = 0
"""The question was answered, or what was asked for was done."""
BAD_NEWS = 1
"""Answered, and it is bad news: review errors, does not fit, job failed, not advised."""
WRONG_USE = 2
"""Wrong use or unreadable input."""
CANNOT_BE_KNOWN = 3
"""An input without a sensible default is missing, or the question is not covered."""
AWAITING_APPROVAL = 4
"""A person has to approve a launch before anything goes on."""
REFUSED = 5
"""Rejected by a person, or refused for want of a permission."""
INTERRUPTED = 130
"""Ctrl-C, as shells report it. The job goes on."""

_BY_PHASE = {
    "needs_input": CANNOT_BE_KNOWN,
    "awaiting_approval": AWAITING_APPROVAL,
    "failed": BAD_NEWS,
    "not_advised": BAD_NEWS,
    "declined": REFUSED,
}


def for_phase(phase: str) -> int:
    """Return the exit code of a thread that stands at this phase."""
    return _BY_PHASE.get(phase, ANSWERED)


def for_run_state(state: str) -> int:
    """Return the exit code of a run that ended in, or was left in, this state."""
    return {"failed": BAD_NEWS, "cancelled": BAD_NEWS, "lost": BAD_NEWS, "refused": REFUSED}.get(state, ANSWERED)
