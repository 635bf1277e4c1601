"""FSDP2: rank 0 writes the checkpoint to a slow disk while the others wait for it."""

import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.fsdp import fully_shard

TIMEOUT_S = 10


def save_checkpoint(model, step, seconds):
    state = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
    if dist.get_rank() == 0:
        print(f"rank 0: saving checkpoint of step {step}", flush=True)
        torch.save(state, f"step-{step}.pt")
        time.sleep(seconds)
        print(f"rank 0: saved checkpoint of step {step}", flush=True)
    dist.barrier()


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=TIMEOUT_S))
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    for layer in (model[0], model[2]):
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(1, 4):
        inputs = torch.randn(4, 16)
        (model(inputs) - inputs).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"rank {dist.get_rank()}: step {step}", flush=True)
    save_checkpoint(model, 3, float(sys.argv[1]))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
