"""The ranks of one probe: forked from a process that has imported torch, watched, killed in time.

Standard library and torch only; see probe_host.py for what a probe is.
"""

import contextlib
import ctypes
import importlib.util
import json
import os
import signal
import sys
import time
import traceback
from datetime import timedelta
from pathlib import Path

POLL_S = 0.02
"""Seconds between two looks at the ranks."""

_PR_SET_PDEATHSIG = 1
_DETAIL_CHARACTERS = 1000


class RunningProbe:
    """The ranks of one probe, as child processes."""

    def __init__(self, name, path, settings, folder, timeout_scale):
        """Fork the ranks.

        Args:
            name: Name of the probe.
            path: Its file.
            settings: Its constants.
            folder: An empty folder of its own.
            timeout_scale: Factor on its time limit.
        """
        self.name, self.path, self.settings, self.folder = name, path, settings, Path(folder)
        (self.folder / "scratch").mkdir()
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
        time.sleep(POLL_S)


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
