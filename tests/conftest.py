"""What every test starts from: strict checkpoints, and nobody's own settings."""

import os

# Read when langgraph is imported, so it is set before any test module is.
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
os.environ["LANGSMITH_TRACING"] = "false"
os.environ.pop("FSDP_AGENT_HOME", None)
os.environ.pop("FSDP_AGENT_MODEL", None)
os.environ.pop("FSDP_AGENT_POSTGRES", None)
# A person's terminal is what the tests stand for, wherever they are started.
for name in ("CLAUDECODE", "CODEX_SANDBOX", "CURSOR_AGENT", "GEMINI_CLI", "OPENCODE", "AIDER_CHAT"):
    os.environ.pop(name, None)
