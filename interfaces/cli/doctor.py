"""`fsdp-agent doctor`."""

from typing import TYPE_CHECKING

import typer

from interfaces.cli import exits
from interfaces.cli.options import Form, FormatOption, HomeOption, InterpreterOption, JsonFlag, output, settings
from interfaces.cli.tables import plain_table
from interfaces.cli.text import one_line

if TYPE_CHECKING:
    from rich.table import Table

    from interfaces.results import Health


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(doctor)


def doctor(
    interpreter: InterpreterOption = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
    home: HomeOption = None,
) -> int:
    """Examine the environment.

    Looks at interpreters, torch, GPUs, NCCL, memory, disk, limits and ports. Exit
    code 1 where something is missing that every job needs.
    """
    from interfaces.service_doctor import examine

    out = output(json, form)
    health = examine(settings(home, interpreter))
    if out.as_json:
        out.answer(health)
    else:
        out.table(_table(health))
        out.progress("ready" if health.ready else "not ready: see what is missing")
    return exits.ANSWERED if health.ready else exits.BAD_NEWS


def _table(health: "Health") -> "Table":
    from rich.text import Text

    colours = {"ok": "green", "warning": "yellow", "missing": "red"}
    table = plain_table("check", "verdict", "found", "hint")
    for check in health.checks:
        verdict = Text(check.verdict, style=colours[check.verdict])
        table.add_row(Text(check.name), verdict, Text(one_line(check.value)), Text(one_line(check.hint)))
    return table
