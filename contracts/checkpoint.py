"""CheckpointFolder: one step folder of a run, and whether a resume may trust it."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract

CheckpointVerdict = Literal["verified", "complete", "unverified"]
"""verified: every file was read again and has its SHA-256; complete: every file is there
with its size, its bytes were not read; unverified: a resume passes it over."""


class CheckpointFolder(Contract):
    """What stands in one step folder."""

    name: str
    """Name of the folder."""
    step: int = Field(ge=0)
    """Optimizer steps done, by the folder's name."""
    size_bytes: int = Field(ge=0)
    """Bytes of all files in it."""
    world_size: int | None = None
    """Ranks that wrote it; None where no manifest says so."""
    verdict: CheckpointVerdict
    """Whether a resume may trust it."""
    reason: str = ""
    """Why it is unverified; empty otherwise."""
