"""clip_grad_norm_ refuses gradients on two meshes (with and without tensor parallelism); norms can be joined."""

import torch
from _lab import Net, batch, raises
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

WORLD_SIZE = 4


def _joined_norm(parameters):
    by_mesh = {}
    for parameter in parameters:
        by_mesh.setdefault(parameter.device_mesh, []).append(parameter.grad)
    norms = [torch.nn.utils.get_total_norm(grads).full_tensor() for grads in by_mesh.values()]
    return len(by_mesh), torch.linalg.vector_norm(torch.stack(norms))


def probe(rank, world_size):
    """Clip blocks with tp and root without; compare the joined norm with an unsharded net."""
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    net, reference = Net(), Net()
    reference.load_state_dict(net.state_dict())
    for block in net.blocks:
        parallelize_module(block, mesh["tp"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
        fully_shard(block, mesh=mesh["dp"])
    fully_shard(net, mesh=mesh["dp"])
    for model in (net, reference):
        model(batch(0)).square().mean().backward()
    message = raises(RuntimeError, "aten.stack", lambda: torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1))
    meshes, norm = _joined_norm(net.parameters())
    expected = torch.nn.utils.get_total_norm([parameter.grad for parameter in reference.parameters()])
    assert meshes == 2
    assert torch.allclose(norm, expected, rtol=1e-5)
    for parameter in net.parameters():
        parameter.grad.mul_(min(1.0, 0.1 / norm.item()))
    torch.optim.AdamW(net.parameters(), foreach=True).step()
    return {"clip_grad_norm_": message[:60], "joined norm": "as unsharded", "foreach step": "works"}
