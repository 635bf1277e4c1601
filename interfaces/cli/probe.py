"""`fsdp-agent jobs probe`."""

from typing import Annotated

import typer

from interfaces.cli import exits
from interfaces.cli.options import Form, FormatOption, HomeOption, InterpreterOption, JsonFlag, output, settings
from interfaces.cli.text import one_line


def add_to(jobs: typer.Typer) -> None:
    """Add the command to those of `jobs`."""
    jobs.command()(probe)


def probe(
    card: Annotated[list[str] | None, typer.Argument(metavar="[CARD]...", help="Cards; all where none.")] = None,
    interpreter: InterpreterOption = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
    home: HomeOption = None,
) -> int:
    """Run the proofs of cards as a job.

    As `kb verify`, but through the runner: it waits for its turn on this machine, can be
    cancelled, and is recorded with its logs. In the agent's own Python it needs no approval;
    with another --interpreter you are asked. Exit code 1 where a claim failed.
    """
    from interfaces.cli.asking import ask_person
    from interfaces.service_probe import probe_cards

    out = output(json, form)
    found = probe_cards(settings(home, interpreter), card or (), lambda launch: ask_person(out, launch))
    if out.as_json:
        out.answer(found)
    else:
        for verdict in found.verdicts:
            detail = f"  {one_line(verdict.detail)}" if verdict.detail else ""
            out.progress(f"{verdict.verdict:<14} {verdict.card}  {verdict.seconds:.1f} s{detail}")
        counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(found.counts.items()))
        out.progress(f"{found.run.run_id} {found.run.state}: " + (counts or one_line(found.run.reason)))
    good = found.run.state == "done" and not found.counts.get("failed")
    return exits.ANSWERED if good else exits.BAD_NEWS
