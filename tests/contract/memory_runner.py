"""A backend that keeps everything in memory: what the suite asks for is what `Runner` says, not how files lie.

A run is a thread. The small trainer of the job shop is acted out; any other program is
executed here, with a `print` of its own. Approvals and input files are the real ones.
"""

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from contracts.approval import Approval
from contracts.errors import KeyConflict, UnknownRun, WrongState
from contracts.event import Event, EventPage
from contracts.launch import LaunchRequest
from contracts.run import TERMINAL_STATES, RunRecord
from runners import Home
from runners.capacity import demand_of
from runners.cleaning import printable
from runners.verify import verify_decision, verify_launch
from tests.job_shop import RANKS_SPEAK, TRAINER

PATIENCE_S = 60.0


class Killed(BaseException):
    """The job was killed without warning."""


class MemoryRun:
    """One run; its thread writes, everybody reads."""

    def __init__(self, launch: LaunchRequest, approval: Approval, record: RunRecord) -> None:
        self.launch, self.approval, self.record = launch, approval, record
        self.events: list[Event] = []
        self.lines: list[tuple[int, str]] = []
        self.checkpoint_step = 0
        self.since = 0.0
        self.waits = False
        self.ended: Callable[[], None] = lambda: None
        self.stop, self.kill = threading.Event(), threading.Event()
        self.thread: threading.Thread | None = None

    def change(self, **facts: Any) -> None:
        self.record = self.record.model_copy(update=facts)

    @property
    def at_work(self) -> bool:
        return not self.waits and self.record.state not in TERMINAL_STATES

    def start(self) -> None:
        self.waits = False
        self.stop.clear()
        self.kill.clear()
        self.lines = []
        self.change(
            attempt=self.record.attempt + 1, state="starting", ended_at=None, exit_code=None, reason="", result={}
        )
        self.thread = threading.Thread(target=self._attempt, daemon=True)
        self.thread.start()

    def _attempt(self) -> None:
        script, *words = self.launch.argv
        try:
            if script == "-m":  # under a launcher of ranks
                script = next(word for word in words if word.endswith(".py"))
            program = Path(script).read_text()
            if program == TRAINER:
                self._train(int(words[0]), float(words[1]))
            elif program == RANKS_SPEAK:
                self.lines += [(rank, f"hello from {rank}") for rank in range(self.launch.resources.ranks_per_node)]
                self._end("done", 0, "")
            else:
                self.change(state="running")
                exec(compile(program, script, "exec"), {"print": self._print})
                self._end("done", 0, "")
        except Killed:
            self._end("failed", -9, "the job was killed by SIGKILL")
        except Exception as error:
            self._end("failed", 1, f"{type(error).__name__}: {error}")

    def _train(self, steps: int, pause_s: float) -> None:
        step = self.checkpoint_step
        self._say("resume" if step else "boot", step)
        self.change(state="running")
        while step < steps:
            if self.stop.is_set():
                return self._finish("stopped", step)
            if self.kill.wait(pause_s):
                raise Killed
            step += 1
            self._say("step", step, loss=1 / (step + 1))
            self.checkpoint_step = step
            self._print("step", step)
        return self._finish("done", step)

    def _finish(self, status: str, step: int) -> None:
        self.change(result={"status": status, "steps": step, "loss": 1 / (step + 1)})
        if status == "done":
            self._end("done", 0, "")
        else:
            self._end("cancelled", 0, f"cancelled: the job saved and stopped at step {step}")

    def _say(self, kind: str, step: int, loss: float | None = None) -> None:
        self.events.append(Event(kind=kind, time=time.time(), attempt=self.record.attempt, step=step, loss=loss))
        if kind == "step":
            self.change(step=step, loss=loss)

    def _print(self, *words: object) -> None:
        self.lines += [(0, printable(line)) for line in " ".join(map(str, words)).split("\n")]

    def _end(self, state: str, exit_code: int, reason: str) -> None:
        self.change(state=state, exit_code=exit_code, reason=reason, ended_at=time.time())
        self.ended()


class MemoryRunner:
    """The Runner over `MemoryRun`."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._lock = threading.RLock()
        self.store: dict[str, object] = {}
        self.cores = 1024

    def submit(self, launch: LaunchRequest, approval: Approval | None, key: str) -> RunRecord:
        spec, decision = launch.model_dump(mode="json"), approval and approval.model_dump(mode="json")
        secret = self._home.secret("approve")
        verify_decision(spec, decision, secret)
        run_id = "r-" + hashlib.sha256(key.encode()).hexdigest()[:12]
        with self._lock:
            if run_id not in self.store:
                verify_launch(spec, decision, secret)
                assert approval is not None
                record = RunRecord(
                    run_id=run_id,
                    key=key,
                    launch_hash=launch.launch_hash,
                    kind=launch.kind,
                    state="submitted",
                    run_dir=f"/memory/{run_id}",
                    attempt=0,
                    created_at=time.time(),
                )
                self.store[run_id] = run = MemoryRun(launch, approval, record)
                run.ended = self._make_room
                self._queue(run, record.created_at)
            run = self._find(run_id)
            if run.record.launch_hash != launch.launch_hash:
                raise KeyConflict(f"key {key!r} already names run {run_id}")
            return run.record

    def status(self, run_id: str) -> RunRecord:
        record = self._find(run_id).record
        stopping = self._find(run_id).stop.is_set() and record.state not in TERMINAL_STATES
        return record.model_copy(update={"state": "stopping"}) if stopping else record

    def runs(self) -> Iterator[RunRecord]:
        for run_id, run in reversed(list(self.store.items())):
            if isinstance(run, MemoryRun):
                yield self.status(run_id)

    def events(self, run_id: str, cursor: int = 0, limit: int = 1000) -> EventPage:
        """Here a cursor counts events: it is the backend's own affair."""
        page = tuple(self._find(run_id).events[cursor : cursor + limit])
        return EventPage(events=page, cursor=cursor + len(page))

    def logs(self, run_id: str, rank: int | None = None, tail_lines: int = 200) -> str:
        lines = [(where, line) for where, line in self._find(run_id).lines if rank in (None, where)][-tail_lines:]
        return "".join((line if rank is not None else f"[rank {where}] {line}") + "\n" for where, line in lines)

    def cancel(self, run_id: str) -> RunRecord:
        run = self._find(run_id)
        with self._lock:
            if run.waits:
                run.waits = False
                run.change(state="cancelled", reason="cancelled before it was started", ended_at=time.time())
                self._make_room()
        run.stop.set()
        return self.status(run_id)

    def resume(self, run_id: str) -> RunRecord:
        run = self._find(run_id)
        with self._lock:
            if run.record.state == "done":
                raise WrongState(f"{run_id} has finished; there is nothing to resume")
            if run.record.state not in TERMINAL_STATES:
                raise WrongState(f"{run_id} is {run.record.state}")
            spec, decision = run.launch.model_dump(mode="json"), run.approval.model_dump(mode="json")
            verify_launch(spec, decision, self._home.secret("approve"))
            self._queue(run, time.time())
        return self.status(run_id)

    def give(self, cores: int) -> None:
        """Say how many cores there are."""
        self.cores = cores

    def _queue(self, run: MemoryRun, since: float) -> None:
        run.since, run.waits = since, True
        self._make_room()

    def _make_room(self) -> None:
        """Start what there is room for, in order; who waits keeps what it needs from those behind it."""
        with self._lock:
            runs = [run for run in self.store.values() if isinstance(run, MemoryRun)]
            free = self.cores - sum(self._cores(run) for run in runs if run.at_work)
            for run in sorted((run for run in runs if run.waits), key=lambda run: run.since):
                if self._cores(run) <= free:
                    run.start()
                else:
                    run.change(state="queued", reason=f"waits for {self._cores(run)} of {self.cores} cores")
                free -= self._cores(run)

    def _cores(self, run: MemoryRun) -> int:
        return min(self.cores, demand_of(run.launch.model_dump(mode="json")).cores)

    def crash(self, run_id: str) -> None:
        """Kill the job without warning."""
        self._find(run_id).kill.set()

    def end_all(self) -> list[str]:
        """Kill what still runs and return the ids of what does not end even so."""
        runs = [run for run in self.store.values() if isinstance(run, MemoryRun) and run.thread is not None]
        for run in runs:
            run.kill.set()
            assert run.thread is not None
            run.thread.join(PATIENCE_S)
        return [run.record.run_id for run in runs if run.thread is not None and run.thread.is_alive()]

    def _find(self, run_id: str) -> MemoryRun:
        run = self.store.get(run_id)
        if not isinstance(run, MemoryRun):
            raise UnknownRun(f"no run {run_id!r} in memory")
        return run
