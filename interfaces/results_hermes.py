"""What `fsdp-agent hermes` answers."""

from typing import Literal

from contracts.base import Contract


class HermesChange(Contract):
    """What was changed in a Hermes."""

    change: Literal["installed", "removed"]
    """What was done."""
    server: str
    """Name of the MCP server."""
    skill: str
    """Absolute path of the skill's folder."""
