"""FSDP2: the loss takes the head's weight without calling the head."""

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main():
    dist.init_process_group("gloo")
    body, head = torch.nn.Linear(16, 16), torch.nn.Linear(16, 32)
    model = torch.nn.ModuleDict({"body": body, "head": head})
    fully_shard(body)
    fully_shard(head)
    hidden = model["body"](torch.randn(4, 16))
    logits = torch.nn.functional.linear(hidden, model["head"].weight, model["head"].bias)
    logits.square().mean().backward()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
