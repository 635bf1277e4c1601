"""A command in a terminal of its own, as a person starts it."""

import os
import pty
import select
import signal
import time
from collections.abc import Callable, Mapping, Sequence


def run_in_terminal(
    words: Sequence[str], environment: Mapping[str, str], patience_s: float, react: Callable[[str, int, int], None]
) -> tuple[int, str]:
    """Run a program in a pseudo-terminal; return (exit code, all that it drew).

    Args:
        words: The program and its arguments.
        environment: Its environment, whole.
        patience_s: Seconds after which the terminal is closed.
        react: Called with what was drawn so far, the process id, and the terminal to type into.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        # a terminal's child is interruptible, also where these tests run in the background of a shell
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execve(words[0], list(words), dict(environment))
    drawn, deadline = "", time.monotonic() + patience_s
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                drawn += os.read(terminal, 1 << 16).decode("utf-8", "replace")
            except OSError:  # the other end is closed
                break
        react(drawn, pid, terminal)
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), drawn
