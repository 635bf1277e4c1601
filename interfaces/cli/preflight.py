"""`fsdp-agent jobs preflight`."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from interfaces.cli import exits
from interfaces.cli.options import Form, FormatOption, HomeOption, InterpreterOption, JsonFlag, output, settings
from interfaces.cli.tables import plain_table
from interfaces.cli.text import one_line

if TYPE_CHECKING:
    from rich.table import Table

    from interfaces.results_preflight import Preflight


class Device(StrEnum):
    """Device type of the ranks."""

    cpu = "cpu"
    cuda = "cuda"


def add_to(jobs: typer.Typer) -> None:
    """Add the command to those of `jobs`."""
    jobs.command()(preflight)


def preflight(
    ranks: Annotated[int, typer.Option(min=1, help="Ranks on this machine.")] = 2,
    device: Annotated[Device, typer.Option(help="Device type of the ranks.")] = Device.cpu,
    interpreter: InterpreterOption = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
    home: HomeOption = None,
) -> int:
    """Let ranks examine each other and this machine.

    Looks at versions on all ranks, all-reduce (right sums, bandwidth by message size),
    network interface, clocks, shared memory, limits and disk. In the agent's own Python it
    needs no approval; with another --interpreter you are asked. Exit code 1 where something
    is missing that a job needs.
    """
    from interfaces.cli.asking import ask_person
    from interfaces.service_preflight import preflight as examine

    out = output(json, form)
    found = examine(settings(home, interpreter), ranks, device.value, lambda launch: ask_person(out, launch))
    if out.as_json:
        out.answer(found)
    else:
        out.console.print(_checks(found))
        if found.bandwidth:
            out.console.print(_bandwidth(found))
        out.progress(f"{found.run.run_id}: " + ("ready" if found.ready else "not ready: see what is missing"))
    return exits.ANSWERED if found.ready else exits.BAD_NEWS


def _checks(found: "Preflight") -> "Table":
    from rich.text import Text

    colours = {"ok": "green", "warning": "yellow", "missing": "red"}
    table = plain_table("check", "verdict", "found", "hint")
    for check in found.checks:
        verdict = Text(check.verdict, style=colours[check.verdict])
        table.add_row(Text(one_line(check.name)), verdict, Text(one_line(check.value)), Text(one_line(check.hint)))
    return table


def _bandwidth(found: "Preflight") -> "Table":
    table = plain_table("all-reduce", "ms", "GB/s (bus)", "sums")
    for speed in found.bandwidth:
        size = f"{speed.bytes >> 20} MiB" if speed.bytes >= 1 << 20 else f"{speed.bytes >> 10} KiB"
        bus = "-" if speed.bus_gb_per_s is None else f"{speed.bus_gb_per_s:.3f}"
        table.add_row(size, f"{speed.seconds * 1e3:.3f}", bus, "right" if speed.right else "WRONG")
    return table
