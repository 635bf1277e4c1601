"""Real jobs for tests: small programs that behave like a training job, without torch."""

import contextlib
import hashlib
import json
import os
import signal
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.approval import Approval
from contracts.canonical import seal
from contracts.launch import InputDigest, LaunchRequest, LaunchResources
from contracts.run import TERMINAL_STATES, RunRecord
from runners import Home, LocalRunner
from runners.process import Identity, from_json

PATIENCE_S = 60.0
"""How long a test waits for what must happen: long, for a machine that is busy."""

TRAINER = textwrap.dedent(
    """\
    # Counts steps from its newest checkpoint, reports them, and stops when it is asked to.
    import json, os, pathlib, signal, sys, time

    steps, pause_s, *flags = int(sys.argv[1]), float(sys.argv[2]), *sys.argv[3:]
    run = pathlib.Path(os.environ["FSDP_RUN_DIR"])
    rank = int(os.environ.get("RANK", "0"))
    attempt = int(os.environ["FSDP_ATTEMPT"])
    if "deaf" in flags:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def event(kind, step, **more):
        if rank == 0:
            line = {"kind": kind, "time": time.time(), "attempt": attempt, "step": step, **more}
            with open(run / "events.jsonl", "a") as log:
                log.write(json.dumps(line) + "\\n")

    def finish(status):
        if rank == 0:
            (run / "result.tmp").write_text(json.dumps({"status": status, "steps": step, "loss": 1 / (step + 1)}))
            (run / "result.tmp").rename(run / "result.json")
        sys.exit(0)

    saved = run / "ckpt" / "newest"
    saved.parent.mkdir(exist_ok=True)
    step = int(saved.read_text()) if saved.exists() else 0
    event("resume" if step else "boot", step)
    while step < steps:
        if (run / "cmd" / "stop").exists() and "deaf" not in flags:
            finish("stopped")
        time.sleep(pause_s)
        step += 1
        event("step", step, loss=1 / (step + 1))
        if rank == 0:
            (saved.parent / "new").write_text(str(step))
            (saved.parent / "new").rename(saved)
        print("step", step, flush=True)
    finish("done")
    """
)


RANKS_SPEAK = "import os\nprint('hello from', os.environ['RANK'], flush=True)\n"
"""Each rank says which it is."""


class JobShop:
    """A home folder with a runner, and launches for it that any test may approve."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = Home(folder / "home")
        self.give(cores=1024)
        self.runner = LocalRunner(self.home, stop_grace_s=20.0, kill_after_s=20.0)
        self.patience_s = PATIENCE_S

    def give(self, **capacity: int) -> None:
        """Say what this machine gives to runs; by default so much that none waits for another."""
        self.home.root.mkdir(exist_ok=True)
        fresh = self.home.machine.with_suffix(".new")
        fresh.write_text("".join(f"{name} = {amount}\n" for name, amount in capacity.items()))
        fresh.replace(self.home.machine)

    @property
    def script(self) -> Path:
        """The program of every launch."""
        return self.folder / "bundle" / "job.py"

    def launch(self, program: str = TRAINER, *args: str, ranks: int = 0, **changes: object) -> LaunchRequest:
        """A launch of a Python program; with `ranks`, under torchrun."""
        bundle = self.folder / "bundle"
        bundle.mkdir(exist_ok=True)
        files = {
            "script": (bundle / "job.py", program),
            "config": (bundle / "config.json", '{"recipe": {"steps": 1000}}'),
            "data_manifest": (bundle / "data_manifest.json", '{"files": []}'),
        }
        for path, body in files.values():
            # what stands there may be under a supervisor's eyes just now
            if not path.exists() or path.read_text() != body:
                path.write_text(body)
        torchrun = ("-m", "torch.distributed.run", "--nnodes=1", f"--nproc-per-node={ranks}", "--max-restarts=0")
        torchrun += ("--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0", "--log-dir={attempt_dir}/log")
        torchrun += ("--redirects=3", "--signals-to-handle=SIGTERM,SIGINT,SIGHUP,SIGQUIT,SIGUSR1,SIGUSR2")
        known = {
            "kind": "script",
            "interpreter": sys.executable,
            "argv": (*(torchrun if ranks else ()), str(bundle / "job.py"), *args),
            "workdir": str(bundle),
            "env": {"OMP_NUM_THREADS": "1"},
            "resources": LaunchResources(nodes=1, ranks_per_node=max(1, ranks), device="cpu"),
            "writes": ("{run_dir}",),
            "inputs": tuple(
                InputDigest(
                    role=role, path=str(path), sha256=hashlib.sha256(body.encode()).hexdigest(), size_bytes=len(body)
                )
                for role, (path, body) in files.items()
            ),
        }
        return LaunchRequest.model_validate(known | changes)

    def trainer(
        self, steps: int, pause_s: float = 0.05, *flags: str, ranks: int = 0, **changes: object
    ) -> LaunchRequest:
        """A launch of the small trainer."""
        return self.launch(TRAINER, str(steps), str(pause_s), *flags, ranks=ranks, **changes)

    def approve(self, launch: LaunchRequest, **changes: object) -> Approval:
        """A person's sealed decision."""
        facts = {"launch_hash": launch.launch_hash, "decision": "approve", "approver": "tester"}
        facts |= {"decided_at": "2026-01-01T00:00:00Z", "via": "cli"} | changes
        record = Approval.model_validate(facts)
        return record.model_copy(update={"mac": seal(record.model_dump(mode="json"), self.home.secret("approve"))})

    def submit(self, launch: LaunchRequest, key: str = "key") -> RunRecord:
        """Approve and submit."""
        return self.runner.submit(launch, self.approve(launch), key)

    def run_dir(self, run_id: str) -> Path:
        """The run folder."""
        return self.home.runs / run_id

    def wait(self, run_id: str, *states: str) -> RunRecord:
        """Wait for one of the states, by default for any end."""
        wanted = frozenset(states) or TERMINAL_STATES
        return self.until(lambda: self.runner.status(run_id), lambda record: record.state in wanted)

    def until(self, look: Callable[[], Any], good: Callable[[Any], object] = bool) -> Any:
        """Look until it is good."""
        deadline = time.monotonic() + self.patience_s
        while not good(seen := look()):
            assert time.monotonic() < deadline, f"waited {self.patience_s} s, last seen: {seen}"
            time.sleep(0.05)
        return seen

    def until_step(self, run_id: str, step: int) -> RunRecord:
        """Wait until the job has reported a step."""
        return self.until(lambda: self.runner.status(run_id), lambda record: (record.step or 0) >= step)

    def journal(self, run_id: str) -> list[dict[str, Any]]:
        """What the supervisor wrote; a line that a crash tore is nothing."""
        path = self.run_dir(run_id) / "journal.jsonl"
        entries = []
        for line in path.read_text().splitlines() if path.exists() else []:
            with contextlib.suppress(ValueError):
                entries.append(json.loads(line))
        return entries

    def supervisor(self, run_id: str) -> int:
        """Pid of the newest supervisor."""
        return int([e for e in self.journal(run_id) if e["kind"] == "supervisor"][-1]["process"]["pid"])

    def shim(self, run_id: str) -> int:
        """Pid of the newest shim, as soon as it is known."""
        entries = self.until(lambda: [e for e in self.journal(run_id) if e["kind"] == "started"])
        return int(entries[-1]["process"]["pid"])

    def launcher(self, run_id: str, attempt: int = 1) -> int:
        """Pid of the launcher, as soon as it is known."""
        path = self.run_dir(run_id) / "attempts" / f"{attempt:04d}" / "torchrun.pid"
        self.until(path.exists)
        return int(json.loads(path.read_text())["pid"])

    def processes(self, needle: str | None = None) -> dict[int, str]:
        """All processes whose command line or environment names this home: pid -> command line."""
        found = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal() and int(entry.name) != os.getpid():
                try:
                    command = (entry / "cmdline").read_bytes()
                    named = command + (entry / "environ").read_bytes()
                except OSError:
                    continue
                if (needle or str(self.home.root)).encode() in named:
                    found[int(entry.name)] = command.replace(b"\0", b" ").decode()
        return found

    def rank_pid(self, run_id: str, rank: int) -> int:
        """Pid of one rank under torchrun."""

        def find() -> list[int]:
            # by the run folder: other shops, of tests that run at the same time, have the same run ids
            folder = str(self.run_dir(run_id))
            ranks = [pid for pid in self.processes() if variable(pid, "FSDP_RUN_DIR") == folder]
            return [pid for pid in ranks if variable(pid, "RANK") == str(rank)]

        return int(self.until(find)[0])

    def until_gone(self) -> None:
        """Wait until no process of any run is left, those included that are still on their way out.

        A process that exits gives up its memory, and with it the environment by which
        `processes` knows it, some time before it ceases to be: the runner's own records
        name the pids of which that is true.
        """
        self.until(lambda: not self.processes() and not any(map(Identity.is_alive, self._recorded())))

    def _recorded(self) -> Iterator[Identity]:
        for folder in self.home.runs.iterdir():
            entries = [entry.get("process") for entry in self.journal(folder.name)]
            launchers = [json.loads(path.read_text()) for path in folder.glob("attempts/*/torchrun.pid")]
            yield from filter(None, map(from_json, entries + launchers))

    def end_all(self) -> dict[int, str]:
        """Wait for the processes of all runs to end; kill what does not, and return it."""
        deadline = time.monotonic() + 10
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.05)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        return left


def variable(pid: int, name: str) -> str | None:
    """An environment variable of another process."""
    try:
        pairs = (Path("/proc") / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return None
    return next((pair.partition(b"=")[2].decode() for pair in pairs if pair.startswith(name.encode() + b"=")), None)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[JobShop]:
    """A job shop; after the test no process of its jobs may be left."""
    jobs = JobShop(tmp_path)
    yield jobs
    left = jobs.end_all()
    assert not left, f"processes were left over: {left}"
