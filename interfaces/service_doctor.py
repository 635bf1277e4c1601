"""Doctor: what the environment has, and what will stop a job."""

from importlib.util import find_spec
from pathlib import Path

from contracts.errors import FsdpAgentError
from contracts.settings import Settings
from graph.owner_config import load_owner_config
from interfaces import machine, training_python
from interfaces.results import Check, Health


def examine(settings: Settings) -> Health:
    """Check the interpreters, torch, GPUs, memory, disk, limits, ports and the server.

    Args:
        settings: The home folder and the training interpreter to examine.
    """
    home = Path(settings.home)
    checks = [
        training_python.agent_python(),
        *training_python.training_checks(settings.interpreter),
        machine.gpus(),
        machine.slurm(),
        machine.cores(),
        machine.memory(),
        machine.shared_memory(),
        machine.home_folder(home),
        machine.disk(home),
        machine.open_files(),
        machine.locked_memory(),
        machine.loopback(),
        machine.server_port(),
        _server(),
        _owner(),
    ]
    return Health(checks=tuple(checks), ready=not any(c.required and c.verdict == "missing" for c in checks))


def _server() -> Check:
    if find_spec("langgraph_api"):
        return Check(name="langgraph_server", verdict="ok", value="installed")
    hint = "for langgraph dev and Studio: pip install 'fsdp-agent[studio]'"
    return Check(name="langgraph_server", verdict="missing", value="not installed", hint=hint)


def _owner() -> Check:
    try:
        config = load_owner_config()
    except FsdpAgentError as error:
        return Check(name="owner_config", verdict="warning", value=error.message, hint=error.hint)
    if not Path(config.path).exists():
        return Check(name="owner_config", verdict="ok", value=f"none at {config.path}: --yes is refused")
    return Check(name="owner_config", verdict="ok", value=f"{config.path}, --yes for {len(config.allow_yes)} requests")
