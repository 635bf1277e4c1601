"""`fsdp-agent jobs export`."""

from pathlib import Path
from typing import Annotated

import typer

from interfaces.cli import exits
from interfaces.cli.options import Form, FormatOption, HomeOption, JsonFlag, output, settings


def add_to(jobs: typer.Typer) -> None:
    """Add the command to those of `jobs`."""
    jobs.command()(export)


def export(
    run_id: Annotated[str, typer.Argument(metavar="RUN_ID", help="Id of the run, such as r-0123456789ab.")],
    to: Annotated[Path, typer.Option("--to", help="Folder to write; it must not exist.")],
    step: Annotated[int | None, typer.Option(min=0, help="Step of the checkpoint; the newest where absent.")] = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
    home: HomeOption = None,
) -> int:
    """Write a checkpoint as a Hugging Face folder.

    Runs in the training interpreter, on as many ranks as the training. You are shown what
    would run and asked, so it needs a terminal. The checkpoint is verified first, and a
    folder that exists is never replaced.
    """
    from interfaces.cli.asking import ask_person
    from interfaces.service_export import export as write

    out = output(json, form)
    record = write(settings(home), run_id, step, to, lambda launch: ask_person(out, launch))
    if out.as_json:
        out.answer(record)
    elif record.state == "done":
        out.progress(f"{record.run_id}: step {record.result.get('steps')} is in {record.result.get('export')}")
    else:
        out.progress(f"{record.run_id} {record.state}: {record.reason}")
    return exits.for_run_state(record.state)
