"""One failing worker stops all of them, and --max-restarts starts all of them again."""

import contextlib
import io
from pathlib import Path

import torch.distributed.run as torchrun
from _lab import raises
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

PROCESS_GROUP = False
WORLD_SIZE = 1

_WORKER = """
import os, signal, sys, time
name = f"{os.environ['TORCHELASTIC_RESTART_COUNT']}-{os.environ['RANK']}"
def stopped(number, frame):
    open(f"{name}.stopped", "w").close()
    sys.exit(1)
signal.signal(signal.SIGTERM, stopped)
open(f"{name}.started", "w").close()
if os.environ["RANK"] == "1" and os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":
    while not os.path.exists("0-0.started"):
        time.sleep(0.01)
    sys.exit(7)
if os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":
    time.sleep(30)
"""


def _files(pattern):
    return sorted(path.name for path in Path().glob(pattern))


def probe(rank, world_size):
    """Let rank 1 fail once: without restarts the job fails, with one restart both ranks begin again."""
    Path("worker.py").write_text(_WORKER, encoding="utf-8")
    flags = ["--standalone", "--nproc-per-node=2"]
    with contextlib.redirect_stderr(io.StringIO()):
        message = raises(ChildFailedError, "worker.py FAILED", lambda: torchrun.main([*flags, "worker.py"]))
    assert "exitcode  : 7" in message, message
    assert "error_file: <N/A>" in message, message
    assert _files("*.started") == ["0-0.started", "0-1.started"]
    assert _files("*.stopped") == ["0-0.stopped"]  # the healthy rank got SIGTERM
    for path in Path().glob("*.st*ed"):
        path.unlink()
    torchrun.main([*flags, "--max-restarts=1", "worker.py"])
    assert _files("*.started") == ["0-0.started", "0-1.started", "1-0.started", "1-1.started"]
    assert _files("*.stopped") == ["0-0.stopped"]
    return {"default": "both stopped, job failed, exit code 7 named", "--max-restarts=1": "both started again"}
