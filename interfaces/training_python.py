"""Asks a training interpreter what it has, in a process of its own: the agent never imports torch."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from contracts.errors import RunnerError
from interfaces.results import Check

_TIMEOUT_S = 120
_OLDEST_TORCH = (2, 6)
# Run by the other Python, which may be older than ours: plain and tolerant.
_QUESTION = """
import json, sys
facts = {"python": sys.version.split()[0]}
try:
    import torch, torch.distributed as dist
    facts.update(torch=torch.__version__, cuda=torch.version.cuda, devices=torch.cuda.device_count(),
                 distributed=dist.is_available())
    if dist.is_available():
        facts.update(nccl=dist.is_nccl_available(), gloo=dist.is_gloo_available())
        if facts["nccl"] and facts["devices"]:
            facts["nccl_version"] = ".".join(str(part) for part in torch.cuda.nccl.version())
except Exception as error:
    facts["torch_error"] = type(error).__name__ + ": " + str(error)
from importlib import metadata
for name in ("transformers", "safetensors", "tokenizers"):
    try:
        facts[name] = metadata.version(name)
    except Exception:
        facts[name] = None
print("\\n" + json.dumps(facts))
"""


def agent_python() -> Check:
    """Tell which Python the agent runs in."""
    version = ".".join(str(part) for part in sys.version_info[:3])
    return Check(name="agent_python", verdict="ok", value=f"{version} at {sys.executable}")


def training_checks(interpreter: str | None) -> list[Check]:
    """Return checks of the training interpreter: Python, torch, transformers, gloo and NCCL.

    Args:
        interpreter: Its path; the agent's own Python where None.
    """
    python = str(Path(interpreter).expanduser().absolute()) if interpreter else sys.executable
    facts = _ask(python)
    if "failure" in facts:
        hint = "name the Python of your training environment with --interpreter"
        return [Check(name="training_python", verdict="missing", value=facts["failure"], hint=hint, required=True)]
    version = f"{facts['python']} at {python}"
    return [Check(name="training_python", verdict="ok", value=version, required=True), _torch(facts), *_parts(facts)]


def _ask(python: str) -> dict[str, Any]:
    # From the root folder, so that no file of the current folder is imported for a module.
    try:
        answer = subprocess.run(
            [python, "-c", _QUESTION], capture_output=True, timeout=_TIMEOUT_S, cwd=os.sep, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return {"failure": f"{python} did not answer in {_TIMEOUT_S} s"}
    except OSError as error:
        return {"failure": f"{python}: {error.strerror}"}
    lines = answer.stdout.decode("utf-8", "replace").strip().splitlines()
    try:
        facts = json.loads(lines[-1])
    except (IndexError, json.JSONDecodeError):
        said = (answer.stderr or answer.stdout).decode("utf-8", "replace").strip().splitlines()
        return {"failure": f"{python} is no usable Python (exit status {answer.returncode}): {''.join(said[-1:])}"}
    return facts if isinstance(facts, dict) and "python" in facts else {"failure": f"{python}: unexpected answer"}


def _torch(facts: dict[str, Any]) -> Check:
    install = "install the training extra into that environment: pip install 'fsdp-agent[train]'"
    if "torch" not in facts:
        text = facts.get("torch_error", "not installed")
        return Check(name="torch", verdict="missing", value=text, hint=install, required=True)
    built = f"CUDA {facts['cuda']}" if facts.get("cuda") else "CPU build"
    text = f"{facts['torch']} ({built}), {facts['devices']} GPUs visible to it"
    numbers = tuple(int(part) for part in facts["torch"].split("+")[0].split(".")[:2] if part.isdigit())
    if numbers < _OLDEST_TORCH:
        hint = f"the built-in recipe needs torch {'.'.join(map(str, _OLDEST_TORCH))} or newer"
        return Check(name="torch", verdict="warning", value=text, hint=hint, required=True)
    return Check(name="torch", verdict="ok", value=text, required=True)


def _parts(facts: dict[str, Any]) -> list[Check]:
    checks = []
    for name in ("transformers", "safetensors", "tokenizers"):
        found = facts.get(name)
        hint = "" if found else f"pip install {name}, for the built-in recipe"
        checks.append(Check(name=name, verdict="ok" if found else "missing", value=found or "not installed", hint=hint))
    gloo = bool(facts.get("gloo"))
    hint = "" if gloo else "this torch was built without gloo: no CPU ranks, no checkpoints in the background"
    checks.append(Check(name="gloo", verdict="ok" if gloo else "missing", value="yes" if gloo else "no", hint=hint))
    nccl = bool(facts.get("nccl"))
    text = facts.get("nccl_version") or ("built in" if nccl else "no")
    hint = "" if nccl else "only a CUDA build of torch has NCCL; GPU ranks need it"
    return [*checks, Check(name="nccl", verdict="ok" if nccl else "missing", value=text, hint=hint)]


def torch_version(interpreter: str | None) -> str:
    """Return the version of torch that an interpreter has, without importing it.

    Args:
        interpreter: Its path; the agent's own Python where None.

    Raises:
        RunnerError: It is no usable Python, or has no torch.
    """
    python = str(Path(interpreter).expanduser().absolute()) if interpreter else sys.executable
    question = "from importlib.metadata import version; print(version('torch'))"
    try:
        answer = subprocess.run(
            [python, "-c", question], capture_output=True, timeout=_TIMEOUT_S, cwd=os.sep, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RunnerError(f"{python} cannot be asked for its torch: {error}", code="no_torch") from None
    if answer.returncode:
        raise RunnerError(f"{python} has no torch", code="no_torch", hint="name the training environment's Python")
    return answer.stdout.decode("utf-8", "replace").strip()
