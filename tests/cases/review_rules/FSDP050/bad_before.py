import torch
from torch.distributed.fsdp import fully_shard


def restore(net, path):
    options = {"strict": False}
    net.load_state_dict(torch.load(path, mmap=True), **options)  # <- FSDP050


def main(net, path):
    restore(net, path)
    fully_shard(net)
