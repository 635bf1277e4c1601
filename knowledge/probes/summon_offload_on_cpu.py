"""summon_full_params(offload_to_cpu=True) on parameters that are on the CPU already: their storage is freed."""

import torch
from _lab import Net, raises
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def probe(rank, world_size):
    """Summon with and without the option."""
    net = FSDP(Net(), device_id=torch.device("cpu"))

    def read(**options):
        with FSDP.summon_full_params(net, writeback=False, **options):
            return float(net.module.head.weight.sum())

    read()
    message = raises(RuntimeError, "out of bounds for storage of size 0", lambda: read(offload_to_cpu=True))
    return {"offload_to_cpu=True": message.split(":")[0], "without it": "reads"}
