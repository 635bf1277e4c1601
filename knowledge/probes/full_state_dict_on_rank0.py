"""What the options of get_model_state_dict return on which rank, and in which dtype."""

import torch
from _lab import Net, batch, shard
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.fsdp import MixedPrecisionPolicy
from torch.distributed.tensor import DTensor


def probe(rank, world_size):
    """Ask for full + offloaded, full only, offloaded only."""
    net = shard(Net(), mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16))
    net(batch(rank)).sum().backward()
    offloaded = get_model_state_dict(net, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
    assert len(offloaded) == (12 if rank == 0 else 0), len(offloaded)
    everywhere = get_model_state_dict(net, options=StateDictOptions(full_state_dict=True))
    assert len(everywhere) == 12
    assert not any(isinstance(value, DTensor) for value in everywhere.values())
    assert everywhere["head.weight"].shape == (8, 8)
    assert {value.dtype for value in everywhere.values()} == {torch.float32}, "compute dtype is not what is saved"
    shards = get_model_state_dict(net, options=StateDictOptions(cpu_offload=True))
    assert all(isinstance(value, DTensor) and value.device.type == "cpu" for value in shards.values())
    return {
        "full_state_dict, cpu_offload": "12 tensors on rank 0, 0 elsewhere",
        "full_state_dict": "12 tensors on every rank",
        "cpu_offload": "12 sharded DTensors on every rank",
        "dtype with param_dtype=bfloat16": "float32",
    }
