#!/usr/bin/env bash
# The main job on real input: a request file becomes a trained model, on two CPU ranks.
set -euo pipefail
cd "$(dirname "$0")/.."
export FSDP_AGENT_HOME=$PWD/build/demo
# The owner's consent for this one example: see examples/demo.toml.
export FSDP_AGENT_CONFIG=$PWD/examples/demo.toml

# `--yes` is refused in an agent's terminal. This script is its owner's own, and so is its one request.
unset CLAUDECODE CODEX_SANDBOX CURSOR_AGENT GEMINI_CLI OPENCODE AIDER_CHAT "${!HERMES_SESSION_@}"

# The agent refuses a configuration that others can write, which a lax umask makes of a checkout.
chmod go-w examples/demo.toml

.venv/bin/python examples/tiny_sft/make.py
exec .venv/bin/fsdp-agent run examples/tiny_sft/request.yaml --yes "$@"
