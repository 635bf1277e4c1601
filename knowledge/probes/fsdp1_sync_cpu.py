"""FSDP1's sync_module_states refuses parameters or buffers on the CPU when no device_id is given."""

import torch
from _lab import Net, raises
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def probe(rank, world_size):
    """Wrap a CPU module with sync_module_states=True."""
    net = Net()
    net.register_buffer("scale", torch.ones(1))
    options = {"sync_module_states": True, "device_id": torch.device("cpu")}
    message = raises(ValueError, "CPU parameters or buffers", lambda: FSDP(net, **options))
    return {"refused": message}
