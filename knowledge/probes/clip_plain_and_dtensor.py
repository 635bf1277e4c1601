"""clip_grad_norm_ over DTensors and plain tensors fails; two norms, joined, clip both by one factor."""

import torch
from _lab import raises
from torch import nn
from torch.distributed.fsdp import fully_shard

UTILS = torch.nn.utils


def _two():
    torch.manual_seed(0)
    sharded, plain = nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False)
    fully_shard(sharded)
    plain(sharded(torch.ones(1, 4))).sum().backward()
    return [sharded.weight, plain.weight]


def probe(rank, world_size):
    """Clip together, then through the norms of both kinds."""
    weights = _two()
    text = raises(RuntimeError, "mixed torch.Tensor and DTensor", lambda: UTILS.clip_grad_norm_(weights, 1.0))
    norms = [UTILS.get_total_norm([weights[0].grad]).full_tensor(), UTILS.get_total_norm([weights[1].grad])]
    total = torch.linalg.vector_norm(torch.stack(norms))
    true = torch.cat([weights[0].grad.full_tensor().flatten(), weights[1].grad.flatten()])
    torch.testing.assert_close(total, torch.linalg.vector_norm(true))
    for weight in weights:
        UTILS.clip_grads_with_norm_([weight], 1.0, total)
    clipped = torch.cat([weights[0].grad.full_tensor().flatten(), weights[1].grad.flatten()])
    torch.testing.assert_close(clipped, true / total, atol=1e-5, rtol=1e-4)
    return {"together": text[:70], "joined norms": "clipped to norm 1"}
