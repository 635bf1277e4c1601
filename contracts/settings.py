"""Settings: where the agent keeps its state, and what its owner allows."""

import os
from pathlib import Path

from pydantic import Field

from contracts.base import Contract


def _default_home() -> str:
    return os.environ.get("FSDP_AGENT_HOME") or str(Path.home() / ".fsdp-agent")


class Settings(Contract):
    """Runtime settings of one invocation; the graph's context."""

    home: str = Field(default_factory=_default_home)
    """Folder of plans, runs, threads and secrets (FSDP_AGENT_HOME)."""
    interpreter: str | None = None
    """Python of the training environment; the agent's own where absent."""
