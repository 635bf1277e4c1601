"""`fsdp-agent review`."""

from typing import TYPE_CHECKING, Annotated

import typer

from interfaces.cli import exits
from interfaces.cli.options import Form, FormatOption, JsonFlag, output
from interfaces.cli.text import counted

if TYPE_CHECKING:
    from contracts.finding import ReviewResult
    from interfaces.cli.output import Output


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(review)


def review(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Files and folders.")],
    torch: Annotated[str | None, typer.Option(help="Version of torch that the code is meant for.")] = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
) -> int:
    """Find FSDP mistakes in training code.

    Reads scripts, configurations and launch scripts; runs nothing of them. Exit code 1
    where an error is found; else 2 where a file could not be read, as no findings then
    prove nothing.
    """
    from interfaces.service import review as examine

    out = output(json, form)
    result = examine(tuple(paths), torch)
    if out.as_json:
        out.answer(result)
    else:
        _print(out, result)
    if any(found.severity == "error" for found in result.findings):
        return exits.BAD_NEWS
    return exits.WRONG_USE if result.unreadable else exits.ANSWERED


def _print(out: "Output", result: "ReviewResult") -> None:
    for found in result.findings:
        place = f"{found.file}:{found.line}:{found.column}"
        out.progress(f"{place}: {found.severity} {found.rule} ({found.slug}): {found.message}")
        if found.fix:
            out.progress(f"    fix: {found.fix}")
    for line in result.unreadable:
        out.progress(f"not read: {line}")
    for line in result.not_followed:
        out.progress(f"not followed: {line}")
    parts = [counted(len(result.files), "file"), counted(len(result.findings), "finding")]
    if result.unreadable:
        parts.append(f"{len(result.unreadable)} not read")
    out.progress(", ".join(parts))
