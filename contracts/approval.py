"""Approval: a person's recorded and sealed decision on one launch."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract


class Approval(Contract):
    """One decision, bound to one launch by its hash."""

    launch_hash: str = Field(pattern=r"^[0-9a-f]{64}$")
    """Hash of the LaunchRequest that was decided on."""
    decision: Literal["approve", "reject"]
    """approve: this launch may start, and start again to resume; reject: it may not."""
    approver: str
    """Who decided."""
    decided_at: str
    """Time in UTC, ISO 8601."""
    via: Literal["cli", "yes_flag", "server", "elicitation", "policy"]
    """The door through which the decision came."""
    reason: str = ""
    """What the person said about it."""
    thread_id: str = ""
    """Thread that asked: a decision does not move to another one. Empty where no thread
    asked and the launch is handed to a runner directly."""
    mac: str = ""
    """HMAC-SHA256 over the other fields with the approver's secret."""
