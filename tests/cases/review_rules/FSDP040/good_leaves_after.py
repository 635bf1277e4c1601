"""Each rank computes its own part of the parameters; all of them gather in every round."""

import torch
import torch.distributed as dist


class Parted(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None):
        rank, world_size = dist.get_rank(), dist.get_world_size()
        for group in self.param_groups:
            params = group["params"]
            for first in range(0, len(params), world_size):
                if first + rank < len(params):
                    own = params[first + rank]
                    if not self.state[own]:
                        self.state[own]["momentum"] = torch.zeros_like(own)
                        dist.all_gather(params[first : first + world_size], own)
                        continue
                    own.sub_(self.state[own]["momentum"], alpha=group["lr"])
                dist.all_gather(params[first : first + world_size], params[first + rank])
