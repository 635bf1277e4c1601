"""FSDP2: a full state dict is loaded into a model that is sharded already."""

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main():
    dist.init_process_group("gloo")
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    weights = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    for layer in (model[0], model[2]):
        fully_shard(layer)
    fully_shard(model)
    model.load_state_dict(weights)
    model(torch.randn(4, 16)).square().mean().backward()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
