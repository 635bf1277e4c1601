"""Tell a job that hangs from one that is slow: heartbeats, or without them the growth of logs."""

import contextlib
import time
from typing import Any, NamedTuple

from runners.rank_logs import rank_files
from runners.rundir import RunDir
from runners.supervisor.heartbeats import Beat, read_heartbeats

_LOOK_S = 1.0
_LOOK_PER_RANK_S = 0.02
"""A thousand ranks are looked at every 20 s: a look costs about 50 microseconds for each."""
_HEARTBEATS_EXPECTED_S = 30.0
"""After it a job that has given none is taken for one that gives none."""
_GAP_LIMIT_S = 5.0
"""Of a longer gap between two looks the supervisor itself was to blame (stopped, or suspended)."""
_ABSENT = Beat(0.0, None, "boot")
_LIMIT_OF = {
    "boot": "boot_s",
    "step": "step_s",
    "eval": "eval_s",
    "checkpoint": "checkpoint_s",
    "export": "checkpoint_s",
}


class Hang(NamedTuple):
    """A sign of life that is overdue."""

    rank: int | None
    """The rank that was silent for longest; None where only logs were watched."""
    phase: str
    """Its phase; "log" where only logs were watched."""
    step: int | None
    """Optimizer steps that it had done."""
    silent_s: float
    """Seconds since its last sign."""
    limit_s: float
    """Seconds that it had."""

    @property
    def words(self) -> str:
        """The same for a person."""
        who = "the job wrote nothing into its logs" if self.rank is None else f"rank {self.rank} gave no sign of life"
        where = "" if self.rank is None else f" in phase {self.phase}"
        after = "" if self.step is None else f" after step {self.step}"
        return f"{who} for {self.silent_s:.0f} s{where}{after} (limit {self.limit_s:.0f} s)"


def _plain(beat: Beat) -> dict[str, Any]:
    return beat._asdict() | {"spent": beat.spent and beat.spent._asdict()}


class Pulse:
    """The signs of life of one start.

    Times are the supervisor's own (monotonic, since it first saw a sign): a clock that is
    set, or a machine that was suspended, makes no hang.
    """

    def __init__(self, run: RunDir, number: int, launch: dict[str, Any]) -> None:
        """Look at nothing yet.

        Args:
            run: The run folder.
            number: The start.
            launch: Says the kind, the ranks, and the limits; without limits nothing is watched.
        """
        self._run, self._attempt = run, run.attempt(number)
        self._limits: dict[str, Any] = launch.get("watch") or {}
        resources = launch.get("resources") or {}
        ranks = int(resources.get("nodes", 1)) * int(resources.get("ranks_per_node", 1))
        # only the built-in recipe is known to write heartbeats: a missing one tells something
        self._expected = range(ranks) if launch.get("kind") == "train" else range(0)
        self._look_s = max(_LOOK_S, _LOOK_PER_RANK_S * ranks)
        self._looked_at = time.monotonic()
        self._clock_s = 0.0
        self._seen: dict[int, tuple[Beat, float]] = dict.fromkeys(self._expected, (_ABSENT, 0.0))
        self._longest_s: dict[str, float] = {}
        self._log_bytes, self._log_grew_s = -1, 0.0

    def look(self) -> Hang | None:
        """Look where it is time to; return what is overdue."""
        gap_s = time.monotonic() - self._looked_at
        if not self._limits or gap_s < self._look_s:
            return None
        self._looked_at += gap_s
        self._clock_s += min(gap_s, self._look_s + _GAP_LIMIT_S)
        self._take(read_heartbeats(self._run.heartbeats))
        return self._overdue() if self._seen else self._silent_logs()

    @property
    def beats(self) -> dict[int, Beat]:
        """The last sign of each rank."""
        return {rank: beat for rank, (beat, _) in self._seen.items()}

    def watched_by(self) -> str:
        """Return by what a hang would be noticed: heartbeats, logs or nothing; empty while that is not clear yet."""
        if not self._limits or self._expected:
            return ""  # nothing is watched; or heartbeats, as a matter of course
        if self._seen:
            return "heartbeats"
        if self._clock_s < _HEARTBEATS_EXPECTED_S:
            return ""
        return "nothing" if self._limits.get("log_s") is None else "logs"

    def ages(self) -> dict[int, dict[str, Any]]:
        """Return the last sign of each rank and its age in seconds, as JSON data."""
        return {
            rank: {**_plain(beat), "age_s": round(self._clock_s - since_s, 2), "limit_s": self._limit_s(beat.phase)}
            for rank, (beat, since_s) in sorted(self._seen.items())
        }

    def _take(self, beats: dict[int, Beat]) -> None:
        for rank, beat in beats.items():
            before, since_s = self._seen.get(rank, (None, 0.0))
            if before == beat:
                continue
            if before is not None:
                lasted_s = self._clock_s - since_s
                self._longest_s[before.phase] = max(lasted_s, self._longest_s.get(before.phase, 0.0))
            self._seen[rank] = beat, self._clock_s

    def _limit_s(self, phase: str) -> float:
        floor_s = float(self._limits[_LIMIT_OF.get(phase, "boot_s")])
        longest_s = self._longest_s.get(phase)
        if phase == "boot" or longest_s is None:  # one boot tells nothing about another rank's
            return max(floor_s, float(self._limits["boot_s"]))
        return max(floor_s, float(self._limits["factor"]) * longest_s)

    def _overdue(self) -> Hang | None:
        late = [
            Hang(rank, beat.phase, beat.step, self._clock_s - since_s, limit_s)
            for rank, (beat, since_s) in self._seen.items()
            if self._clock_s - since_s > (limit_s := self._limit_s(beat.phase))
        ]
        return max(late, key=lambda hang: (hang.silent_s, -(hang.step or 0)), default=None)

    def _silent_logs(self) -> Hang | None:
        limit_s = self._limits.get("log_s")
        if limit_s is None:
            return None
        paths = [self._attempt.launcher_log, self._run.events]
        size_bytes = 0
        paths += [path for _, path in rank_files(self._attempt, "std*.log")]
        for path in paths:
            with contextlib.suppress(OSError):
                size_bytes += path.stat().st_size
        if size_bytes != self._log_bytes:
            self._log_bytes, self._log_grew_s = size_bytes, self._clock_s
        silent_s = self._clock_s - self._log_grew_s
        return Hang(None, "log", None, silent_s, float(limit_s)) if silent_s > limit_s else None
