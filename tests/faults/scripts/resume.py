"""FSDP2: trains on from a checkpoint."""

import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_model_state_dict, set_model_state_dict
from torch.distributed.fsdp import fully_shard

WIDTH = 64


def main():
    dist.init_process_group("gloo")
    model = torch.nn.Sequential(torch.nn.Linear(16, WIDTH), torch.nn.ReLU(), torch.nn.Linear(WIDTH, 16))
    for layer in (model[0], model[2]):
        fully_shard(layer)
    fully_shard(model)
    state = get_model_state_dict(model)
    dcp.load({"model": state}, checkpoint_id=sys.argv[1])
    set_model_state_dict(model, state)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(101, 104):
        inputs = torch.randn(4, 16)
        (model(inputs) - inputs).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"step {step}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
