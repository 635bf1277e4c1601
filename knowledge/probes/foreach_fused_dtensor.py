"""foreach and fused optimizers work on DTensor parameters and give the same result."""

import torch
from _lab import Net, batch, shard


def probe(rank, world_size):
    """One AdamW step with for-loop, foreach and fused."""
    results = {}
    for name, options in {"loop": {}, "foreach": {"foreach": True}, "fused": {"fused": True}}.items():
        torch.manual_seed(0)
        net = shard(Net())
        optimizer = torch.optim.AdamW(net.parameters(), lr=0.1, **options)
        net(batch(rank)).square().mean().backward()
        norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0, foreach=name != "loop")
        assert norm.full_tensor() > 0
        optimizer.step()
        results[name] = net.blocks[0].up.weight.full_tensor()
    assert torch.allclose(results["loop"], results["foreach"], atol=1e-6)
    assert torch.allclose(results["loop"], results["fused"], atol=1e-6)
    return {"equal": ["loop", "foreach", "fused"]}
