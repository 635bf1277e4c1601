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
READER_LEFT = 141
"""Whoever read the output left before its end (`... | head`), as shells report it: nothing of what was not
written can be known from the code, least of all that it was good news."""

_BY_PHASE = {
    "needs_input": CANNOT_BE_KNOWN,
    "awaiting_approval": AWAITING_APPROVAL,
    "not_advised": BAD_NEWS,
    "declined": REFUSED,
}
_REFUSALS = {"approval_missing", "approval_forged", "content_changed", "not_allowed", "rejected", "run_refused"}
_BAD_NEWS = {"review_errors", "run_failed", "run_cancelled", "run_lost", "trials_failed", "nothing_to_try"}


def for_thread(phase: str, error_code: str) -> int:
    """Return the exit code of a thread.

    Args:
        phase: Where it stands.
        error_code: Code of its error; empty where it has none.
    """
    if phase != "failed":
        return _BY_PHASE.get(phase, ANSWERED)
    if error_code in _REFUSALS:
        return REFUSED
    return BAD_NEWS if error_code in _BAD_NEWS or not error_code else WRONG_USE


def for_run_state(state: str) -> int:
    """Return the exit code of a run that ended in, or was left in, this state."""
    return {"failed": BAD_NEWS, "cancelled": BAD_NEWS, "lost": BAD_NEWS, "refused": REFUSED}.get(state, ANSWERED)
