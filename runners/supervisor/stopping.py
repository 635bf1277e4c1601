"""The ladder of a stop: stop file, SIGTERM to the launcher, SIGKILL to everything."""

import signal
import time

from runners.process import Identity, send
from runners.rundir import RunDir
from runners.stopfile import StopOrder, read_stop
from runners.supervisor.recorder import Recorder
from runners.supervisor.sweeping import signal_all


class StopLadder:
    """How far the stop of one start has gone."""

    def __init__(
        self,
        run: RunDir,
        number: int,
        marker: str,
        recorder: Recorder,
        order: StopOrder | None = None,
        entry: str = "stopping",
    ) -> None:
        """Nothing was done yet.

        Args:
            run: The run folder.
            number: The start.
            marker: What the run's processes are known by.
            recorder: Where each step is written down.
            order: By default the one in the stop file, once there is one.
            entry: Kind of the journal entries; only `stopping` means that somebody asked.
        """
        self._run, self._number, self._marker, self._recorder = run, number, marker, recorder
        self._order, self._entry = order, entry
        self._step = "none"
        self._since = 0.0

    @property
    def asked(self) -> bool:
        """Whether the job was asked to stop."""
        return self._order is not None

    def climb(self, launcher: Identity | None, shim: Identity | None) -> None:
        """Take the next step where it is due. The job itself polls the stop file.

        Args:
            launcher: Gets SIGTERM, and passes it to its ranks; None where it is gone.
            shim: Is spared, so that it can record the exit status.
        """
        order = self._order or read_stop(self._run)
        if order is None:
            return
        self._order = order
        waited = time.monotonic() - self._since
        if self._step == "none":
            self._to("asked", by=order.by)
        elif self._step == "asked" and waited >= order.grace_s:
            if launcher is None or not send(launcher, signal.SIGTERM):
                signal_all(self._marker, signal.SIGTERM, spare=shim)
            self._to("term")
        elif self._step == "term" and waited >= order.kill_after_s:
            self._to("kill")
        if self._step == "kill":
            signal_all(self._marker, signal.SIGKILL, spare=shim)

    def _to(self, step: str, **facts: str) -> None:
        self._step, self._since = step, time.monotonic()
        self._recorder.note(self._entry, attempt=self._number, step=step, **facts)
