"""`fsdp-agent diagnose` and `fsdp-agent jobs diagnose`."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from interfaces.cli import exits
from interfaces.cli.options import Form, HomeOption, JsonFlag, output, settings

if TYPE_CHECKING:
    from contracts.diagnosis import Diagnosis


class DiagnosisForm(StrEnum):
    """Form of a diagnosis."""

    text = "text"
    json = "json"
    markdown = "markdown"


TorchOption = Annotated[str | None, typer.Option(help="Version of torch that was in use.")]
DiagnosisFormOption = Annotated[
    DiagnosisForm, typer.Option("--format", help="json is the same as --json; markdown goes to stdout.")
]
PlotOption = Annotated[
    Path | None, typer.Option("--plot", metavar="PNG", help="Write a picture of the ranks' timeline into this file.")
]


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(diagnose)


def add_to_jobs(jobs: typer.Typer) -> None:
    """Add the command for a run of ours."""
    jobs.command(name="diagnose")(diagnose_run)


def diagnose(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...",
            help="Logs, flight recorder dumps, py-spy dumps, folders or archives of them, or - for standard input.",
        ),
    ],
    torch: TorchOption = None,
    code: Annotated[
        list[str] | None, typer.Option(help="The job's code: what a review finds in it counts. May be repeated.")
    ] = None,
    plan: Annotated[str | None, typer.Option(help="The JSON of a plan: what it predicts counts.")] = None,
    plot: PlotOption = None,
    json: JsonFlag = False,
    form: DiagnosisFormOption = DiagnosisForm.text,
) -> int:
    """Find why a distributed job failed or hangs.

    Reads logs, tracebacks, dumps and descriptions in words; runs nothing. Exit code 3 where the
    cause cannot be told from them; the answer then says what to collect.
    """
    from interfaces.service_diagnose import diagnose as examine

    return _tell(examine(tuple(paths), sys.stdin.buffer, torch, tuple(code or ()), plan), plot, json, form)


def diagnose_run(
    run_id: Annotated[str, typer.Argument(metavar="RUN_ID", help="Id of the run, such as r-0123456789ab.")],
    torch: TorchOption = None,
    plot: PlotOption = None,
    json: JsonFlag = False,
    form: DiagnosisFormOption = DiagnosisForm.text,
    home: HomeOption = None,
) -> int:
    """Find why a run failed or hangs.

    Of a living run the stacks of all ranks and their flight recorders are taken first; it is
    not stopped.
    """
    from interfaces.service_diagnose import diagnose_run as examine

    return _tell(examine(settings(home), run_id, torch), plot, json, form)


def _tell(result: "Diagnosis", plot: Path | None, json: bool, form: DiagnosisForm) -> int:
    from engines.diagnosis.telling import markdown, text_lines

    picture = _draw(result, plot) if plot is not None else None
    out = output(json or form is DiagnosisForm.json, Form.text)
    if out.as_json:
        out.answer(result)
    elif form is DiagnosisForm.markdown:
        sys.stdout.write(markdown(result, picture))
    else:
        for line in text_lines(result):
            out.progress(line)
    return exits.CANNOT_BE_KNOWN if result.verdict == "unknown" else exits.ANSWERED


def _draw(result: "Diagnosis", plot: Path) -> str | None:
    """Write the picture; return its path, None where there are no times to draw."""
    from contracts.errors import InputError
    from engines.diagnosis.picture import timeline_png

    drawn = timeline_png(result)
    if drawn is None:
        output(False, Form.text).note("no picture: the ranks' lines carry no time stamps")
        return None
    try:
        plot.write_bytes(drawn)
    except OSError as error:
        raise InputError(f"cannot write {plot}: {error.strerror}", hint="--plot wants the path of a new file") from None
    return str(plot)
