"""Amendment: what is changed of a launch whose run failed, and whether that held."""

from typing import Any, Literal

from pydantic import Field

from contracts.base import Contract
from contracts.finding import Edit

MAX_ROUNDS = 3
"""Amended launches for one request; each is approved anew."""

MendKind = Literal["recipe", "script", "launch"]
"""recipe: settings of the built-in job; script: a changed copy of the user's script; launch: how
it is started, such as the launcher, the environment or a limit."""

Outcome = Literal["held", "not_held", "next_problem"]
"""held: the run finished; not_held: it failed of the same cause again; next_problem: it failed of
another one."""


class Amendment(Contract):
    """One round of mending: the cause, the change and the reason for it."""

    round: int = Field(ge=1)
    """Number of the round, counted from 1."""
    cause: str
    """Slug of the cause that it answers."""
    kind: MendKind
    """What is changed."""
    settings: dict[str, Any] = {}
    """New values by their place in the request, such as `recipe.micro_batch`; `env.NAME` is a
    variable that is set for the job."""
    edits: dict[str, tuple[Edit, ...]] = {}
    """Changed lines by the absolute path of the user's own file, those of earlier rounds included.
    The file itself stays as it is: a changed copy is what runs."""
    diff: str = ""
    """The same as a unified diff against the user's own files; empty where none is changed."""
    why: str
    """What is changed, and why that mends the cause."""
    costs: str = ""
    """What the change costs; empty where it costs nothing worth a word."""
    resumes_from: str | None = None
    """Absolute path of the checkpoint that the run starts from; None: it starts from the beginning,
    or from where a script of the user's own finds its checkpoints."""
    resumes_step: int | None = None
    """Optimizer steps done in that checkpoint."""
    resume_reason: str = ""
    """Why it starts from there."""
    after_run: str = ""
    """Id of the run that failed."""
    after_launch: str = ""
    """Hash of the launch that it was a run of."""
    run_id: str | None = None
    """Id of the run with the change; None until it was started."""
    outcome: Outcome | None = None
    """Whether it held; None until its run has ended by itself."""


class Round(Contract):
    """One round as it is told in JSON."""

    round: int
    """Number of the round, counted from 1."""
    cause: str
    """Slug of the cause that was mended."""
    fix: str
    """What was changed, and why."""
    settings: dict[str, Any] = {}
    """New values by their place in the request."""
    diff: str = ""
    """The changed script as a unified diff; empty where none was changed."""
    resumes_from: str | None = None
    """Checkpoint that the run started from; None: from the beginning."""
    run_id: str | None = None
    """Id of the run with the change; None where it was not started."""
    outcome: Outcome | None = None
    """Whether it held; None where the run has not ended by itself."""


def round_of(amendment: Amendment) -> Round:
    """Return what is told of an amendment."""
    return Round(
        round=amendment.round,
        cause=amendment.cause,
        fix=amendment.why,
        settings=amendment.settings,
        diff=amendment.diff,
        resumes_from=amendment.resumes_from,
        run_id=amendment.run_id,
        outcome=amendment.outcome,
    )
