"""Tensor parallelism first, then fully_shard: parameters are sharded over both meshes."""

import torch
from _lab import Net, batch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

WORLD_SIZE = 4


def probe(rank, world_size):
    """Apply TP to the blocks and FSDP to all, on a (dp, tp) mesh; compare with one process."""
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    torch.manual_seed(0)
    net = Net()
    torch.manual_seed(0)
    reference = Net()
    for block in net.blocks:
        parallelize_module(block, mesh["tp"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
        fully_shard(block, mesh=mesh["dp"])
    fully_shard(net, mesh=mesh["dp"])
    weight = net.blocks[0].up.weight
    assert weight.device_mesh.mesh_dim_names == ("dp", "tp")
    assert tuple(weight.to_local().shape) == (4, 8)
    assert net.head.weight.device_mesh.ndim == 1
    x = batch(0)
    net(x).square().mean().backward()
    reference(x).square().mean().backward()
    assert torch.allclose(weight.grad.full_tensor(), reference.blocks[0].up.weight.grad, atol=1e-6)
    return {"local rows of 16 over 2 x 2": 4, "gradient equal": True}
