"""torch.nn.utils.clip_grad_norm_ on a fully_shard model: a global norm, replicated, that cannot be formatted."""

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate


def probe(rank, world_size):
    """Compare with the norm of the full gradients, clip, and format; once more with a 2-D mesh."""
    hsdp = init_device_mesh("cpu", (2, 1), mesh_dim_names=("replicate", "shard"))
    for mesh in (None, hsdp):
        torch.manual_seed(0)
        net = shard(Net(), mesh=mesh)
        (100.0 * net(batch(rank)).pow(2).mean()).backward()
        full = [parameter.grad.full_tensor() for parameter in net.parameters()]
        true = float(torch.linalg.vector_norm(torch.cat([gradient.flatten() for gradient in full])))
        norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        assert isinstance(norm, DTensor)
        if mesh is None:
            assert norm.placements == (Replicate(),), norm.placements
        assert abs(norm.item() - true) < 1e-4 * true, (norm.item(), true)
        assert abs(float(norm.full_tensor()) - true) < 1e-4 * true
        text = raises(TypeError, "__format__", lambda norm=norm: f"{norm:.3f}")
        assert f"{norm.item():.3f}" == f"{norm.full_tensor().item():.3f}"
        clipped = torch.cat([parameter.grad.full_tensor().flatten() for parameter in net.parameters()])
        assert abs(float(torch.linalg.vector_norm(clipped)) - 1.0) < 1e-3
    return {"placements": "Replicate", ".item()": "the global norm", "f'{norm:.3f}'": text}
