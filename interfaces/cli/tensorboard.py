"""`fsdp-agent jobs tensorboard`."""

from pathlib import Path
from typing import Annotated

import typer

from interfaces.cli import exits
from interfaces.cli.options import Form, FormatOption, HomeOption, JsonFlag, output, settings


def add_to(jobs: typer.Typer) -> None:
    """Add the command to those of `jobs`."""
    jobs.command()(tensorboard)


def tensorboard(
    run_id: Annotated[str, typer.Argument(metavar="RUN_ID", help="Id of the run, such as r-0123456789ab.")],
    to: Annotated[Path, typer.Option("--to", help="Folder of runs, TensorBoard's --logdir; made where missing.")],
    follow: Annotated[bool, typer.Option("--follow", help="Go on writing until the run ends.")] = False,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
    home: HomeOption = None,
) -> int:
    """Write a run's curves for TensorBoard.

    Loss, gradient norm, learning rate, tokens per second, memory, evaluations and the
    seconds of each checkpoint go into a folder of the run's name. Needs the extra
    `tensorboard`; exit code 3 where it is not installed.
    """
    from interfaces.service_tensorboard import write_tensorboard

    out = output(json, form)
    written = write_tensorboard(settings(home), run_id, to, follow=follow)
    if out.as_json:
        out.answer(written)
    else:
        out.progress(f"{written.events} events of {written.run_id}: {', '.join(written.tags) or 'no curves yet'}")
        out.progress(f"look at them: tensorboard --logdir {to}")
    return exits.ANSWERED
