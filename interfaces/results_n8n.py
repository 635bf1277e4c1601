"""What `fsdp-agent n8n` answers."""

from typing import Literal

from contracts.base import Contract


class N8nWorkflow(Contract):
    """One workflow in an n8n."""

    name: str
    """Name in n8n."""
    id: str
    """Id in n8n."""
    address: str
    """Where its webhook is called; empty where a person starts it in the editor."""


class N8nChange(Contract):
    """What was changed in an n8n."""

    change: Literal["installed", "removed"]
    """What was done."""
    by: Literal["api", "command"]
    """n8n's public API, or its own command: that one takes effect with n8n's next start."""
    n8n: str
    """Address of the n8n."""
    server: str
    """Address of `fsdp-agent serve` as this n8n sees it."""
    workflows: tuple[N8nWorkflow, ...]
    """Those that were put in or taken out."""
    tokens: tuple[str, ...]
    """Names of the tokens that were made or taken away, as in `fsdp-agent tokens list`."""
    first_question: str
    """A command that asks a first question; empty after a removal."""
