"""`fsdp-agent whatif`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contracts.errors import InputError
from interfaces.cli import exits
from interfaces.cli.estimate import SETTING_HELP, read_settings, require
from interfaces.cli.options import Form, FormatOption, JsonFlag, output
from interfaces.cli.output import Output
from interfaces.cli.sizing_options import (
    FailuresOption,
    GpuOption,
    GpusOption,
    MicroBatchOption,
    ModelOption,
    RestartOption,
    SeqLenOption,
    StorageOption,
)

_MILLION = 1e6
"""From here on a number is told in whole."""

if TYPE_CHECKING:
    from contracts.whatif import Cell, WhatIf


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(whatif)


def whatif(
    question: Annotated[str | None, typer.Argument(help="Name of a question; without it, all are listed.")] = None,
    model: ModelOption = None,
    gpus: GpusOption = None,
    gpu: GpuOption = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Machines.")] = None,
    network: Annotated[
        str | None, typer.Option(help="Link between machines, such as InfiniBand or '800 Gb/s'.")
    ] = None,
    seq_len: SeqLenOption = None,
    micro_batch: MicroBatchOption = None,
    activation_checkpointing: Annotated[str | None, typer.Option(help="none, full, selective_op or every_k.")] = None,
    setting: Annotated[list[str] | None, typer.Option("--set", help=SETTING_HELP)] = None,
    gpu_hours_per_failure: FailuresOption = None,
    storage: StorageOption = None,
    restart_minutes: RestartOption = None,
    chart: Annotated[Path | None, typer.Option(help="Draw the table into this PNG file.")] = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
) -> int:
    """Answer a question of tuning, debugging or scale about a configuration, with a table and a chart.

    `fsdp-agent whatif` lists the questions: 14 of tuning, 3 of debugging, 4 of several machines.
    Exit code 1 where nothing in a table of memory fits the GPU.
    """
    out = output(json, form)
    if question is None:
        return _list(out)
    if model is None:
        raise InputError("no model is named", hint="give --model with --gpus and --seq-len")
    require(("--gpus", gpus))
    if question != "sequence-length":  # how long it may be is what that one asks
        require(("--seq-len", seq_len))
    from interfaces.service_whatif import draw, what_if

    named = {"ranks": gpus, "seq_len": seq_len, "micro_batch": micro_batch, "ac": activation_checkpointing}
    settings: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
    stated = {
        "gpu_hours_per_failure": gpu_hours_per_failure,
        "storage_gb_per_s": storage,
        "restart_minutes": restart_minutes,
    }
    failing = {name: value for name, value in stated.items() if value is not None}
    found = what_if(question, model, gpu, settings | read_settings(setting or []), nodes, network, failing)
    if chart is not None:
        draw(found, chart)
    if out.as_json:
        out.answer(found)
    else:
        show_what_if(out, found)
        if chart is not None:
            out.progress(f"chart: {chart}")
    return exits.BAD_NEWS if _nothing_fits(found) else exits.ANSWERED


def _nothing_fits(found: "WhatIf") -> bool:
    """Tell whether a table of memory has no row that fits; a table of speeds answers all the same."""
    from engines.sizing.whatif.questions import SCALE

    judged = [row["fits"] for row in found.rows if row.get("fits") is not None]
    return bool(judged) and not any(judged) and found.question not in SCALE


def _list(out: Output) -> int:
    from interfaces.service_whatif import questions

    if out.as_json:
        raise InputError("no question is named", hint=f"name one of: {', '.join(questions())}")
    from rich.text import Text

    from interfaces.cli.tables import plain_table

    table = plain_table("question", "asks")
    for name, asks in questions().items():
        table.add_row(Text(name), Text(asks))
    out.table(table)
    return exits.ANSWERED


def show_what_if(out: Output, found: "WhatIf") -> None:
    """Print the table, the answer and what it rests on."""
    from rich.text import Text

    from interfaces.cli.tables import plain_table
    from interfaces.cli.text import one_line

    out.progress(f"{found.asks} ({found.model})")
    headings = [
        column.name.replace("_", " ") + (f" ({column.unit})" if column.unit else "") for column in found.columns
    ]
    table = plain_table(*headings)
    rows = [[one_line(_cell(row.get(column.name))) for column in found.columns] for row in found.rows]
    for number, column in enumerate(table.columns):
        # a number or a word is not read across two lines; a sentence may be
        cells = [headings[number], *(row[number] for row in rows)]
        column.min_width = max(len(word) for cell in cells for word in cell.split(" "))
    for row in rows:
        table.add_row(*map(Text, row))
    out.table(table)
    out.progress(found.answer)
    for line in found.arithmetic:
        out.progress(f"by hand: {line}")
    for line in found.assumptions:
        out.progress(f"assumed: {line}")
    if found.cards:
        out.progress(f"cards: {', '.join(found.cards)}")


def _cell(value: "Cell") -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= _MILLION else f"{value:,.6g}"
    return str(value)
