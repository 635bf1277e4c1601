"""Which FSDP names import from where."""

import importlib

from _lab import raises

WORLD_SIZE = 1
PROCESS_GROUP = False

HERE = {
    "torch.distributed.fsdp": ["fully_shard", "FSDPModule", "MixedPrecisionPolicy", "CPUOffloadPolicy"],
    "torch.distributed._composable.fsdp": ["fully_shard", "FSDPModule"],
    "torch.distributed.fsdp.sharded_grad_scaler": ["ShardedGradScaler"],
    "torch.distributed._tensor": ["DTensor"],
    "torch.distributed.tensor": ["DTensor"],
    "torch.distributed.algorithms._checkpoint.checkpoint_wrapper": ["apply_activation_checkpointing"],
}
GONE = {"torch.distributed._composable": "fully_shard", "torch.distributed.fsdp": "ShardedGradScaler"}


def probe(rank, world_size):
    """Import each name; the two folklore paths must fail."""
    for module, names in HERE.items():
        loaded = importlib.import_module(module)
        for name in names:
            getattr(loaded, name)
    for module, name in GONE.items():
        raises(AttributeError, name, lambda module=module, name=name: getattr(importlib.import_module(module), name))
    same = importlib.import_module("torch.distributed.fsdp").fully_shard
    assert importlib.import_module("torch.distributed._composable.fsdp").fully_shard is same
    return {"import": sorted(HERE), "do not import": sorted(f"{m}.{n}" for m, n in GONE.items())}
