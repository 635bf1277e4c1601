#!/usr/bin/env bash
# Makes the project's own virtual environment in .venv: the agent, the training side, the server, the tests.
#
#   PYTHON       interpreter to build it with (3.11 or newer; default python3)
#   TORCH_INDEX  package index to take torch from, such as PyTorch's own for CPU builds
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}

"$python" - <<'PY' || { echo "setup: fsdp-agent needs Python 3.11 or newer; name one: make PYTHON=python3.12 ..." >&2; exit 2; }
import sys
raise SystemExit(sys.version_info < (3, 11))
PY

if [ ! -x .venv/bin/python ]; then
    "$python" -m venv .venv || { echo "setup: '$python -m venv' failed; install your system's venv package" >&2; exit 2; }
fi
pip() { .venv/bin/python -m pip --disable-pip-version-check "$@"; }

torch=$(sed -n 's/^torch==//p' constraints.txt)
if ! .venv/bin/python -c "import importlib.metadata as m; raise SystemExit(m.version('torch').split('+')[0] != '$torch')" 2>/dev/null; then
    echo "setup: torch $torch"
    if [ -n "${TORCH_INDEX:-}" ]; then
        pip install --quiet --index-url "$TORCH_INDEX" "torch==$torch"
    elif command -v nvidia-smi >/dev/null 2>&1 || [ "$(uname -s)" != Linux ]; then
        pip install --quiet "torch==$torch"
    else
        # Without a GPU the CPU build is a tenth of the size; where no index has it, the default build does as well.
        pip install --quiet "torch==$torch+cpu" 2>/dev/null || pip install --quiet "torch==$torch"
    fi
fi
echo "setup: fsdp-agent and what it needs"
pip install --quiet --constraint constraints.txt --editable ".[train,studio,dev]"
touch .venv/ready
