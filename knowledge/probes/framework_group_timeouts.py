"""The default time-outs of accelerate's InitProcessGroupKwargs."""

from datetime import timedelta

from accelerate.utils import InitProcessGroupKwargs

PROCESS_GROUP = False
WORLD_SIZE = 1
REQUIRES = ("accelerate",)


def probe(rank, world_size):
    """Read the time-out for each way to ask for it."""
    assert InitProcessGroupKwargs().timeout == timedelta(seconds=600)  # backend nccl
    assert InitProcessGroupKwargs(backend="gloo").timeout == timedelta(seconds=1800)
    assert InitProcessGroupKwargs(timeout=timedelta(hours=2)).timeout == timedelta(hours=2)
    return {"nccl": "600 s", "gloo": "1800 s"}
