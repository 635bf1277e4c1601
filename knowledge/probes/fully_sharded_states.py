"""Each rank stores 1/N of parameters, gradients and moments, and all of its own activations."""

import torch
from _lab import Net, batch, shard
from torch.autograd.graph import saved_tensors_hooks

WIDTH = 16


def _activations(net, x):
    kept = []

    def keep(tensor):
        # activations have the batch in dim 0; weights have not
        if tensor.dim() == 2 and tensor.shape[0] == len(x):
            kept.append(tensor)
        return tensor

    with saved_tensors_hooks(keep, lambda tensor: tensor):
        out = net(x)
    return sum(tensor.numel() for tensor in {tensor.data_ptr(): tensor for tensor in kept}.values()), out


def probe(rank, world_size):
    """Train one step sharded and plain; compare what is held."""
    x = batch(rank, width=WIDTH, size=6)
    plain = Net(width=WIDTH)
    elements = sum(parameter.numel() for parameter in plain.parameters())
    alone, _ = _activations(plain, x)
    net = shard(Net(width=WIDTH))
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    together, out = _activations(net, x)
    assert together == alone, (together, alone)
    out.sum().backward()
    assert len(optimizer.state) == 0, "the moments come with the first step"
    optimizer.step()
    held = {
        "parameters": sum(p.to_local().numel() for p in net.parameters()),
        "gradients": sum(p.grad.to_local().numel() for p in net.parameters()),
        "first moments": sum(optimizer.state[p]["exp_avg"].to_local().numel() for p in net.parameters()),
    }
    assert all(count * world_size == elements for count in held.values()), (held, elements)
    return {"of one rank": "1/2 of parameters, gradients, moments", "activations": "not sharded"}
