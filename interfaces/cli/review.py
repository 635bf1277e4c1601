"""`fsdp-agent review`."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from interfaces.cli import exits
from interfaces.cli.options import Form, JsonFlag, output

if TYPE_CHECKING:
    from contracts.finding import Finding, ReviewResult
    from interfaces.cli.output import Output


class ReviewForm(StrEnum):
    """Form of the findings."""

    text = "text"
    json = "json"
    sarif = "sarif"
    github = "github"
    diff = "diff"


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(review)


def review(
    paths: Annotated[list[str] | None, typer.Argument(metavar="[PATH]...", help="Files and folders.")] = None,
    torch: Annotated[str | None, typer.Option(help="Version of torch that the code is meant for.")] = None,
    json: JsonFlag = False,
    form: Annotated[ReviewForm, typer.Option("--format", help="json is the same as --json.")] = ReviewForm.text,
    select: Annotated[list[str] | None, typer.Option(help="Apply only these rules (id, or its start).")] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="Do not apply these rules.")] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Write the edits that need no decision into the files.")] = False,
    baseline: Annotated[str | None, typer.Option(help="File of known findings, which are not reported.")] = None,
    write_baseline: Annotated[str | None, typer.Option(help="Write all findings into such a file.")] = None,
    isolated: Annotated[bool, typer.Option("--isolated", help="Read no pyproject.toml.")] = False,
) -> int:
    """Find FSDP mistakes in training code.

    Reads scripts, notebooks, configurations and launch scripts; runs nothing of them. Settings
    come from [tool.fsdp-agent.review] of the nearest pyproject.toml. Exit code 1 where an error
    is found; else 2 where a file could not be read, as no findings then prove nothing.
    """
    from interfaces.service_review import Options
    from interfaces.service_review import review as examine
    from interfaces.service_review import write_baseline as remember

    form = ReviewForm.json if json else form
    out = output(form is not ReviewForm.text, Form.text)
    options = Options(torch, _rules(select), _rules(ignore), baseline, isolated)
    result = examine(paths or (), options)
    if write_baseline is not None:
        remember(write_baseline, result.findings)
        out.note(f"{len(result.findings)} known findings are in {write_baseline}")
        return exits.ANSWERED
    if fix and _fixed(out, result.findings):
        result = examine(paths or (), options)
    _answer(out, form, result)
    if any(found.severity == "error" for found in result.findings):
        return exits.BAD_NEWS
    return exits.WRONG_USE if result.unreadable else exits.ANSWERED


def _rules(given: list[str] | None) -> tuple[str, ...]:
    """Return rules that were given one by one or with commas."""
    return tuple(rule.strip() for text in given or () for rule in text.split(",") if rule.strip())


def _fixed(out: "Output", findings: "tuple[Finding, ...]") -> bool:
    """Write edits and tell of them; whether anything was written."""
    from interfaces.service_review import fix

    done = fix(findings)
    for file in done:
        out.note(f"{file.file}: " + (f"not mended: {file.problem}" if file.problem else f"{file.edits} mended"))
    return any(file.edits for file in done)


def _answer(out: "Output", form: ReviewForm, result: "ReviewResult") -> None:
    if form is ReviewForm.text:
        from interfaces.cli.review_text import print_result

        print_result(out, result, diffs=True)
    elif form is ReviewForm.json:
        out.answer(result)
    elif form is ReviewForm.sarif:
        from importlib.metadata import version as installed_version

        from engines.review.sarif import sarif

        out.answer(sarif(result, installed_version("fsdp-agent")))
    elif form is ReviewForm.github:
        from engines.review.sarif import workflow_commands

        for line in workflow_commands(result.findings):
            print(line, flush=True)
    else:
        _diffs(result)


def _diffs(result: "ReviewResult") -> None:
    """Print one unified diff that mends what can be mended."""
    from pathlib import Path

    from engines.review.edits import unified_diff

    for file in dict.fromkeys(found.file for found in result.findings if found.edits):
        edits = [edit for found in result.findings if found.file == file for edit in found.edits]
        print(unified_diff(file, Path(file).read_text(encoding="utf-8"), edits), flush=True)
