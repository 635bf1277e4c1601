"""The dry run of `fsdp-agent estimate --dry-run`."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contracts.units import count_text, size_text
from interfaces.cli import exits
from interfaces.cli.output import Output
from interfaces.cli.tables import plain_table

if TYPE_CHECKING:
    from rich.table import Table

    from contracts.settings import Settings
    from interfaces.results_dryrun import DryRunAnswer

_HOST_SHOWN_GIB = 0.001
"""An optimizer counts its steps in host memory; that is not worth a word."""

DryRunFlag = Annotated[
    bool, typer.Option("--dry-run", help="Run steps with fully_shard on tensors without memory, and compare.")
]
QuickFlag = Annotated[bool, typer.Option("--quick", help="With --dry-run: a few layers, extrapolated.")]
FactoryOption = Annotated[
    str | None, typer.Option(help="With --dry-run: module:function that returns your own model; you are asked.")
]
FactoryFolderOption = Annotated[
    Path | None, typer.Option(help="Folder of the factory's module; the working folder where absent.")
]


def show_dry_run(
    out: Output,
    settings: "Settings",
    subject: tuple[str | None, str | None, Path | None],
    given: Mapping[str, Any],
    gpu: str | None,
    *,
    quick: bool,
) -> int:
    """Run dry, print what was found and return the exit code.

    Args:
        out: Where it is printed.
        settings: The home folder and the training interpreter.
        subject: Model, factory, and the factory's folder.
        given: Settings of the training.
        gpu: A known GPU; None: not judged.
        quick: A few layers, extrapolated.
    """
    from interfaces.cli.asking import ask_person
    from interfaces.service_dryrun import Subject, dry_run

    out.progress("running steps on tensors without memory; a large model takes a minute or two")
    answer = dry_run(settings, Subject(*subject), given, gpu, lambda launch: ask_person(out, launch), quick=quick)
    if out.as_json:
        out.answer(answer)
    else:
        show_dry_run_answer(out, answer)
    return exits.BAD_NEWS if answer.fits is False else exits.ANSWERED


def show_dry_run_answer(out: Output, answer: "DryRunAnswer") -> None:
    """Print what a dry run took, beside the prediction."""
    dry = answer.dry_run
    fits = {None: "not judged: give --gpu", True: "fits", False: "does not fit"}[answer.fits]
    out.progress(f"{answer.model}, {count_text(answer.params)} parameters, {answer.ranks} ranks: {fits}")
    how = f"{dry.layers} layers" if not dry.error_pct else f"{' and '.join(map(str, dry.traced_layers))} layers"
    more = "" if not dry.error_pct else f", extrapolated to {dry.layers} (+-{dry.error_pct:g} %)"
    out.progress(f"dry run: fully_shard of torch {dry.torch}, {how}{more}")
    out.progress(
        f"peak per rank: {size_text(dry.reserved_gib)} reserved, {size_text(dry.active_gib)} active, "
        f"in {dry.peak_phase}; first step {size_text(dry.step1_reserved_gib)}"
    )
    if dry.host_gib >= _HOST_SHOWN_GIB:
        out.progress(f"in host memory: {size_text(dry.host_gib)} per rank")
    out.table(_table(answer))


def _table(answer: "DryRunAnswer") -> "Table":
    from rich.text import Text

    if not answer.differences:
        table = plain_table("memory at the peak", "dry run")
        for name, gib in sorted(answer.dry_run.breakdown.items(), key=lambda part: -part[1]):
            table.add_row(Text(name), Text(size_text(gib), justify="right"))
        return table
    table = plain_table("", "predicted", "dry run", "difference")
    for row in answer.differences:
        apart = "-" if row.difference_pct is None else f"{row.difference_pct:+.2f} %"
        cells = (size_text(row.predicted_gib), size_text(row.dry_run_gib), apart)
        table.add_row(Text(row.component), *(Text(cell, justify="right") for cell in cells))
    return table
