"""What the supervisor writes down, also when the disk is full for a while."""

import contextlib
import time
from typing import Any

from runners.files import write_json
from runners.journal import Journal, Standing, fold, read_journal
from runners.rundir import RunDir
from runners.supervisor.complaining import complain

_PATIENCE_S = 600.0
_PAUSE_S = 2.0


class Recorder:
    """The journal of a run, with a memory for what could not be written yet."""

    def __init__(self, run: RunDir) -> None:
        """Nothing is written."""
        self._run = run
        self._journal = Journal(run.journal)
        self._waiting: list[dict[str, Any]] = []

    def standing(self) -> Standing:
        """Return what the journal amounts to."""
        return fold(read_journal(self._run.journal))

    def must(self, kind: str, **facts: Any) -> None:
        """Write an entry without which nothing may go on.

        Raises:
            OSError: It could not be written.
        """
        self._journal.append(kind, **facts)
        self._write_state()

    def note(self, kind: str, **facts: Any) -> None:
        """Write an entry, now or as soon as it can be."""
        self._waiting.append({"time": time.time(), "kind": kind, **facts})
        self.flush()

    def flush(self) -> bool:
        """Write what waits; tell whether nothing waits any more."""
        if not self._waiting:
            return True
        try:
            while self._waiting:
                entry = self._waiting[0]
                self._journal.append(**entry)
                self._waiting.pop(0)
        except OSError as error:
            complain(f"cannot write the journal: {error.strerror}; {len(self._waiting)} entries wait")
        self._write_state()
        return not self._waiting

    def flush_patiently(self) -> None:
        """Before the supervisor ends: wait some minutes for a disk that is full."""
        deadline = time.monotonic() + _PATIENCE_S
        while not self.flush() and time.monotonic() < deadline:
            time.sleep(_PAUSE_S)

    def _write_state(self) -> None:
        standing = self.standing()
        now = "running" if standing.shim and not standing.pending else "starting"
        now = "stopping" if standing.stopping else "queued" if standing.queued else now
        with contextlib.suppress(OSError):
            write_json(
                self._run.state,
                {
                    "run_id": self._run.run_id,
                    "state": now if standing.pending or standing.state is None else standing.state,
                    "attempt": standing.attempt,
                    "exit_code": standing.exit_code,
                    "reason": standing.reason,
                    "supervisor": standing.supervisor.as_json() if standing.supervisor else None,
                },
                durable=False,
            )
