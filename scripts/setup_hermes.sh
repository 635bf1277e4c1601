#!/usr/bin/env bash
# Hermes in an environment of its own: it pins other versions than the agent's. Used by the interop tests alone.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x .venv-hermes/bin/python ] || "${PYTHON:-python3}" -m venv .venv-hermes
.venv-hermes/bin/python -m pip install --quiet "hermes-agent[mcp]==0.19.0"
