"""What torchrun's workers find in their environment and command line, and the log files it writes."""

import json
import os
from pathlib import Path

import torch.distributed.run as torchrun

PROCESS_GROUP = False
WORLD_SIZE = 1

_WORKER = """
import json, os, sys
names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "TORCHELASTIC_RESTART_COUNT",
         "TORCHELASTIC_MAX_RESTARTS", "OMP_NUM_THREADS", "TORCH_NCCL_ASYNC_ERROR_HANDLING")
seen = {name: os.environ.get(name) for name in names}
seen["has master"] = bool(os.environ["MASTER_ADDR"]) and os.environ["MASTER_PORT"].isdigit()
seen["argv"] = sys.argv[1:]
seen["session of its own"] = os.getsid(0) == os.getpid()
print(json.dumps(seen))
"""


def probe(rank, world_size):
    """Start two workers that only print their environment."""
    for name in ("OMP_NUM_THREADS", "TORCH_NCCL_ASYNC_ERROR_HANDLING"):
        os.environ.pop(name, None)
    Path("worker.py").write_text(_WORKER, encoding="utf-8")
    torchrun.main(["--standalone", "--nproc-per-node=2", "--log-dir=logs", "--redirects=3", "worker.py", "--lr=1"])
    files = sorted(Path("logs").glob("*/attempt_0/*/stdout.log"))
    assert [file.parent.name for file in files] == ["0", "1"], files
    workers = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    for local_rank, seen in enumerate(workers):
        assert seen["RANK"] == seen["LOCAL_RANK"] == str(local_rank), seen
        assert seen["WORLD_SIZE"] == seen["LOCAL_WORLD_SIZE"] == "2", seen
        assert seen["argv"] == ["--lr=1"], seen  # no --local-rank
        assert (seen["TORCHELASTIC_RESTART_COUNT"], seen["OMP_NUM_THREADS"]) == ("0", "1"), seen
        assert seen["has master"], seen
        assert seen["TORCH_NCCL_ASYNC_ERROR_HANDLING"] == "1", seen
        assert seen["session of its own"], seen
    return {"worker 1": {name: workers[1][name] for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "OMP_NUM_THREADS")}}
