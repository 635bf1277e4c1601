"""Ask the person at the terminal about one launch."""

import sys

from contracts.launch import LaunchRequest
from interfaces.cli.output import Output


def ask_person(out: Output, launch: LaunchRequest) -> bool | None:
    """Show exactly what would run and return the answer; None where it is neither yes nor no, or nobody is there.

    Args:
        out: Where it is shown.
        launch: What would run.
    """
    if not out.interactive:
        return None
    import termios

    from interfaces.cli.thread_text import show_request

    show_request(out, launch)
    out.progress(f"hash         {launch.launch_hash}")
    # What was typed before the question was shown is no answer to it.
    termios.tcflush(sys.stdin, termios.TCIFLUSH)
    try:
        said = input("Start it? yes or no: ").strip().lower()
    except EOFError:
        return None
    return {"y": True, "yes": True, "n": False, "no": False}.get(said)
