"""Runs probes: imports torch once, then forks the ranks of each probe.

Run by the interpreter whose torch is asked about; standard library and torch only.
Says on standard output what it is, reads one JSON object from standard input, and writes
a line for each probe as it ends:

    {"kind": "host", "torch": "2.13.0", "cuda_devices": 0, "seconds": 2.1}
    <- {"probes": {"name": "/path/name.py", ...}, "jobs": 2, "timeout_scale": 1.0}
    {"kind": "probe", "probe": "name", "verdict": "held", "seconds": 0.6, "observed": {...}, "detail": ""}

As a job of the runner (`--job job.json`) it reads which probes to run from that file, in
whose folder they lie; the lines go into `$FSDP_RUN_DIR/events.jsonl`, and all outcomes
together into `result.json` at the end.

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
import importlib.util
import json
import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

from probe_ranks import POLL_S, RunningProbe

DEFAULTS = {"WORLD_SIZE": 2, "TIMEOUT_S": 60, "GROUP_TIMEOUT_S": 20, "REQUIRES": (), "PROCESS_GROUP": True}
_FSDP2_ON_CPU_SINCE = (2, 7)  # 2.6 asks the CPU for streams, which it does not have
_FSDP2_NAMES = re.compile(r"\b(fully_shard|shard)\b")


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


def missing(path, settings):
    """Return what a probe needs and this interpreter lacks, in words; empty where nothing."""
    import torch

    requires, world_size = settings["REQUIRES"], settings["WORLD_SIZE"]
    release = tuple(int(part) for part in torch.__version__.split(".")[:2])
    on_cpu = release < _FSDP2_ON_CPU_SINCE and "cuda" not in requires
    if on_cpu and _FSDP2_NAMES.search(Path(path).read_text(encoding="utf-8")):
        return "fully_shard runs on CPU ranks since torch 2.7"
    for need in requires:
        if need == "cuda":
            if torch.cuda.device_count() < world_size:
                return f"needs {world_size} CUDA devices, found {torch.cuda.device_count()}"
        elif importlib.util.find_spec(need) is None:
            return f"needs the module {need}, which is not installed"
    return ""


def _import_torch():
    """Import what most probes need; nothing here may start a thread, because forks follow."""
    import torch
    import torch._dynamo  # fully_shard imports it at its first call: half a second in each rank
    import torch.distributed.checkpoint
    import torch.distributed.checkpoint.state_dict
    import torch.distributed.fsdp
    import torch.distributed.tensor

    torch.set_num_threads(1)
    return torch


def _emit(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def _emit_event(line):
    """Say what one probe showed as an event of the run, and in its log."""
    print(f"{line['verdict']} {line['probe']} {line['seconds']} s {line['detail']}", flush=True)
    event = {"kind": "probe", "time": time.time(), "attempt": int(os.environ["FSDP_ATTEMPT"]), "data": line}
    with open(Path(os.environ["FSDP_RUN_DIR"]) / "events.jsonl", "a", encoding="ascii") as log:
        log.write(json.dumps(event) + "\n")


def run(job, root, emit=_emit):
    """Run every probe of a job, `jobs` at a time, and emit a line for each."""
    waiting = list(job["probes"].items())
    running = []
    while waiting or running:
        while waiting and len(running) < job.get("jobs", 2):
            name, path = waiting.pop(0)
            line = {"kind": "probe", "probe": name, "seconds": 0.0, "observed": None}
            try:
                settings = constants(path)
                lacks = missing(path, settings)
            except (OSError, SyntaxError, ValueError) as error:
                emit(line | {"verdict": "failed", "detail": f"unreadable: {error}"})
                continue
            if lacks:
                emit(line | {"verdict": "not_applicable", "detail": lacks})
                continue
            folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=root))
            running.append(RunningProbe(name, path, settings, folder, job.get("timeout_scale", 1.0)))
        for probe in list(running):
            if probe.poll():
                running.remove(probe)
                emit(probe.outcome())
                shutil.rmtree(probe.folder, ignore_errors=True)
        time.sleep(POLL_S)


def run_as_job(path, torch):
    """Run what a job file names, and leave events and a result in the run folder."""
    run_dir, folder, outcomes = Path(os.environ["FSDP_RUN_DIR"]), Path(path).parent, []

    def emit(line):
        outcomes.append({name: value for name, value in line.items() if name != "kind"})
        _emit_event(line)

    job = json.loads(Path(path).read_text(encoding="utf-8"))
    job["probes"] = {name: str(folder / f"{name}.py") for name in job["probes"]}
    with tempfile.TemporaryDirectory(prefix="fsdp-probes-") as root:
        run(job, Path(root), emit)
    version = torch.__version__.partition("+")[0]
    result = {"status": "done", "torch": version, "cuda_devices": torch.cuda.device_count(), "outcomes": outcomes}
    (run_dir / "result.tmp").write_text(json.dumps(result), encoding="ascii")
    (run_dir / "result.tmp").replace(run_dir / "result.json")


def main():
    """Introduce this interpreter, read the job, run it, and leave nothing behind."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if Path("/sys/class/net/lo").exists():
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    started_s = time.monotonic()
    torch = _import_torch()
    if sys.argv[1:2] == ["--job"]:
        run_as_job(sys.argv[2], torch)
        return
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
