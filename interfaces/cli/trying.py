"""`plan --trials`: the best configurations of a plan, run for a few steps each once a person has approved it."""

from pathlib import Path
from typing import TYPE_CHECKING

from contracts.errors import InputError
from interfaces.cli.options import settings
from interfaces.cli.output import Output

if TYPE_CHECKING:
    from pydantic import BaseModel

    from contracts.request import Request
    from interfaces.results import Thread


def try_out(out: Output, asked: "Request", home: Path | None, interpreter: str | None, follow: bool | None) -> int:
    """Plan, ask for approval, and where it is given show what was measured; return the exit code.

    Args:
        out: Where it is printed.
        asked: The request, with the number of trials.
        home: The home folder as it was given.
        interpreter: Python of the training environment; the agent's own where None.
        follow: Whether the run is followed to its end; in a terminal where None.

    Raises:
        InputError: The model is no folder, so that nothing can be run.
    """
    from interfaces.cli.run import ask_at_terminal, conclude, show_waiting
    from interfaces.service_threads import start_run

    if asked.model is None or asked.model.path is None:
        raise InputError(
            "trials run the model: a name or a size is not enough",
            code="trials_need_a_folder",
            hint="give --model FOLDER, a Hugging Face folder with config.json, *.safetensors and a tokenizer",
        )
    chosen = settings(home, interpreter)
    stand = start_run(chosen, asked)
    if stand.phase == "awaiting_approval" and stand.launch_hash is not None:
        show_waiting(out, stand)
        if out.interactive:
            stand = ask_at_terminal(chosen, stand, stand.launch_hash)
    return conclude(out, chosen, home, stand, out.interactive if follow is None else follow, _answer)


def _answer(stand: "Thread") -> "BaseModel":
    from interfaces.results_trials import PlanTried

    return PlanTried.of_thread(stand) if stand.plan is not None else stand
