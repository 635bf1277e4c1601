"""HuggingFaceStorageWriter with its default save_distributed=False: all ranks write one file, shards are lost."""

from pathlib import Path

import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from _lab import Net, shard
from torch.distributed.checkpoint import HuggingFaceStorageWriter

REQUIRES = ("safetensors",)


def probe(rank, world_size):
    """Save a sharded state dict with the defaults and look at the file."""
    from safetensors.torch import load_file

    net = shard(Net())
    dcp.save(net.state_dict(), storage_writer=HuggingFaceStorageWriter("ckpt"))
    dist.barrier()
    files = sorted(path.name for path in Path("ckpt").glob("*.safetensors"))
    assert files == ["model-00001-of-00001.safetensors"], files
    shape = tuple(load_file(f"ckpt/{files[0]}")["head.weight"].shape)
    assert shape == (4, 8), shape
    return {"files": files, "head.weight in the file": list(shape), "in the model": [8, 8], "error": None}
