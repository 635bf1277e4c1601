"""`fsdp-agent jobs ...` and `reconcile`: runs, found again from wherever they were started."""

from typing import Annotated

import typer

from interfaces.cli import diagnose, exits, export, preflight, probe, tensorboard
from interfaces.cli.options import Form, FormatOption, HomeOption, JsonFlag, output, settings

RunId = Annotated[str, typer.Argument(metavar="RUN_ID", help="Id of the run, such as r-0123456789ab.")]

jobs = typer.Typer(help="Runs: find, watch, stop, resume.", rich_markup_mode=None)


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    diagnose.add_to_jobs(jobs)
    export.add_to(jobs)
    preflight.add_to(jobs)
    probe.add_to(jobs)
    tensorboard.add_to(jobs)
    app.add_typer(jobs, name="jobs")
    app.command()(reconcile)


@jobs.command(name="list")
def list_(
    state: Annotated[list[str] | None, typer.Option(help="Only runs in this state; may be repeated.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Runs at most.")] = 50,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
    home: HomeOption = None,
) -> int:
    """List runs, the newest first."""
    from interfaces.cli.jobs_text import run_lines
    from interfaces.results_jobs import RunList
    from interfaces.service_jobs import known_states, list_runs

    out = output(json, form)
    found = list_runs(settings(home), known_states(state or ()), limit)
    if out.as_json:
        out.answer(RunList(runs=tuple(found)))
    elif found:
        out.progress("\n".join(run_lines(found, out.line_columns)))
    else:
        out.progress("no runs")
    return exits.ANSWERED


@jobs.command()
def show(run_id: RunId, json: JsonFlag = False, form: FormatOption = Form.text, home: HomeOption = None) -> int:
    """Show what is known of one run.

    Its record, when it is started again and when it counts as hung, what its supervisor
    saw and did, and what is handed over to diagnosis where it failed.
    """
    from interfaces.cli.jobs_text import run_text
    from interfaces.service_jobs import show_run

    out = output(json, form)
    record = show_run(settings(home), run_id)
    if out.as_json:
        out.answer(record)
    else:
        out.progress(run_text(record))
    return exits.ANSWERED


@jobs.command()
def logs(
    run_id: RunId,
    rank: Annotated[int | None, typer.Option(min=0, help="Only this rank; all where absent.")] = None,
    tail: Annotated[int, typer.Option(min=1, max=100_000, help="Lines of the end.")] = 200,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
    home: HomeOption = None,
) -> int:
    """Print the end of the logs.

    The lines are those of the newest attempt; control characters are written out.
    """
    from interfaces.results_jobs import RunLogs
    from interfaces.service_jobs import read_logs

    out = output(json, form)
    text = read_logs(settings(home), run_id, rank, tail)
    if out.as_json:
        out.answer(RunLogs(run_id=run_id, rank=rank, text=text))
    else:
        out.progress(text.rstrip("\n"))
    return exits.ANSWERED


@jobs.command()
def follow(
    run_id: RunId,
    until: Annotated[str, typer.Option(help="end, running (first step done), step=N or checkpoint.")] = "end",
    cursor: Annotated[int, typer.Option(min=0, help="Go on from this byte of the event log; see `cursor`.")] = 0,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
    home: HomeOption = None,
) -> int:
    """Watch a run until it ends.

    Shows what the job reports and what its supervisor sees and does. `cursor` in the JSON
    answer is where another look goes on, without what was shown before.

    At the end, the thread that waits for the run goes on and writes the report.

    Exit codes: 0 done (or the condition of --until came true); 1 failed or cancelled; 4 a
    new launch waits for approval; 5 the supervisor refused the launch. Ctrl-C stops the
    watching, never the run.
    """
    from interfaces.cli.following import finish, follow_to

    out, chosen = output(json, form), settings(home)
    return finish(out, follow_to(out, chosen, run_id, until, home, cursor), home)


@jobs.command()
def checkpoints(
    run_id: RunId,
    verify: Annotated[bool, typer.Option("--verify", help="Read every file again and compare its SHA-256.")] = False,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
    home: HomeOption = None,
) -> int:
    """List the checkpoints of a run, the newest first.

    Tells of each whether a resume may trust it: by presence and sizes, or with --verify by
    every byte. Exit code 1 where there are some and none can be trusted.
    """
    from interfaces.cli.jobs_text import checkpoints_table
    from interfaces.service_jobs import read_checkpoints

    out = output(json, form)
    found = read_checkpoints(settings(home), run_id, verify=verify)
    if out.as_json:
        out.answer(found)
    elif found.checkpoints:
        out.table(checkpoints_table(found.checkpoints))
    else:
        out.progress(f"{run_id} has no checkpoints")
    none_good = all(folder.verdict == "unverified" for folder in found.checkpoints)
    return exits.BAD_NEWS if found.checkpoints and none_good else exits.ANSWERED


@jobs.command()
def cancel(run_id: RunId, json: JsonFlag = False, form: FormatOption = Form.text, home: HomeOption = None) -> int:
    """Ask a run to save and stop.

    It saves a checkpoint at the next step. A run that has ended stays as it is.
    """
    from interfaces.service_jobs import cancel_run

    out = output(json, form)
    record = cancel_run(settings(home), run_id)
    if out.as_json:
        out.answer(record)
    else:
        out.progress(f"{record.run_id} {record.state}")
    return exits.ANSWERED


@jobs.command()
def resume(
    run_id: RunId,
    follow: Annotated[bool | None, typer.Option(help="Watch it; the default in a terminal.")] = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
    home: HomeOption = None,
) -> int:
    """Start an ended run again.

    It goes on from its newest checkpoint, under its first approval, which must still
    cover every file.
    """
    from interfaces.cli.following import finish, follow_to
    from interfaces.results_jobs import Followed
    from interfaces.service_jobs import resume_run, thread_of

    out, chosen = output(json, form), settings(home)
    record = resume_run(chosen, run_id)
    if out.interactive if follow is None else follow:
        return finish(out, follow_to(out, chosen, run_id, "end", home), home)
    if out.as_json:
        out.answer(Followed(run=record, thread_id=thread_of(record)))
    else:
        out.progress(f"{record.run_id} {record.state}, attempt {record.attempt}")
    return exits.ANSWERED


def reconcile(json: JsonFlag = False, form: FormatOption = Form.text, home: HomeOption = None) -> int:
    """Make records agree with what runs.

    Adopts what still runs, closes what has ended, and lets the threads go on that wait
    for an ended run.
    """
    from interfaces.service_jobs import reconcile_all

    out = output(json, form)
    found = reconcile_all(settings(home))
    if out.as_json:
        out.answer(found)
        return exits.ANSWERED
    for record in found.runs:
        out.progress(f"{record.run_id} {record.state}" + (f": {record.reason}" if record.reason else ""))
    for thread_id in found.threads:
        out.progress(f"{thread_id} went on")
    if not found.runs and not found.threads:
        out.progress("nothing to reconcile")
    return exits.ANSWERED
