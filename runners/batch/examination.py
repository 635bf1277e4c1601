"""Preflight of an allocation: every node is examined before the job takes it. Standard library only.

First a roll call: each node that starts a task writes its name, clock and Python into the
run folder. What is missing or odd then has a name. Then our own ranks meet as the job's
will, compare their versions, and measure links and the shared file system.
"""

import contextlib
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from runners.batch.allocation import Allocation, free_port, meeting_address
from runners.batch.launcher import NODE, srun, srun_words, step_environment
from runners.batch.verdict import bad_in_log, bad_in_roll_call
from runners.cleaning import printable
from runners.files import read_object, read_tail, write_json
from runners.rundir import RunDir
from runners.stopfile import read_stop
from runners.supervisor.queueing import NoRoom
from runners.supervisor.recorder import Recorder
from runners.supervisor.watching import pause

_ROLL_CALL_S, _RANKS_S = 180.0, 900.0
_LOOK_S = 0.25
_LOG_TAIL_BYTES = 64 << 10
_CHECKPOINT_SHARE = 6.0
"""Bytes of a checkpoint over those of bf16 weights: fp32 weights and two fp32 moments, 12 over 2."""
_GIB = 1 << 30
_PROGRAM = "fsdp_preflight.py"
_WORDS_LIMIT_CHARS = 400


class BadNodes(Exception):
    """Nodes that are not fit for the job."""

    def __init__(self, nodes: dict[str, str]) -> None:
        """Name them, each with the reason."""
        super().__init__("; ".join(f"{name}: {reason}" for name, reason in nodes.items()))
        self.nodes = nodes


class Examination:
    """The examination of one allocation."""

    def __init__(self, run: RunDir, folder: Path, allocation: Allocation, recorder: Recorder) -> None:
        """Nothing was examined yet.

        Args:
            run: The run folder.
            folder: Where the examination is kept; a folder of this allocation's own.
            allocation: Its nodes.
            recorder: Where the outcome is written down.
        """
        self._run, self._folder, self._allocation, self._recorder = run, folder, allocation, recorder
        self.done = False
        """Whether this allocation has been examined."""

    def examine(self, number: int, launch: dict[str, Any], marker: str) -> None:
        """Examine every node; return early where the job is asked to stop.

        Args:
            number: The start that waits for it.
            launch: The approved launch.
            marker: What the run's processes are known by.

        Raises:
            BadNodes: Nodes are not fit.
            NoRoom: A job cannot run here, and no node can be blamed.
        """
        if not (launch.get("slurm") or {}).get("preflight"):
            self.done = True
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._call_the_roll(number, launch, marker)
            words = f"{len(self._allocation.nodes)} nodes answer, each with the shared folder"
            program = next((e["path"] for e in launch["inputs"] if Path(e["path"]).name == _PROGRAM), None)
            if program is not None and read_stop(self._run) is None:
                words = self._try_ranks(number, launch, marker, program)
        except OSError as error:
            raise NoRoom(f"the preflight cannot be made: {error}") from error
        if read_stop(self._run) is None:
            self.done = True
            self._recorder.note("preflight", attempt=number, reason=words)

    def _call_the_roll(self, number: int, launch: dict[str, Any], marker: str) -> None:
        (self._folder / "roll-call").touch()
        log, began = self._folder / "roll-call.log", time.time()
        task = [launch["interpreter"], "-I", "-S", str(NODE), "roll", str(self._folder)]
        code = self._step(number, launch, marker, task, log, _ROLL_CALL_S)
        if read_stop(self._run) is not None:
            return
        answers = [read_object(path) or {} for path in self._folder.glob("node-*.json")]
        bad = bad_in_roll_call(self._allocation.nodes, answers, began, time.time(), _text(log))
        if bad:
            raise BadNodes(bad)
        if code != 0:
            raise NoRoom(f"the preflight's roll call ended with {code}: {_last_line(log)}")

    def _try_ranks(self, number: int, launch: dict[str, Any], marker: str, program: str) -> str:
        resources = launch["resources"]
        place = f"{meeting_address(self._allocation, launch['slurm'].get('interface'))}"
        argv = [
            "-m",
            "torch.distributed.run",
            f"--nnodes={resources['nodes']}",
            f"--nproc-per-node={resources['ranks_per_node']}",
            "--max-restarts=0",
            "--rdzv-backend=static",
            "--node-rank={node_rank}",
            f"--rdzv-endpoint={place}:{free_port(self._allocation.job_id, number + 500)}",
            program,
            f"--device={resources['device']}",
            "--nodes",
            *_checkpoint_words(launch),
        ]
        task = {"interpreter": launch["interpreter"], "argv": argv, "workdir": str(self._folder)}
        write_json(self._folder / "launch.json", {"task": task}, durable=False)
        log = self._folder / "ranks.log"
        words = [launch["interpreter"], "-I", "-S", str(NODE), str(self._folder)]
        code = self._step(number, launch, marker, words, log, _RANKS_S)
        if read_stop(self._run) is not None:
            return ""
        result = read_object(self._folder / "result.json") or {}
        if bad := (_named(result.get("unfit")) or (bad_in_log(_text(log), self._allocation.nodes) if code else {})):
            raise BadNodes(bad)
        checks = [check for check in result.get("checks") or () if isinstance(check, dict)]
        missing = [
            f"{check.get('name')}: {check.get('value')}" for check in checks if check.get("verdict") == "missing"
        ]
        if code or not checks or missing:
            words_of = "; ".join(missing) or f"its ranks ended with {code}: {_last_line(log)}"
            raise NoRoom(printable(f"the preflight found: {words_of}; see {log}", _WORDS_LIMIT_CHARS))
        told = [str(check.get("value")) for check in checks if check.get("name") in _TOLD]
        return printable("; ".join(told), _WORDS_LIMIT_CHARS)

    def _step(
        self, number: int, launch: dict[str, Any], marker: str, task: list[str], log: Path, limit_s: float
    ) -> int | None:
        """Run one task on each node; return the exit status, None where it was ended: too slow, or asked to stop."""
        env = step_environment(self._run, number, launch, marker) | {"FSDP_RUN_DIR": str(self._folder)}
        with open(log, "ab") as stream:
            step = subprocess.Popen(
                [srun(), *srun_words(launch, self._run), *task],
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                cwd=self._folder,
                env=env,
                # the supervisor holds signals back; its child must not
                preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, ()),  # noqa: PLW1509 - one thread
            )
        deadline = time.monotonic() + limit_s
        while step.poll() is None:
            if time.monotonic() > deadline or read_stop(self._run) is not None:
                return self._end(step)
            pause(self._run, number, _LOOK_S)
        return step.returncode

    @staticmethod
    def _end(step: "subprocess.Popen[bytes]") -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            step.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                step.wait(10.0)
                return


_TOLD = ("ranks", "bandwidth", "within_nodes", "between_nodes", "shared_folder", "clocks")


def _checkpoint_words(launch: dict[str, Any]) -> list[str]:
    weights = sum(entry["size_bytes"] for entry in launch["inputs"] if entry["role"] == "model")
    limit_s = (launch.get("watch") or {}).get("checkpoint_s")
    if not weights or limit_s is None:
        return []
    return [f"--checkpoint-gib={weights * _CHECKPOINT_SHARE / _GIB}", f"--checkpoint-s={limit_s}"]


def _named(unfit: object) -> dict[str, str]:
    return {str(name): str(reason) for name, reason in unfit.items()} if isinstance(unfit, dict) else {}


def _text(log: Path) -> str:
    return read_tail(log, _LOG_TAIL_BYTES).decode("utf-8", "replace")


def _last_line(log: Path) -> str:
    lines = [line for line in _text(log).splitlines() if line.strip()]
    return printable(lines[-1], _WORDS_LIMIT_CHARS) if lines else "it said nothing"
