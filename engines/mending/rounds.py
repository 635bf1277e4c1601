"""Whether a fix held: told by how the run with it ended."""

from collections.abc import Sequence

from contracts.amendment import Amendment, Outcome
from contracts.diagnosis import Diagnosis
from contracts.run import RunRecord


def judged(
    amendments: Sequence[Amendment], run: RunRecord | None, diagnosis: Diagnosis | None
) -> tuple[Amendment, ...]:
    """Return the rounds with the outcome of the newest one, as far as its run tells.

    Args:
        amendments: The rounds so far, the oldest first.
        run: The thread's run as last seen.
        diagnosis: Why it failed; None where it did not.
    """
    if not amendments or run is None or run.run_id == amendments[-1].after_run:
        return tuple(amendments)
    last = amendments[-1]
    outcome = _outcome(last, run, diagnosis)
    return (*amendments[:-1], last.model_copy(update={"run_id": run.run_id, "outcome": outcome}))


def _outcome(amendment: Amendment, run: RunRecord, diagnosis: Diagnosis | None) -> Outcome | None:
    if run.state == "done":
        return "held"
    if run.state not in ("failed", "lost") or diagnosis is None:
        return None
    if diagnosis.verdict == "unknown" or not diagnosis.causes:
        return "not_held"  # it failed, and nothing says that it was of something else
    return "not_held" if diagnosis.causes[0].cause == amendment.cause else "next_problem"
