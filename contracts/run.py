"""RunRecord: what is known of one run, derived from its folder."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract
from contracts.handover import Handover
from contracts.launch import JobKind

RunState = Literal[
    "submitted", "queued", "starting", "running", "stopping", "done", "failed", "cancelled", "refused", "lost"
]
"""submitted: the folder exists; queued: it waits for cores or GPUs that others hold;
starting: processes are coming up; running: it makes progress; stopping: it was asked to
stop; done, failed, cancelled: it ended so; refused: the supervisor found no matching
approval; lost: nothing of it runs and nobody wrote its end."""

TERMINAL_STATES: frozenset[str] = frozenset({"done", "failed", "cancelled", "refused", "lost"})
"""States that a run leaves only by a resume."""


class RunRecord(Contract):
    """A snapshot. The run folder is the truth; this is read from it."""

    run_id: str = Field(pattern=r"^r-[0-9a-f]{12}$")
    """Id of the run."""
    key: str
    """Idempotency key under which it was submitted."""
    launch_hash: str
    """Hash of the launch that was approved."""
    kind: JobKind
    """What kind of work it is."""
    state: RunState
    """Where it stands."""
    run_dir: str
    """Absolute path of the run folder."""
    attempt: int = Field(ge=0)
    """Starts so far."""
    created_at: float
    """Seconds since the epoch."""
    ended_at: float | None = None
    """Seconds since the epoch; None while it runs."""
    exit_code: int | None = None
    """Exit status of the launcher of the last attempt; negative: killed by that signal."""
    reason: str = ""
    """Why it ended, or what it waits for, for a person."""
    step: int | None = None
    """Last optimizer step that was reported."""
    steps: int | None = None
    """Optimizer steps planned; None where they are not known."""
    loss: float | None = None
    """Last loss that was reported, in nats per token."""
    result: dict[str, object] = {}
    """What the job wrote as its result, such as the exported folder."""
    handover: Handover | None = None
    """What is known of a failure that the runner did not answer by another start."""
