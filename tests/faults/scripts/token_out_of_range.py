"""FSDP2: the tokenizer knows more tokens than the embedding has rows."""

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard

VOCABULARY = 64
ROWS = 60


def main():
    dist.init_process_group("gloo")
    model = torch.nn.Sequential(torch.nn.Embedding(ROWS, 16), torch.nn.Linear(16, VOCABULARY))
    for layer in model:
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(1, 4):
        tokens = (torch.arange(32) + 16 * step) % VOCABULARY
        torch.nn.functional.cross_entropy(model(tokens), tokens).backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"step {step}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
