"""0-D parameters are refused by fully_shard and by FSDP1; shape [1] works."""

import torch
from _lab import raises
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import fully_shard


class Scaled(nn.Module):
    """Linear layer with a learned scale."""

    def __init__(self, scale):
        """Keep `scale` as a parameter."""
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.logit_scale = nn.Parameter(scale)

    def forward(self, x):
        """Scale the output."""
        return self.linear(x) * self.logit_scale.exp()


def probe(rank, world_size):
    """Shard with a 0-D scale, with a 1-D scale, and with the 0-D scale ignored."""
    message = raises(ValueError, "scalar parameters", lambda: fully_shard(Scaled(torch.tensor(1.0))))
    raises(ValueError, "scalar", lambda: FSDP(Scaled(torch.tensor(1.0)), device_id=torch.device("cpu")))
    net = fully_shard(Scaled(torch.ones(1)))
    net(torch.ones(2, 4)).sum().backward()
    assert tuple(net.logit_scale.shape) == (1,)
    assert net.logit_scale.to_local().numel() == (1 if rank == 0 else 0)
    ignoring = Scaled(torch.tensor(1.0))
    fully_shard(ignoring, ignored_params={ignoring.logit_scale})
    ignoring(torch.ones(2, 4)).sum().backward()
    assert ignoring.logit_scale.grad is not None
    return {"0-D": message, "shape [1]": "trains, rank 0 holds it", "0-D ignored": "trains"}
