"""Export: a checkpoint of a run as a Hugging Face folder."""

from pathlib import Path

from contracts.run import RunRecord
from contracts.settings import Settings
from interfaces.direct import Ask, submit_direct, until_end
from interfaces.service_jobs import open_runner

_NO_LIMIT_S = float("inf")


def export(settings: Settings, run_id: str, step: int | None, target: Path, ask: Ask) -> RunRecord:
    """Write a checkpoint as a Hugging Face folder and return how that ended.

    Args:
        settings: The home folder.
        run_id: Id of a run of the built-in recipe.
        step: Step of the checkpoint; the newest whole one where None.
        target: Folder to write; it must not exist.
        ask: Asks a person: it writes outside the run folder.

    Raises:
        UnknownRun: There is no such run.
        WrongState: It has no such checkpoint.
        InputError: The target cannot be written.
        NotAllowed: Nobody approved it.
    """
    from runners import Home, prepare_export

    runner = open_runner(settings)
    runner.status(run_id)  # raises for what is no run
    prepared = prepare_export(Home(settings.home), run_id, step, target)
    started = submit_direct(settings, prepared.launch, ask)
    return until_end(runner, started.run_id, _NO_LIMIT_S)
