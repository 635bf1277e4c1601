"""FSDP2: the sampler is told another number of replicas than there are ranks."""

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

GPUS = 1


def main():
    dist.init_process_group("gloo")
    data = TensorDataset(torch.randn(64, 16))
    sampler = DistributedSampler(data, num_replicas=GPUS, rank=dist.get_rank())
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    fully_shard(model)
    for (inputs,) in DataLoader(data, batch_size=8, sampler=sampler):
        model(inputs).square().mean().backward()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
