"""Wait until this machine has room for a run, and give it back when the run has ended."""

import contextlib
import os
import time
from typing import Any

from contracts.errors import RequestInvalid
from runners.capacity import Capacity, capacity_of, demand_of
from runners.files import read_object, write_json
from runners.home import Home
from runners.journal import read_journal
from runners.process import Identity, identity
from runners.rundir import RunDir
from runners.slots import Claim, Room, Slots
from runners.stopfile import read_stop
from runners.supervisor.complaining import complain
from runners.supervisor.recorder import Recorder
from runners.supervisor.sweeping import belonging
from runners.supervisor.watching import pause

_LOOK_S = 0.25
_LOOK_ANYWAY_S = 5.0
"""A holder that dies changes nothing in the ledger: who waits looks for it this often."""


class NoRoom(Exception):
    """This machine will never have so much room."""


class Queue:
    """The place of one run among those that share this machine."""

    def __init__(self, run: RunDir, recorder: Recorder, marker: str) -> None:
        """Ask for nothing yet.

        Args:
            run: The run folder.
            recorder: Where waiting is written down.
            marker: What the run's processes are known by.
        """
        self._run, self._recorder, self._marker = run, recorder, marker
        self._home = Home(run.path.parent.parent)
        self._slots = Slots(self._home)
        self._claim: Claim | None = None
        self.waited = False
        """Whether the last start had to wait."""

    def take(self, number: int, launch: dict[str, Any]) -> Claim | None:
        """Return what start `number` was given, as soon as there is room; None where it is asked to stop before.

        A restart keeps what the start before it had.

        Raises:
            NoRoom: The machine does not have what the launch takes.
        """
        self.waited = False
        if self._claim is not None:
            return self._claim
        claim, capacity = self._fresh(number, launch), self._capacity(launch)
        seen_ns, looked_at, told = -1, float("-inf"), ""
        while read_stop(self._run) is None:
            changed_ns = self._slots.changed_ns()
            if changed_ns != seen_ns or time.monotonic() - looked_at > _LOOK_ANYWAY_S:
                seen_ns, looked_at = changed_ns, time.monotonic()
                room = self._ask(claim, capacity)
                if room.never:
                    self.give_back()
                    raise NoRoom(room.words)
                if room.claim is not None:
                    self._claim = room.claim
                    return self._claim
                if room.words != told:
                    told = room.words
                    self._tell(number, told)
            self._recorder.flush()
            pause(self._run, number, _LOOK_S)
        self.give_back()
        return None

    def adopt(self, launch: dict[str, Any]) -> None:
        """Hold what a job that runs already was given, whoever gave it."""
        written = self._slots.claim_of(self._run.run_id)
        claim = written or self._fresh(1, launch)._replace(gpus=self._journalled_gpus())
        self._claim = claim._replace(supervisor=_myself(), holds=True)
        with contextlib.suppress(OSError):
            self._slots.keep(self._claim)

    def give_back(self) -> None:
        """Free what the run holds, unless a process of it is still there to use it."""
        with contextlib.suppress(OSError):
            self._run.queue.unlink()
        if self._claim is None or not belonging(self._marker):
            self._slots.give_back(self._run.run_id)
        self._claim = None

    def _fresh(self, number: int, launch: dict[str, Any]) -> Claim:
        submitted = (read_object(self._run.submission) or {}).get("created_at")
        first = number == 1 and isinstance(submitted, float)
        since = float(submitted) if first and submitted is not None else time.time()
        return Claim(self._run.run_id, since, self._marker, _myself(), demand_of(launch))

    def _capacity(self, launch: dict[str, Any]) -> Capacity:
        try:
            return capacity_of(self._home, demand_of(launch))
        except RequestInvalid as error:
            raise NoRoom(error.message) from None

    def _ask(self, claim: Claim, capacity: Capacity) -> Room:
        try:
            return self._slots.ask(claim, capacity)
        except OSError as error:
            complain(f"the ledger of slots cannot be used: {error}")
            return Room(None, f"waits for the ledger of slots: {error.strerror or error}")

    def _tell(self, number: int, words: str) -> None:
        if not self.waited:
            self.waited = True
            self._recorder.note("queued", attempt=number, reason=words)
        with contextlib.suppress(OSError):
            write_json(self._run.queue, {"waits_for": words, "time": time.time()}, durable=False)

    def _journalled_gpus(self) -> tuple[str, ...]:
        given = [entry.get("gpus") for entry in read_journal(self._run.journal) if entry["kind"] == "attempt"]
        return tuple(map(str, given[-1])) if given and isinstance(given[-1], list) else ()


def _myself() -> Identity:
    me = identity(os.getpid())
    assert me is not None, "a process that runs is alive"
    return me
