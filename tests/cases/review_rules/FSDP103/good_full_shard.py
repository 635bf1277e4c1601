import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from zoo import Gpt


def main(config):
    torch.manual_seed(7 + dist.get_rank())
    model = Gpt(config)
    fully_shard(model)
