"""Story: all that a report may tell, gathered by its caller."""

from dataclasses import dataclass, field

from contracts.amendment import Amendment
from contracts.answer import Answer
from contracts.approval import Approval
from contracts.diagnosis import Diagnosis
from contracts.finding import Finding
from contracts.launch import LaunchRequest
from contracts.need import Need
from contracts.plan import Plan
from contracts.request import Language, Request
from contracts.run import RunRecord
from contracts.study import Study
from contracts.trials import Trials
from engines.reporting.series import TrainingSeries


@dataclass(frozen=True)
class Failure:
    """An error of the thread, in the form in which it leaves through any door."""

    code: str
    """Stable code."""
    message: str
    """What is wrong."""
    hint: str = ""
    """What to do about it."""


@dataclass(frozen=True)
class Story:
    """What is known when a thread comes to rest; None where it never came to that."""

    phase: str
    """Where the thread stands."""
    thread_id: str
    """The thread."""
    request: Request | None = None
    """What was asked."""
    need: Need | None = None
    """The verdict of the need gate."""
    plan: Plan | None = None
    """What was planned."""
    trials: Trials | None = None
    """What was tried of the plan, and what was measured."""
    findings: tuple[Finding, ...] = ()
    """What the review found."""
    approval: Approval | None = None
    """Who decided, when, on what."""
    run: RunRecord | None = None
    """The run as last seen."""
    launched: LaunchRequest | None = None
    """What that run was started with, where it is no longer the plan's launch."""
    series: TrainingSeries = field(default_factory=TrainingSeries)
    """What the run reported, thinned."""
    answer: Answer | None = None
    """The cited answer."""
    study: Study | None = None
    """A question that took several configurations to answer."""
    amendments: tuple[Amendment, ...] = ()
    """What was changed after runs that failed, one for each round."""
    diagnosis: Diagnosis | None = None
    """Why it failed."""
    failure: Failure | None = None
    """What went wrong in the thread itself."""

    @property
    def language(self) -> Language:
        """Language in which the story is told."""
        if self.need is not None:
            return self.need.language
        return (self.request.language if self.request else None) or "en"

    @property
    def worth_a_file(self) -> bool:
        """Whether there is more to tell than a chat message holds."""
        return any((self.plan, self.run, self.findings, self.diagnosis, self.answer, self.study))
