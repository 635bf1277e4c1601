"""What the operations return where no contract says it: the JSON objects of the commands."""

from typing import Literal

from contracts.amendment import Round
from contracts.answer import Answer
from contracts.base import Contract
from contracts.diagnosis import Diagnosis
from contracts.finding import Finding
from contracts.need import Need
from contracts.report import Report
from contracts.run import RunRecord
from contracts.study import Study
from contracts.trials import Trials
from interfaces.results_plan import PlanAnswer


class ErrorBody(Contract):
    """What went wrong."""

    code: str
    """Stable snake_case word."""
    message: str
    """What is wrong, with the value that was given."""
    hint: str = ""
    """How to mend it."""


class Failure(Contract):
    """The answer of any command that could not do its work (exit code 2, 3 or 5)."""

    ok: Literal[False]
    """Always false."""
    error: ErrorBody
    """What went wrong."""


class Thread(Contract):
    """Where a thread stands: the answer of `run`, `approve` and `reject`."""

    thread_id: str
    """Id of the thread."""
    phase: str
    """Where it stands."""
    need: Need | None = None
    """Verdict of the need gate."""
    plan: PlanAnswer | None = None
    """The plan."""
    trials: Trials | None = None
    """What is or was tried of the plan, and what was measured."""
    findings: tuple[Finding, ...] = ()
    """Findings of the review."""
    diagnosis: Diagnosis | None = None
    """Why a run failed, or the answer to a question about a failure."""
    answer: Answer | None = None
    """The answer to a question."""
    study: Study | None = None
    """The answer to a question that took several configurations."""
    launch_hash: str | None = None
    """Launch that waits for approval, or was decided on."""
    run_id: str | None = None
    """The run."""
    run: RunRecord | None = None
    """The run as last seen."""
    report: Report | None = None
    """The written account."""
    rounds: tuple[Round, ...] = ()
    """What was changed after runs that failed, and whether it held."""
    error: ErrorBody | None = None
    """What went wrong."""


Verdict = Literal["ok", "warning", "missing"]
"""ok: as it should be; warning: works, with a drawback; missing: what needs it cannot run."""


class Check(Contract):
    """One fact about the environment."""

    name: str
    """What was looked at."""
    verdict: Verdict
    """Whether it will do."""
    value: str
    """What was found, with units."""
    hint: str = ""
    """What to do about it; empty where nothing is to be done."""
    required: bool = False
    """Whether every job needs it."""


class Health(Contract):
    """All checks of the environment."""

    checks: tuple[Check, ...]
    """In the order in which they were made."""
    ready: bool
    """Whether nothing is missing that every job needs."""


class TokenRow(Contract):
    """Somebody who may call the server."""

    name: str
    """Who."""
    right: Literal["submit", "approve"]
    """What is allowed."""


class TokenList(Contract):
    """Everybody who may call the server."""

    tokens: tuple[TokenRow, ...]
    """The two first secrets, then the tokens that were made."""


class MadeToken(Contract):
    """A token that was made: the only time that it is shown."""

    name: str
    """Who bears it."""
    token: str
    """The token."""
