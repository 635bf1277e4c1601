"""EMA on shards: no communication, equal to the EMA of the full weights."""

import torch
from _lab import Net, batch, shard


def probe(rank, world_size):
    """Keep an EMA of each rank's shards for three steps and compare with the EMA of full tensors."""
    net = shard(Net())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    shadow = {name: parameter.detach().clone() for name, parameter in net.named_parameters()}
    full = {name: parameter.full_tensor().detach().clone() for name, parameter in net.named_parameters()}
    for _ in range(3):
        net(batch(rank)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        with torch.no_grad():
            for name, parameter in net.named_parameters():
                shadow[name].lerp_(parameter, 0.1)
                full[name].lerp_(parameter.full_tensor(), 0.1)
    for name, average in shadow.items():
        assert torch.allclose(average.full_tensor(), full[name], atol=1e-6), name
    swapped = shard(Net())
    swapped.load_state_dict(shadow)
    assert torch.equal(swapped.head.weight.full_tensor(), shadow["head.weight"].full_tensor())
    return {"EMA of shards equals EMA of full weights": True, "loads into a sharded model": True}
