"""Preflight: ranks of ours examine each other and this machine."""

from pydantic import ValidationError

from contracts.errors import RunnerError
from contracts.run import RunRecord
from contracts.settings import Settings
from interfaces.direct import Ask, submit_direct, until_end
from interfaces.results import Check
from interfaces.results_preflight import MessageSpeed, Preflight
from interfaces.service_jobs import open_runner

_LIMIT_S = 900.0
"""Boot of many ranks on a loaded machine, and all messages."""


def preflight(settings: Settings, ranks: int, device: str, ask: Ask) -> Preflight:
    """Start ranks, let them examine each other, and return what they found.

    Args:
        settings: The home folder and the training interpreter.
        ranks: Processes on this machine.
        device: `cpu` or `cuda`.
        ask: Asks a person; needed where the interpreter is not the agent's own.

    Raises:
        InputError: They cannot run here.
        NotAllowed: Nobody approved it.
        RunnerError: They left no result that can be read.
    """
    from runners import Home, prepare_preflight

    prepared = prepare_preflight(Home(settings.home), ranks, device, settings.interpreter)
    started = submit_direct(settings, prepared.launch, ask)
    return _read(until_end(open_runner(settings), started.run_id, _LIMIT_S))


def _read(run: RunRecord) -> Preflight:
    if run.state != "done":
        hint = f"the ranks could not examine each other; their words: fsdp-agent jobs logs {run.run_id}"
        failed = Check(name="ranks", verdict="missing", value=run.reason or run.state, hint=hint, required=True)
        return Preflight(run=run, checks=(failed,), bandwidth=(), ready=False)
    try:
        checks = [Check.model_validate(check) for check in _list(run, "checks")]
        bandwidth = [MessageSpeed.model_validate(entry) for entry in _list(run, "bandwidth")]
    except ValidationError as error:
        raise RunnerError(f"{run.run_id} left a result that is none of a preflight: {error}") from None
    ready = bool(checks) and all(check.verdict != "missing" for check in checks)
    return Preflight(run=run, checks=tuple(checks), bandwidth=tuple(bandwidth), ready=ready)


def _list(run: RunRecord, name: str) -> list[object]:
    found = run.result.get(name)
    return found if isinstance(found, list) else []
