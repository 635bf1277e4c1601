"""One job of the matrix: submitted, held, acted upon, and compared with one that nobody touched."""

import hashlib
import json
import os
import shutil
import signal
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contracts.launch import InputDigest, LaunchRequest, RestartPolicy, WatchLimits
from contracts.recipe import Recipe
from contracts.request import DataRef, Hardware, ModelRef, Request
from contracts.run import TERMINAL_STATES, RunRecord
from runners.bundle import prepare_launch
from tests.job_shop import JobShop

RANKS = 2
STEPS = 14
EVERY = 4
"""Steps between two checkpoints: step 10 begins the second epoch, so that the data order matters."""
RECIPE = {
    **{"steps": STEPS, "seq_len": 40, "micro_batch": 2, "lr": 3e-3, "warmup_steps": 3, "weight_decay": 0.1},
    **{"param_dtype": "fp32", "checkpoint_every": EVERY, "keep_checkpoints": 5, "export": True},
}
AT_ONCE = RestartPolicy(max_restarts=3, backoff_s=0.0)
HOLDER = Path(__file__).with_name("held.py")


@dataclass(frozen=True)
class Inputs:
    """What every job of the matrix reads."""

    model: Path
    data: Path


@dataclass(frozen=True)
class Bits:
    """What must be the same to the last bit."""

    losses: dict[int, float]
    """Loss of each step; of a step that was computed twice, the later one."""
    shards: dict[str, str]
    """SHA-256 of each shard of the last checkpoint: weights, moments, generators, data position."""
    weights: str
    """SHA-256 of the exported weights."""


@dataclass
class Case:
    """One run and the hands that are laid on it."""

    shop: JobShop
    inputs: Inputs
    holds: tuple[str, ...] = ()
    """Where its starts are held, such as `1=step:6`; see `held.py`."""
    recipe: dict[str, Any] = field(default_factory=dict)
    """Settings other than the usual ones."""
    watch: WatchLimits = field(default_factory=WatchLimits)
    run_id: str = ""
    stack: ExitStack = field(default_factory=ExitStack)
    """What is looked after until the test ends."""

    def launch(self) -> LaunchRequest:
        """The launch that a plan makes, with the holder beside the payload."""
        request = Request(
            intent="run",
            model=ModelRef(path=str(self.inputs.model)),
            data=DataRef(train=str(self.inputs.data)),
            hardware=Hardware(device="cpu", ranks=RANKS),
        )
        recipe = Recipe.model_validate(RECIPE | self.recipe)
        launch = prepare_launch(request, recipe, self.shop.home, sys.executable).launch
        [payload] = [entry.path for entry in launch.inputs if entry.path.endswith("/fsdp_sft.py")]
        holder = Path(payload).with_name(HOLDER.name)
        if not holder.exists():  # a supervisor may be reading it
            shutil.copy(HOLDER, holder)
        body = holder.read_bytes()
        known = InputDigest(
            role="script", path=str(holder), sha256=hashlib.sha256(body).hexdigest(), size_bytes=len(body)
        )
        options = [part for hold in self.holds for part in ("--hold", hold)]
        argv = [part for word in launch.argv for part in ([str(holder), *options] if word == payload else [word])]
        changes = {"argv": tuple(argv), "inputs": (*launch.inputs, known), "restart": AT_ONCE, "watch": self.watch}
        return launch.model_copy(update=changes)

    def submit(self) -> None:
        """Approve and submit."""
        self.run_id = self.shop.submit(self.launch()).run_id

    @property
    def folder(self) -> Path:
        return self.shop.run_dir(self.run_id)

    @property
    def status(self) -> RunRecord:
        return self.shop.runner.status(self.run_id)

    def until_held(self, *ranks: int, at: str | None = None) -> None:
        """Wait until these ranks stand still, at the first place where any is held or at another."""
        wanted = [self.folder / "held" / f"{at or self.holds[0]}-{rank}" for rank in ranks]

        def good(there: bool) -> bool:
            record = self.status
            assert there or record.state not in TERMINAL_STATES, f"{record.reason}\n{self.log()}"
            return there

        self.shop.until(lambda: all(path.exists() for path in wanted), good)

    def is_held(self, rank: int) -> bool:
        """Tell whether a rank stands still at the first place."""
        return (self.folder / "held" / f"{self.holds[0]}-{rank}").exists()

    def go_on(self, at: str | None = None) -> None:
        """Let the ranks go on that stand still at the first place, or at another."""
        (self.folder / "held" / f"{at or self.holds[0]}-go").touch()

    def log(self) -> str:
        """The ends of all logs of the newest start."""
        return self.shop.runner.logs(self.run_id, tail_lines=30)

    def pid(self, who: str) -> int:
        """Pid of `supervisor`, `shim`, `torchrun`, `rank 0` or `rank 1` of the newest start."""
        if who.startswith("rank "):
            return self.shop.rank_pid(self.run_id, int(who.removeprefix("rank ")))
        attempt = len(self.entries("attempt"))
        find = {"supervisor": self.shop.supervisor, "shim": self.shop.shim}
        return self.shop.launcher(self.run_id, attempt) if who == "torchrun" else find[who](self.run_id)

    def send(self, number: signal.Signals, *names: str) -> list[int]:
        """Send a signal to each, as fast as can be; return their pids."""
        pids = [self.pid(name) for name in names]
        for pid in pids:
            os.kill(pid, number)
        return pids

    def kill(self, *names: str) -> None:
        """SIGKILL to each, and wait until they are gone."""
        pids = self.send(signal.SIGKILL, *names)
        self.shop.until(lambda: not set(pids) & set(self.shop.processes()))

    def adopt(self) -> None:
        """Let a new supervisor take over what still runs."""
        adopted = self.shop.until(self.shop.runner.reconcile)  # as soon as the old one is seen to be dead
        assert [record.run_id for record in adopted] == [self.run_id]

    def resume(self) -> None:
        """Ask for another start, as soon as nothing of the last one is left."""
        self.shop.until_gone()
        self.shop.runner.resume(self.run_id)

    def wait(self, *states: str) -> RunRecord:
        return self.shop.wait(self.run_id, *states)

    def entries(self, kind: str) -> list[dict[str, Any]]:
        """Journal entries of a kind."""
        return [entry for entry in self.shop.journal(self.run_id) if entry["kind"] == kind]

    def events(self, kind: str | None = None) -> list[dict[str, Any]]:
        """Events of a kind, or all; a line that a kill tore is none."""
        found = []
        for line in (self.folder / "events.jsonl").read_text().splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
        return [event for event in found if kind in (None, event["kind"])]

    def skipped(self) -> list[tuple[str, str]]:
        """Checkpoints that the last resume passed over, and why."""
        resumes = self.events("resume")
        return [(entry["name"], entry["reason"]) for entry in resumes[-1]["data"]["skipped"]] if resumes else []

    def bits(self) -> Bits:
        """What this run came to."""
        newest = sorted((self.folder / "ckpt").glob(f"step-{STEPS:08d}*"))[-1]
        files = json.loads((newest / "manifest.json").read_text())["files"]
        weights = (self.folder / "export" / "model.safetensors").read_bytes()
        return Bits(
            losses={event["step"]: event["loss"] for event in self.events("step")},
            # not `.metadata`, which names the folder
            shards={name: entry["sha256"] for name, entry in files.items() if name.endswith(".distcp")},
            weights=hashlib.sha256(weights).hexdigest(),
        )

    def check_one_job(self, starts: int) -> None:
        """There was one run, with so many starts, one after the other, and nothing of it is left."""
        assert [path.name for path in self.shop.home.runs.iterdir()] == [self.run_id]
        assert [entry["attempt"] for entry in self.entries("attempt")] == list(range(1, starts + 1))
        order = [event["attempt"] for event in self.events()]
        assert order == sorted(order), "two starts wrote at the same time"
        assert len([event for event in self.events("step") if event["attempt"] == order[-1]]) <= STEPS
        self.shop.until_gone()
