import copy

import torch
import torch.distributed as dist
from torch.distributed.fsdp import CPUOffloadPolicy, fully_shard


def compare(batch):
    dist.init_process_group("nccl")
    reference = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)).cuda()
    model = copy.deepcopy(reference)
    for layer in model:
        fully_shard(layer, offload_policy=CPUOffloadPolicy())
    fully_shard(model, offload_policy=CPUOffloadPolicy())
    reference(batch).sum().backward()
    model(batch).sum().backward()
    expected = torch.nn.utils.clip_grad_norm_(reference.parameters(), 1.0)
    torch.optim.SGD(model.parameters(), lr=0.1).step()
    return expected
