"""Grant: a door's word that the caller who answered holds the approver's right."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract


class Grant(Contract):
    """An answer to one thread's pending launch, sealed where the caller was authenticated.

    The door seals it, so that a node never has to guess from a run's configuration who
    answered: a configuration may be older than the answer.
    """

    thread_id: str = Field(min_length=1)
    """Thread that was answered."""
    decision: Literal["approve", "reject"]
    """What the person decided."""
    approver: str
    """Who the door says it was."""
    granted_at: float = Field(ge=0)
    """Seconds since the epoch."""
    launch_hash: str = Field(min_length=1)
    """Hash of the launch that the person decided on."""
    reason: str = ""
    """What the person said about it."""
    mac: str = ""
    """HMAC-SHA256 over the other fields with the approver's secret."""
