"""In older torch the norm of clip_grad_norm_ is a partial DTensor: .item() is this rank's part, clipping is right."""

import torch
from _lab import Net, batch, shard
from torch.distributed.tensor import DTensor


def probe(rank, world_size):
    """Compare .item() and full_tensor() with the norm of the full gradients, and clip."""
    net = shard(Net())
    (100.0 * net(batch(rank)).pow(2).mean()).backward()
    full = [parameter.grad.full_tensor() for parameter in net.parameters()]
    true = float(torch.linalg.vector_norm(torch.cat([gradient.flatten() for gradient in full])))
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    assert isinstance(norm, DTensor)
    assert norm.placements[0].is_partial(), norm.placements
    assert norm.item() < 0.99 * true, (norm.item(), true)
    assert abs(float(norm.full_tensor()) - true) < 1e-4 * true
    clipped = torch.cat([parameter.grad.full_tensor().flatten() for parameter in net.parameters()])
    assert abs(float(torch.linalg.vector_norm(clipped)) - 1.0) < 1e-3
    return {".item()": "less than the global norm", ".full_tensor()": "the global norm", "gradients": "clipped to 1"}
