"""Runs probes: imports torch once, then forks the ranks of each probe.

Run by the interpreter whose torch is asked about; standard library and torch only.
Says on standard output what it is, reads one JSON object from standard input, and writes
a line for each probe as it ends:

    {"kind": "host", "torch": "2.13.0", "cuda_devices": 0, "seconds": 2.1}
    <- {"probes": {"name": "/path/name.py", ...}, "jobs": 2, "timeout_scale": 1.0}
    {"kind": "probe", "probe": "name", "verdict": "held", "seconds": 0.6, "observed": {...}, "detail": ""}

A probe is a file with `probe(rank, world_size)`, called in every rank with a process
group of its own; what rank 0 returns is what was observed, and any exception in any
rank is a failure. Constants that it may set:

    WORLD_SIZE = 2            ranks
    TIMEOUT_S = 60            seconds until its ranks are killed
    GROUP_TIMEOUT_S = 20      seconds until a collective of the default group gives up
    REQUIRES = ()             "cuda" (a device for each rank), or modules that must be importable
    PROCESS_GROUP = True      False: the probe makes its own, from the variables that torchrun sets
"""

import ast
import contextlib
import ctypes
import importlib.util
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from datetime import timedelta
from pathlib import Path

DEFAULTS = {"WORLD_SIZE": 2, "TIMEOUT_S": 60, "GROUP_TIMEOUT_S": 20, "REQUIRES": (), "PROCESS_GROUP": True}
_PR_SET_PDEATHSIG = 1
_POLL_S = 0.02
_DETAIL_CHARACTERS = 1000


def constants(path):
    """Return the constants of a probe file without running it.

    Raises:
        SyntaxError: The file is no Python.
        OSError: It cannot be read.
    """
    found = dict(DEFAULTS)
    for node in ast.parse(Path(path).read_text(encoding="utf-8")).body:
        name = getattr(node.targets[0], "id", None) if isinstance(node, ast.Assign) else None
        if name in DEFAULTS:
            found[name] = ast.literal_eval(node.value)
    return found


def missing(requires, world_size):
    """Return what a probe needs and this interpreter lacks, in words; empty where nothing."""
    import torch

    for need in requires:
        if need == "cuda":
            if torch.cuda.device_count() < world_size:
                return f"needs {world_size} CUDA devices, found {torch.cuda.device_count()}"
        elif importlib.util.find_spec(need) is None:
            return f"needs the module {need}, which is not installed"
    return ""


class RunningProbe:
    """The ranks of one probe, as child processes."""

    def __init__(self, name, path, folder, timeout_scale):
        """Fork the ranks."""
        self.name, self.path, self.folder = name, path, Path(folder)
        self.settings = constants(path)
        self.started_s = time.monotonic()
        self.deadline_s = self.started_s + self.settings["TIMEOUT_S"] * timeout_scale
        self.overran = False
        self.statuses = {}
        self.pids = [self._fork(rank) for rank in range(self.settings["WORLD_SIZE"])]

    def _fork(self, rank):
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        pid = os.fork()
        if pid:
            return pid
        code = 1
        try:
            os.setpgid(0, 0)
            # dies with the host, however the host dies
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)
            _redirect(self.folder / f"rank{rank}.log")
            _run_rank(self.path, self.folder, rank, self.settings)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            _await_peers(self.folder, rank, self.settings["WORLD_SIZE"])
            with contextlib.suppress(OSError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def poll(self):
        """Return whether all ranks have ended; kills them past the deadline."""
        for rank, pid in enumerate(self.pids):
            if rank not in self.statuses:
                done, status = os.waitpid(pid, os.WNOHANG)
                if done:
                    self.statuses[rank] = os.waitstatus_to_exitcode(status)
                    (self.folder / f"done{rank}").touch()  # where it was killed, nobody waits for it
        running = [pid for rank, pid in enumerate(self.pids) if rank not in self.statuses]
        if running and time.monotonic() > self.deadline_s:
            self.overran = True
            for pid in running:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(pid, signal.SIGKILL)
        return not running

    def outcome(self):
        """Return the line about this probe."""
        bad = sorted(rank for rank, code in self.statuses.items() if code)
        observed, detail = None, ""
        if self.overran:
            detail = f"killed after {self.settings['TIMEOUT_S']} s"
        if bad:
            detail = "\n".join([detail, *(f"rank {rank}: {self._last_words(rank)}" for rank in bad)]).strip()
        answer = self.folder / "observed.json"
        if not detail and not answer.exists():
            detail = "rank 0 left the process and returned nothing"
        if not detail:
            observed = json.loads(answer.read_text(encoding="utf-8"))
        return {
            "kind": "probe",
            "probe": self.name,
            "verdict": "failed" if detail else "held",
            "seconds": round(time.monotonic() - self.started_s, 2),
            "observed": observed,
            "detail": detail[:_DETAIL_CHARACTERS],
        }

    def _last_words(self, rank):
        code = self.statuses[rank]
        log = self.folder / f"rank{rank}.log"
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
        if code < 0:
            return f"ended by signal {-code}"
        # the last place in the probe, with its code, and the error itself
        places = [number for number, line in enumerate(lines) if line.startswith(f'  File "{self.path}"')]
        place = [lines[places[-1]].split(", ", 1)[1], *lines[places[-1] + 1 : places[-1] + 2]] if places else []
        errors = [
            number for number, line in enumerate(lines) if line[:1].isalpha() and not line.startswith("Traceback")
        ]
        return " ".join(" ".join([*place, *(lines[errors[-1] :] if errors else lines[-3:])]).split())


def _await_peers(folder, rank, world_size):
    """Stay until all ranks are done: a peer that waits in a collective must not see us go."""
    (folder / f"done{rank}").touch()
    while not all((folder / f"done{peer}").exists() for peer in range(world_size)):
        time.sleep(_POLL_S)


def _redirect(log):
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)


def _run_rank(path, folder, rank, settings):
    import torch
    import torch.distributed as dist

    world_size = settings["WORLD_SIZE"]
    os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(world_size)}
    os.environ |= {"LOCAL_WORLD_SIZE": str(world_size), "GROUP_RANK": "0", "MASTER_ADDR": "127.0.0.1"}
    os.environ["PROBE_FOLDER"] = str(folder / "scratch")
    sys.path.insert(0, str(Path(path).parent))
    os.chdir(folder / "scratch")
    torch.manual_seed(0)
    cuda = "cuda" in settings["REQUIRES"]
    if cuda:
        torch.cuda.set_device(rank)
    if settings["PROCESS_GROUP"]:
        dist.init_process_group(
            "cpu:gloo,cuda:nccl" if cuda else "gloo",
            store=dist.FileStore(str(folder / "rendezvous"), world_size),
            rank=rank,
            world_size=world_size,
            timeout=timedelta(seconds=settings["GROUP_TIMEOUT_S"]),
        )
        # the ranks start together, so that a short time-out measures the probe and not the start
        dist.barrier(**({"device_ids": [rank]} if cuda else {}))
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    observed = module.probe(rank, world_size)
    if rank == 0:
        (folder / "observed.json").write_text(json.dumps(observed), encoding="utf-8")


def _import_torch():
    """Import what most probes need; nothing here may start a thread, because forks follow."""
    import torch
    import torch.distributed.checkpoint
    import torch.distributed.checkpoint.state_dict
    import torch.distributed.fsdp
    import torch.distributed.tensor

    torch.set_num_threads(1)
    return torch


def _emit(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def run(job, root):
    """Run every probe of a job, `jobs` at a time, and emit a line for each."""
    waiting = list(job["probes"].items())
    running = []
    while waiting or running:
        while waiting and len(running) < job.get("jobs", 2):
            name, path = waiting.pop(0)
            line = {"kind": "probe", "probe": name, "seconds": 0.0, "observed": None}
            try:
                settings = constants(path)
                lacks = missing(settings["REQUIRES"], settings["WORLD_SIZE"])
            except (OSError, SyntaxError, ValueError) as error:
                _emit(line | {"verdict": "failed", "detail": f"unreadable: {error}"})
                continue
            if lacks:
                _emit(line | {"verdict": "not_applicable", "detail": lacks})
                continue
            folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=root))
            (folder / "scratch").mkdir()
            running.append(RunningProbe(name, path, folder, job.get("timeout_scale", 1.0)))
        for probe in list(running):
            if probe.poll():
                running.remove(probe)
                _emit(probe.outcome())
                shutil.rmtree(probe.folder, ignore_errors=True)
        time.sleep(_POLL_S)


def main():
    """Introduce this interpreter, read the job, run it, and leave nothing behind."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if Path("/sys/class/net/lo").exists():
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    started_s = time.monotonic()
    torch = _import_torch()
    _emit(
        {
            "kind": "host",
            "torch": torch.__version__.partition("+")[0],
            "cuda_devices": torch.cuda.device_count(),
            "seconds": round(time.monotonic() - started_s, 2),
        }
    )
    text = sys.stdin.read()
    if not text:
        return  # whoever started us only wanted to know the versions, or is gone
    job = json.loads(text)
    with tempfile.TemporaryDirectory(prefix="fsdp-probes-") as root:
        run(job, Path(root))


if __name__ == "__main__":
    main()
