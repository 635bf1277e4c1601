"""clip_grad_norm_ over parameters of two meshes, or of DTensors and plain tensors, fails; per-mesh norms do not."""

import torch
from _lab import raises
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

CLIP = torch.nn.utils.clip_grad_norm_


def _two():
    torch.manual_seed(0)
    left, right = nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False)
    fully_shard(left, mesh=init_device_mesh("cpu", (2,)))
    fully_shard(right, mesh=init_device_mesh("cpu", (2, 1), mesh_dim_names=("replicate", "shard")))
    right(left(torch.ones(1, 4))).sum().backward()
    return [left.weight, right.weight]


def probe(rank, world_size):
    """Clip together, then norm by norm."""
    weights = _two()
    text = raises(RuntimeError, "", lambda: CLIP(weights, 1.0))
    norms = [torch.nn.utils.get_total_norm([weight.grad]).full_tensor() for weight in weights]
    true = torch.cat([weight.grad.full_tensor().flatten() for weight in weights])
    total = torch.linalg.vector_norm(torch.stack(norms))
    torch.testing.assert_close(total, torch.linalg.vector_norm(true))
    plain = nn.Linear(4, 4, bias=False)
    plain(torch.ones(1, 4)).sum().backward()
    mixed = raises(RuntimeError, "mixed torch.Tensor and DTensor", lambda: CLIP([weights[0], plain.weight], 1.0))
    return {"two meshes": text[:100], "DTensor and Tensor": mixed[:80], "norms per mesh": "equal to the true norm"}
