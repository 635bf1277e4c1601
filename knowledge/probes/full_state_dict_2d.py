"""FSDP2 on top of tensor parallelism: a full state dict goes out and in on a 2-D mesh."""

import torch
from _lab import Net, batch
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict, set_model_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

WORLD_SIZE = 4


def _net(mesh):
    net = Net()
    for block in net.blocks:
        parallelize_module(block, mesh["tp"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
        fully_shard(block, mesh=mesh["dp"])
    return fully_shard(net, mesh=mesh["dp"])


def probe(rank, world_size):
    """Load from rank 0 into dp 2 x tp 2, run, gather."""
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    torch.manual_seed(5)
    reference = Net()
    file = {name: value.clone() for name, value in reference.state_dict().items()}
    torch.manual_seed(0)
    net = _net(mesh)
    assert len(net.blocks[0].up.weight.placements) == 2
    options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    set_model_state_dict(net, dict(file) if rank == 0 else {}, options=options)
    assert torch.allclose(net(batch(0)), reference(batch(0)), atol=1e-5)
    full = get_model_state_dict(net, options=StateDictOptions(full_state_dict=True))
    assert all(torch.equal(full[name], file[name]) for name in file)
    return {"dp 2 x tp 2": "loads a full state dict and gives it back"}
