"""Watch a run to its end, then let the thread that waits for it write the report."""

from pathlib import Path

from contracts.settings import Settings
from interfaces.cli import exits
from interfaces.cli.display import watch
from interfaces.cli.options import same_home
from interfaces.cli.output import Output
from interfaces.results_jobs import Followed
from interfaces.service_jobs import follow_run, parse_until, thread_of


def follow_to(
    out: Output, settings: Settings, run_id: str, until: str, home: Path | None = None, cursor: int = 0
) -> Followed:
    """Show a run until it ends or a condition holds; at the end, its thread goes on.

    Args:
        out: Where it is shown.
        settings: Where the run is.
        run_id: Id of the run.
        until: Condition as in `parse_until`.
        home: Home folder as it was given on the command line.
        cursor: Byte of the event log from which on it is shown.

    Raises:
        InputError: The condition is not known.
        UnknownRun: There is no such run.
    """
    condition = parse_until(until)
    try:
        last = watch(out, follow_run(settings, run_id, cursor=cursor), condition)
    except KeyboardInterrupt:
        out.note(f"no longer watching; the run goes on: fsdp-agent jobs follow {run_id}{same_home(home)}")
        raise
    thread_id = thread_of(last.record)
    if not last.ended or thread_id is None:
        return Followed(run=last.record, thread_id=thread_id, cursor=last.cursor)
    from interfaces.service_threads import go_on

    thread = go_on(settings, thread_id)
    if thread is None:
        return Followed(run=last.record, cursor=last.cursor)
    return Followed(
        run=last.record,
        thread_id=thread_id,
        phase=thread.phase,
        launch_hash=thread.launch_hash if thread.phase == "awaiting_approval" else None,
        report=thread.report.path if thread.report else None,
        cursor=last.cursor,
    )


def finish(out: Output, followed: Followed, home: Path | None) -> int:
    """Print how it ended and return the exit code."""
    record = followed.run
    if out.as_json:
        out.answer(followed)
    else:
        if followed.report:
            out.progress(f"report: {followed.report}")
        if followed.launch_hash:
            out.progress(f"a new launch waits for you: fsdp-agent approve {followed.launch_hash}{same_home(home)}")
    if followed.phase == "awaiting_approval":
        return exits.AWAITING_APPROVAL
    return exits.for_run_state(record.state)
