#!/usr/bin/env bash
# SkyPilot in an environment of its own: it brings some ninety packages. Used by its interop test alone.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x .venv-skypilot/bin/python ] || "${PYTHON:-python3}" -m venv .venv-skypilot
.venv-skypilot/bin/python -m pip install --quiet "skypilot==0.14.1"
