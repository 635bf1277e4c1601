"""Tensor hooks on sharded parameters never fire; post-accumulate hooks fire once, with the sharded gradient."""

import torch
from _lab import Net, batch, shard
from torch.distributed.tensor import DTensor


def probe(rank, world_size):
    """Count both kinds of hook over one backward, and step in one of them."""
    net = shard(Net())
    count = {"register_hook": 0, "post": 0, "module": 0}

    def tensor_hook(gradient):
        count["register_hook"] += 1
        return gradient

    def post(parameter):
        assert isinstance(parameter.grad, DTensor)
        count["post"] += 1

    def module_hook(module, grad_input, grad_output):
        count["module"] += 1

    for parameter in net.parameters():
        parameter.register_hook(tensor_hook)
        parameter.register_post_accumulate_grad_hook(post)
    net.blocks[0].register_full_backward_hook(module_hook)
    net(batch(rank)).sum().backward()
    total = len(list(net.parameters()))
    assert count == {"register_hook": 0, "post": total, "module": 1}, count
    fused = shard(Net())
    optimizers = {parameter: torch.optim.SGD([parameter], lr=0.1) for parameter in fused.parameters()}

    def step(parameter):
        optimizers[parameter].step()
        optimizers[parameter].zero_grad()

    before = fused.inp.weight.to_local().clone()
    for parameter in fused.parameters():
        parameter.register_post_accumulate_grad_hook(step)
    fused(batch(rank)).sum().backward()
    assert all(parameter.grad is None for parameter in fused.parameters())
    assert not torch.equal(before, fused.inp.weight.to_local())
    return {"fired": count, "parameters": total}
