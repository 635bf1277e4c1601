"""`fsdp-agent run`, `approve` and `reject`: from a request to a job that a person let start."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contracts.errors import FsdpAgentError, InputError
from interfaces.cli import exits
from interfaces.cli.options import (
    Form,
    FormatOption,
    HomeOption,
    InterpreterOption,
    JsonFlag,
    output,
    same_home,
    settings,
)
from interfaces.cli.output import Output

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel

    from contracts.request import Request
    from contracts.settings import Settings
    from interfaces.results import Thread

Hash = Annotated[str, typer.Argument(metavar="HASH", help="Hash of the launch, or its first 12 digits or more.")]
ThreadOption = Annotated[str | None, typer.Option("--thread", help="Which thread, where several ask for this launch.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    for command in (run, approve, reject):
        app.command()(command)


def run(
    request: Annotated[Path, typer.Argument(metavar="REQUEST", help="Request file, YAML or JSON.")],
    yes: Annotated[bool, typer.Option("--yes", help="Approve it, where the owner's configuration allows.")] = False,
    thread: Annotated[str | None, typer.Option(help="Id to give the thread, t- and 12 hex digits.")] = None,
    follow: Annotated[
        bool | None, typer.Option(help="Watch the run to its end; the default in a terminal and with --yes.")
    ] = None,
    first_step_check: Annotated[
        bool, typer.Option("--first-step-check", help="For a script: look at its first optimizer step.")
    ] = False,
    interpreter: InterpreterOption = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
    home: HomeOption = None,
) -> int:
    """Plan a request, ask for approval, run it.

    In a terminal you are asked. Elsewhere the command stops at the question, prints the
    launch's hash and exits with 4. The job outlives this command.
    """
    from interfaces.service import read_request_file

    out, chosen = output(json, form), settings(home, interpreter)
    asked = _checked(read_request_file(request), yes) if first_step_check else read_request_file(request)
    if yes:
        from graph.owner_config import load_owner_config, require_yes
        from interfaces.agents import refuse_under_agent

        refuse_under_agent("--yes")
        require_yes(load_owner_config(), request)
    from interfaces.service_threads import decide, start_run

    stand = start_run(chosen, asked, thread)
    waiting = stand.launch_hash if stand.phase == "awaiting_approval" else None
    if waiting is not None:
        show_waiting(out, stand)
        if yes:
            stand = decide(chosen, waiting, "approve", via="yes_flag", thread_id=stand.thread_id)
        elif out.interactive:
            stand = ask_at_terminal(chosen, stand, waiting)
    return conclude(out, chosen, home, stand, (yes or out.interactive) if follow is None else follow)


def _checked(asked: "Request", yes: bool) -> "Request":
    """Return the request with the first-step check of its script switched on."""
    if yes:
        raise InputError("--yes stands for the request file as it is; write first_step_check: true under script there")
    if asked.script is None or asked.script.path is None:
        raise InputError("--first-step-check is for requests with a script's path")
    return asked.model_copy(update={"script": asked.script.model_copy(update={"first_step_check": True})})


def approve(
    launch_hash: Hash,
    thread: ThreadOption = None,
    reason: Annotated[str, typer.Option(help="Recorded with the approval.")] = "",
    follow: Annotated[bool | None, typer.Option(help="Watch the run to its end; the default in a terminal.")] = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
    home: HomeOption = None,
) -> int:
    """Approve a launch, which starts it.

    Given twice, it starts nothing new and tells of the same run.
    """
    from interfaces.agents import refuse_under_agent
    from interfaces.service_threads import decide

    refuse_under_agent("approving")
    out, chosen = output(json, form), settings(home)
    stand = decide(chosen, launch_hash, "approve", reason=reason, thread_id=thread)
    return conclude(out, chosen, home, stand, out.interactive if follow is None else follow)


def reject(
    launch_hash: Hash,
    thread: ThreadOption = None,
    reason: Annotated[str, typer.Option(help="Recorded with the rejection.")] = "",
    json: JsonFlag = False,
    form: FormatOption = Form.text,
    home: HomeOption = None,
) -> int:
    """Reject a launch; it is never started.

    Exit code 5, as for every launch that was rejected.
    """
    from interfaces.service_threads import decide

    out, chosen = output(json, form), settings(home)
    return conclude(out, chosen, home, decide(chosen, launch_hash, "reject", reason=reason, thread_id=thread), False)


def show_waiting(out: Output, stand: "Thread") -> None:
    """Show a person all of the launch that waits; a program reads it in the answer."""
    if not out.as_json:
        from interfaces.cli.thread_text import show_launch

        show_launch(out, stand)


def ask_at_terminal(chosen: "Settings", stand: "Thread", launch_hash: str) -> "Thread":
    """Ask the person at the terminal; anything but yes and no leaves the launch waiting."""
    import termios

    from interfaces.cli.thread_text import language_of
    from interfaces.cli.words import word
    from interfaces.service_threads import decide

    # What was typed before the question was shown is no answer to it.
    termios.tcflush(sys.stdin, termios.TCIFLUSH)
    try:
        said = input(word("start_it", language_of(stand))).strip().lower()
    except (EOFError, KeyboardInterrupt):
        print()
        return stand
    if said in ("y", "yes", "j", "ja"):
        return decide(chosen, launch_hash, "approve", thread_id=stand.thread_id)
    if said in ("n", "no", "nej"):
        return decide(chosen, launch_hash, "reject", thread_id=stand.thread_id)
    return stand


def conclude(
    out: Output,
    chosen: "Settings",
    home: Path | None,
    stand: "Thread",
    follow: bool,
    answer: "Callable[[Thread], BaseModel] | None" = None,
    show: "Callable[[Output, Thread, str], None] | None" = None,
) -> int:
    """Follow the run where that is wanted, print where the thread stands, return the exit code.

    Args:
        out: Where it is printed.
        chosen: The settings.
        home: The home folder as it was given.
        stand: Where the thread stands.
        follow: Whether a run is followed to its end.
        answer: Makes the JSON answer of the thread; the thread itself where None.
        show: Prints the end for a person; as for every thread where None.

    Raises:
        FsdpAgentError: The thread failed in a way that is no answer.
    """
    while follow and stand.phase == "running" and stand.run_id:
        from interfaces.cli.following import follow_to
        from interfaces.service_threads import go_on

        follow_to(out, chosen, stand.run_id, "end", home)
        stand = go_on(chosen, stand.thread_id) or stand
        if stand.phase == "awaiting_approval" and stand.launch_hash:
            # it failed, and a changed launch is put forward: whatever was said before, it is asked about anew
            show_waiting(out, stand)
            stand = ask_at_terminal(chosen, stand, stand.launch_hash) if out.interactive else stand
    code = exits.for_thread(stand.phase, stand.error.code if stand.error else "")
    if stand.error is not None and code not in (exits.ANSWERED, exits.BAD_NEWS, exits.AWAITING_APPROVAL):
        failure = FsdpAgentError(stand.error.message, code=stand.error.code, hint=stand.error.hint)
        failure.exit_code = code
        raise failure
    if out.as_json:
        out.answer(stand if answer is None else answer(stand))
    else:
        from interfaces.cli.thread_text import show_end

        (show or show_end)(out, stand, same_home(home))
    return code
