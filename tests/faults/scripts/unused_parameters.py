"""FSDP2: the optimizer's state is loaded for parameters that never had a gradient when it was saved."""

import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_optimizer_state_dict
from torch.distributed.fsdp import fully_shard


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(16, 16)
        self.auxiliary = torch.nn.Linear(16, 16)

    def forward(self, inputs, auxiliary=False):
        return self.auxiliary(self.body(inputs)) if auxiliary else self.body(inputs)


def build():
    model = Model()
    for layer in (model.body, model.auxiliary):
        fully_shard(layer)
    fully_shard(model)
    return model, torch.optim.AdamW(model.parameters(), lr=1e-3)


def main():
    dist.init_process_group("gloo")
    model, optimizer = build()
    model(torch.randn(4, 16)).square().mean().backward()
    optimizer.step()
    used = {
        name: value for name, value in get_optimizer_state_dict(model, optimizer)["state"].items() if "body" in name
    }
    dcp.save({"optimizer": {"state": used}}, checkpoint_id=sys.argv[1])
    model, optimizer = build()
    state = get_optimizer_state_dict(model, optimizer)["state"]
    dcp.load({"optimizer": {"state": state}}, checkpoint_id=sys.argv[1])
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
