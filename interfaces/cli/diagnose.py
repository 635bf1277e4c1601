"""`fsdp-agent diagnose`."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from interfaces.cli import exits
from interfaces.cli.options import Form, FormatOption, JsonFlag, output

if TYPE_CHECKING:
    from contracts.diagnosis import Diagnosis
    from interfaces.cli.output import Output


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(diagnose)


def diagnose(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Logs, folders of logs, or - for standard input.")
    ],
    torch: Annotated[str | None, typer.Option(help="Version of torch that was in use.")] = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
) -> int:
    """Find why a distributed job failed or hangs.

    Reads logs, tracebacks and descriptions in words; runs nothing. Exit code 3 where the
    cause cannot be told from them; the answer then says what to collect.
    """
    from interfaces.service_diagnose import diagnose as examine

    out = output(json, form)
    result = examine(tuple(paths), sys.stdin.buffer, torch)
    if out.as_json:
        out.answer(result)
    else:
        _print(out, result)
    return exits.CANNOT_BE_KNOWN if result.verdict == "unknown" else exits.ANSWERED


def _print(out: "Output", result: "Diagnosis") -> None:
    out.progress(_VERDICTS[result.verdict])
    if result.first_failure:
        out.progress(f"first failure: {result.first_failure}")
    for number, cause in enumerate(result.causes, start=1):
        out.progress(f"{number}. {cause.cause} (confidence {cause.confidence:.2f})")
        out.progress(f"    {cause.summary}")
        out.progress(f"    fix: {cause.fix}")
        for line in cause.evidence:
            out.progress(f"    {line.file}:{line.line}: {line.text}")
    for needed in result.needed:
        out.progress(f"needed: {needed}")


_VERDICTS = {
    "diagnosed": "diagnosed",
    "unknown": "the cause cannot be told from this; what comes nearest:",
    "not_fsdp": "not a fault of FSDP",
}
