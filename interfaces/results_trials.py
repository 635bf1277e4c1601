"""What a plan with trials returns: the JSON object of `plan --trials`."""

from typing import TYPE_CHECKING, Self

from contracts.report import Report
from contracts.trials import Trials
from interfaces.results import ErrorBody
from interfaces.results_plan import PlanAnswer

if TYPE_CHECKING:
    from interfaces.results import Thread


class PlanTried(PlanAnswer):
    """A plan, and what was or will be tried of it."""

    thread_id: str
    """Thread that asks for approval, and that knows the results."""
    phase: str
    """Where it stands: awaiting_approval, running, done, failed, declined."""
    launch_hash: str | None
    """Launch that waits for approval, or was decided on."""
    run_id: str | None
    """The run of the trials."""
    trials: Trials | None
    """What is or was tried, what was measured, and which won; the plan above is then the winner's."""
    report: Report | None
    """The written account."""
    error: ErrorBody | None
    """What went wrong."""

    @classmethod
    def of_thread(cls, thread: "Thread") -> Self:
        """Return the answer of a thread that has a plan."""
        assert thread.plan is not None, "the thread has a plan"
        names = ("thread_id", "phase", "launch_hash", "run_id", "trials", "report", "error")
        return cls(**dict(thread.plan), **{name: getattr(thread, name) for name in names})
