"""weight_norm and ParameterList under fully_shard."""

import torch
from _lab import batch
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.nn.utils.parametrizations import weight_norm


class Listed(nn.Module):
    """Weights in a ParameterList."""

    def __init__(self):
        """Make two."""
        super().__init__()
        self.weights = nn.ParameterList([nn.Parameter(torch.eye(8)) for _ in range(2)])
        self.normed = weight_norm(nn.Linear(8, 8))

    def forward(self, x):
        """Apply all."""
        for weight in self.weights:
            x = x @ weight
        return self.normed(x)


def probe(rank, world_size):
    """Compare one step with an unsharded copy, on the same batch on all ranks."""
    net, reference = Listed(), Listed()
    reference.load_state_dict(net.state_dict())
    fully_shard(net)
    assert isinstance(net.weights[0], DTensor)
    assert isinstance(net.normed.parametrizations.weight.original1, DTensor)
    for model in (net, reference):
        model(batch(0)).square().mean().backward()
    for mine, other in zip(net.parameters(), reference.parameters(), strict=True):
        assert torch.allclose(mine.grad.full_tensor(), other.grad, atol=1e-6)
    return {"ParameterList and weight_norm": "sharded, gradients right"}
