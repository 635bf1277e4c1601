"""Whether a program rather than a person typed this: under an MCP client, a server, or an agent's terminal.

A courtesy and a seat belt, no barrier: what runs as the owner can clear a variable.
"""

import os

from contracts.errors import NotAllowed

MARKS: dict[str, str] = {
    "FSDP_AGENT_UNDER_MCP": "this agent's own MCP server",
    "FSDP_AGENT_UNDER_SERVER": "this agent's own HTTP server",
    "HERMES_SESSION_": "the Hermes agent",
    "CLAUDECODE": "Claude Code",
    "CODEX_SANDBOX": "Codex",
    "CURSOR_AGENT": "Cursor's agent",
    "GEMINI_CLI": "Gemini CLI",
    "OPENCODE": "opencode",
    "AIDER_CHAT": "aider",
    "N8N_RUNNERS_MODE": "an n8n task runner",
}
"""Variables that such programs set for the commands that they run, and whose they are; a name that ends
with _ is the beginning of several."""


def refuse_under_agent(what: str) -> None:
    """Let a person go on; refuse where an agent typed.

    Args:
        what: What was asked for, such as `--yes`.

    Raises:
        NotAllowed: A variable of the environment says that this is no person's terminal.
    """
    for name in os.environ:
        whose = next((owner for mark, owner in MARKS.items() if name == mark or _begins(name, mark)), None)
        if whose is not None and os.environ[name]:
            raise NotAllowed(
                f"{what} is a person's: this was started by {whose} ({name} is set)",
                code="no_person",
                hint="type it in a terminal of your own",
            )


def _begins(name: str, mark: str) -> bool:
    return mark.endswith("_") and name.startswith(mark)
