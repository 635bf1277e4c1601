"""Wait for the end of a start: its own child's, or one that it adopted."""

import signal

from runners.files import read_object
from runners.outcome import exit_code_of
from runners.process import Identity, from_json
from runners.rundir import RunDir
from runners.stopfile import StopOrder, ask_to_stop
from runners.supervisor.recorder import Recorder
from runners.supervisor.stopping import StopLadder
from runners.supervisor.sweeping import belonging, reap

AWAITED = frozenset({signal.SIGCHLD, signal.SIGTERM, signal.SIGINT})
"""Signals that are blocked in a supervisor and taken here."""
_LOOK_S = 0.25
_LOOK_FOR_ORPHANS_S = 2.0


class Watch:
    """One start of the job, from its supervisor's side."""

    def __init__(self, run: RunDir, number: int, marker: str, recorder: Recorder) -> None:
        """Look at nothing yet."""
        self._run, self._number, self._marker, self._recorder = run, number, marker, recorder
        self._attempt = run.attempt(number)
        self._ladder = StopLadder(run, number, marker, recorder)
        self._ended: dict[int, int] = {}

    @property
    def stopping(self) -> bool:
        """Whether the job was asked to stop."""
        return self._ladder.asked

    def until_end(self, shim: Identity | None, *, adopted: bool) -> int | None:
        """Wait until the launcher has ended.

        Args:
            shim: The shim of this start.
            adopted: Whether another supervisor started it. Then ranks that lost their
                launcher may go on: they are waited for.

        Returns:
            The launcher's exit status; None where nobody recorded it.
        """
        while True:
            self._ended |= reap()
            code, launcher = exit_code_of(self._attempt), self._launcher()
            if code is not None:
                return code
            orphans = False
            if not _alive(shim) and not _alive(launcher):
                orphans = adopted and bool(belonging(self._marker))
                if not orphans:
                    return self._last_look(launcher)
            self._ladder.climb(launcher, shim)
            self._recorder.flush()
            self._pause(_LOOK_FOR_ORPHANS_S if orphans else _LOOK_S)

    def _launcher(self) -> Identity | None:
        return from_json(read_object(self._attempt.launcher))

    def _last_look(self, launcher: Identity | None) -> int | None:
        # between two looks the shim may have written its file, or left us its child
        self._ended |= reap()
        code = exit_code_of(self._attempt)
        return self._ended.get(launcher.pid) if code is None and launcher else code

    def _pause(self, limit_s: float) -> None:
        received = signal.sigtimedwait(AWAITED, limit_s)
        if received is not None and received.si_signo != signal.SIGCHLD:
            name = signal.Signals(received.si_signo).name
            ask_to_stop(self._run, StopOrder(self._number, by=f"{name} to the supervisor"))


def _alive(process: Identity | None) -> bool:
    return process is not None and process.is_alive()
