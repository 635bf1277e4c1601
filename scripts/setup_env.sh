#!/usr/bin/env bash
# Makes the project's own virtual environment in .venv: the agent, the training side, the server, the tests.
#
#   PYTHON       interpreter to build it with (3.11 or newer; default python3)
#   TORCH_INDEX  package index to take torch from, such as PyTorch's own for CPU builds
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}

"$python" -c 'import sys; raise SystemExit(sys.version_info < (3, 11))' || {
    echo "setup: fsdp-agent needs Python 3.11 or newer; name one: make PYTHON=python3.12 ..." >&2
    exit 2
}

if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    # an environment without pip is what an interrupted or failed attempt leaves behind
    rm -rf .venv
    "$python" -m venv .venv || {
        rm -rf .venv
        echo "setup: '$python -m venv' failed; install your system's venv package" >&2
        exit 2
    }
fi
pip() { .venv/bin/python -m pip --disable-pip-version-check "$@"; }

torch=$(sed -n 's/^torch==//p' constraints.txt)
installed=$(.venv/bin/python -c 'import importlib.metadata as m; print(m.version("torch"))' 2>/dev/null || true)
if [ "${installed%%+*}" != "$torch" ] || [ -n "${TORCH_INDEX:-}" ]; then
    echo "setup: torch $torch"
    if [ -n "${TORCH_INDEX:-}" ]; then
        pip install --quiet --index-url "$TORCH_INDEX" "torch==$torch"
    elif command -v nvidia-smi >/dev/null 2>&1 || [ "$(uname -s)" != Linux ]; then
        pip install --quiet "torch==$torch"
    elif ! pip install --quiet "torch==$torch+cpu" 2>/dev/null; then
        echo "setup: no CPU build on this index; taking the default build, which is several GB." >&2
        echo "setup: PyTorch's CPU index is named on its install page: TORCH_INDEX=URL make ..." >&2
        pip install --quiet "torch==$torch"
    fi
fi
echo "setup: fsdp-agent and what it needs"
pip install --quiet --constraint constraints.txt --editable ".[train,studio,dev]"
touch .venv/ready
