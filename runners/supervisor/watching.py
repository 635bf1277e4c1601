"""Wait for the end of a start, its own child's or an adopted one's, and end what hangs."""

import signal
import time
from collections.abc import Callable
from typing import Any

from runners.files import read_object
from runners.outcome import exit_code_of
from runners.process import Identity, from_json
from runners.rundir import RunDir
from runners.stopfile import StopOrder, ask_to_stop, read_stop
from runners.supervisor.evidence import take_evidence
from runners.supervisor.limiting import ProcessCount
from runners.supervisor.logkeeping import LogKeeper
from runners.supervisor.pulse import Hang, Pulse
from runners.supervisor.recorder import Recorder
from runners.supervisor.scarcity import Scarcity
from runners.supervisor.stopping import StopLadder
from runners.supervisor.straggling import Stragglers
from runners.supervisor.sweeping import belonging, reap


def _order(number: int, received: int) -> StopOrder:
    return StopOrder(number, by=f"{signal.Signals(received).name} to the supervisor")


ORDERS: dict[signal.Signals, Callable[[int, int], StopOrder]] = {signal.SIGTERM: _order, signal.SIGINT: _order}
"""Signal -> (start, signal) -> how the job is then asked to stop. A supervisor in another place has other orders."""
AWAITED = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGCHLD})
"""Signals that are blocked in a supervisor and taken here."""
_LOOK_S = 0.25
_LOOK_FOR_ORPHANS_S = 2.0
_KILL_EXCEEDING_AFTER_S = 2.0
_KILL_HANGING_AFTER_S = 10.0
"""From SIGTERM to SIGKILL: what hangs in a collective does not hear the first."""


class Watch:
    """One start of the job, from its supervisor's side."""

    def __init__(self, run: RunDir, number: int, marker: str, recorder: Recorder, launch: dict[str, Any]) -> None:
        """Look at nothing yet.

        Args:
            run: The run folder.
            number: The start.
            marker: What its processes are known by.
            recorder: Where it is written down.
            launch: What was approved; says when it counts as hung.
        """
        self._run, self._number, self._marker, self._recorder = run, number, marker, recorder
        self._interpreter = str(launch.get("interpreter", ""))
        self._attempt = run.attempt(number)
        self._ladder = StopLadder(run, number, marker, recorder)
        self._hang_ladder: StopLadder | None = None
        self._pulse = Pulse(run, number, launch)
        self._scarcity = Scarcity(run, number, recorder)
        self._stragglers = Stragglers(number, recorder)
        self._logs = LogKeeper(self._attempt, number, recorder, launch)
        self._processes = ProcessCount(marker, launch.get("limits") or {})
        self._watched_by = ""
        self._ended: dict[int, int] = {}
        self.hang: Hang | None = None
        """Why the job was ended as hung; None where it was not."""
        self.exceeded = ""
        """Which limit the job was ended for; empty where it was not."""

    @property
    def stopping(self) -> bool:
        """Whether the job was asked to stop."""
        return self._ladder.asked

    def until_end(self, shim: Identity | None, *, adopted: bool) -> int | None:
        """Wait until the launcher has ended, and leave its logs within their limit.

        Args:
            shim: The shim of this start.
            adopted: Whether another supervisor started it. Then ranks that lost their
                launcher may go on: they are waited for.

        Returns:
            The launcher's exit status; None where nobody recorded it.
        """
        try:
            return self._until_end(shim, adopted=adopted)
        finally:
            self._logs.look()

    def _until_end(self, shim: Identity | None, *, adopted: bool) -> int | None:
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
            self._look_for_hang(launcher, shim)
            self._scarcity.look()
            self._logs.look()
            self._stragglers.look(self._pulse.beats)
            self._recorder.flush()
            pause(self._run, self._number, _LOOK_FOR_ORPHANS_S if orphans else _LOOK_S)

    def _look_for_hang(self, launcher: Identity | None, shim: Identity | None) -> None:
        self._tell_what_is_watched()
        if self._hang_ladder is None and not self.stopping and (words := self._processes.look()):
            self.exceeded = words
            self._recorder.note("limit", attempt=self._number, reason=words)
            self._end_it(_KILL_EXCEEDING_AFTER_S)
        if self._hang_ladder is not None:
            self._hang_ladder.climb(launcher, shim)
        elif not self.stopping and (hang := self._pulse.look()) is not None:
            # evidence first: what is ended tells nothing any more
            ages = self._pulse.ages()
            files = take_evidence(self._run, self._number, self._marker, self._interpreter, ages)
            if exit_code_of(self._attempt) is not None:
                return  # it ended by itself meanwhile
            self.hang = hang
            facts = {**hang._asdict(), "reason": hang.words, "evidence": files}
            self._recorder.note("hang", attempt=self._number, **facts)
            self._end_it(_KILL_HANGING_AFTER_S)

    def _end_it(self, kill_after_s: float) -> None:
        order = StopOrder(self._number, 0.0, kill_after_s, by="the supervisor")
        self._hang_ladder = StopLadder(self._run, self._number, self._marker, self._recorder, order, "ending")

    def _tell_what_is_watched(self) -> None:
        """Write down once, and where it changes, by what a hang of this job would be noticed."""
        if (by := self._pulse.watched_by()) and by != self._watched_by:
            self._watched_by = by
            self._recorder.note("watched", attempt=self._number, by=by)

    def _launcher(self) -> Identity | None:
        return from_json(read_object(self._attempt.launcher))

    def _last_look(self, launcher: Identity | None) -> int | None:
        # between two looks the shim may have written its file, or left us its child
        self._ended |= reap()
        code = exit_code_of(self._attempt)
        return self._ended.get(launcher.pid) if code is None and launcher else code


def pause(run: RunDir, number: int, limit_s: float) -> None:
    """Wait; a signal that ends the wait and asks the supervisor to end becomes a stop of the job."""
    began = time.monotonic()
    received = signal.sigtimedwait(AWAITED | ORDERS.keys(), limit_s)
    in_time = time.monotonic() - began < limit_s
    # Stopped (SIGSTOP, a debugger) and continued after the limit, CPython returns a record that nobody filled in.
    if received is not None and received.si_signo in ORDERS and (in_time or received.si_pid > 0):
        ask_to_stop(run, ORDERS[signal.Signals(received.si_signo)](number, received.si_signo))


def back_off(run: RunDir, number: int, pause_s: float) -> None:
    """Wait before start `number`, until the time is over or the run is asked to stop."""
    deadline = time.monotonic() + pause_s
    while (left_s := deadline - time.monotonic()) > 0 and read_stop(run) is None:
        pause(run, number, min(left_s, _LOOK_S))


def _alive(process: Identity | None) -> bool:
    return process is not None and process.is_alive()
